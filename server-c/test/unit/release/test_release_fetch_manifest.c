/* SPDX-License-Identifier: MIT */
/* A manifest comes as what is other in it, and whole after whatever goes wrong with that. */
#include "release/release_fetch_manifest.c"

#include "release_fixture.h"

#define FILES 40
#define NO_NEW "test -z \"$(find . -name '*.new')\""

/* Of a release whose file `changed` is another one. */
static const char *manifest_of(int changed)
{
    struct buf manifest;
    char path[16], text[16];

    buf_init(&manifest);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "f%02d", i);
        snprintf(text, sizeof(text), i == changed ? "new %d" : "old %d", i);
        add_file(&manifest, path, text);
    }
    return keep_manifest(&manifest);
}

/* What makes that manifest of the one without a change. */
static const char *delta_of(const char *manifest, int changed)
{
    struct buf delta;

    buf_init(&delta);
    for (size_t i = 0; i < fixture.thing_count; i++)
        if (strcmp(fixture.things[i].sha256, manifest) == 0) {
            const char *line = fixture.things[i].bytes;
            for (int at = 0; at < changed; at++)
                line = strchr(line, '\n') + 1;
            buf_printf(&delta, "=%d\n-1\n%.*s\n=%d\n", changed, (int)strcspn(line, "\n"), line,
                       FILES - 1 - changed);
        }
    return keep_manifest(&delta);
}

/* The earlier one is here; what is asked for from now on is counted. */
static const char *begin(const char **base)
{
    fixture_begin();
    *base = manifest_of(-1);
    CHECK_INT(__LINE__, "base", fixture_build(*base), RELEASE_STANDS);
    const char *manifest = manifest_of(7);
    fixture.requests = 0;
    return manifest;
}

static void expect_whole(int line, const char *manifest, int requests)
{
    CHECK_INT(line, "stands", release_store_has_tree(&fixture.store, manifest), true);
    CHECK_INT(line, "requests beside those for differences", fixture.requests, requests);
    expect_in(manifest, "test \"$(cat f07)\" = 'new 7' && test $(ls | wc -l) = 40");
    expect_in(NULL, NO_NEW);
}

static void only_what_is_other_comes(void)
{
    const char *base, *manifest = begin(&base);

    fixture.delta = delta_of(manifest, 7);
    CHECK_INT(__LINE__, "built", fixture_build_of(manifest, base), RELEASE_STANDS);
    expect_whole(__LINE__, manifest, 1); /* for the content */
    CHECK_INT(__LINE__, "one difference", fixture.deltas, 1);
    CHECK_STR(__LINE__, "from", fixture.base, base);
    fixture_end();
}

static void what_breaks_off_goes_on(void)
{
    const char *base, *manifest = begin(&base);

    fixture.delta = delta_of(manifest, 7);
    fixture.breaks_off = 50;
    CHECK_INT(__LINE__, "built", fixture_build_of(manifest, base), RELEASE_STANDS);
    fixture.breaks_off = 0;
    expect_whole(__LINE__, manifest, 1);
    CHECK_TRUE(fixture.deltas >= 3 && fixture.deltas < 6, "%d parts of it", fixture.deltas);
    fixture_end();
}

static void where_there_is_none_it_comes_whole(void)
{
    const char *base, *manifest = begin(&base);

    CHECK_INT(__LINE__, "built", fixture_build_of(manifest, base), RELEASE_STANDS);
    expect_whole(__LINE__, manifest, 2);
    CHECK_INT(__LINE__, "asked for once", fixture.deltas, 1);
    fixture_end();
}

static void where_it_does_not_come_it_comes_whole(void)
{
    const char *base, *manifest = begin(&base);

    fixture.delta = "0000"; /* of which nothing ever comes */
    CHECK_INT(__LINE__, "built", fixture_build_of(manifest, base), RELEASE_STANDS);
    expect_whole(__LINE__, manifest, 2);
    CHECK_INT(__LINE__, "tries", fixture.deltas, DELTA_FAILURES_MAX + 1);
    fixture_end();
}

static void what_is_wrong_comes_whole(void)
{
    static const char *const wrong[] = {"=99\n", "what is this\n", "=40\n", "=40\n{}\n", "=3"};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *base, *manifest = begin(&base);

        fixture.delta = keep_text(wrong[i]);
        CHECK_INT(__LINE__, wrong[i], fixture_build_of(manifest, base), RELEASE_STANDS);
        expect_whole(__LINE__, manifest, 2);
        CHECK_TRUE(release_store_size(&fixture.store, base) > 0, "the earlier one is right");
        fixture_end();
    }
}

static void a_base_that_the_disk_has_changed_is_marked(void)
{
    const char *base, *manifest = begin(&base);
    char script[300];

    fixture.delta = delta_of(manifest, 7);
    snprintf(script, sizeof(script),
             "chmod u+w contents/*/%s && printf x | dd of=$(ls contents/*/%s) conv=notrunc "
             "status=none",
             base, base);
    expect_in(NULL, script);
    CHECK_INT(__LINE__, "built", fixture_build_of(manifest, base), RELEASE_STANDS);
    expect_whole(__LINE__, manifest, 2);
    CHECK_INT(__LINE__, "not believed again", release_store_size(&fixture.store, base), -1);
    fixture_end();
}

static void a_base_that_is_gone_is_none(void)
{
    const char *base, *manifest = begin(&base);

    fixture.delta = delta_of(manifest, 7);
    CHECK_INT(__LINE__, "built", fixture_build_of(manifest, keep_text("gone")), RELEASE_STANDS);
    expect_whole(__LINE__, manifest, 2);
    CHECK_INT(__LINE__, "nothing is asked for", fixture.deltas, 0);
    fixture_end();
}

static void it_ends_with_the_node(void)
{
    const char *base, *manifest = begin(&base);

    fixture.delta = delta_of(manifest, 7);
    fixture.stops = true;
    CHECK_INT(__LINE__, "stops", fixture_build_of(manifest, base), RELEASE_STOPPED);
    fixture.stops = false;
    atomic_store(&fixture.stopping, false);
    expect_in(NULL, NO_NEW);
    CHECK_INT(__LINE__, "later", fixture_build_of(manifest, base), RELEASE_STANDS);
    expect_whole(__LINE__, manifest, 1);
    fixture_end();
}

int main(void)
{
    only_what_is_other_comes();
    what_breaks_off_goes_on();
    where_there_is_none_it_comes_whole();
    where_it_does_not_come_it_comes_whole();
    what_is_wrong_comes_whole();
    a_base_that_the_disk_has_changed_is_marked();
    a_base_that_is_gone_is_none();
    it_ends_with_the_node();
    return check_end("release_fetch_manifest");
}
