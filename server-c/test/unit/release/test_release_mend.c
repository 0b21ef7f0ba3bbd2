/* SPDX-License-Identifier: MIT */
/* A content that is wrong is got anew, and stands in all trees in the wrong one's place. */
#include "release/release_mend.c"
#include "release/release_replace.h"

#include "release_fixture.h"

#define MARK "chmod 1644"
#define NO_NEW "test -z \"$(find . -name '*.new')\""

static const char *shared; /* the digest of "in both" */

static const char *release_of(const char *path, const char *text)
{
    struct buf manifest;

    buf_init(&manifest);
    add_file(&manifest, path, text);
    return keep_manifest(&manifest);
}

/* Two trees have the file, which is wrong now and marked. */
static void begin(const char **first, const char **second)
{
    fixture_begin();
    *first = release_of("d/e/a", "in both");
    shared = fixture.things[0].sha256;
    *second = release_of("b", "in both");
    CHECK_INT(__LINE__, "first", fixture_build(*first), RELEASE_STANDS);
    CHECK_INT(__LINE__, "second", fixture_build(*second), RELEASE_STANDS);
    expect_in(*second, MARK " b && echo wrong > b && touch -d 2020-02-02 b && chmod 1444 b");
}

static enum release_end mend(void)
{
    return release_mend(&fixture.store, &fixture_source, shared, fixture.why);
}

static void expect_wrong(const char *first, const char *second)
{
    expect_in(first, "test $(stat -c %a.%s d/e/a) = 1444.6");
    expect_in(second, "test $(stat -c %a.%s b) = 1444.6");
}

static void expect_right(const char *first, const char *second)
{
    expect_in(first, "test $(stat -c %a.%h d/e/a) = 444.3 && test \"$(cat d/e/a)\" = 'in both'");
    expect_in(second, "test $(stat -c %a.%h b) = 444.3 && test \"$(cat b)\" = 'in both'");
    expect_in(NULL, NO_NEW);
    CHECK_INT(__LINE__, "size", release_store_size(&fixture.store, shared), strlen("in both"));
}

static void all_trees_have_the_right_one(void)
{
    const char *first, *second;

    begin(&first, &second);
    fixture.store.used_bytes = 1000;
    CHECK_INT(__LINE__, "mended", mend(), RELEASE_STANDS);
    expect_right(first, second);
    /* A compressed sibling that is older than its file is not served. */
    expect_in(second, "test $(stat -c %y b | cut -c1-10) = 2020-02-02");
    CHECK_INT(__LINE__, "room", fixture.store.used_bytes, 1000 - 6 + strlen("in both"));
    fixture.asked = 0;
    CHECK_INT(__LINE__, "again", mend(), RELEASE_STANDS);
    CHECK_INT(__LINE__, "nothing is asked for", fixture.asked, 0);
    fixture_end();
}

static void a_manifest_that_is_wrong_goes(void)
{
    const char *first, *second;
    char script[200];

    begin(&first, &second);
    snprintf(script, sizeof(script), MARK " contents/*/%s", first);
    expect_in(NULL, script);
    uint64_t used_bytes = fixture.store.used_bytes;
    fixture.asked = 0;
    CHECK_INT(__LINE__, "gone", release_mend(&fixture.store, &fixture_source, first, fixture.why),
              RELEASE_STANDS);
    CHECK_INT(__LINE__, "nothing is asked for", fixture.asked, 0);
    snprintf(script, sizeof(script), "test ! -e contents/%.2s/%s", first, first);
    expect_in(NULL, script);
    CHECK_TRUE(fixture.store.used_bytes < used_bytes, "its room is free");
    fixture_end();
}

static void what_does_not_come_leaves_it_marked(void)
{
    const char *first, *second;

    begin(&first, &second);
    fixture.is_gone = true;
    CHECK_INT(__LINE__, "nobody has it", mend(), RELEASE_WRONG);
    CHECK_STR(__LINE__, "why", fixture.why, "there is none");
    expect_wrong(first, second);
    fixture.is_gone = false;
    fixture.lies = shared;
    CHECK_INT(__LINE__, "wrong, too", mend(), RELEASE_WRONG);
    expect_wrong(first, second);
    expect_in(NULL, NO_NEW);
    fixture.lies = NULL;
    CHECK_INT(__LINE__, "mended", mend(), RELEASE_STANDS);
    expect_right(first, second);
    fixture_end();
}

