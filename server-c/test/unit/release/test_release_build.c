/* SPDX-License-Identifier: MIT */
/* From a manifest's digest to a tree: whole, or not at all, whatever the source and the disk do. */
#include "release/release_build.c"
#include "release/release_fetch.c"

#include "release_fixture.h"

#define NO_NEW "test -z \"$(find . -name '*.new' -o -name '*.old')\""

static const char *small_release(void)
{
    struct buf manifest;

    buf_init(&manifest);
    add_file(&manifest, "a/b/c.txt", "deep");
    add_link(&manifest, "a/up", "../z");
    add_file(&manifest, "empty", "");
    add_file(&manifest, "m", "deep");
    add_link(&manifest, "z", "a/b");
    return keep_manifest(&manifest);
}

static void a_release_becomes_a_folder(void)
{
    fixture_begin();
    const char *manifest = small_release();
    CHECK_INT(__LINE__, "first", fixture_build(manifest), RELEASE_STANDS);
    expect_in(manifest, "test \"$(cat a/up/c.txt m z/c.txt)\" = deepdeepdeep");
    expect_in(manifest, "test -f empty && test ! -s empty && test \"$(readlink a/up)\" = ../z");
    expect_in(manifest, "test $(find . | wc -l) = 8 && test ! -w m -o $(id -u) = 0");
    expect_in(NULL, NO_NEW " && test $(stat -c %h trees/*/m) = 3");
    CHECK_INT(__LINE__, "contents asked for, each once", fixture.asked, 3);
    CHECK_INT(__LINE__, "again", fixture_build(manifest), RELEASE_STANDS);
    CHECK_INT(__LINE__, "nothing is asked for what stands", fixture.asked, 3);
    CHECK_STR(__LINE__, "progress is over", fixture.progress.manifest, "");
    fixture_end();
}

static void only_what_is_new_travels(void)
{
    struct buf manifest;
    char path[32], text[32];

    fixture_begin();
    buf_init(&manifest);
    for (int i = 0; i < 1030; i++) {
        snprintf(path, sizeof(path), "d%d/f%04d", i / 1000, i), snprintf(text, 32, "text %d", i);
        add_file(&manifest, path, text);
    }
    const char *first = keep_manifest(&manifest);
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    CHECK_INT(__LINE__, "the manifest and three batches", fixture.requests, 4);
    CHECK_INT(__LINE__, "all", fixture.asked, 1031);
    buf_init(&manifest);
    add_file(&manifest, "new", "text 7");
    add_file(&manifest, "newer", "nobody had this");
    fixture.asked = 0;
    CHECK_INT(__LINE__, "second", fixture_build(keep_manifest(&manifest)), RELEASE_STANDS);
    CHECK_INT(__LINE__, "the manifest and one content", fixture.asked, 2);
    fixture_end();
}

static void what_breaks_off_goes_on(void)
{
    struct buf manifest, large;

    fixture_begin();
    buf_init(&manifest), buf_init(&large);
    for (int i = 0; i < 4000; i++)
        buf_printf(&large, "%d ", i);
    add_file(&manifest, "large", large.data);
    const char *sha256 = keep_manifest(&manifest);
    fixture.breaks_off = 700;
    CHECK_INT(__LINE__, "resumed", fixture_build(sha256), RELEASE_STANDS);
    CHECK_TRUE(fixture.pauses >= 20, "%d pauses", fixture.pauses);
    CHECK_INT(__LINE__, "each byte came once", fixture.requests, 1 + (large.len + 699) / 700);
    fixture.breaks_off = 0;
    buf_fini(&large);
    fixture_end();
}

static void many_that_break_off_are_kept(void)
{
    struct buf manifest;
    char path[32], text[128];

    fixture_begin();
    buf_init(&manifest);
    for (int i = 0; i < 50; i++) {
        snprintf(path, sizeof(path), "f%02d", i), snprintf(text, sizeof(text), "%0100d", i);
        add_file(&manifest, path, text);
    }
    const char *sha256 = keep_manifest(&manifest);
    fixture.breaks_off = 0;
    CHECK_TRUE(release_store_size(&fixture.store, sha256) < 0, "not yet");
    fixture.breaks_off = 7000; /* more than the manifest's half, and a batch's */
    CHECK_INT(__LINE__, "in the end", fixture_build(sha256), RELEASE_STANDS);
    fixture.breaks_off = 0;
    fixture_end();
}

