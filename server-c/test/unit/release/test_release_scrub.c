/* SPDX-License-Identifier: MIT */
/* What a disk changes is found, marked under all its names, and told. */
#include "release/release_scrub.c"

#include "release_fixture.h"

static struct {
    uint64_t bytes, last;
    int compared, told;
    char wrong[RELEASE_SHA256_LEN + 1];
} seen;
static int ends_after; /* so many paces; 0: never */
static const char
    *at_second; /* what happens in the store's folder at the second reading of the same bytes */

static bool on_pace(void *arg, uint64_t bytes)
{
    (void)arg;
    seen.bytes += bytes;
    if (at_second && bytes > 0 && bytes == seen.last) {
        shell_in(fixture.folder, at_second);
        at_second = NULL;
    }
    seen.last = bytes;
    return ends_after == 0 || --ends_after > 0;
}

static void on_compared(void *arg)
{
    (void)arg;
    seen.compared++;
}

static void on_wrong(void *arg, int folder, const char *sha256, const struct stat *st)
{
    (void)arg;
    CHECK_TRUE((st->st_mode & BOUNDS_WRONG_BYTES) != 0, "it is marked");
    CHECK_TRUE(release_scrub_is_there(folder, sha256, st), "it is there");
    seen.told++;
    memcpy(seen.wrong, sha256, sizeof(seen.wrong));
}

static bool scrub(unsigned first, bool reads)
{
    const struct release_scrub round = {fixture.state_fd, NULL, on_pace, on_compared, on_wrong};

    memset(&seen, 0, sizeof(seen));
    return release_scrub_round(&round, first, reads);
}

/* Of the two trees: they are contents, too. */
#define MANIFESTS 2
static int64_t manifest_bytes;

/* Two trees with a file in common; returns the first's manifest. */
static const char *two_releases(const char **second)
{
    struct buf manifest;
    const char *first;

    buf_init(&manifest);
    add_file(&manifest, "d/a", "in both");
    keep_large(&manifest, "large", 700000);
    first = keep_manifest(&manifest);
    buf_init(&manifest);
    add_file(&manifest, "other", "in both");
    *second = keep_manifest(&manifest);
    CHECK_INT(__LINE__, "first", fixture_build(first), RELEASE_STANDS);
    CHECK_INT(__LINE__, "second", fixture_build(*second), RELEASE_STANDS);
    release_store_keep(&fixture.store, (const char *[]){first, *second}, 2, false);
    manifest_bytes =
        release_store_size(&fixture.store, first) + release_store_size(&fixture.store, *second);
    CHECK_TRUE(manifest_bytes > 0, "the manifests are there");
    return first;
}

static void what_is_right_is_read_and_left_alone(void)
{
    const char *second;

    fixture_begin();
    two_releases(&second);
    for (unsigned first = 0; first < RELEASE_SCRUB_FOLDERS; first += 255) {
        CHECK_TRUE(scrub(first, true), "all of it");
        CHECK_INT(__LINE__, "contents", seen.compared, 2 + MANIFESTS);
        CHECK_INT(__LINE__, "bytes", seen.bytes, 700000 + strlen("in both") + manifest_bytes);
        CHECK_INT(__LINE__, "wrong", seen.told, 0);
    }
    expect_in(NULL, "test -z \"$(find . -type f ! -perm 444)\"");
    fixture_end();
}

static void a_changed_byte_is_found(void)
{
    const char *second, *first;

    fixture_begin();
    first = two_releases(&second);
    expect_in(
        first,
        "chmod u+w large && printf x | dd of=large bs=1 seek=300000 conv=notrunc status=none");
    CHECK_TRUE(scrub(7, true), "all of it");
    CHECK_INT(__LINE__, "told", seen.told, 1);
    CHECK_INT(__LINE__, "contents", seen.compared, 2 + MANIFESTS);
    expect_in(first, "test $(stat -c %a large) = 1444");
    CHECK_TRUE(release_store_size(&fixture.store, seen.wrong) < 0, "it is to be got again");
    CHECK_TRUE(scrub(7, true), "again");
    CHECK_INT(__LINE__, "told again", seen.told, 1);
    CHECK_INT(__LINE__, "contents", seen.compared, 1 + MANIFESTS);
    CHECK_INT(__LINE__, "it is not read again", seen.bytes, strlen("in both") + manifest_bytes);
    CHECK_TRUE(scrub(0, false), "without reading");
    CHECK_INT(__LINE__, "told", seen.told, 1);
    CHECK_INT(__LINE__, "bytes", seen.bytes, 0);
    fixture_end();
}