static void a_release_that_needs_it_brings_it(void)
{
    const char *first, *second;

    begin(&first, &second);
    const char *third = release_of("c", "in both");
    fixture.asked = 0;
    CHECK_INT(__LINE__, "built", fixture_build(third), RELEASE_STANDS);
    CHECK_INT(__LINE__, "the manifest and the content", fixture.asked, 2);
    expect_in(third, "test \"$(cat c)\" = 'in both'");
    expect_in(first, "test $(stat -c %a.%h d/e/a) = 444.4");
    expect_in(second, "test $(stat -c %a.%h b) = 444.4");
    fixture_end();
}

static void a_large_one_goes_on(void)
{
    struct buf manifest;

    fixture_begin();
    buf_init(&manifest);
    shared = keep_large(&manifest, "large", 3 * RELEASE_REST_BYTES);
    const char *sha256 = keep_manifest(&manifest);
    CHECK_INT(__LINE__, "built", fixture_build(sha256), RELEASE_STANDS);
    expect_in(sha256, MARK " large");
    fixture.breaks_off = 2 * RELEASE_REST_BYTES;
    CHECK_INT(__LINE__, "broke off", mend(), RELEASE_UNREACHED);
    expect_in(sha256, "test $(stat -c %a large) = 1644");
    CHECK_INT(__LINE__, "went on", mend(), RELEASE_STANDS);
    CHECK_INT(__LINE__, "from there", fixture.from, 2 * RELEASE_REST_BYTES);
    expect_in(sha256, "test $(stat -c %a.%h large) = 444.2");
    fixture_end();
}

/* The process ended when the trees had the right one, and the content itself had not. */
static void a_kill_in_the_middle_is_made_good(void)
{
    const char *first, *second;
    char name[RELEASE_CONTENT_LEN + 1], script[300];
    struct stat old;

    begin(&first, &second);
    release_content_name(name, shared, RELEASE_NEW);
    snprintf(script, sizeof(script), "printf 'in both' > contents/%s && chmod 444 contents/%s",
             name, name);
    expect_in(NULL, script);
    snprintf(script, sizeof(script), "test $(stat -c %%h contents/%s) = 3", name);
    name[strlen(name) - strlen(RELEASE_NEW)] = '\0';
    CHECK_INT(__LINE__, "old", fstatat(fixture.store.contents_fd, name, &old, 0), 0);
    strcat(name, RELEASE_NEW);
    CHECK_INT(__LINE__, "trees", release_replace_in_trees(&fixture.store, &old, name), 0);
    expect_in(NULL, script);
    release_store_close(&fixture.store);
    fixture_open();
    CHECK_TRUE(release_store_size(&fixture.store, shared) < 0, "it is still marked");
    CHECK_INT(__LINE__, "mended", mend(), RELEASE_STANDS);
    expect_in(first, "test \"$(cat d/e/a)\" = 'in both' && test $(stat -c %a d/e/a) = 444");
    expect_in(second, "test \"$(cat b)\" = 'in both' && test $(stat -c %a b) = 444");
    expect_in(NULL, NO_NEW " && test -z \"$(find . -type f -perm -1000)\"");
    fixture_end();
}

static void what_is_gone_needs_nothing(void)
{
    const char *first, *second;

    begin(&first, &second);
    release_store_keep(&fixture.store, NULL, 0, false);
    fixture.asked = 0;
    CHECK_INT(__LINE__, "gone", mend(), RELEASE_STANDS);
    CHECK_INT(__LINE__, "nothing is asked for", fixture.asked, 0);
    fixture_end();
}

int main(void)
{
    all_trees_have_the_right_one();
    a_manifest_that_is_wrong_goes();
    what_does_not_come_leaves_it_marked();
    a_release_that_needs_it_brings_it();
    a_large_one_goes_on();
    a_kill_in_the_middle_is_made_good();
    what_is_gone_needs_nothing();
    return check_end("release_mend");
}
