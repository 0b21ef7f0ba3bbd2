/* SPDX-License-Identifier: MIT */
/* Heads byte for byte, and multipart bodies. */
#include "response/response_head.c"

#include "check.h"

#include <stdlib.h>

#define DATE "Sat, 21 Nov 2026 09:14:43 GMT"
#define NOW INT64_C(1795252483)
#define SERVER "Server: farmstead\r\n"
#define MODIFIED "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
#define TAG "ETag: \"ae1b981bc490a05-ff\"\r\n"
#define VALIDATORS MODIFIED TAG
#define BOUNDARY "0123456789abcdef01234567"

static char out[8192];

static const struct response_scope no_rules;

static struct response_head start(void)
{
    return (struct response_head){.out = out, .cap = sizeof(out)};
}

static const char *text_of(const struct response_head *head)
{
    out[head->len] = '\0';
    return out;
}

static struct file_facts facts;

static struct response_file file_of(uint64_t size)
{
    file_facts_init(&facts, size, 784111777, 5, NOW);
    return (struct response_file){.facts = &facts, .type = {"text/css", "utf-8"}};
}

static void test_start(void)
{
    struct response_head head = start();

    response_head_start(&head, HTTP_OK, DATE, CONNECTION_DEFAULT);
    CHECK_STR(__LINE__, "200", text_of(&head), "HTTP/1.1 200 OK\r\nDate: " DATE "\r\n");
    head = start();
    response_head_start(&head, HTTP_NOT_FOUND, DATE, CONNECTION_CLOSE);
    CHECK_STR(__LINE__, "404", text_of(&head),
              "HTTP/1.1 404 Not Found\r\nDate: " DATE "\r\nConnection: close\r\n");
    head = start();
    response_head_start(&head, HTTP_NO_CONTENT, DATE, CONNECTION_KEEP_ALIVE);
    CHECK_STR(__LINE__, "204", text_of(&head),
              "HTTP/1.1 204 No Content\r\nDate: " DATE "\r\nConnection: keep-alive\r\n");
}

static void test_whole_file(void)
{
    struct response_file file = file_of(255);
    struct response_head head = start();

    response_head_whole_file(&head, &no_rules, &file, NOW);
    CHECK_STR(__LINE__, "200", text_of(&head),
              SERVER "Content-Type: text/css; charset=utf-8\r\nContent-Length: 255\r\n" VALIDATORS
                     "Accept-Ranges: bytes\r\n\r\n");
    CHECK_TRUE(!head.is_momentary && !head.overflow, "worth keeping");

    file_facts_add_coding(&facts, "br");
    file.coding = "br";
    file.varies = true;
    file.type.charset = NULL;
    head = start();
    response_head_whole_file(&head, &no_rules, &file, NOW);
    CHECK_STR(__LINE__, "a variant", text_of(&head),
              SERVER
              "Content-Type: text/css\r\nContent-Length: 255\r\nContent-Encoding: br\r\n" MODIFIED
              "ETag: \"ae1b981bc490a05-ff-br\"\r\nVary: Accept-Encoding\r\n"
              "Accept-Ranges: bytes\r\n\r\n");
    file = file_of(255);
    file.varies = true;
    facts.etag_len = 0;
    head = start();
    response_head_whole_file(&head, &no_rules, &file, NOW);
    CHECK_STR(__LINE__, "identity of several, without a tag", text_of(&head),
              SERVER "Content-Type: text/css; charset=utf-8\r\nContent-Length: 255\r\n" MODIFIED
                     "Vary: Accept-Encoding\r\nAccept-Ranges: bytes\r\n\r\n");
    file.varies_by_dictionary = true;
    head = start();
    response_head_whole_file(&head, &no_rules, &file, NOW);
    CHECK_TRUE(strstr(text_of(&head), "\r\nVary: Accept-Encoding, Available-Dictionary\r\n") !=
                   NULL,
               "%s", text_of(&head));
}

static void test_without_date(void)
{
    struct response_plan plan = {.status = HTTP_NOT_MODIFIED};
    struct response_file file = file_of(255);
    struct response_head head = start();

    facts.has_date = false;
    response_head_whole_file(&head, &no_rules, &file, NOW);
    CHECK_STR(__LINE__, "200", text_of(&head),
              SERVER "Content-Type: text/css; charset=utf-8\r\nContent-Length: 255\r\n" TAG
                     "Accept-Ranges: bytes\r\n\r\n");
    facts.etag_len = 0;
    head = start();
    response_head_file(&head, &no_rules, &file, &plan, NOW);
    CHECK_STR(__LINE__, "304 to a star", text_of(&head), SERVER "\r\n");
}