static void the_mark_is_in_all_trees(void)
{
    static const char *const damages[] = {
        "chmod u+w d/a && printf X | dd of=d/a conv=notrunc status=none",
        "chmod u+w d/a && : > d/a",
        "chmod u+w d/a && echo more >> d/a",
    };

    for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
        const char *second, *first;

        fixture_begin();
        first = two_releases(&second);
        expect_in(first, damages[i]);
        CHECK_TRUE(scrub(0, true), "all of it");
        CHECK_INT(__LINE__, damages[i], seen.told, 1);
        expect_in(first, "test $(stat -c %a d/a) = 1444 && test $(stat -c %a large) = 444");
        expect_in(second, "test $(stat -c %a other) = 1444");
        fixture_end();
    }
}

/* As release_mend.c does it, while the wrong one is read. */
static void one_that_came_anew_meanwhile_is_not_taken_for_the_wrong_one(void)
{
    const char *second, *first;

    fixture_begin();
    first = two_releases(&second);
    expect_in(first, "chmod u+w d/a && printf X | dd of=d/a conv=notrunc status=none");
    at_second = "wrong=$(find releases/contents -type f -size 7c) && "
                "printf 'in both' > new && chmod 444 new && mv -f new $wrong";
    CHECK_TRUE(scrub(0, true), "all of it");
    CHECK_INT(__LINE__, "told", seen.told, 0);
    shell_in(fixture.folder, "test $(find releases/contents -type f -perm 444 | wc -l) = 4");
    CHECK_TRUE(scrub(0, true), "again");
    CHECK_INT(__LINE__, "told", seen.told, 0);
    CHECK_INT(__LINE__, "contents", seen.compared, 2 + MANIFESTS);
    fixture_end();
}

static void a_round_ends_when_it_is_told(void)
{
    const char *second;

    fixture_begin();
    two_releases(&second);
    ends_after = 1;
    CHECK_TRUE(!scrub(0, true), "ended");
    CHECK_INT(__LINE__, "none was compared", seen.compared, 0);
    ends_after = 1;
    CHECK_TRUE(!scrub(0, false), "ended");
    ends_after = 0;
    shell_in(fixture.folder, "rm -r releases");
    CHECK_TRUE(scrub(0, true), "nothing is there");
    fixture_end();
}

static void on_found(void *arg, const char *sha256, const struct stat *st)
{
    CHECK_TRUE(arg == &seen, "for whom it is told");
    CHECK_TRUE((st->st_mode & BOUNDS_WRONG_BYTES) != 0, "it is marked");
    seen.told++;
    memcpy(seen.wrong, sha256, sizeof(seen.wrong));
}

static void one_that_is_found_by_who_uses_it_is_told(void)
{
    static const char content[] = "in both";
    char digest[DIGEST_LEN + 1];
    const char *second, *first, *sha256 = digest + strlen("sha256:");

    digest_sha256(digest, content, strlen(content));
    fixture_begin();
    memset(&seen, 0, sizeof(seen));
    first = two_releases(&second);
    fixture.store.found_wrong = on_found;
    fixture.store.found_wrong_arg = &seen;
    CHECK_TRUE(!release_scrub_one(&fixture.store, sha256), "it is right");
    CHECK_INT(__LINE__, "told", seen.told, 0);
    expect_in(first, "chmod u+w d/a && printf X | dd of=d/a conv=notrunc status=none");
    CHECK_TRUE(release_scrub_one(&fixture.store, sha256), "it is wrong");
    CHECK_INT(__LINE__, "told", seen.told, 1);
    CHECK_STR(__LINE__, "which", seen.wrong, sha256);
    fixture.store.found_wrong = NULL;
    CHECK_TRUE(release_scrub_one(&fixture.store, sha256), "nobody is to be told");
    fixture_end();
}

int main(void)
{
    what_is_right_is_read_and_left_alone();
    a_changed_byte_is_found();
    the_mark_is_in_all_trees();
    one_that_came_anew_meanwhile_is_not_taken_for_the_wrong_one();
    a_round_ends_when_it_is_told();
    one_that_is_found_by_who_uses_it_is_told();
    return check_end("release_scrub");
}
