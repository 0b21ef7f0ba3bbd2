/* SPDX-License-Identifier: MIT */
/* Requests as data: what is accepted, what is refused and how (RFC 9112), and that the result does
 * not depend on how the bytes were split. */
#include "http/http_parser.c"

#include "check.h"

#include <stdlib.h>

#define MAX_HEAD 512
#define MAX_TARGET 64
#define H "Host: a\r\n"
#define END "\r\n"

struct row {
    int line;
    const char *name, *bytes;
    int status; /* 200: accepted; 0: PARSE_MORE */
    const char *target;
};

#define OK_ROW(name, bytes, target)                                                                \
    {                                                                                              \
        __LINE__, name, bytes, 200, target                                                         \
    }
#define BAD_ROW(name, bytes, status)                                                               \
    {                                                                                              \
        __LINE__, name, bytes, status, NULL                                                        \
    }

static const struct row rows[] = {
    OK_ROW("the simplest request", "GET / HTTP/1.1\r\n" H END, "/"),
    OK_ROW("HTTP/1.0 without Host", "GET /x HTTP/1.0\r\n" END, "/x"),
    OK_ROW("HTTP/1.2 is answered as 1.1", "GET / HTTP/1.2\r\n" H END, "/"),
    OK_ROW("one empty line before it (9112 2.2)", "\r\nGET / HTTP/1.1\r\n" H END, "/"),
    BAD_ROW("two empty lines before it", "\r\n\r\nGET / HTTP/1.1\r\n" H END, 400),
    BAD_ROW("no end yet", "GET / HTTP/1.1\r\n" H, 0),
    BAD_ROW("a carriage return at the end so far", "GET / HTTP/1.1\r", 0),

    BAD_ROW("bare line feed after the request line", "GET / HTTP/1.1\n" H END, 400),
    BAD_ROW("bare line feed after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
    BAD_ROW("bare carriage return", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
    BAD_ROW("two carriage returns", "GET / HTTP/1.1\r\r\n" H END, 400),
    BAD_ROW("control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n", 400),
    BAD_ROW("DEL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \x7f\r\n\r\n", 400),
    OK_ROW("bytes above 127 in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \xc3\xa4\r\n\r\n", "/"),
    OK_ROW("tabs around a value", "GET / HTTP/1.1\r\nHost:\ta\t\r\n\r\n", "/"),

    BAD_ROW("HTTP/0.9", "GET /\r\n", 400),
    BAD_ROW("two spaces after the method", "GET  / HTTP/1.1\r\n" H END, 400),
    BAD_ROW("two spaces before the version", "GET /  HTTP/1.1\r\n" H END, 400),
    BAD_ROW("space after the version", "GET / HTTP/1.1 \r\n" H END, 400),
    BAD_ROW("tab instead of space", "GET\t/ HTTP/1.1\r\n" H END, 400),
    BAD_ROW("leading space", " GET / HTTP/1.1\r\n" H END, 400),
    BAD_ROW("no method", " / HTTP/1.1\r\n" H END, 400),
    BAD_ROW("method with a separator", "G(T / HTTP/1.1\r\n" H END, 400),
    BAD_ROW("lower-case version", "GET / http/1.1\r\n" H END, 400),
    BAD_ROW("version with two digits", "GET / HTTP/1.11\r\n" H END, 400),
    BAD_ROW("HTTP/2.0 on this port", "GET / HTTP/2.0\r\n" H END, 505),
    BAD_ROW("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    BAD_ROW("TLS on this port", "\x16\x03\x01\x02", 400),

    OK_ROW("absolute form", "GET http://b/x?y HTTP/1.1\r\n" H END, "http://b/x?y"),
    OK_ROW("absolute form without a path", "GET http://b HTTP/1.1\r\n" H END, "http://b"),
    OK_ROW("absolute form with a port", "GET HTTP://b:80/ HTTP/1.1\r\n" H END, "HTTP://b:80/"),
    BAD_ROW("absolute form with a user", "GET http://u@b/ HTTP/1.1\r\n" H END, 400),
    BAD_ROW("absolute form without a host", "GET http:///x HTTP/1.1\r\n" H END, 400),
    BAD_ROW("another scheme", "GET ftp://b/ HTTP/1.1\r\n" H END, 400),
    OK_ROW("absolute form of IPv6", "GET http://[::1]:80/ HTTP/1.1\r\n" H END, "http://[::1]:80/"),
    OK_ROW("absolute form with https", "GET https://b/ HTTP/1.1\r\n" H END, "https://b/"),
    BAD_ROW("absolute form without Host", "GET http://b/ HTTP/1.1\r\n" END, 400),
    BAD_ROW("absolute form with a wrong Host", "GET http://b/ HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    BAD_ROW("absolute form with a port only", "GET http://:80/ HTTP/1.1\r\n" H END, 400),
    OK_ROW("asterisk form of HTTP/1.0", "OPTIONS * HTTP/1.0\r\n" END, "*"),
    BAD_ROW("asterisk form with a path", "OPTIONS */ HTTP/1.1\r\n" H END, 400),
    OK_ROW("asterisk form", "OPTIONS * HTTP/1.1\r\n" H END, "*"),
    BAD_ROW("asterisk form with GET", "GET * HTTP/1.1\r\n" H END, 400),
    BAD_ROW("a target without a slash", "GET x HTTP/1.1\r\n" H END, 400),
    BAD_ROW("a fragment", "GET /#x HTTP/1.1\r\n" H END, 400),
    BAD_ROW("raw bytes above 127 in the target", "GET /\xc3\xa4 HTTP/1.1\r\n" H END, 400),
    OK_ROW("CONNECT's target is not looked at", "CONNECT a:443 HTTP/1.1\r\n" H END, "a:443"),

    BAD_ROW("HTTP/1.1 without Host", "GET / HTTP/1.1\r\n" END, 400),
    BAD_ROW("two Hosts", "GET / HTTP/1.1\r\n" H H END, 400),
    OK_ROW("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "/"),
    OK_ROW("Host with a port", "GET / HTTP/1.1\r\nHost: a:8080\r\n\r\n", "/"),
    OK_ROW("Host of IPv6", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "/"),
    OK_ROW("Host with an empty port", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "/"),
    OK_ROW("Host of IPv6 with IPv4", "GET / HTTP/1.1\r\nHost: [::ffff:192.0.2.7]\r\n\r\n", "/"),
    BAD_ROW("Host of half an IPv6", "GET / HTTP/1.1\r\nHost: [1:2]\r\n\r\n", 400),
    BAD_ROW("Host of colons", "GET / HTTP/1.1\r\nHost: [:::]\r\n\r\n", 400),
    BAD_ROW("Host of IPv4 in brackets", "GET / HTTP/1.1\r\nHost: [192.0.2.7]\r\n\r\n", 400),
    BAD_ROW("Host with a zone", "GET / HTTP/1.1\r\nHost: [fe80::1%eth0]\r\n\r\n", 400),
    BAD_ROW("Host with empty brackets", "GET / HTTP/1.1\r\nHost: []\r\n\r\n", 400),
    BAD_ROW("Host with something behind the bracket", "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n",
            400),
    BAD_ROW("Host with two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n", 400),
    BAD_ROW("Host that is a list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
    BAD_ROW("Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    BAD_ROW("Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
    BAD_ROW("Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    BAD_ROW("Host with a port of letters", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", 400),
    BAD_ROW("Host with an unclosed bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),

    BAD_ROW("folded field", "GET / HTTP/1.1\r\n" H "X: a\r\n b\r\n\r\n", 400),
    BAD_ROW("space first in the fields", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
    BAD_ROW("space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    BAD_ROW("no colon", "GET / HTTP/1.1\r\n" H "X\r\n\r\n", 400),
    BAD_ROW("no name", "GET / HTTP/1.1\r\n" H ": x\r\n\r\n", 400),
    BAD_ROW("name with a separator", "GET / HTTP/1.1\r\n" H "a(b: x\r\n\r\n", 400),

    OK_ROW("a body", "GET / HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\n", "/"),
    OK_ROW("a body in chunks", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: ChunkeD\r\n\r\n", "/"),
    BAD_ROW("two equal lengths",
            "GET / HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400),
    BAD_ROW("two lengths in one", "GET / HTTP/1.1\r\n" H "Content-Length: 3, 3\r\n\r\n", 400),
    BAD_ROW("a signed length", "GET / HTTP/1.1\r\n" H "Content-Length: +3\r\n\r\n", 400),
    BAD_ROW("a negative length", "GET / HTTP/1.1\r\n" H "Content-Length: -3\r\n\r\n", 400),
    BAD_ROW("a hexadecimal length", "GET / HTTP/1.1\r\n" H "Content-Length: 0x3\r\n\r\n", 400),
    BAD_ROW("an empty length", "GET / HTTP/1.1\r\n" H "Content-Length:\r\n\r\n", 400),
    BAD_ROW("a length beyond counting",
            "GET / HTTP/1.1\r\n" H "Content-Length: 9999999999999999999\r\n\r\n", 400),
    BAD_ROW("length and chunks",
            "GET / HTTP/1.1\r\n" H "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    BAD_ROW("chunks and length",
            "GET / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400),
    BAD_ROW("chunks in HTTP/1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    BAD_ROW("a coding of which we know nothing",
            "GET / HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n", 501),
    BAD_ROW("a coding without an end", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: gzip\r\n\r\n",
            400),
    BAD_ROW("no coding", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: ,\r\n\r\n", 400),
    BAD_ROW("chunks twice", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, chunked\r\n\r\n",
            400),
    BAD_ROW("chunks not last", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, gzip\r\n\r\n",
            400),
    BAD_ROW("two lines of chunks",
            "GET / HTTP/1.1\r\n" H
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            400),
    BAD_ROW("chunks and length in HTTP/1.0",
            "GET / HTTP/1.0\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    OK_ROW("TE says what the client takes",
           "GET / HTTP/1.1\r\n" H "TE: trailers, gzip;q=0.5\r\nConnection: TE\r\n\r\n", "/"),
    BAD_ROW("two codings", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
    BAD_ROW("a coding with a parameter",
            "GET / HTTP/1.1\r\n" H "Transfer-Encoding: chunked;x=y\r\n\r\n", 400),
    BAD_ROW("a coding in quotes", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: \"chunked\"\r\n\r\n",
            400),
    BAD_ROW("two lines of codings",
            "GET / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
            400),
    OK_ROW("an expectation", "GET / HTTP/1.1\r\n" H "Expect: 100-Continue\r\n\r\n", "/"),
    OK_ROW("the same expectation twice",
           "GET / HTTP/1.1\r\n" H "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n", "/"),
    BAD_ROW("one expectation too many", "GET / HTTP/1.1\r\n" H "Expect: 100-continue, gold\r\n\r\n",
            417),
    BAD_ROW("one on another line",
            "GET / HTTP/1.1\r\n" H "Expect: 100-continue\r\nExpect: gold\r\n\r\n", 417),
    OK_ROW("HTTP/1.0 expects nothing (9110 10.1.1)", "GET / HTTP/1.0\r\nExpect: gold\r\n\r\n", "/"),
    BAD_ROW("an unknown expectation", "GET / HTTP/1.1\r\n" H "Expect: gold\r\n\r\n", 417),
    BAD_ROW("two Authorizations",
            "GET / HTTP/1.1\r\n" H "Authorization: a\r\nAuthorization: a\r\n\r\n", 400),
    OK_ROW("two lines of Accept-Encoding",
           "GET / HTTP/1.1\r\n" H "Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n\r\n", "/"),
    BAD_ROW("two Ranges", "GET / HTTP/1.1\r\n" H "Range: bytes=0-\r\nRange: bytes=1-\r\n\r\n", 400),

    BAD_ROW(
        "a target over its limit",
        "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\n" H END,
        414),
    OK_ROW(
        "a target at its limit",
        "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\n" H END,
        "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
};

/* Parses `step` bytes more at each call, as they would arrive; 0: all at once. */
static int parse_in_steps(struct http_request *req, const char *bytes, size_t len, size_t step)
{
    enum parse result = PARSE_MORE;

    http_request_init(req, MAX_HEAD, MAX_TARGET);
    for (size_t have = step ? 0 : len; result == PARSE_MORE; have += step) {
        /* A copy of exactly these bytes, so that sanitizers notice a read beyond them. */
        size_t now = have < len ? have : len;
        char *copy = malloc(now ? now : 1);
        memcpy(copy, bytes, now);
        result = http_parse_request(req, copy, now);
        free(copy);
        if (now == len)
            break;
    }
    return result == PARSE_OK ? 200 : result == PARSE_MORE ? 0 : (int)req->status;
}

static void test_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *row = &rows[i];
        struct http_request req;
        size_t len = strlen(row->bytes);

        CHECK_INT(row->line, row->name, parse_in_steps(&req, row->bytes, len, 0), row->status);
        if (row->status == 200) {
            CHECK_INT(row->line, row->name, req.head_len, len);
            CHECK_TRUE(req.target.len == strlen(row->target) &&
                           !memcmp(row->bytes + req.target.off, row->target, req.target.len),
                       "row %d \"%s\": target", row->line, row->name);
        }
    }
}

static bool same_result(const struct http_request *a, const struct http_request *b)
{
    return a->method == b->method && a->minor == b->minor && a->keep_alive == b->keep_alive &&
           a->chunked == b->chunked && a->seen == b->seen && a->repeated == b->repeated &&
           a->head_len == b->head_len && a->content_length == b->content_length &&
           memcmp(a->fields, b->fields, sizeof(a->fields)) == 0 &&
           memcmp(&a->host, &b->host, sizeof(a->host)) == 0 &&
           memcmp(&a->path, &b->path, sizeof(a->path)) == 0 && a->status == b->status &&
           a->reason == b->reason && a->expects_continue == b->expects_continue &&
           memcmp(&a->query, &b->query, sizeof(a->query)) == 0 &&
           memcmp(&a->target, &b->target, sizeof(a->target)) == 0;
}

static void test_any_split_gives_the_same(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *row = &rows[i];
        size_t len = strlen(row->bytes);
        struct http_request whole, split;
        int status = parse_in_steps(&whole, row->bytes, len, 0);

        for (size_t step = 1; step <= len; step++) {
            CHECK_INT(row->line, row->name, parse_in_steps(&split, row->bytes, len, step), status);
            CHECK_TRUE(same_result(&whole, &split), "row %d \"%s\": split by %zu differs",
                       row->line, row->name, step);
        }
    }
}

/* Parses the bytes before each of `cuts`, then all. */
static int parse_in_cuts(struct http_request *req, const char *bytes, const size_t *cuts,
                         size_t count, size_t len)
{
    enum parse result = PARSE_MORE;

    http_request_init(req, MAX_HEAD, MAX_TARGET);
    for (size_t i = 0; i <= count && result == PARSE_MORE; i++) {
        size_t now = i < count ? cuts[i] : len;
        char *copy = malloc(now ? now : 1);
        memcpy(copy, bytes, now);
        result = http_parse_request(req, copy, now);
        free(copy);
    }
    return result == PARSE_OK ? 200 : result == PARSE_MORE ? 0 : (int)req->status;
}

static void test_all_splits_in_two(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t len = strlen(rows[i].bytes);
        struct http_request whole, split;
        int status = parse_in_steps(&whole, rows[i].bytes, len, 0);

        for (size_t cut = 0; cut <= len; cut++) {
            CHECK_INT(rows[i].line, rows[i].name,
                      parse_in_cuts(&split, rows[i].bytes, &cut, 1, len), status);
            CHECK_TRUE(same_result(&whole, &split), "row %d \"%s\": cut at %zu differs",
                       rows[i].line, rows[i].name, cut);
        }
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void test_random_splits(void)
{
    uint32_t state = 20261121; /* the same splits each time */

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t len = strlen(rows[i].bytes);
        struct http_request whole, split;
        int status = parse_in_steps(&whole, rows[i].bytes, len, 0);

        for (int round = 0; round < 50; round++) {
            size_t cuts[2 * MAX_HEAD], count = 0, at = 0;
            while ((at += next_random(&state) % 9) < len) /* 0: called again without new bytes */
                cuts[count++ % ARRAY_LEN(cuts)] = at;
            if (count > ARRAY_LEN(cuts))
                continue;
            CHECK_INT(rows[i].line, rows[i].name,
                      parse_in_cuts(&split, rows[i].bytes, cuts, count, len), status);
            CHECK_TRUE(same_result(&whole, &split), "row %d \"%s\": round %d differs", rows[i].line,
                       rows[i].name, round);
        }
    }
}

static void test_each_field_is_found(void)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        char upper[64];
        size_t len = field_table[i].len;
        for (size_t c = 0; c <= len; c++)
            upper[c] = (char)(field_table[i].name[c] >= 'a' && field_table[i].name[c] <= 'z'
                                  ? field_table[i].name[c] - 'a' + 'A'
                                  : field_table[i].name[c]);
        CHECK_INT(i, field_table[i].name, field_of((struct span){field_table[i].name, len}), i);
        CHECK_INT(i, upper, field_of((struct span){upper, len}), i);
        upper[0] = '!';
        CHECK_INT(i, upper, field_of((struct span){upper, len}), FIELD_COUNT);
    }
    CHECK_INT(__LINE__, "no name", field_of((struct span){"", 0}), FIELD_COUNT);
}

static void test_expectations(void)
{
    static const struct {
        int line;
        const char *bytes;
        bool want;
    } cases[] = {
        {__LINE__, "GET / HTTP/1.1\r\n" H "Expect: 100-continue\r\n\r\n", true},
        {__LINE__, "GET / HTTP/1.1\r\n" H "Expect:\r\n\r\n", false},
        {__LINE__, "GET / HTTP/1.0\r\n" H "Expect: 100-continue\r\n\r\n", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct http_request req;
        CHECK_INT(cases[i].line, "accepted",
                  parse_in_steps(&req, cases[i].bytes, strlen(cases[i].bytes), 0), 200);
        CHECK_INT(cases[i].line, "waits", req.expects_continue, cases[i].want);
    }
}

static void test_nul_is_refused(void)
{
    static const char in_line[] = "GET /\0 HTTP/1.1\r\n" H END;
    static const char in_field[] = "GET / HTTP/1.1\r\n" H "X: a\0b\r\n\r\n";
    struct http_request req;

    CHECK_INT(__LINE__, "line", parse_in_steps(&req, in_line, sizeof(in_line) - 1, 0), 400);
    CHECK_INT(__LINE__, "field", parse_in_steps(&req, in_field, sizeof(in_field) - 1, 0), 400);
}

static void test_head_limit(void)
{
    char bytes[2 * MAX_HEAD];
    struct http_request req;
    size_t len = (size_t)sprintf(bytes, "GET / HTTP/1.1\r\n" H "X: ");

    memset(bytes + len, 'x', sizeof(bytes) - len);
    memcpy(bytes + MAX_HEAD - 4, "\r\n\r\n", 4);
    CHECK_INT(__LINE__, "at the limit", parse_in_steps(&req, bytes, MAX_HEAD, 0), 200);
    bytes[MAX_HEAD - 4] = 'x';
    memcpy(bytes + MAX_HEAD - 3, "\r\n\r\n", 4);
    CHECK_INT(__LINE__, "one over", parse_in_steps(&req, bytes, MAX_HEAD + 1, 0), 431);
    CHECK_INT(__LINE__, "one over, in steps", parse_in_steps(&req, bytes, MAX_HEAD + 1, 7), 431);
    memset(bytes, 'G', sizeof(bytes));
    CHECK_INT(__LINE__, "a method without end", parse_in_steps(&req, bytes, sizeof(bytes), 0), 501);
    CHECK_INT(__LINE__, "the same in steps", parse_in_steps(&req, bytes, sizeof(bytes), 5), 501);
    bytes[3] = ' ';
    CHECK_INT(__LINE__, "no end of the line", parse_in_steps(&req, bytes, sizeof(bytes), 0), 414);
    bytes[3] = '/';
    CHECK_INT(__LINE__, "no method at all", parse_in_steps(&req, bytes, sizeof(bytes), 0), 414);
}

/* RFC 9110 section 9.3.2: a HEAD gets no content, whatever it is refused for. */
static void test_method_of_what_is_refused(void)
{
#define LONG "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    static const struct {
        int line;
        const char *bytes;
        int status, method;
    } cases[] = {
        {__LINE__, "HEAD / HTTP/2.0\r\n" H END, 505, HTTP_HEAD},
        {__LINE__, "HEAD / HTTP/1.x\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "HEAD " LONG " HTTP/1.1\r\n" H END, 414, HTTP_HEAD},
        {__LINE__, "HEAD " LONG LONG LONG, 414, HTTP_HEAD},
        {__LINE__, "HEAD /\x01 HTTP/1.1\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "HEAD /\n", 400, HTTP_HEAD},
        {__LINE__, "HEAD /\rx", 400, HTTP_HEAD},
        {__LINE__, "HEAD /a b HTTP/1.1\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "HEAD /a\tHTTP/1.1\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "HEAD\t/a HTTP/1.1\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "HEAD x HTTP/1.1\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "HEAD /\r\n" H END, 400, HTTP_HEAD},
        {__LINE__, "\r\nHEAD / HTTP/2.0\r\n" H END, 505, HTTP_HEAD},
        {__LINE__, "HEAD / HTTP/1.1\r\nHost : a\r\n" END, 400, HTTP_HEAD},
        {__LINE__, "HEADS / HTTP/2.0\r\n" H END, 505, HTTP_GET},
        {__LINE__, "HEAD\r\n" H END, 400, HTTP_GET},
        {__LINE__, "GET / HTTP/2.0\r\n" H END, 505, HTTP_GET},
        {__LINE__, "HEAD / HTTP/1.1\r\n" H "Expect: x\r\n" END, 417, HTTP_HEAD},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (size_t step = 0; step < 9; step++) {
            struct http_request req;
            size_t len = strlen(cases[i].bytes);
            CHECK_INT(cases[i].line, "status", parse_in_steps(&req, cases[i].bytes, len, step),
                      cases[i].status);
            CHECK_INT(cases[i].line, "method", req.method, cases[i].method);
        }
#undef LONG
}

static void test_meaning(void)
{
    static const struct {
        int line;
        const char *bytes;
        int method;
        bool keep_alive;
        const char *host;
    } meanings[] = {
        {__LINE__, "GET / HTTP/1.1\r\nHost: A.b:81\r\n\r\n", HTTP_GET, true, "A.b"},
        {__LINE__, "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", HTTP_HEAD, false,
         "a"},
        {__LINE__,
         "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n",
         HTTP_GET, false, "a"},
        {__LINE__, "GET / HTTP/1.0\r\n\r\n", HTTP_GET, false, ""},
        {__LINE__, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", HTTP_GET, true, ""},
        {__LINE__, "GET http://T/ HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_GET, true, "T"},
        {__LINE__, "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_KNOWN_METHOD, true, "a"},
        {__LINE__, "Delete / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_OTHER_METHOD, true, "a"},
        {__LINE__, "GETS / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_OTHER_METHOD, true, "a"},
        {__LINE__, "BASELINE-CONTROL / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_KNOWN_METHOD, true, "a"},
        {__LINE__, "PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_KNOWN_METHOD, true, "a"},
        {__LINE__, "GET https://[::1]:8/ HTTP/1.1\r\nHost:\r\n\r\n", HTTP_GET, true, "[::1]"},
        {__LINE__, "get / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_OTHER_METHOD, true, "a"},
        {__LINE__, "BREW / HTTP/1.1\r\nHost: [::1]:1\r\n\r\n", HTTP_OTHER_METHOD, true, "[::1]"},
    };

    for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
        struct http_request req;
        struct span host;
        parse_in_steps(&req, meanings[i].bytes, strlen(meanings[i].bytes), 0);
        host = http_slice_of(meanings[i].bytes, req.host);
        CHECK_INT(meanings[i].line, "method", req.method, meanings[i].method);
        CHECK_INT(meanings[i].line, "keep-alive", req.keep_alive, meanings[i].keep_alive);
        CHECK_TRUE(host.len == strlen(meanings[i].host) &&
                       memcmp(host.ptr, meanings[i].host, host.len) == 0,
                   "row %d: host \"%.*s\"", meanings[i].line, (int)host.len, host.ptr);
    }
}

static void test_two_dates_are_none(void)
{
    static const char bytes[] =
        "GET / HTTP/1.1\r\n" H "If-Modified-Since: a\r\nIf-Unmodified-Since: b\r\n"
        "if-modified-since: a\r\nIf-Modified-Since: a\r\n\r\n";
    struct http_request req;
    struct span value;
    uint32_t cursor = 0;

    CHECK_INT(__LINE__, "accepted", parse_in_steps(&req, bytes, sizeof(bytes) - 1, 0), 200);
    CHECK_TRUE(!http_request_has(&req, FIELD_IF_MODIFIED_SINCE), "three dates");
    CHECK_TRUE(!http_request_next_value(&req, bytes, FIELD_IF_MODIFIED_SINCE, &cursor, &value),
               "nor a value of them");
    CHECK_TRUE(http_request_has(&req, FIELD_IF_UNMODIFIED_SINCE), "one date");
}

static void test_repeated_values(void)
{
    static const char bytes[] = "GET / HTTP/1.1\r\n" H "If-None-Match: \"a\"\r\nX: y\r\n"
                                "if-none-match:\"b\", \"c\" \r\n\r\n";
    static const char *const want[] = {"\"a\"", "\"b\", \"c\""};
    struct http_request req;
    struct span value;
    uint32_t cursor = 0;
    size_t count = 0;

    parse_in_steps(&req, bytes, sizeof(bytes) - 1, 0);
    while (http_request_next_value(&req, bytes, FIELD_IF_NONE_MATCH, &cursor, &value)) {
        CHECK_TRUE(count < 2 && value.len == strlen(want[count]) &&
                       memcmp(value.ptr, want[count], value.len) == 0,
                   "value %zu is \"%.*s\"", count, (int)value.len, value.ptr);
        count++;
    }
    CHECK_INT(__LINE__, "values", count, 2);
    cursor = 0;
    CHECK_TRUE(!http_request_next_value(&req, bytes, FIELD_RANGE, &cursor, &value), "no Range");
}

int main(void)
{
    test_rows();
    test_any_split_gives_the_same();
    test_all_splits_in_two();
    test_random_splits();
    test_each_field_is_found();
    test_expectations();
    test_nul_is_refused();
    test_head_limit();
    test_method_of_what_is_refused();
    test_meaning();
    test_two_dates_are_none();
    test_repeated_values();
    return check_end("http_parser");
}