static void test_parts_of_files(void)
{
    struct response_file file = file_of(255);
    struct response_plan plan = {.status = HTTP_PARTIAL_CONTENT, .offset = 250, .length = 5};
    struct response_head head = start();

    response_head_file(&head, &no_rules, &file, &plan, NOW);
    CHECK_STR(__LINE__, "206", text_of(&head),
              SERVER "Content-Type: text/css; charset=utf-8\r\nContent-Length: 5\r\n"
                     "Content-Range: bytes 250-254/255\r\n" VALIDATORS
                     "Accept-Ranges: bytes\r\n\r\n");
    head = start();
    plan = (struct response_plan){.status = HTTP_NOT_MODIFIED};
    response_head_file(&head, &no_rules, &file, &plan, NOW);
    CHECK_STR(__LINE__, "304", text_of(&head), SERVER TAG "\r\n");
    facts.etag_len = 0;
    head = start();
    response_head_file(&head, &no_rules, &file, &plan, NOW);
    CHECK_STR(__LINE__, "304 without a tag", text_of(&head), SERVER MODIFIED "\r\n");
    file = file_of(255);
    head = start();
    file.coding = "br";
    file.varies = true;
    response_head_file(&head, &no_rules, &file, &plan, NOW);
    CHECK_STR(__LINE__, "304 of a variant", text_of(&head),
              SERVER TAG "Vary: Accept-Encoding\r\n\r\n");
}

static void test_multipart(void)
{
    struct response_file file = file_of(10000);
    struct response_plan plan = {.status = HTTP_PARTIAL_CONTENT,
                                 .is_multipart = true,
                                 .ranges = {2, {{9000, 1000}, {0, 2}}}};
    struct response_multipart multipart;
    struct response_head head = start();

    response_multipart_init(&multipart, &plan, &no_rules, &file, BOUNDARY);
    response_head_multipart(&head, &no_rules, &file, &multipart, NOW);
    CHECK_STR(__LINE__, "head", text_of(&head),
              SERVER "Content-Type: multipart/byteranges; boundary=" BOUNDARY "\r\n"
                     "Content-Length: 1246\r\n" MODIFIED "ETag: \"ae1b981bc490a05-2710\"\r\n"
                     "Accept-Ranges: bytes\r\n\r\n");
    head = start();
    response_multipart_text(&head, &multipart, 0);
    response_multipart_text(&head, &multipart, 1);
    response_multipart_text(&head, &multipart, 2);
    CHECK_STR(__LINE__, "texts", text_of(&head),
              "\r\n--" BOUNDARY "\r\nContent-Type: text/css; charset=utf-8\r\n"
              "Content-Range: bytes 9000-9999/10000\r\n\r\n"
              "\r\n--" BOUNDARY "\r\nContent-Type: text/css; charset=utf-8\r\n"
              "Content-Range: bytes 0-1/10000\r\n\r\n"
              "\r\n--" BOUNDARY "--\r\n");
    CHECK_INT(__LINE__, "length", response_multipart_length(&multipart), head.len + 1002);
}

/* Whatever the ranges, type and size: as many bytes are sent as were announced, and no more than
 * the file has if the type is of usual length. */
static void test_multipart_lengths(void)
{
    static const struct {
        int line;
        uint64_t size;
        const char *range, *type, *charset;
    } rows[] = {
        {__LINE__, 300, "bytes=0-0,9-10", "text/css", "utf-8"},
        {__LINE__, 100000, "bytes=0-9,99-100,999-1000,99999-", "image/png", NULL},
        {__LINE__, UINT64_MAX, "bytes=0-0,18446744073709551613-", "a/b", NULL},
        {__LINE__, 100000, "bytes=5-6,7-8", NULL, NULL},
        {__LINE__, 2200,
         "bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16,18-18,20-20,22-22,"
         "24-24,26-26,28-28,30-30",
         "application/manifest+json", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct response_file file = file_of(rows[i].size);
        struct response_plan plan = {.status = HTTP_PARTIAL_CONTENT, .is_multipart = true};
        struct response_multipart multipart;
        struct response_head head = start();
        uint64_t bytes = 0;
        http_range_parse((struct span){rows[i].range, strlen(rows[i].range)}, rows[i].size,
                         &plan.ranges);
        file.type = (struct mime_type){rows[i].type, rows[i].charset};
        response_multipart_init(&multipart, &plan, &no_rules, &file, BOUNDARY);
        for (size_t part = 0; part <= plan.ranges.count; part++)
            response_multipart_text(&head, &multipart, part);
        for (size_t part = 0; part < plan.ranges.count; part++)
            bytes += plan.ranges.items[part].length;
        CHECK_TRUE(plan.ranges.count > 1 && !head.overflow, "row %d", rows[i].line);
        CHECK_INT(rows[i].line, rows[i].range, response_multipart_length(&multipart),
                  head.len + bytes);
        CHECK_TRUE(head.len + bytes <= rows[i].size, "row %d: %zu", rows[i].line, head.len);
    }
}

static void test_pages_say_their_length(void)
{
    static const enum http_status statuses[] = {
#define X(code, name, text, sentence) HTTP_##name,
#include "http/http_status.def"
#undef X
    };

    for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
        struct response_page page = {.status = statuses[i], .location = {"/a/", 3}};
        struct response_head head = start(), only = start();
        const char *body, *length;
        size_t head_len;

        response_head_page(&head, &no_rules, &page);
        body = strstr(text_of(&head), "\r\n\r\n") + 4;
        length = strstr(out, "Content-Length: ") + 16;
        CHECK_INT(__LINE__, "length", strtol(length, NULL, 10), strlen(body));
        head_len = head.len - strlen(body);
        page.head_only = true;
        response_head_page(&only, &no_rules, &page);
        CHECK_INT(__LINE__, "HEAD is the same head", only.len, head_len);
    }
}

