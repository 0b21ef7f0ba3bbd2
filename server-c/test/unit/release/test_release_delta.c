/* SPDX-License-Identifier: MIT */
/* What is made of an earlier manifest and a difference, in whatever pieces that comes. */
#include "release/release_content.h"
#include "release/release_delta.c"

#include "release_fixture.h"

static struct buf made;
static bool wants_no_more;

static bool put_made(void *arg, const char *bytes, size_t len)
{
    (void)arg;
    buf_append(&made, bytes, len);
    return !wants_no_more;
}

/* A content of that text. */
static const char *base_of(const char *text)
{
    struct release_content content;
    const char *sha256 = keep_text(text);
    char names[1][RELEASE_SHA256_LEN + 1];

    memcpy(names[0], sha256, sizeof(names[0]));
    CHECK_INT(__LINE__, "begin",
              release_content_begin(&content, &fixture.store, sha256, strlen(text)), 0);
    CHECK_INT(__LINE__, "put", release_content_put(&content, text, strlen(text)), 0);
    CHECK_TRUE(release_content_end(&content, &fixture.store), "right");
    CHECK_INT(__LINE__, "publish", release_content_publish(&fixture.store, names, 1), 0);
    return sha256;
}

/* NULL: all was taken, and `wanted` was made; else why not. */
static void row(int line, const char *base, const char *text, const char *wanted, const char *wrong)
{
    const char *sha256 = base_of(base);

    for (size_t step = 1; step <= strlen(text) + 1; step += step < 4 ? 1 : 7) {
        struct release_delta delta;
        bool goes_on = true;

        buf_init(&made);
        buf_append_str(&made, "");
        CHECK_INT(line, "init", release_delta_init(&delta, &fixture.store, sha256, put_made, NULL),
                  0);
        for (size_t at = 0; goes_on && at < strlen(text); at += step)
            goes_on =
                release_delta_take(&delta, text + at, (size_t)smaller_of(step, strlen(text) - at));
        CHECK_TRUE(goes_on == (wrong == NULL), "row %d in steps of %zu", line, step);
        CHECK_STR(line, "wrong", delta.wrong ? delta.wrong : "", wrong ? wrong : "");
        if (wanted)
            CHECK_STR(line, "made", made.len > 0 ? made.data : "", wanted);
        if (!wrong)
            CHECK_INT(line, "taken", delta.taken, strlen(text));
        release_delta_fini(&delta);
        buf_fini(&made);
    }
}

#define FORMS "it has a line of none of its three forms"
#define FEWER "it names more lines than the earlier manifest has"

static void lines_are_taken_and_passed_over(void)
{
    fixture_begin();
    row(__LINE__, "a\nb\nc\n", "=3\n", "a\nb\nc\n", NULL);
    row(__LINE__, "a\nb\nc\n", "=1\n-1\n{new}\n=1\n", "a\n{new}\nc\n", NULL);
    row(__LINE__, "a\nb\nc\n", "-3\n{x}\n", "{x}\n", NULL);
    row(__LINE__, "a\nb\nc\n", "", "", NULL);
    row(__LINE__, "", "{x}\n{y}\n", "{x}\n{y}\n", NULL);
    row(__LINE__, "a\nb\n", "=0\n=2\n", "a\nb\n", NULL);
    row(__LINE__, "a\nb\n", "=3\n", NULL, FEWER);
    row(__LINE__, "a\nb\n", "-2\n-1\n", NULL, FEWER);
    row(__LINE__, "a\n", "=\n", NULL, FORMS);
    row(__LINE__, "a\n", "=-1\n", NULL, FORMS);
    row(__LINE__, "a\n", "+1\n", NULL, FORMS);
    row(__LINE__, "a\n", "\n", NULL, FORMS);
    row(__LINE__, "a\n", "=18446744073709551617\n", NULL, FORMS);
    fixture_end();
}

static void many_lines_are_taken_in_pieces(void)
{
    struct buf base, half;
    struct release_delta delta;

    fixture_begin();
    buf_init(&base), buf_init(&half), buf_init(&made);
    for (int i = 0; i < 100000; i++) {
        buf_printf(&base, "line %d\n", i);
        if (i < 50000 || i == 99999)
            buf_printf(&half, "line %d\n", i);
    }
    CHECK_TRUE(base.len > 4 * BASE_BYTES, "more than is read at a time");
    const char *sha256 = base_of(base.data);
    CHECK_INT(__LINE__, "init", release_delta_init(&delta, &fixture.store, sha256, put_made, NULL),
              0);
    CHECK_TRUE(release_delta_take(&delta, "=50000\n-49999\n=1\n", 17), "taken");
    CHECK_TRUE(made.len == half.len && memcmp(made.data, half.data, half.len) == 0, "made");
    release_delta_fini(&delta);
    buf_fini(&base), buf_fini(&half), buf_fini(&made);
    fixture_end();
}

static void it_ends_when_told_to(void)
{
    struct release_delta delta;
    char *long_line = malloc(RELEASE_LINE_BYTES + 2);

    fixture_begin();
    const char *sha256 = base_of("a\nb\n");
    memset(long_line, '{', RELEASE_LINE_BYTES + 2);
    buf_init(&made);
    CHECK_INT(__LINE__, "init", release_delta_init(&delta, &fixture.store, sha256, put_made, NULL),
              0);
    CHECK_TRUE(!release_delta_take(&delta, long_line, RELEASE_LINE_BYTES + 2) && delta.wrong,
               "a line without an end");
    release_delta_fini(&delta);
    CHECK_INT(__LINE__, "init", release_delta_init(&delta, &fixture.store, sha256, put_made, NULL),
              0);
    wants_no_more = true;
    CHECK_TRUE(!release_delta_take(&delta, "=1\n", 3) && !delta.wrong, "no more is wanted");
    wants_no_more = false;
    atomic_store(&fixture.stopping, true);
    CHECK_TRUE(!release_delta_take(&delta, "=1\n", 3) && !delta.wrong, "the node stops");
    release_delta_fini(&delta);
    CHECK_INT(__LINE__, "what is not there",
              release_delta_init(&delta, &fixture.store, keep_text("never came"), put_made, NULL),
              -1);
    buf_fini(&made);
    free(long_line);
    fixture_end();
}

int main(void)
{
    lines_are_taken_and_passed_over();
    many_lines_are_taken_in_pieces();
    it_ends_when_told_to();
    return check_end("release_delta");
}
