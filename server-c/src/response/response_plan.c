/* SPDX-License-Identifier: MIT */
/* response_plan.c — the facts about a file, and which of its bytes a request gets. */
#include "response/response.h"

#include "http/http_cond.h"

#include <string.h>

/* What a part of a multipart body costs besides its bytes: a delimiter, Content-Type and
 * Content-Range of usual lengths. If the parts together would cost more than the file, the whole
 * file is sent (RFC 9110 section 17.15). */
#define PART_OVERHEAD_BYTES 128

/* Of 32. Two files with the same 20 are not found by chance, and a tag has room for a coding. */
#define CONTENT_TAG_BYTES 20

#define YEAR_1990 INT64_C(631152000)

/* --- facts ----------------------------------------------------------------------------------- */

/* Cuts what does not fit, and leaves room for the closing quote. */
static void tag_append(struct file_facts *facts, const char *bytes, size_t len)
{
    size_t room = ETAG_MAX - 1u - facts->etag_len;

    memcpy(facts->etag + facts->etag_len, bytes, len < room ? len : room);
    facts->etag_len = (uint8_t)(facts->etag_len + (len < room ? len : room));
}

static void tag_append_hex(struct file_facts *facts, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    char text[16];
    size_t pos = sizeof(text);

    do {
        text[--pos] = digits[value & 15];
        value >>= 4;
    } while (value > 0);
    tag_append(facts, text + pos, sizeof(text) - pos);
}

static void tag_of_time_and_size(struct file_facts *facts, int64_t seconds, uint32_t ns)
{
    facts->etag_len = 0;
    tag_append(facts, "\"", 1);
    tag_append_hex(facts, (uint64_t)seconds * NS_PER_SECOND + ns);
    tag_append(facts, "-", 1);
    tag_append_hex(facts, facts->size);
    facts->etag[facts->etag_len++] = '"';
}

void file_facts_init(struct file_facts *facts, uint64_t size, int64_t mtime_seconds,
                     uint32_t mtime_ns, int64_t now)
{
    facts->size = size;
    /* Last-Modified must not be later than Date (RFC 9110 section 8.8.2.1). */
    facts->last_modified = mtime_seconds < now ? mtime_seconds : now;
    http_date_format(facts->last_modified_text, facts->last_modified);
    facts->has_date = true;
    tag_of_time_and_size(facts, mtime_seconds, mtime_ns);
}

bool file_time_is_of_build(int64_t seconds, uint32_t ns)
{
    return seconds < YEAR_1990 || (ns == 0 && http_date_begins_year(seconds));
}

void file_facts_distrust_time(struct file_facts *facts, int64_t ctime_seconds, uint32_t ctime_ns,
                              uint64_t inode)
{
    facts->has_date = false;
    if (file_time_is_of_build(ctime_seconds, ctime_ns)) {
        facts->etag_len = 0;
        return;
    }
    tag_of_time_and_size(facts, ctime_seconds, ctime_ns);
    file_facts_add_inode(facts, inode);
}

void file_facts_add_inode(struct file_facts *facts, uint64_t inode)
{
    facts->etag_len--; /* overwrite the closing quote */
    tag_append(facts, "-", 1);
    tag_append_hex(facts, inode);
    facts->etag[facts->etag_len++] = '"';
}

void file_facts_tag_content(struct file_facts *facts, const unsigned char hash[32])
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * CONTENT_TAG_BYTES];

    for (size_t i = 0; i < CONTENT_TAG_BYTES; i++) {
        text[2 * i] = digits[hash[i] >> 4];
        text[2 * i + 1] = digits[hash[i] & 15];
    }
    facts->etag_len = 0;
    tag_append(facts, "\"", 1);
    tag_append(facts, text, sizeof(text));
    facts->etag[facts->etag_len++] = '"';
}

void file_facts_add_coding(struct file_facts *facts, const char *coding)
{
    if (facts->etag_len == 0)
        return;
    facts->etag_len--;
    tag_append(facts, "-", 1);
    tag_append(facts, coding, strlen(coding));
    facts->etag[facts->etag_len++] = '"';
}

/* --- plan ------------------------------------------------------------------------------------ */

/* Sets the fields one by one: `ranges` is large, and most requests never look at it. */
static void plan_set(struct response_plan *plan, enum http_status status, uint64_t length)
{
    plan->status = status;
    plan->is_multipart = false;
    plan->offset = 0;
    plan->length = length;
}

static bool is_worth_parts(const struct http_ranges *ranges, uint64_t size)
{
    for (size_t i = 0; i < ranges->count; i++) {
        uint64_t length = ranges->items[i].length;
        if (length > size || size - length < PART_OVERHEAD_BYTES)
            return false;
        size -= length + PART_OVERHEAD_BYTES;
    }
    return true;
}

static void plan_range(struct response_plan *plan, struct span value, uint64_t size)
{
    enum http_range result = http_range_parse(value, size, &plan->ranges);

    if (result == HTTP_RANGE_NEVER) {
        plan_set(plan, HTTP_RANGE_NOT_SATISFIABLE, 0);
    } else if (result == HTTP_RANGE_PART && plan->ranges.count == 1) {
        plan_set(plan, HTTP_PARTIAL_CONTENT, plan->ranges.items[0].length);
        plan->offset = plan->ranges.items[0].offset;
    } else if (result == HTTP_RANGE_PART && is_worth_parts(&plan->ranges, size)) {
        plan_set(plan, HTTP_PARTIAL_CONTENT, 0);
        plan->is_multipart = true;
    }
}

void response_plan_file(struct response_plan *plan, const struct http_request *req,
                        const char *head, const struct file_facts *facts, int64_t now)
{
    struct http_validators file = {
        {facts->etag, facts->etag_len}, facts->last_modified, facts->has_date};

    plan_set(plan, HTTP_OK, facts->size);
    switch (http_cond_decide(req, head, &file, now)) {
    case HTTP_COND_SERVE:
        break;
    case HTTP_COND_NOT_MODIFIED:
        plan_set(plan, HTTP_NOT_MODIFIED, 0);
        return;
    case HTTP_COND_FAILED:
        plan_set(plan, HTTP_PRECONDITION_FAILED, 0);
        return;
    }
    /* A server must ignore Range for methods other than GET (RFC 9110 section 14.2). */
    if (req->method == HTTP_GET && http_request_has(req, FIELD_RANGE) &&
        http_cond_range_applies(req, head, &file, now))
        plan_range(plan, http_request_field(req, head, FIELD_RANGE), facts->size);
}