/* What RFC 9110 section 15 requires besides the status line. */
static void test_what_a_status_calls_for(void)
{
    static const struct {
        int line;
        enum http_status status;
        const char *want;
    } rows[] = {
        {__LINE__, HTTP_MOVED_PERMANENTLY, "Location: /b\r\n"},
        {__LINE__, HTTP_FOUND, "Location: /b\r\n"},
        {__LINE__, HTTP_SEE_OTHER, "Location: /b\r\n"},
        {__LINE__, HTTP_TEMPORARY_REDIRECT, "Location: /b\r\n"},
        {__LINE__, HTTP_PERMANENT_REDIRECT, "Location: /b\r\n"},
        {__LINE__, HTTP_UNAUTHORIZED, "WWW-Authenticate: Basic realm=\"x\"\r\n"},
        {__LINE__, HTTP_METHOD_NOT_ALLOWED, "Allow: GET, HEAD, OPTIONS\r\n"},
        {__LINE__, HTTP_RANGE_NOT_SATISFIABLE, "Content-Range: bytes */77\r\n"},
        {__LINE__, HTTP_UNAVAILABLE, "Retry-After: 1\r\n"},
        {__LINE__, HTTP_NOT_FOUND, ""},
        {__LINE__, HTTP_GONE, ""},
        {__LINE__, HTTP_PRECONDITION_FAILED, ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct response_page page = {.status = rows[i].status,
                                     .location = {"/b", 2},
                                     .authenticate = {"Basic realm=\"x\"", 15},
                                     .file_size = 77};
        struct response_head head = start();
        char want[256];
        snprintf(want, sizeof(want),
                 SERVER "Content-Type: image/png\r\nContent-Length: 9\r\n%s\r\n", rows[i].want);
        response_head_page_file(&head, &no_rules, &page, (struct mime_type){"image/png", NULL}, 9);
        CHECK_STR(rows[i].line, "head", text_of(&head), want);
    }
}

/* RFC 9110 section 15.4: a link to the address in Location. */
static void test_link_of_a_redirect(void)
{
    static char far[600];
    struct response_page page = {.status = HTTP_FOUND, .location = {"/a?b&c\"<", 8}};
    struct response_head head = start();

    response_head_page(&head, &no_rules, &page);
    CHECK_TRUE(strstr(text_of(&head), "<p>It is at <a href=\"/a?b&amp;c&quot;&lt;\">another "
                                      "address</a> for now.</p>") != NULL,
               "%s", out);
    memset(far, '&', sizeof(far));
    head = start();
    page.location = (struct span){far, sizeof(far)};
    response_head_page(&head, &no_rules, &page);
    CHECK_TRUE(strstr(text_of(&head), "<p>It is at another address for now.</p>") != NULL, "%s",
               out);
}

static void test_generated(void)
{
    struct response_listing listing = {HTTP_OK, {"text/html", "utf-8"}, 12, "default-src 'none'"};
    struct response_head head = start();

    response_head_listing(&head, &no_rules, &listing, NOW);
    CHECK_STR(__LINE__, "listing", text_of(&head),
              SERVER "Content-Type: text/html; charset=utf-8\r\nContent-Length: 12\r\n"
                     "Content-Security-Policy: default-src 'none'\r\nVary: Accept\r\n\r\n");
    head = start();
    listing.status = HTTP_NOT_MODIFIED;
    response_head_listing(&head, &no_rules, &listing, NOW);
    CHECK_STR(__LINE__, "listing, 304", text_of(&head), SERVER "Vary: Accept\r\n\r\n");
    head = start();
    response_head_options(&head, &no_rules);
    CHECK_STR(__LINE__, "OPTIONS", text_of(&head), SERVER "Allow: GET, HEAD, OPTIONS\r\n\r\n");
}

static void test_overflow(void)
{
    struct response_head head = {.out = out, .cap = 20};

    response_head_start(&head, HTTP_OK, DATE, CONNECTION_DEFAULT);
    CHECK_TRUE(head.overflow && head.len <= 20, "len %zu", head.len);
}

int main(void)
{
    test_start();
    test_whole_file();
    test_without_date();
    test_parts_of_files();
    test_multipart();
    test_multipart_lengths();
    test_pages_say_their_length();
    test_what_a_status_calls_for();
    test_link_of_a_redirect();
    test_generated();
    test_overflow();
    return check_end("response_head");
}
