/* SPDX-License-Identifier: MIT */
/* Heads byte for byte, header rules, and which bytes go with which answer. */
#include "response.c"

#include "check.h"
#include "mem.h"

#include <stdlib.h>

#define DATE "Sat, 21 Nov 2026 09:14:43 GMT"
#define NOW INT64_C(1795252483)

static char out[4096];

static struct response_head start(void)
{
    return (struct response_head){.out = out, .cap = sizeof(out)};
}

static const char *text_of(const struct response_head *head)
{
    out[head->len] = '\0';
    return out;
}

static struct file_facts facts_of(uint64_t size)
{
    struct file_facts facts;
    file_facts_init(&facts, size, 784111777, 5, NOW);
    return facts;
}

static void test_facts(void)
{
    struct file_facts facts = facts_of(255), future;

    facts.etag[facts.etag_len] = '\0';
    CHECK_STR(__LINE__, "etag", facts.etag, "\"ae1b981bc490a05-ff\"");
    CHECK_STR(__LINE__, "date", facts.last_modified_text, "Sun, 06 Nov 1994 08:49:37 GMT");
    file_facts_init(&future, 1, NOW + 1000, 0, NOW);
    CHECK_STR(__LINE__, "never later than now", future.last_modified_text, DATE);
}

static void test_whole_file(void)
{
    struct response_head head = start();
    struct file_facts facts = facts_of(255);

    response_head_start(&head, HTTP_OK, NULL, DATE, CONNECTION_DEFAULT);
    response_head_whole_file(&head, NULL, &facts, "text/css");
    CHECK_STR(__LINE__, "head", text_of(&head),
              "HTTP/1.1 200 OK\r\nServer: farmstead\r\nDate: " DATE "\r\n"
              "Content-Type: text/css\r\nContent-Length: 255\r\n"
              "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: \"ae1b981bc490a05-ff\"\r\n"
              "Accept-Ranges: bytes\r\n\r\n");
}

static void test_other_heads(void)
{
    struct file_facts facts = facts_of(255);
    struct response_plan plan = {HTTP_PARTIAL_CONTENT, 250, 5};
    struct response_head head = start();

    response_head_file(&head, NULL, &facts, "text/css", &plan);
    CHECK_STR(__LINE__, "206", text_of(&head),
              "Content-Type: text/css\r\nContent-Length: 5\r\nContent-Range: bytes 250-254/255\r\n"
              "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: \"ae1b981bc490a05-ff\"\r\n"
              "Accept-Ranges: bytes\r\n\r\n");
    head = start();
    plan = (struct response_plan){HTTP_NOT_MODIFIED, 0, 0};
    response_head_file(&head, NULL, &facts, "text/css", &plan);
    CHECK_STR(
        __LINE__, "304", text_of(&head),
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: \"ae1b981bc490a05-ff\"\r\n\r\n");
    head = start();
    plan = (struct response_plan){HTTP_RANGE_NOT_SATISFIABLE, 0, 0};
    response_head_file(&head, NULL, &facts, "text/css", &plan);
    CHECK_STR(__LINE__, "416", text_of(&head),
              "Content-Length: 0\r\nContent-Range: bytes */255\r\n\r\n");
    head = start();
    response_head_start(&head, HTTP_NOT_FOUND, NULL, DATE, CONNECTION_CLOSE);
    CHECK_STR(__LINE__, "start", text_of(&head),
              "HTTP/1.1 404 Not Found\r\nServer: farmstead\r\nDate: " DATE
              "\r\nConnection: close\r\n");
}

static void test_pages_say_their_length(void)
{
    static const enum http_status statuses[] = {
#define X(code, name, text) HTTP_##name,
#include "http_status.def"
#undef X
    };

    for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
        struct response_page page = {statuses[i], {"/a/", 3}, false};
        struct response_head head = start(), only = start();
        const char *body, *length;
        size_t head_len;

        response_head_page(&head, NULL, &page);
        body = strstr(text_of(&head), "\r\n\r\n") + 4;
        length = strstr(out, "Content-Length: ") + 16;
        CHECK_INT(__LINE__, "length", strtol(length, NULL, 10), strlen(body));
        head_len = head.len - strlen(body);
        page.head_only = true;
        response_head_page(&only, NULL, &page);
        CHECK_INT(__LINE__, "HEAD is the same head", only.len, head_len);
    }
}

