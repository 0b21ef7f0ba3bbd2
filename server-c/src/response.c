/* SPDX-License-Identifier: MIT */
/* response.c — everything that is decided and written before the first body byte. */
#include "response.h"

#include "buf.h"
#include "http_cond.h"
#include "http_range.h"

#include <string.h>
#include <strings.h>

#define SERVER_NAME "farmstead"
#define ALLOWED_METHODS "GET, HEAD, OPTIONS"
#define RETRY_AFTER_SECONDS "1"

static const char *const own_names[OWN_HEADER_COUNT] = {
    [OWN_SERVER] = "Server",
    [OWN_CONTENT_TYPE] = "Content-Type",
    [OWN_LAST_MODIFIED] = "Last-Modified",
    [OWN_ETAG] = "ETag",
    [OWN_ACCEPT_RANGES] = "Accept-Ranges",
};

/* --- a site's rules -------------------------------------------------------------------------- */

/* A rule must not contradict how the bytes are framed, whatever the config says. */
static bool is_protocol_header(const char *name)
{
    static const char *const names[] = {
        "Connection", "Content-Length", "Content-Range",     "Date",
        "Keep-Alive", "Trailer",        "Transfer-Encoding", "Upgrade",
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Does a later rule take away what rule `i` adds? */
static bool is_overruled(const struct config_header_rule *items, size_t count, size_t i)
{
    for (size_t later = i + 1; later < count; later++)
        if (items[later].action != HEADER_ADD && strcasecmp(items[later].name, items[i].name) == 0)
            return true;
    return false;
}

void response_rules_init(struct response_rules *rules, const struct config_header_rule *items,
                         size_t count)
{
    struct buf lines;

    buf_init(&lines);
    rules->dropped = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_protocol_header(items[i].name))
            continue;
        if (items[i].action != HEADER_ADD)
            for (int own = 0; own < OWN_HEADER_COUNT; own++)
                if (strcasecmp(items[i].name, own_names[own]) == 0)
                    rules->dropped |= 1u << own;
        if (items[i].action != HEADER_REMOVE && !is_overruled(items, count, i))
            buf_printf(&lines, "%s: %s\r\n", items[i].name, items[i].value);
    }
    rules->lines_len = lines.len;
    rules->lines = buf_take(&lines);
}

void response_rules_fini(struct response_rules *rules)
{
    free(rules->lines);
}

/* --- facts and plan -------------------------------------------------------------------------- */

static size_t put_hex(char *out, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    char reversed[16];
    size_t len = 0;

    do {
        reversed[len++] = digits[value & 15];
        value >>= 4;
    } while (value > 0);
    for (size_t i = 0; i < len; i++)
        out[i] = reversed[len - 1 - i];
    return len;
}

void file_facts_init(struct file_facts *facts, uint64_t size, int64_t mtime_seconds,
                     uint32_t mtime_ns, int64_t now)
{
    uint64_t mtime = (uint64_t)mtime_seconds * NS_PER_SECOND + mtime_ns;
    size_t len = 0;

    facts->size = size;
    /* RFC 9110 section 8.8.2.1: never later than the message. */
    facts->last_modified = mtime_seconds < now ? mtime_seconds : now;
    http_date_format(facts->last_modified_text, facts->last_modified);
    facts->etag[len++] = '"';
    len += put_hex(facts->etag + len, mtime);
    facts->etag[len++] = '-';
    len += put_hex(facts->etag + len, size);
    facts->etag[len++] = '"';
    facts->etag_len = (uint8_t)len;
}

void response_plan_file(struct response_plan *plan, const struct http_request *req,
                        const char *head, const struct file_facts *facts, int64_t now)
{
    struct http_validators file = {{facts->etag, facts->etag_len}, facts->last_modified};

    *plan = (struct response_plan){HTTP_OK, 0, facts->size};
    switch (http_cond_decide(req, head, &file, now)) {
    case HTTP_COND_SERVE:
        break;
    case HTTP_COND_NOT_MODIFIED:
        *plan = (struct response_plan){HTTP_NOT_MODIFIED, 0, 0};
        return;
    case HTTP_COND_FAILED:
        *plan = (struct response_plan){HTTP_PRECONDITION_FAILED, 0, 0};
        return;
    }
    /* RFC 9110 section 14.2: Range means something for GET only. */
    if (req->method != HTTP_GET || !http_request_has(req, FIELD_RANGE) ||
        !http_cond_range_applies(req, head, &file, now))
        return;
    switch (http_range_parse(http_request_field(req, head, FIELD_RANGE), facts->size, &plan->offset,
                             &plan->length)) {
    case HTTP_RANGE_WHOLE:
        break;
    case HTTP_RANGE_PART:
        plan->status = HTTP_PARTIAL_CONTENT;
        break;
    case HTTP_RANGE_NEVER:
        *plan = (struct response_plan){HTTP_RANGE_NOT_SATISFIABLE, 0, 0};
        break;
    }
}

/* --- the head -------------------------------------------------------------------------------- */

void response_append(struct response_head *out, const char *bytes, size_t len)
{
    if (len > out->cap - out->len) {
        out->overflow = true;
        return;
    }
    memcpy(out->out + out->len, bytes, len);
    out->len += len;
}

#define APPEND(out, literal) response_append(out, literal, sizeof(literal) - 1)

static void append_text(struct response_head *out, const char *text)
{
    response_append(out, text, strlen(text));
}

