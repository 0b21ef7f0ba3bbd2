/* SPDX-License-Identifier: MIT */
/* What clients accept, and what they get. */
#include "http/http_coding.c"

#include "check.h"

#define BR (1u << CODING_BR)
#define ZSTD (1u << CODING_ZSTD)
#define GZIP (1u << CODING_GZIP)
#define ALL (BR | ZSTD | GZIP)

static void parse(struct http_request *req, char *head, size_t cap, const char *fields)
{
    int len = snprintf(head, cap, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", fields);
    http_request_init(req, 8192, 8192);
    CHECK_TRUE(http_parse_request(req, head, (size_t)len) == PARSE_OK, "%s", fields);
}

static void test_choose(void)
{
    static const enum http_coding preference[] = {CODING_BR, CODING_ZSTD, CODING_GZIP};
    static const struct {
        int line;
        const char *fields;
        unsigned available;
        enum http_coding want;
    } rows[] = {
        {__LINE__, "", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding:\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: ,\t, ,\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip\r\n", BR, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip\r\n", 0, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: GZip\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: x-gzip\r\n", ALL, CODING_GZIP},
        {__LINE__, "accept-encoding: X-GZIP;q=0.5\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: x-gzip;q=0\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip, deflate, br, zstd\r\n", ALL, CODING_BR},
        {__LINE__, "Accept-Encoding: gzip, deflate, br, zstd\r\n", ZSTD | GZIP, CODING_ZSTD},
        {__LINE__, "Accept-Encoding: gzip, deflate, br, zstd\r\n", GZIP, CODING_GZIP},
        {__LINE__, "Accept-Encoding: deflate, compress\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n", ALL, CODING_BR},
        {__LINE__, "Accept-Encoding: deflate\r\nX: y\r\nACCEPT-ENCODING: a,gzip\r\n", ALL,
         CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=1, br;q=0.9\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=0.5, br;q=0.501\r\n", ALL, CODING_BR},
        {__LINE__, "Accept-Encoding: gzip;q=0.501, br;q=0.5\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=0.5, br;q=0.500\r\n", ALL, CODING_BR},
        {__LINE__, "Accept-Encoding: gzip;q=0.001\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=0\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0.000\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0.\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=1.\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip \t;\t Q=1.000\r\n", ALL, CODING_GZIP},

        {__LINE__, "Accept-Encoding: *\r\n", ALL, CODING_BR},
        {__LINE__, "Accept-Encoding: *\r\n", GZIP, CODING_GZIP},
        {__LINE__, "Accept-Encoding: *;q=0\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: *, br;q=0\r\n", ALL, CODING_ZSTD},
        {__LINE__, "Accept-Encoding: br;q=0, *;q=0.1, gzip;q=0.2\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip, *;q=0\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=0.2, *;q=0.5\r\n", GZIP, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0.2, *;q=0.5, identity;q=0\r\n", GZIP, CODING_GZIP},

        {__LINE__, "Accept-Encoding: identity\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: identity;q=0\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: identity;q=0, *\r\n", GZIP, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=0.5, identity\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0.5, identity;q=0.5\r\n", ALL, CODING_GZIP},
        {__LINE__, "Accept-Encoding: gzip;q=0.5, identity;q=0.6, *;q=0\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip, identity\r\n", ALL, CODING_GZIP},

        {__LINE__, "Accept-Encoding: gzip, gzip;q=0\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0, gzip\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0\r\nAccept-Encoding: x-gzip\r\n", ALL,
         CODING_IDENTITY},

        {__LINE__, "Accept-Encoding: gzip;q=2\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=1.001\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0.1234\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=-1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=.5\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=00\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0,5\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=0.5x\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q =1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q= 1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;x=1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=1;q=1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;;q=1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: ;q=1\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip br\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: \"gzip\"\r\n", ALL, CODING_IDENTITY},
        {__LINE__, "Accept-Encoding: gzip;q=9, br\r\n", ALL, CODING_BR},
        {__LINE__, "Accept-Encoding: gzipped, xgzip, b\r\n", ALL, CODING_IDENTITY},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[256];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(
            rows[i].line, rows[i].fields,
            http_coding_choose(&req, head, rows[i].available, preference, ARRAY_LEN(preference)),
            rows[i].want);
    }
}

static void test_preference(void)
{
    static const enum http_coding gzip_first[] = {CODING_GZIP, CODING_BR};
    struct http_request req;
    char head[256];

    parse(&req, head, sizeof(head), "Accept-Encoding: br, zstd, gzip\r\n");
    CHECK_INT(__LINE__, "the first", http_coding_choose(&req, head, ALL, gzip_first, 2),
              CODING_GZIP);
    CHECK_INT(__LINE__, "the next", http_coding_choose(&req, head, BR | ZSTD, gzip_first, 2),
              CODING_BR);
    CHECK_INT(__LINE__, "not in it", http_coding_choose(&req, head, ZSTD, gzip_first, 2),
              CODING_IDENTITY);
    CHECK_INT(__LINE__, "none", http_coding_choose(&req, head, ALL, NULL, 0), CODING_IDENTITY);
}

static void test_names(void)
{
    for (size_t i = 0; i < CODING_COUNT; i++)
        CHECK_INT(__LINE__, codings[i].name, http_coding_named(http_coding_name((int)i)), i);
    CHECK_INT(__LINE__, "x", http_coding_named("x"), CODING_COUNT);
    CHECK_INT(__LINE__, "", http_coding_named(""), CODING_COUNT);
    CHECK_STR(__LINE__, "zstd", http_coding_suffix(CODING_ZSTD), ".zst");
    CHECK_STR(__LINE__, "identity", http_coding_suffix(CODING_IDENTITY), "");
}

static void test_prefers_json(void)
{
    static const struct {
        int line;
        const char *fields;
        bool want;
    } rows[] = {
        {__LINE__, "", false},
        {__LINE__, "Accept:\r\n", false},
        {__LINE__, "Accept: */*\r\n", false},
        {__LINE__, "Accept: application/json\r\n", true},
        {__LINE__, "Accept: Application/JSON; charset=utf-8\r\n", true},
        {__LINE__, "Accept: application/json, text/html\r\n", false},
        {__LINE__, "Accept: application/json, text/html;q=0.9\r\n", true},
        {__LINE__, "Accept: application/json;q=0.8, text/html;q=0.9\r\n", false},
        {__LINE__, "Accept: application/json, text/plain, */*\r\n", true},
        {__LINE__, "Accept: application/json, text/*\r\n", true},
        {__LINE__, "Accept: text/html, application/*\r\n", false},
        {__LINE__, "Accept: application/json;q=0, text/html;q=0\r\n", false},
        {__LINE__, "Accept: application/json, text/html;q=0.999, */*\r\n", true},
        {__LINE__, "Accept: application/json, */*;q=0.5\r\n", true},
        {__LINE__, "Accept: application/*, text/html;q=0.1\r\n", true},
        {__LINE__, "Accept: */*, text/*;q=0.5\r\n", true},
        {__LINE__, "Accept: */*, application/json;q=0.5\r\n", false},
        {__LINE__, "Accept: application/json;q=0\r\n", false},
        {__LINE__, "Accept: text/html;q=0.1\r\nAccept: application/json;q=0.2\r\n", true},
        {__LINE__, "Accept: application/json;v=1;q=0.1;ext, text/html;level=1;q=0.2\r\n", false},
        {__LINE__, "Accept: application/json;q=x\r\n", false},
        {__LINE__, "Accept: application/jsonp\r\n", false},
        {__LINE__, "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n",
         false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[256];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields, http_prefers_json(&req, head), rows[i].want);
    }
}

int main(void)
{
    test_choose();
    test_preference();
    test_names();
    test_prefers_json();
    return check_end("http_coding");
}
