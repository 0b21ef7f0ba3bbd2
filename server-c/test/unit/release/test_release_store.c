/* SPDX-License-Identifier: MIT */
/* The store on the disk: what a kill has left goes, what is kept stays, and nothing that somebody has
 * planted leads out of it. */
#include "release/release_store.c"

#include "release_fixture.h"

static const char *release_of(const char *path, const char *text)
{
    struct buf manifest;

    buf_init(&manifest);
    add_file(&manifest, path, text);
    return keep_manifest(&manifest);
}

static void what_no_tree_needs_goes(void)
{
    fixture_begin();
    const char *first = release_of("d/a", "first"), *second = release_of("d/a", "second");
    struct buf manifest;
    buf_init(&manifest);
    add_file(&manifest, "both", "first");
    add_link(&manifest, "link", "both");
    add_file(&manifest, "own", "third");
    const char *third = keep_manifest(&manifest);
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    CHECK_INT(__LINE__, "second", fixture_build(second), RELEASE_STANDS);
    CHECK_INT(__LINE__, "third", fixture_build(third), RELEASE_STANDS);
    const char *kept[] = {second, third};
    release_store_keep(&fixture.store, kept, 2, false);
    CHECK_TRUE(!release_store_has_tree(&fixture.store, first), "the first went");
    expect_in(second, "test \"$(cat d/a)\" = second");
    expect_in(third, "test \"$(cat link own)\" = firstthird");
    CHECK_INT(__LINE__, "the manifest that is not kept goes",
              release_store_size(&fixture.store, first), -1);
    int64_t manifests =
        release_store_size(&fixture.store, second) + release_store_size(&fixture.store, third);
    CHECK_TRUE(manifests > 300, "those of the kept ones stay");
    CHECK_INT(__LINE__, "what they need is counted", fixture.store.used_bytes,
              (int64_t)(strlen("first") + strlen("second") + strlen("third")) + manifests);
    release_store_keep(&fixture.store, NULL, 0, false);
    CHECK_INT(__LINE__, "nothing is left", fixture.store.used_bytes, 0);
    expect_in(NULL, "test -z \"$(find . -type f)\" && test -z \"$(ls trees)\"");
    fixture_end();
}

static void contents_may_be_spared(void)
{
    fixture_begin();
    const char *first = release_of("d/a", "first");
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    uint64_t used_bytes = fixture.store.used_bytes;
    release_store_keep(&fixture.store, NULL, 0, true);
    CHECK_TRUE(!release_store_has_tree(&fixture.store, first), "its tree went");
    CHECK_INT(__LINE__, "all contents stay", fixture.store.used_bytes, used_bytes);
    release_store_keep(&fixture.store, NULL, 0, false);
    CHECK_INT(__LINE__, "nothing is left", fixture.store.used_bytes, 0);
    fixture_end();
}

static bool at_once(void *arg)
{
    ++*(int *)arg;
    return true;
}

static void the_sweep_of_contents_gives_way(void)
{
    int asked = 0;

    fixture_begin();
    const char *first = release_of("d/a", "first");
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    uint64_t used_bytes = fixture.store.used_bytes;
    fixture.store.gives_way = at_once;
    fixture.store.gives_way_arg = &asked;
    CHECK_TRUE(!release_store_keep(&fixture.store, NULL, 0, false), "it is not done");
    CHECK_INT(__LINE__, "asked once", asked, 1);
    CHECK_TRUE(!release_store_has_tree(&fixture.store, first), "its tree went");
    CHECK_INT(__LINE__, "all contents stay", fixture.store.used_bytes, used_bytes);
    CHECK_TRUE(release_store_keep(&fixture.store, NULL, 0, true), "nothing was left out");
    fixture.store.gives_way = NULL;
    CHECK_TRUE(release_store_keep(&fixture.store, NULL, 0, false), "it is done");
    CHECK_INT(__LINE__, "nothing is left", fixture.store.used_bytes, 0);
    fixture_end();
}

static void what_a_kill_left_is_removed(void)
{
    fixture_begin();
    const char *first = release_of("d/a", "first");
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    char script[400];
    snprintf(
        script, sizeof(script),
        "mkdir -p contents/ab trees/%s.old/d trees/%s.new/x/y && echo half > contents/ab/%s.new && "
        "echo x > trees/%s.new/x/y/z && echo x > trees/%s.old/d/a",
        first, first, first, first, first);
    expect_in(NULL, script);
    release_store_close(&fixture.store);
    fixture_open();
    expect_in(NULL, "test -z \"$(find . -name '*.new' -o -name '*.old')\"");
    expect_in(first, "test \"$(cat d/a)\" = first");
    CHECK_TRUE(fixture.store.used_bytes > strlen("first"), "the manifest counts until it is swept");
    fixture_end();
}

static void planted_links_lead_nowhere(void)
{
    fixture_begin();
    const char *first = release_of("d/a", "first");
    char script[400];
    snprintf(script, sizeof(script),
             "mkdir ../victim && echo v > ../victim/file && ln -s ../../victim trees/%s.new && "
             "ln -s ../../victim trees/%s.old && ln -s ../../victim trees/other",
             first, first);
    expect_in(NULL, script);
    CHECK_INT(__LINE__, "built", fixture_build(first), RELEASE_STANDS);
    release_store_keep(&fixture.store, NULL, 0, false);
    expect_in(NULL, "test -f ../victim/file && test -z \"$(ls trees)\"");
    release_store_close(&fixture.store);
    shell_in(fixture.folder, "rm -r releases && mkdir elsewhere && ln -s elsewhere releases");
    CHECK_INT(__LINE__, "the folder itself",
              release_store_open(&fixture.store, fixture.state_fd, 1, &fixture.stopping,
                                 fixture.why, sizeof(fixture.why)),
              -1);
    fixture_end();
}

int main(void)
{
    what_no_tree_needs_goes();
    contents_may_be_spared();
    the_sweep_of_contents_gives_way();
    what_a_kill_left_is_removed();
    planted_links_lead_nowhere();
    return check_end("release_store");
}