static void wrong_bytes_are_refused(void)
{
    fixture_begin();
    const char *manifest = small_release();
    fixture.lies = keep_text("deep");
    CHECK_INT(__LINE__, "a content", fixture_build(manifest), RELEASE_WRONG);
    CHECK_TRUE(strstr(fixture.why, "a/b/c.txt: the bytes that came have another SHA-256"), "%s",
               fixture.why);
    CHECK_TRUE(!release_store_has_tree(&fixture.store, manifest), "no tree");
    expect_in(NULL, NO_NEW);
    fixture.lies = manifest;
    release_store_keep(&fixture.store, NULL, 0, false);
    CHECK_INT(__LINE__, "the manifest", fixture_build(manifest), RELEASE_WRONG);
    CHECK_TRUE(strstr(fixture.why, "the manifest"), "%s", fixture.why);
    fixture.lies = NULL;
    CHECK_INT(__LINE__, "then the right ones", fixture_build(manifest), RELEASE_STANDS);
    fixture_end();
}

/* Somebody else gives the right ones then. */
static void wrong_bytes_of_one_source_are_got_from_another(void)
{
    fixture_begin();
    const char *manifest = small_release();
    fixture.lies = keep_text("deep");
    fixture.blames = 2;
    CHECK_INT(__LINE__, "many", fixture_build(manifest), RELEASE_STANDS);
    CHECK_INT(__LINE__, "manifest, two that lied, and one", fixture.requests, 4);
    CHECK_INT(__LINE__, "nobody waits", fixture.pauses, 0);
    expect_in(manifest, "test \"$(cat a/up/c.txt m z/c.txt)\" = deepdeepdeep");
    expect_in(NULL, NO_NEW);
    struct buf other;
    buf_init(&other);
    fixture.lies = keep_large(&other, "alone", 100000);
    fixture.blames = 1;
    CHECK_INT(__LINE__, "one", fixture_build(keep_manifest(&other)), RELEASE_STANDS);
    fixture_end();
}

/* However many do not give it: that is no failure of what can be had. */
static void who_does_not_give_costs_no_try(void)
{
    fixture_begin();
    const char *manifest = small_release();
    fixture.elsewheres = 3 * RELEASE_FAILURES_MAX;
    CHECK_INT(__LINE__, "in the end", fixture_build(manifest), RELEASE_STANDS);
    CHECK_INT(__LINE__, "nobody waits", fixture.pauses, 0);
    CHECK_INT(__LINE__, "all were asked", fixture.elsewheres, 0);
    fixture_end();
}

static void what_is_no_manifest_is_refused(void)
{
    fixture_begin();
    CHECK_INT(__LINE__, "noise", fixture_build(keep_text("noise\n")), RELEASE_WRONG);
    CHECK_TRUE(strstr(fixture.why, "line 1 of the manifest"), "%s", fixture.why);
    fixture.is_gone = true;
    CHECK_INT(__LINE__, "gone", fixture_build(keep_text("gone\n")), RELEASE_WRONG);
    CHECK_STR(__LINE__, "why", fixture.why, "there is none");
    fixture_end();
}

static void a_lie_about_a_size_is_refused(void)
{
    struct buf manifest;

    fixture_begin();
    buf_init(&manifest);
    add_file(&manifest, "a", "four");
    const char *sha256 = fixture.things[0].sha256;
    buf_printf(&manifest,
               "{\"mode\":\"644\",\"path\":\"b\",\"sha256\":\"%s\",\"size\":5,\"type\":\"file\"}\n",
               sha256);
    CHECK_INT(__LINE__, "two sizes", fixture_build(keep_manifest(&manifest)), RELEASE_WRONG);
    CHECK_TRUE(strstr(fixture.why, "b: the content"), "%s", fixture.why);
    fixture_end();
}

/* A disk that was full or lost power may leave a content without its last bytes. */
static void what_lost_bytes_is_got_again(void)
{
    struct buf manifest;

    fixture_begin();
    const char *first = small_release();
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    expect_in(first, "chmod u+w m && : > m && chmod 444 m");
    buf_init(&manifest);
    add_file(&manifest, "new", "deep");
    const char *second = keep_manifest(&manifest);
    CHECK_INT(__LINE__, "second", fixture_build(second), RELEASE_STANDS);
    expect_in(second, "test \"$(cat new)\" = deep");
    expect_in(first, "test \"$(cat m a/b/c.txt)\" = deepdeep && test $(stat -c %a m) = 444");
    fixture_end();
}

