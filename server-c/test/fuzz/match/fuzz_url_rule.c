/* SPDX-License-Identifier: MIT */
/* An expression, what to make of it, a path and a query, a line each: results stay in their room, a
 * Location can stand in a field and stays on this host, no match takes long, and JIT code and the
 * interpreter give the same answer. */
#include "match/url_rule.h"
#include "base/util.h"

#include <string.h>

#define LONG_LEN 8192
#define OUT_MAX 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct url_rule_scratch *scratch;

static struct span take_line(struct span *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    struct span line = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};

    rest->ptr += line.len + (end != NULL);
    rest->len -= line.len + (end != NULL);
    return line;
}

/* What follows a whole host in `to` does not change which host it is. */
static void check_host(const char *to, const char *out, size_t len)
{
    static const char host[] = "https://a.example";
    size_t host_len = sizeof(host) - 1;

    if (strncmp(to, host, host_len) != 0 || to[host_len] != '$' || strlen(to) != host_len + 2)
        return;
    CHECK(len >= host_len && memcmp(out, host, host_len) == 0);
    CHECK(len == host_len || strchr("/?#", out[host_len]) != NULL);
}

static void check_location(const char *to, const char *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        CHECK(out[i] > ' ' && out[i] < 0x7f);
    CHECK(len < 2 || memcmp(out, "//", 2) != 0 || strncmp(to, "//", 2) == 0);
    check_host(to, out, len);
    CHECK(to[0] != '$' || (len > 0 && out[0] == '/'));
}

static enum url_rule_result apply(const struct url_rule *rule, const char *to,
                                  const struct url_rule_subject *subject, enum url_rule_use use,
                                  char *out, size_t *len)
{
    size_t cap = subject->query.len * 7 % OUT_MAX; /* any, but the same for the same input */
    char *room = malloc(cap);
    clock_t start = clock();
    enum url_rule_result result;

    url_rule_begin(scratch);
    result = url_rule_apply(rule, scratch, subject, use, room, cap, len);

    CHECK(clock() - start < CLOCKS_PER_SEC);
    if (result == URL_RULE_MATCH) {
        CHECK(*len <= cap);
        if (use == URL_RULE_FOR_LOCATION)
            check_location(to, room, *len);
        memcpy(out, room, *len);
    }
    free(room);
    return result;
}

static void check_both(const struct url_rule *rule, const struct url_rule *interpreted,
                       const char *to, const struct url_rule_subject *subject)
{
    char out[2][OUT_MAX];
    size_t len[2] = {0};

    for (int use = URL_RULE_FOR_LOCATION; use <= URL_RULE_FOR_PATH; use++) {
        enum url_rule_result result = apply(rule, to, subject, use, out[0], &len[0]), other;
        if (!interpreted)
            continue;
        other = apply(interpreted, to, subject, use, out[1], &len[1]);
        if (result == URL_RULE_LIMIT || other == URL_RULE_LIMIT)
            continue;
        CHECK(result == other);
        if (result == URL_RULE_MATCH)
            CHECK(len[0] == len[1] && memcmp(out[0], out[1], len[0]) == 0);
    }
}

static void check_rule(const char *match, const char *to, struct span path, struct span query)
{
    struct url_rule_error error = {0};
    struct url_rule *rule = url_rule_new(match, to, &error), *interpreted;
    struct url_rule_subject subject = {path, {"example.org", 11}, query};
    char *without_jit = malloc(strlen(match) + 10), *again = malloc(LONG_LEN);

    if (!rule) {
        CHECK(error.message[0] != '\0' && strlen(error.message) < URL_RULE_MESSAGE_MAX);
        CHECK(error.offset <= strlen(error.is_in_to ? to : match));
    } else {
        memcpy(without_jit, "(*NO_JIT)", 9);
        memcpy(without_jit + 9, match, strlen(match) + 1);
        interpreted = url_rule_new(without_jit, to, &error);
        check_both(rule, interpreted, to, &subject);
        for (size_t i = 0; i < LONG_LEN; i++)
            again[i] = path.len > 0 ? path.ptr[i % path.len] : '/';
        subject.path = (struct span){again, LONG_LEN};
        check_both(rule, interpreted, to, &subject);
        url_rule_free(interpreted);
    }
    url_rule_free(rule);
    free(without_jit);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct span rest = {(const char *)data, len};
    struct span match = take_line(&rest), to = take_line(&rest), path = take_line(&rest);
    char *match_text = strndup(match.ptr, match.len), *to_text = strndup(to.ptr, to.len);

    if (!scratch)
        scratch = url_rule_scratch_new();
    check_rule(match_text, to_text, path, rest);
    free(match_text);
    free(to_text);
    return 0;
}
