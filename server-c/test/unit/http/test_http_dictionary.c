/* SPDX-License-Identifier: MIT */
/* Which dictionary a client names, who may be told of lengths, and which paths a pattern names. */
#include "http/http_dictionary.c"

#include "check.h"

#define ZEROS "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static bool parse(struct http_request *req, char *head, size_t cap, const char *fields)
{
    int len = snprintf(head, cap, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", fields);

    http_request_init(req, 8192, 8192);
    return http_parse_request(req, head, (size_t)len) == PARSE_OK;
}

static void test_hashes(void)
{
    static const struct {
        int line;
        const char *value; /* NULL: no such field */
        bool want;
    } rows[] = {
        {__LINE__, NULL, false},
        {__LINE__, "", false},
        {__LINE__, ":", false},
        {__LINE__, "::", false},
        {__LINE__, ":" ZEROS "=:", true},
        {__LINE__, ":" ZEROS ":", true}, /* padding may be left out (RFC 9651 section 4.2.7) */
        {__LINE__, "\t:" ZEROS "=: ", true},
        {__LINE__, ":" ZEROS "=:;a=1", true},
        {__LINE__, ":" ZEROS "=:a", false},
        {__LINE__, ":" ZEROS "=:, :" ZEROS "=:", false},
        {__LINE__, ":" ZEROS "==:", false},
        {__LINE__, ":" ZEROS "A:", false},
        {__LINE__, ":=" ZEROS ":", false},
        {__LINE__, ":A" ZEROS "=:", false},
        {__LINE__, ":AAAA:", false},
        {__LINE__, ":" ZEROS "=", false},
        {__LINE__, ZEROS "=:", false},
        {__LINE__, "\"" ZEROS "=\"", false},
        {__LINE__, ":-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:", false},
        {__LINE__, ":A AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:", false},
    };
    struct http_request req;
    unsigned char hash[HTTP_DICTIONARY_HASH_BYTES];
    char head[512], fields[256];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(fields, sizeof(fields), rows[i].value ? "Available-Dictionary: %s\r\n" : "%s",
                 rows[i].value ? rows[i].value : "");
        CHECK_TRUE(parse(&req, head, sizeof(head), fields), "%s", fields);
        CHECK_INT(rows[i].line, fields, http_available_dictionary(&req, head, hash), rows[i].want);
    }
    CHECK_TRUE(parse(&req, head, sizeof(head),
                     "Available-Dictionary: :" ZEROS "=:\r\n"
                     "Available-Dictionary: :" ZEROS "=:\r\n"),
               "two lines");
    CHECK_TRUE(!http_available_dictionary(&req, head, hash), "two lines");
}

/* The example of RFC 9842 section 2.2. */
static void test_bytes(void)
{
    static const unsigned char want[HTTP_DICTIONARY_HASH_BYTES] = {
        0xa5, 0x91, 0xa6, 0xd4, 0x0b, 0xf4, 0x20, 0x40, 0x4a, 0x01, 0x17,
        0x33, 0xcf, 0xb7, 0xb1, 0x90, 0xd6, 0x2c, 0x65, 0xbf, 0x0b, 0xcd,
        0xa3, 0x2b, 0x57, 0xb2, 0x77, 0xd9, 0xad, 0x9f, 0x14, 0x6e};
    struct http_request req;
    unsigned char hash[HTTP_DICTIONARY_HASH_BYTES];
    char head[512];

    CHECK_TRUE(parse(&req, head, sizeof(head),
                     "Available-Dictionary: :pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=:\r\n"),
               "parsed");
    CHECK_TRUE(http_available_dictionary(&req, head, hash) && memcmp(hash, want, sizeof(want)) == 0,
               "its bytes");
}

static void test_readable(void)
{
    static const struct {
        int line;
        const char *fields;
        bool is_welcome, want;
    } rows[] = {
        {__LINE__, "", false, true},
        {__LINE__, "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors\r\n", false, true},
        {__LINE__, "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n", false, true},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\n", false, true},
        {__LINE__, "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n", false, true},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n", false, true},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: same-origin\r\n", false, true},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", true, false},
        {__LINE__, "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n", true, false},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: websocket\r\n", true, false},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\n", true, false},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\nOrigin: https://b\r\n",
         false, false},
        {__LINE__, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\nOrigin: https://b\r\n",
         true, true},
    };
    struct http_request req;
    char head[512];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_TRUE(parse(&req, head, sizeof(head), rows[i].fields), "%s", rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields,
                  http_dictionary_is_readable(&req, head, rows[i].is_welcome), rows[i].want);
    }
}

static void test_patterns(void)
{
    static const struct {
        int line;
        const char *pattern, *path;
        bool want;
    } rows[] = {
        {__LINE__, "/a/app.*.js", "/a/app.1.js", true},
        {__LINE__, "/a/app.*.js", "/a/app.1.2.js", true},
        {__LINE__, "/a/app.*.js", "/a/app..js", false},
        {__LINE__, "/a/app.*.js", "/a/app.js", false},
        {__LINE__, "/a/app.*.js", "/a/app.1/2.js", false},
        {__LINE__, "/a/app.*.js", "/a/app.1.css", false},
        {__LINE__, "/a/app.*.js", "/b/a/app.1.js", false},
        {__LINE__, "/a/app.*.js", "/a/App.1.js", false},
        {__LINE__, "/*", "/x", true},
        {__LINE__, "/*", "/", false},
        {__LINE__, "/*", "/x/", false},
    };
    static const char *const wrong[] = {"/a", "/*/a.js", "/a*b*", "/**", ""};
    struct http_dictionary_pattern pattern;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_TRUE(http_dictionary_pattern_read(&pattern, rows[i].pattern), "%s", rows[i].pattern);
        CHECK_INT(rows[i].line, rows[i].path,
                  http_dictionary_pattern_fits(&pattern,
                                               (struct span){rows[i].path, strlen(rows[i].path)}),
                  rows[i].want);
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        CHECK_TRUE(!http_dictionary_pattern_read(&pattern, wrong[i]), "%s", wrong[i]);
}

int main(void)
{
    test_hashes();
    test_bytes();
    test_readable();
    test_patterns();
    return check_end("http_dictionary");
}
