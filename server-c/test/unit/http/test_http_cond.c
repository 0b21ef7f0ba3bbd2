/* SPDX-License-Identifier: MIT */
/* Preconditions and their precedence (RFC 9110 section 13.2.2). */
#include "http/http_cond.c"

#include "check.h"

#define NOW 784200000
#define ETAG "\"a-1\""
#define SAME "Sun, 06 Nov 1994 08:49:37 GMT" /* when the file was modified */
#define EARLIER "Sun, 06 Nov 1994 08:49:36 GMT"
#define LATER "Sun, 06 Nov 1994 08:49:38 GMT"

static const struct http_validators file = {{ETAG, sizeof(ETAG) - 1}, 784111777, true};

static void parse(struct http_request *req, char *head, size_t cap, const char *fields)
{
    int len = snprintf(head, cap, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", fields);
    http_request_init(req, 8192, 8192);
    CHECK_TRUE(http_parse_request(req, head, (size_t)len) == PARSE_OK, "%s", fields);
}

static void test_verdicts(void)
{
    static const struct {
        int line;
        const char *fields;
        enum http_cond want;
    } rows[] = {
        {__LINE__, "", HTTP_COND_SERVE},
        {__LINE__, "If-None-Match: \"a-1\"\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-None-Match: W/\"a-1\"\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-None-Match: \"b\" , \"a-1\"\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-None-Match: \"x,\", W/\"y\",\"a-1\"\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-None-Match: \"b\"\r\nIf-None-Match: \"a-1\"\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-None-Match: *\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-None-Match: \"b\"\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-None-Match: a-1\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-None-Match: \"a-1\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-None-Match:\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Modified-Since: " SAME "\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-Modified-Since: " LATER "\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-Modified-Since: " EARLIER "\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Modified-Since: yesterday\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-None-Match: \"b\"\r\nIf-Modified-Since: " SAME "\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-None-Match: \"a-1\"\r\nIf-Modified-Since: " EARLIER "\r\n",
         HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-Match: \"a-1\"\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Match: *\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Match: W/\"a-1\"\r\n", HTTP_COND_FAILED},
        {__LINE__, "If-Match: \"b\"\r\n", HTTP_COND_FAILED},
        {__LINE__, "If-Match: \"b\", \"a-1\"\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Match: \"b\"\r\nIf-None-Match: \"a-1\"\r\n", HTTP_COND_FAILED},
        {__LINE__, "If-Match: \"a-1\"\r\nIf-None-Match: \"a-1\"\r\n", HTTP_COND_NOT_MODIFIED},
        {__LINE__, "If-Unmodified-Since: " SAME "\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Unmodified-Since: " EARLIER "\r\n", HTTP_COND_FAILED},
        {__LINE__, "If-Unmodified-Since: never\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Match: \"a-1\"\r\nIf-Unmodified-Since: " EARLIER "\r\n", HTTP_COND_SERVE},
        {__LINE__, "If-Unmodified-Since: " SAME "\r\nIf-Modified-Since: " SAME "\r\n",
         HTTP_COND_NOT_MODIFIED},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[512];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields, http_cond_decide(&req, head, &file, NOW),
                  rows[i].want);
    }
}

/* A file that has just changed has no tag, so only "*" matches it. */
static void test_without_tag(void)
{
    static const struct http_validators fresh = {{"", 0}, 784111777, false};
    static const struct {
        int line;
        const char *fields;
        enum http_cond want;
        bool ranges;
    } rows[] = {
        {__LINE__, "If-None-Match: \"a-1\", \"\"\r\n", HTTP_COND_SERVE, true},
        {__LINE__, "If-None-Match: *\r\n", HTTP_COND_NOT_MODIFIED, true},
        {__LINE__, "If-Match: \"a-1\", \"\"\r\n", HTTP_COND_FAILED, true},
        {__LINE__, "If-Match: *\r\n", HTTP_COND_SERVE, true},
        {__LINE__, "If-Modified-Since: " SAME "\r\n", HTTP_COND_SERVE, true},
        {__LINE__, "If-Unmodified-Since: " EARLIER "\r\n", HTTP_COND_FAILED, true},
        {__LINE__, "If-Range: \"a-1\"\r\n", HTTP_COND_SERVE, false},
        {__LINE__, "If-Range: \"\"\r\n", HTTP_COND_SERVE, false},
        {__LINE__, "If-Range: " SAME "\r\n", HTTP_COND_SERVE, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[512];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields, http_cond_decide(&req, head, &fresh, 784111778),
                  rows[i].want);
        CHECK_INT(rows[i].line, rows[i].fields,
                  http_cond_range_applies(&req, head, &fresh, 784111778), rows[i].ranges);
    }
}

