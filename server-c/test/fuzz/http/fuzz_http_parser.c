/* SPDX-License-Identifier: MIT */
/* Any bytes, in two different splits: the same answer, nothing read behind what is there, and what
 * is accepted lies inside the head. What the head then asks for is decided, too. */
#include "http/http_parser.h"
#include "base/util.h"
#include "response/response.h"

#include <string.h>

#define MAX_HEAD 4096
#define MAX_TARGET 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_slice(struct http_slice slice, uint32_t head_len)
{
    CHECK(slice.off <= head_len && slice.len <= head_len - slice.off);
}

/* The length that the head says is the length of texts and ranges, and less than the file's. */
static void check_multipart(const struct response_plan *plan, const struct file_facts *facts)
{
    static const struct response_scope no_rules;
    struct response_file file = {.facts = facts, .type = {"text/css", "utf-8"}};
    struct response_multipart multipart;
    char texts[4096];
    struct response_head out = {.out = texts, .cap = sizeof(texts)};
    uint64_t bytes = 0;

    CHECK(plan->status == HTTP_PARTIAL_CONTENT && plan->ranges.count > 1);
    response_multipart_init(&multipart, plan, &no_rules, &file, "0123456789abcdef01234567");
    for (size_t i = 0; i < plan->ranges.count; i++) {
        response_multipart_text(&out, &multipart, i);
        bytes += plan->ranges.items[i].length;
    }
    response_multipart_text(&out, &multipart, plan->ranges.count);
    CHECK(!out.overflow && response_multipart_length(&multipart) == out.len + bytes);
    CHECK(out.len + bytes <= facts->size);
}

static void check_accepted(const struct http_request *req, const char *head, size_t len)
{
    struct file_facts facts;
    struct response_plan plan;

    CHECK(req->head_len <= len && req->head_len <= MAX_HEAD);
    CHECK(memcmp(head + req->head_len - 4, "\r\n\r\n", 4) == 0);
    check_slice(req->request_line, req->head_len);
    check_slice(req->target, req->head_len);
    check_slice(req->path, req->head_len);
    check_slice(req->query, req->head_len);
    check_slice(req->host, req->head_len);
    CHECK(req->target.len <= MAX_TARGET);
    CHECK(!(req->chunked && req->content_length > 0));
    for (int i = 0; i < FIELD_COUNT; i++) {
        struct span value, element;
        uint32_t cursor = 0;
        int values = 0;
        check_slice(req->fields[i], req->head_len);
        while (http_request_next_value(req, head, (enum http_field)i, &cursor, &value)) {
            CHECK(value.ptr >= head && value.ptr + value.len <= head + req->head_len);
            CHECK(++values <= MAX_HEAD);
            while (http_list_next(&value, &element))
                CHECK(element.len > 0);
        }
        CHECK((values > 0) == http_request_has(req, (enum http_field)i));
    }
    file_facts_init(&facts, 1000, 784111777, 5, 1795252483);
    response_plan_file(&plan, req, head, &facts, 1795252483);
    if (plan.is_multipart)
        check_multipart(&plan, &facts);
    else
        CHECK(plan.offset <= 1000 && plan.length <= 1000 - plan.offset);
}

static enum parse parse_in_steps(struct http_request *req, const char *head, size_t len,
                                 size_t step)
{
    enum parse result = PARSE_MORE;

    http_request_init(req, MAX_HEAD, MAX_TARGET);
    for (size_t have = step; result == PARSE_MORE; have += step) {
        result = http_parse_request(req, head, have < len ? have : len);
        CHECK(req->pos <= len);
        if (have >= len)
            break;
    }
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *head = (const char *)data;
    struct http_request whole, split;
    enum parse result = parse_in_steps(&whole, head, len, len ? len : 1);

    CHECK(parse_in_steps(&split, head, len, 1 + len % 7) == result);
    if (result == PARSE_OK) {
        CHECK(whole.head_len == split.head_len);
        CHECK(memcmp(whole.fields, split.fields, sizeof(whole.fields)) == 0);
        check_accepted(&whole, head, len);
    } else if (result == PARSE_BAD) {
        CHECK(whole.status == split.status && whole.reason == split.reason);
        CHECK(whole.status >= 400 && whole.reason != NULL);
    } else {
        CHECK(len <= MAX_HEAD);
    }
    return 0;
}