static void what_does_not_fit_is_refused_with_figures(void)
{
    fixture_begin();
    const char *manifest = small_release();
    fixture.store.max_bytes = 3;
    CHECK_INT(__LINE__, "the setting", fixture_build(manifest), RELEASE_NO_ROOM);
    CHECK_TRUE(strstr(fixture.why, "releases.storeMaxBytes is 0.0 MiB"), "%s", fixture.why);
    CHECK_TRUE(!release_store_has_tree(&fixture.store, manifest), "no tree");
    fixture.store.max_bytes = UINT64_MAX / 2;
    CHECK_INT(__LINE__, "the disk",
              release_store_room(&fixture.store, UINT64_C(1) << 60, fixture.why, RELEASE_WHY_LEN),
              -1);
    CHECK_TRUE(strstr(fixture.why, "MiB stay free"), "%s", fixture.why);
    fixture_end();
}

static void a_source_that_is_away_is_given_up(void)
{
    fixture_begin();
    const char *manifest = small_release();
    fixture.thing_count--; /* the manifest never comes */
    CHECK_INT(__LINE__, "away", fixture_build(manifest), RELEASE_UNREACHED);
    CHECK_INT(__LINE__, "after some tries", fixture.requests, RELEASE_FAILURES_MAX + 1);
    fixture.thing_count++;
    fixture.stops = true;
    CHECK_INT(__LINE__, "stops", fixture_build(manifest), RELEASE_STOPPED);
    fixture_end();
}

#define LARGE_BYTES (3u << 20)

/* The release is tried, and broken off in the large content's middle. */
static const char *begun_release(const char **content)
{
    struct buf manifest;

    buf_init(&manifest);
    *content = keep_large(&manifest, "large", LARGE_BYTES);
    const char *sha256 = keep_manifest(&manifest);
    fixture.breaks_off = 2 * RELEASE_REST_BYTES;
    fixture.stops_at_pause = true;
    CHECK_INT(__LINE__, "stops", fixture_build(sha256), RELEASE_STOPPED);
    fixture.breaks_off = 0;
    fixture.stops_at_pause = false;
    release_store_close(&fixture.store);
    fixture_open();
    return sha256;
}

static void a_large_content_goes_on_after_a_restart(void)
{
    const char *content;

    fixture_begin();
    const char *sha256 = begun_release(&content);
    CHECK_INT(__LINE__, "only the manifest counts", fixture.store.used_bytes < 1000, true);
    CHECK_INT(__LINE__, "again", fixture_build(sha256), RELEASE_STANDS);
    CHECK_INT(__LINE__, "from there", fixture.from, 2 * RELEASE_REST_BYTES);
    expect_in(NULL, NO_NEW);
    expect_in(sha256, "test $(stat -c %s.%a large) = 3145728.444");
    CHECK_TRUE(fixture.store.used_bytes > LARGE_BYTES, "counted");
    CHECK_TRUE(fixture.store.used_bytes < LARGE_BYTES + 1000, "once");
    fixture_end();
}

static void what_is_left_and_wrong_breaks_nothing(void)
{
    const char *content;
    char script[300];

    fixture_begin();
    const char *sha256 = begun_release(&content);
    snprintf(script, sizeof(script),
             "chmod u+w contents/*/%s.new && printf x | dd of=$(ls contents/*/%s.new) conv=notrunc "
             "status=none",
             content, content);
    expect_in(NULL, script);
    CHECK_INT(__LINE__, "again", fixture_build(sha256), RELEASE_STANDS);
    CHECK_INT(__LINE__, "in the end from the beginning", fixture.from, 0);
    expect_in(NULL, NO_NEW);
    fixture_end();
}

static void what_is_left_goes_when_it_is_not_needed(void)
{
    const char *content;

    fixture_begin();
    begun_release(&content);
    release_store_keep(&fixture.store, NULL, 0, false);
    expect_in(NULL, "test -z \"$(find contents -type f)\"");
    fixture_end();
}

int main(void)
{
    a_large_content_goes_on_after_a_restart();
    what_is_left_and_wrong_breaks_nothing();
    what_is_left_goes_when_it_is_not_needed();
    a_release_becomes_a_folder();
    only_what_is_new_travels();
    what_breaks_off_goes_on();
    many_that_break_off_are_kept();
    wrong_bytes_are_refused();
    wrong_bytes_of_one_source_are_got_from_another();
    who_does_not_give_costs_no_try();
    what_is_no_manifest_is_refused();
    a_lie_about_a_size_is_refused();
    what_lost_bytes_is_got_again();
    what_does_not_fit_is_refused_with_figures();
    a_source_that_is_away_is_given_up();
    return check_end("release_build");
}