static struct config_header_rule rule(enum config_header_action action, const char *name,
                                      const char *value)
{
    return (struct config_header_rule){action, (char *)(uintptr_t)name, (char *)(uintptr_t)value};
}

static void test_rules(void)
{
    const struct config_header_rule items[] = {
        rule(HEADER_SET, "X-A", "gone"),        rule(HEADER_ADD, "X-A", "gone too"),
        rule(HEADER_SET, "x-a", "1"),           rule(HEADER_ADD, "X-A", "2"),
        rule(HEADER_SET, "X-B", "removed"),     rule(HEADER_REMOVE, "x-b", ""),
        rule(HEADER_REMOVE, "server", ""),      rule(HEADER_SET, "ETag", "\"mine\""),
        rule(HEADER_ADD, "Accept-Ranges", "x"), rule(HEADER_SET, "Content-Length", "1"),
        rule(HEADER_REMOVE, "date", ""),
    };
    struct file_facts facts = facts_of(1);
    struct response_head head = start();
    struct response_rules rules;

    response_rules_init(&rules, items, ARRAY_LEN(items));
    CHECK_STR(__LINE__, "lines", rules.lines,
              "x-a: 1\r\nX-A: 2\r\nETag: \"mine\"\r\nAccept-Ranges: x\r\n");
    response_head_start(&head, HTTP_OK, &rules, DATE, CONNECTION_DEFAULT);
    response_head_whole_file(&head, &rules, &facts, "a/b");
    CHECK_STR(__LINE__, "head", text_of(&head),
              "HTTP/1.1 200 OK\r\nDate: " DATE "\r\nContent-Type: a/b\r\nContent-Length: 1\r\n"
              "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nAccept-Ranges: bytes\r\n"
              "x-a: 1\r\nX-A: 2\r\nETag: \"mine\"\r\nAccept-Ranges: x\r\n\r\n");
    response_rules_fini(&rules);
}

static void test_plans(void)
{
    static const struct {
        int line;
        const char *fields;
        int status;
        uint64_t offset, length;
    } rows[] = {
        {__LINE__, "", 200, 0, 100},
        {__LINE__, "Range: bytes=10-19\r\n", 206, 10, 10},
        {__LINE__, "Range: bytes=100-\r\n", 416, 0, 0},
        {__LINE__, "Range: bytes=0-1\r\nIf-Range: \"other\"\r\n", 200, 0, 100},
        {__LINE__, "Range: bytes=0-1\r\nIf-None-Match: *\r\n", 304, 0, 0},
        {__LINE__, "Range: bytes=0-1\r\nIf-Match: \"other\"\r\n", 412, 0, 0},
    };
    struct file_facts facts = facts_of(100);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int is_head = 0; is_head < 2; is_head++) {
            struct response_plan plan;
            struct http_request req;
            char bytes[256];
            int len = snprintf(bytes, sizeof(bytes), "%s / HTTP/1.1\r\nHost: a\r\n%s\r\n",
                               is_head ? "HEAD" : "GET", rows[i].fields);
            bool is_ranged = rows[i].status == 206 || rows[i].status == 416;
            http_request_init(&req, 256, 256);
            http_parse_request(&req, bytes, (size_t)len);
            response_plan_file(&plan, &req, bytes, &facts, NOW);
            /* Range means something for GET only. */
            CHECK_INT(rows[i].line, rows[i].fields, plan.status,
                      is_head && is_ranged ? 200 : rows[i].status);
            if (is_head && is_ranged)
                continue;
            CHECK_INT(rows[i].line, rows[i].fields, plan.offset, rows[i].offset);
            CHECK_INT(rows[i].line, rows[i].fields, plan.length, rows[i].length);
        }
}

static void test_overflow(void)
{
    struct response_head head = {.out = out, .cap = 20};

    response_head_start(&head, HTTP_OK, NULL, DATE, CONNECTION_DEFAULT);
    CHECK_TRUE(head.overflow && head.len <= 20, "len %zu", head.len);
}

int main(void)
{
    test_facts();
    test_whole_file();
    test_other_heads();
    test_pages_say_their_length();
    test_rules();
    test_plans();
    test_overflow();
    return check_end("response");
}