/* The tag is settled, but the second of the date goes on, in which another version could get the
 * same date; or the date was set by a build, and says nothing. */
static void test_without_date(void)
{
    static const struct http_validators undated = {{ETAG, sizeof(ETAG) - 1}, 784111777, false};
    static const struct {
        int line;
        const char *fields;
        enum http_cond want;
        bool ranges;
    } rows[] = {
        {__LINE__, "If-Modified-Since: " SAME "\r\n", HTTP_COND_SERVE, true},
        {__LINE__, "If-Modified-Since: " LATER "\r\n", HTTP_COND_SERVE, true},
        {__LINE__, "If-None-Match: \"a-1\"\r\n", HTTP_COND_NOT_MODIFIED, true},
        {__LINE__, "If-Unmodified-Since: " EARLIER "\r\n", HTTP_COND_FAILED, true},
        {__LINE__, "If-Unmodified-Since: " SAME "\r\n", HTTP_COND_SERVE, true},
        {__LINE__, "If-Range: " SAME "\r\n", HTTP_COND_SERVE, false},
        {__LINE__, "If-Range: \"a-1\"\r\n", HTTP_COND_SERVE, true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[512];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields, http_cond_decide(&req, head, &undated, NOW),
                  rows[i].want);
        CHECK_INT(rows[i].line, rows[i].fields, http_cond_range_applies(&req, head, &undated, NOW),
                  rows[i].ranges);
    }
}

static void test_if_range(void)
{
    static const struct {
        int line;
        const char *fields;
        int64_t now;
        bool want;
    } rows[] = {
        {__LINE__, "", NOW, true},
        {__LINE__, "If-Range: \"a-1\"\r\n", NOW, true},
        {__LINE__, "If-Range: W/\"a-1\"\r\n", NOW, false},
        {__LINE__, "If-Range: \"b\"\r\n", NOW, false},
        {__LINE__, "If-Range: \"a-1\", \"b\"\r\n", NOW, false},
        {__LINE__, "If-Range: ,\"a-1\"\r\n", NOW, false}, /* not a list, so no empty elements */
        {__LINE__, "If-Range: " SAME "\r\n", NOW, true},
        {__LINE__, "If-Range: ," SAME "\r\n", NOW, false},
        {__LINE__, "If-Range: " SAME "\r\n", 784111778, false}, /* too fresh to be strong */
        {__LINE__, "If-Range: " LATER "\r\n", NOW, false},
        {__LINE__, "If-Range: " EARLIER "\r\n", NOW, false},
        {__LINE__, "If-Range: x\r\n", NOW, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[512];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields,
                  http_cond_range_applies(&req, head, &file, rows[i].now), rows[i].want);
    }
}

static void test_names(void)
{
    static const struct {
        int line;
        const char *fields;
        bool want;
    } rows[] = {
        {__LINE__, "", false},
        {__LINE__, "If-None-Match: \"a-1\"\r\n", true},
        {__LINE__, "If-None-Match: \"b\", W/\"a-1\"\r\n", true},
        {__LINE__, "If-None-Match: \"b\"\r\nIf-None-Match: \"a-1\"\r\n", true},
        {__LINE__, "If-None-Match: *\r\n", false}, /* no tag in particular */
        {__LINE__, "If-None-Match: \"a-1-br\"\r\n", false},
        {__LINE__, "If-Match: \"a-1\"\r\n", true},
        {__LINE__, "If-Range: \"a-1\"\r\n", true},
        {__LINE__, "If-Range: " SAME "\r\n", false},
        {__LINE__, "If-Modified-Since: " SAME "\r\n", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_request req;
        char head[512];
        parse(&req, head, sizeof(head), rows[i].fields);
        CHECK_INT(rows[i].line, rows[i].fields, http_cond_names(&req, head, file.etag),
                  rows[i].want);
    }
}

int main(void)
{
    test_names();
    test_verdicts();
    test_without_tag();
    test_without_date();
    test_if_range();
    return check_end("http_cond");
}
