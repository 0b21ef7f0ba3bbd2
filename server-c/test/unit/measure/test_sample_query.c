/* SPDX-License-Identifier: MIT */
/* Query strings of /samples: valid ones and those that are refused. */
#include "measure/sample_query.c"

#include "check.h"

#define BOTH true, true

static void test_good(void)
{
    static const struct {
        int line;
        const char *text;
        struct sample_query want;
    } rows[] = {
        {__LINE__, "", {100, 0, BOTH}},
        {__LINE__, "limit=1", {1, 0, BOTH}},
        {__LINE__, "limit=10000", {10000, 0, BOTH}},
        {__LINE__, "since=0", {100, 0, BOTH}},
        {__LINE__, "since=18446744073709551", {100, UINT64_C(18446744073709551), BOTH}},
        {__LINE__, "kind=slow", {100, 0, false, true}},
        {__LINE__, "kind=regular", {100, 0, true, false}},
        {__LINE__, "since=5&kind=slow&limit=20", {20, 5, false, true}},
        {__LINE__, "limit=20&since=5", {20, 5, BOTH}},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct sample_query *want = &rows[i].want;
        struct sample_query got;
        const char *reason;
        bool is_good =
            sample_query_parse(&got, (struct span){rows[i].text, strlen(rows[i].text)}, &reason);
        CHECK_TRUE(is_good, "row %d: %s", rows[i].line, reason);
        CHECK_TRUE(got.limit == want->limit && got.since_us == want->since_us &&
                       got.wants_regular == want->wants_regular &&
                       got.wants_slow == want->wants_slow,
                   "row %d \"%s\"", rows[i].line, rows[i].text);
    }
}

static void test_bad(void)
{
    static const struct {
        int line;
        const char *text, *about;
    } rows[] = {
        {__LINE__, "limit", "limit is"},
        {__LINE__, "limit=", "limit is"},
        {__LINE__, "limit=0", "limit is"},
        {__LINE__, "limit=10001", "limit is"},
        {__LINE__, "limit=99999999999999999999999999", "limit is"},
        {__LINE__, "limit=01", "limit is"},
        {__LINE__, "limit=+1", "limit is"},
        {__LINE__, "limit=-1", "limit is"},
        {__LINE__, "limit=1.0", "limit is"},
        {__LINE__, "limit=1e3", "limit is"},
        {__LINE__, "limit= 1", "limit is"},
        {__LINE__, "limit=%31", "limit is"},
        {__LINE__, "limit=1=1", "limit is"},
        {__LINE__, "limit=1;since=2", "limit is"},
        {__LINE__, "since=", "since is"},
        {__LINE__, "since=now", "since is"},
        {__LINE__, "since=18446744073709552", "since is"},
        {__LINE__, "kind=", "kind is"},
        {__LINE__, "kind=Slow", "kind is"},
        {__LINE__, "kind=slower", "kind is"},
        {__LINE__, "limit=1&limit=1", "each once"},
        {__LINE__, "Limit=1", "each once"},
        {__LINE__, "limits=1", "each once"},
        {__LINE__, "lim=1", "each once"},
        {__LINE__, "=1", "each once"},
        {__LINE__, "&", "each once"},
        {__LINE__, "limit=1&", "each once"},
        {__LINE__, "&limit=1", "each once"},
        {__LINE__, "limit=1&&kind=slow", "each once"},
        {__LINE__, "format=json", "each once"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sample_query got;
        const char *reason = "";
        CHECK_TRUE(
            !sample_query_parse(&got, (struct span){rows[i].text, strlen(rows[i].text)}, &reason),
            "row %d \"%s\"", rows[i].line, rows[i].text);
        CHECK_TRUE(strstr(reason, rows[i].about), "row %d \"%s\": %s", rows[i].line, rows[i].text,
                   reason);
    }
}

int main(void)
{
    test_good();
    test_bad();
    return check_end("sample_query");
}
