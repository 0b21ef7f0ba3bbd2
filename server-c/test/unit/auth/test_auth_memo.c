/* SPDX-License-Identifier: MIT */
/* What was verified is found again, only for that hash and password, and within limits. */
#include "auth/auth_memo.c"

#include "check.h"

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static void test_pairs(struct auth_memo *memo)
{
    auth_memo_add(memo, "hash-a", span_of("sesame"));
    auth_memo_add(memo, "hash-a", span_of("sesame"));
    CHECK_TRUE(auth_memo_has(memo, "hash-a", span_of("sesame")), "what was added");
    CHECK_TRUE(!auth_memo_has(memo, "hash-b", span_of("sesame")), "another hash");
    CHECK_TRUE(!auth_memo_has(memo, "hash-a", span_of("Sesame")), "another password");
    CHECK_TRUE(!auth_memo_has(memo, "hash-a", span_of("")), "no password");
    CHECK_TRUE(!auth_memo_has(memo, "hash-", span_of("asesame")), "cut elsewhere");
    auth_memo_add(memo, "hash-c", (struct span){NULL, 0});
    CHECK_TRUE(auth_memo_has(memo, "hash-c", span_of("")), "an empty password");
}

static void test_keys_differ(struct auth_memo *memo)
{
    struct auth_memo *other = auth_memo_new();

    CHECK_TRUE(memcmp(other->key, memo->key, KEY_LEN) != 0, "each its own key");
    memcpy(other->sets, memo->sets, sizeof(memo->sets));
    CHECK_TRUE(!auth_memo_has(other, "hash-a", span_of("sesame")), "tags are of no use elsewhere");
    auth_memo_free(other);
}

static bool has(struct auth_memo *memo, int number)
{
    char password[16];

    snprintf(password, sizeof(password), "p%d", number);
    return auth_memo_has(memo, "h", span_of(password));
}

static void test_bound(struct auth_memo *memo)
{
    int left = 0;

    for (int i = 0; i < 4 * AUTH_MEMO_ENTRIES; i++) {
        char password[16];

        snprintf(password, sizeof(password), "p%d", i);
        auth_memo_add(memo, "h", span_of(password));
        CHECK_TRUE(has(memo, i), "the newest is there");
        CHECK_TRUE(auth_memo_has(memo, "hash-a", span_of("sesame")), "and one that is in use");
    }
    for (int i = 0; i < 4 * AUTH_MEMO_ENTRIES; i++)
        left += has(memo, i);
    CHECK_TRUE(left > AUTH_MEMO_ENTRIES * 9 / 10 && left < AUTH_MEMO_ENTRIES, "%d left", left);
    CHECK_TRUE(!has(memo, 0), "the oldest is gone");
}

static void test_too_long(struct auth_memo *memo)
{
    static char text[HTTP_AUTH_PASSWORD_MAX + 2];

    memset(text, 'x', sizeof(text) - 1);
    auth_memo_add(memo, "h", (struct span){text, HTTP_AUTH_PASSWORD_MAX});
    CHECK_TRUE(auth_memo_has(memo, "h", (struct span){text, HTTP_AUTH_PASSWORD_MAX}), "longest");
    auth_memo_add(memo, "h", (struct span){text, HTTP_AUTH_PASSWORD_MAX + 1});
    CHECK_TRUE(!auth_memo_has(memo, "h", (struct span){text, HTTP_AUTH_PASSWORD_MAX + 1}), "more");
    auth_memo_add(memo, text, span_of("p"));
    CHECK_TRUE(!auth_memo_has(memo, text, span_of("p")), "a hash that is none");
}

static void test_pick(struct auth_memo *memo)
{
    bool seen[8] = {false};
    int differ = 0;

    for (int i = 0; i < 200; i++) {
        char user[16];
        size_t picked;

        snprintf(user, sizeof(user), "u%d", i);
        picked = auth_memo_pick(memo, span_of(user), 8);
        CHECK_TRUE(picked < 8, "%zu", picked);
        seen[picked % 8] = true;
        differ += picked != auth_memo_pick(memo, span_of(user), 8);
    }
    CHECK_INT(__LINE__, "always the same", differ, 0);
    for (size_t i = 0; i < 8; i++)
        CHECK_TRUE(seen[i], "%zu is picked for somebody", i);
}

int main(void)
{
    struct auth_memo *memo = auth_memo_new();

    test_pairs(memo);
    test_keys_differ(memo);
    test_bound(memo);
    test_too_long(memo);
    test_pick(memo);
    auth_memo_free(memo);
    auth_memo_free(NULL);
    return check_end("auth_memo");
}