static void append_number(struct response_head *out, uint64_t value)
{
    char digits[20];
    size_t pos = sizeof(digits);

    do {
        digits[--pos] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    response_append(out, digits + pos, sizeof(digits) - pos);
}

static void append_length(struct response_head *out, uint64_t length)
{
    APPEND(out, "Content-Length: ");
    append_number(out, length);
    APPEND(out, "\r\n");
}

static bool keeps(const struct response_rules *rules, enum own_header own)
{
    return !rules || !(rules->dropped & (1u << own));
}

static void append_rules(struct response_head *out, const struct response_rules *rules)
{
    if (rules)
        response_append(out, rules->lines, rules->lines_len);
}

void response_head_start(struct response_head *out, enum http_status status,
                         const struct response_rules *rules, const char *date,
                         enum response_connection connection)
{
    if (status == HTTP_OK) {
        APPEND(out, "HTTP/1.1 200 OK\r\n");
    } else {
        APPEND(out, "HTTP/1.1 ");
        append_number(out, (uint64_t)status);
        APPEND(out, " ");
        append_text(out, http_status_text(status));
        APPEND(out, "\r\n");
    }
    if (keeps(rules, OWN_SERVER))
        APPEND(out, "Server: " SERVER_NAME "\r\n");
    APPEND(out, "Date: ");
    response_append(out, date, HTTP_DATE_LEN);
    APPEND(out, "\r\n");
    if (connection == CONNECTION_CLOSE)
        APPEND(out, "Connection: close\r\n");
    else if (connection == CONNECTION_KEEP_ALIVE)
        APPEND(out, "Connection: keep-alive\r\n");
}

static void append_validators(struct response_head *out, const struct response_rules *rules,
                              const struct file_facts *facts)
{
    if (keeps(rules, OWN_LAST_MODIFIED)) {
        APPEND(out, "Last-Modified: ");
        response_append(out, facts->last_modified_text, HTTP_DATE_LEN);
        APPEND(out, "\r\n");
    }
    if (keeps(rules, OWN_ETAG)) {
        APPEND(out, "ETag: ");
        response_append(out, facts->etag, facts->etag_len);
        APPEND(out, "\r\n");
    }
}

static void append_type(struct response_head *out, const struct response_rules *rules,
                        const char *type)
{
    if (!keeps(rules, OWN_CONTENT_TYPE))
        return;
    APPEND(out, "Content-Type: ");
    append_text(out, type);
    APPEND(out, "\r\n");
}

void response_head_whole_file(struct response_head *out, const struct response_rules *rules,
                              const struct file_facts *facts, const char *type)
{
    struct response_plan plan = {HTTP_OK, 0, facts->size};
    response_head_file(out, rules, facts, type, &plan);
}

static void append_content_range(struct response_head *out, const struct file_facts *facts,
                                 const struct response_plan *plan)
{
    if (plan->status == HTTP_RANGE_NOT_SATISFIABLE) {
        APPEND(out, "Content-Range: bytes */");
    } else if (plan->status == HTTP_PARTIAL_CONTENT) {
        APPEND(out, "Content-Range: bytes ");
        append_number(out, plan->offset);
        APPEND(out, "-");
        append_number(out, plan->offset + plan->length - 1);
        APPEND(out, "/");
    } else {
        return;
    }
    append_number(out, facts->size);
    APPEND(out, "\r\n");
}

void response_head_file(struct response_head *out, const struct response_rules *rules,
                        const struct file_facts *facts, const char *type,
                        const struct response_plan *plan)
{
    bool has_file_body = plan->status == HTTP_OK || plan->status == HTTP_PARTIAL_CONTENT;

    if (has_file_body)
        append_type(out, rules, type);
    /* A 304 says nothing of a length: what would be sent with 200 is what the client has. */
    if (plan->status != HTTP_NOT_MODIFIED)
        append_length(out, plan->length);
    append_content_range(out, facts, plan);
    if (has_file_body || plan->status == HTTP_NOT_MODIFIED)
        append_validators(out, rules, facts);
    if (has_file_body && keeps(rules, OWN_ACCEPT_RANGES))
        APPEND(out, "Accept-Ranges: bytes\r\n");
    append_rules(out, rules);
    APPEND(out, "\r\n");
}

void response_head_page(struct response_head *out, const struct response_rules *rules,
                        const struct response_page *page)
{
    static const char before[] = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>";
    static const char middle[] = "</title><h1>";
    static const char after[] = "</h1></html>\n";
    const char *text = http_status_text(page->status);
    size_t title_len = 4 + strlen(text);

    append_type(out, rules, "text/html; charset=utf-8");
    append_length(out, sizeof(before) + sizeof(middle) + sizeof(after) - 3 + 2 * title_len);
    if (page->status == HTTP_MOVED_PERMANENTLY) {
        APPEND(out, "Location: ");
        response_append(out, page->location.ptr, page->location.len);
        APPEND(out, "\r\n");
    } else if (page->status == HTTP_METHOD_NOT_ALLOWED) {
        APPEND(out, "Allow: " ALLOWED_METHODS "\r\n");
    } else if (page->status == HTTP_UNAVAILABLE) {
        APPEND(out, "Retry-After: " RETRY_AFTER_SECONDS "\r\n");
    }
    append_rules(out, rules);
    APPEND(out, "\r\n");
    if (page->head_only)
        return;
    for (int i = 0; i < 2; i++) {
        append_text(out, i == 0 ? before : middle);
        append_number(out, (uint64_t)page->status);
        APPEND(out, " ");
        append_text(out, text);
    }
    append_text(out, after);
}

void response_head_options(struct response_head *out, const struct response_rules *rules)
{
    APPEND(out, "Allow: " ALLOWED_METHODS "\r\n");
    append_rules(out, rules);
    APPEND(out, "\r\n");
}
