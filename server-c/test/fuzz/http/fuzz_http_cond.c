/* SPDX-License-Identifier: MIT */
/* Any fields: which precondition counts does not depend on those that do not, a verdict has a field
 * that asked for it, our own tag is always known, and no tag is never equal to anything. */
#include "http/http_cond.h"
#include "base/util.h"
#include "http/http_date.h"

#include <string.h>
#include <strings.h>

#define HEAD_MAX 4096
#define START "GET / HTTP/1.1\r\nHost: a\r\n"
#define MODIFIED INT64_C(784111777)
#define NOW INT64_C(784111778)
#define ETAG "\"a-1\""

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct http_validators file = {{ETAG, sizeof(ETAG) - 1}, MODIFIED, true};
static const struct http_validators untagged = {{"", 0}, MODIFIED, false};

struct sample {
    char head[2 * HEAD_MAX];
    size_t len;
    struct http_request req;
};

static void append(struct sample *sample, const char *bytes, size_t len)
{
    CHECK(len <= sizeof(sample->head) - sample->len);
    memcpy(sample->head + sample->len, bytes, len);
    sample->len += len;
}

static bool begins_with(struct span line, const char *name)
{
    return name && line.len >= strlen(name) && strncasecmp(line.ptr, name, strlen(name)) == 0;
}

/* `first`, then `fields` without the lines that begin with `without`. False: no head at all. */
static bool make(struct sample *sample, const char *first, struct span fields, const char *without)
{
    sample->len = 0;
    append(sample, START, sizeof(START) - 1);
    append(sample, first, strlen(first));
    while (fields.len > 0) {
        const char *end = memchr(fields.ptr, '\n', fields.len);
        struct span line = {fields.ptr, end ? (size_t)(end + 1 - fields.ptr) : fields.len};
        if (!begins_with(line, without))
            append(sample, line.ptr, line.len);
        fields.ptr += line.len, fields.len -= line.len;
    }
    append(sample, "\r\n\r\n", 4);
    http_request_init(&sample->req, sizeof(sample->head), HEAD_MAX);
    return http_parse_request(&sample->req, sample->head, sample->len) == PARSE_OK;
}

static enum http_cond decide(const struct sample *sample, const struct http_validators *what)
{
    return http_cond_decide(&sample->req, sample->head, what, NOW);
}

static bool has(const struct sample *sample, enum http_field field)
{
    return http_request_has(&sample->req, field);
}

static void check_reasons(const struct sample *sample)
{
    enum http_cond verdict = decide(sample, &file);

    if (verdict == HTTP_COND_FAILED)
        CHECK(has(sample, FIELD_IF_MATCH) || has(sample, FIELD_IF_UNMODIFIED_SINCE));
    if (verdict == HTTP_COND_NOT_MODIFIED)
        CHECK(has(sample, FIELD_IF_NONE_MATCH) || has(sample, FIELD_IF_MODIFIED_SINCE));
    if (has(sample, FIELD_IF_NONE_MATCH) && !memchr(sample->head, '*', sample->len))
        CHECK(decide(sample, &untagged) != HTTP_COND_NOT_MODIFIED);
}

static void check_precedence(const struct sample *sample, struct span fields)
{
    static struct sample other;

    if (has(sample, FIELD_IF_MATCH) && make(&other, "", fields, "If-Unmodified-Since:"))
        CHECK(decide(&other, &file) == decide(sample, &file));
    if (has(sample, FIELD_IF_NONE_MATCH) && make(&other, "", fields, "If-Modified-Since:"))
        CHECK(decide(&other, &file) == decide(sample, &file));
    if (make(&other, "If-Match: " ETAG "\r\n", fields, NULL))
        CHECK(decide(&other, &file) != HTTP_COND_FAILED);
    if (decide(sample, &file) != HTTP_COND_FAILED &&
        make(&other, "If-None-Match: W/" ETAG "\r\n", fields, NULL))
        CHECK(decide(&other, &file) == HTTP_COND_NOT_MODIFIED);
}

static void check_if_range(const struct sample *sample)
{
    bool applies = http_cond_range_applies(&sample->req, sample->head, &file, NOW);
    struct span value = http_request_field(&sample->req, sample->head, FIELD_IF_RANGE);
    int64_t date = 0;

    if (!has(sample, FIELD_IF_RANGE))
        CHECK(applies);
    else if (applies && !(value.len == sizeof(ETAG) - 1 && memcmp(value.ptr, ETAG, value.len) == 0))
        CHECK(http_date_parse(value, NOW, &date) && date == MODIFIED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct sample sample;
    struct span fields = {(const char *)data, len};

    if (len > HEAD_MAX || !make(&sample, "", fields, NULL))
        return 0;
    check_reasons(&sample);
    check_precedence(&sample, fields);
    check_if_range(&sample);
    return 0;
}
