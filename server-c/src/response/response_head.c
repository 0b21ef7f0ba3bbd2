/* SPDX-License-Identifier: MIT */
/* response_head.c — writes all that precedes the first byte of the body.
 *
 * The part that is the same for every request (from Server on) comes last, so that it can be
 * kept. */
#include "response/response_parts.h"

#include <string.h>

void response_append(struct response_head *out, const char *bytes, size_t len)
{
    if (len > out->cap - out->len) {
        out->overflow = true;
        return;
    }
    if (len > 0)
        memcpy(out->out + out->len, bytes, len);
    out->len += len;
}

void response_head_start(struct response_head *out, enum http_status status, const char *date,
                         enum response_connection connection)
{
    if (status == HTTP_OK) {
        APPEND(out, "HTTP/1.1 200 OK\r\nDate: ");
    } else {
        APPEND(out, "HTTP/1.1 ");
        append_number(out, (uint64_t)status);
        APPEND(out, " ");
        append_text(out, http_status_text(status));
        APPEND(out, "\r\nDate: ");
    }
    response_append(out, date, HTTP_DATE_LEN);
    APPEND(out, "\r\n");
    if (connection == CONNECTION_CLOSE)
        APPEND(out, "Connection: close\r\n");
    else if (connection == CONNECTION_KEEP_ALIVE)
        APPEND(out, "Connection: keep-alive\r\n");
}

/* --- files ----------------------------------------------------------------------------------- */

/* A 304 with a tag needs no Last-Modified (RFC 9110 section 15.4.5). */
static void append_validators(struct response_head *out, const struct response_choice *choice,
                              const struct file_facts *facts, bool is_not_modified)
{
    bool has_tag = facts->etag_len > 0 && keeps(choice, OWN_ETAG);

    if (facts->has_date && keeps(choice, OWN_LAST_MODIFIED) && !(is_not_modified && has_tag)) {
        APPEND(out, "Last-Modified: ");
        response_append(out, facts->last_modified_text, HTTP_DATE_LEN);
        APPEND(out, "\r\n");
    }
    if (has_tag) {
        APPEND(out, "ETag: ");
        response_append(out, facts->etag, facts->etag_len);
        APPEND(out, "\r\n");
    }
}

/* Content-Range (RFC 9110 section 14.4). */
static void append_byte_range(struct response_head *out, uint64_t offset, uint64_t length,
                              uint64_t size)
{
    APPEND(out, "Content-Range: bytes ");
    append_number(out, offset);
    APPEND(out, "-");
    append_number(out, offset + length - 1);
    APPEND(out, "/");
    append_number(out, size);
    APPEND(out, "\r\n");
}

/* The fields of a 200 that a 304 (RFC 9110 section 15.4.5) and a 206 (section 15.3.7) must
 * repeat. */
static void append_selected(struct response_head *out, const struct response_scope *scope,
                            const struct response_choice *choice, const struct response_file *file,
                            bool is_not_modified, int64_t now)
{
    struct response_clock clock = {now, true, file->facts->last_modified};

    append_validators(out, choice, file->facts, is_not_modified);
    if (keeps(choice, OWN_CACHE_CONTROL))
        response_expires_append(out, scope, file->type.name, &clock);
    if (file->varies_by_dictionary)
        APPEND(out, "Vary: Accept-Encoding, Available-Dictionary\r\n");
    else if (file->varies)
        APPEND(out, "Vary: Accept-Encoding\r\n");
    if (scope->match.preload) {
        struct span lines = response_preload_lines(choice, scope->match, file->type.name);
        response_append(out, lines.ptr, lines.len);
    }
}

/* Writes the rest of a head that goes with bytes of a file, after Content-Type, Content-Length and
 * Content-Range. */
static void append_file_end(struct response_head *out, const struct response_scope *scope,
                            const struct response_choice *choice, const struct response_file *file,
                            int64_t now)
{
    append_coding(out, file->coding);
    append_selected(out, scope, choice, file, false, now);
    if (scope->match.download && keeps(choice, OWN_CONTENT_DISPOSITION))
        response_download_append(out, &scope->rules->site->downloads[scope->match.download - 1],
                                 file->path);
    if (keeps(choice, OWN_ACCEPT_RANGES))
        APPEND(out, "Accept-Ranges: bytes\r\n");
    append_end(out, choice);
}

void response_head_whole_file(struct response_head *out, const struct response_scope *scope,
                              const struct response_file *file, int64_t now)
{
    struct response_choice choice = response_rules_choose(scope, HTTP_OK, file->type.name);

    append_server(out, &choice);
    if (keeps(&choice, OWN_CONTENT_TYPE))
        append_type(out, file->type);
    append_length(out, file->facts->size);
    append_file_end(out, scope, &choice, file, now);
}

void response_head_file(struct response_head *out, const struct response_scope *scope,
                        const struct response_file *file, const struct response_plan *plan,
                        int64_t now)
{
    struct response_choice choice = response_rules_choose(scope, plan->status, file->type.name);

    append_server(out, &choice);
    /* A 304 may omit Content-Length (RFC 9110 section 8.6). */
    if (plan->status == HTTP_NOT_MODIFIED) {
        append_selected(out, scope, &choice, file, true, now);
        append_end(out, &choice);
        return;
    }
    if (keeps(&choice, OWN_CONTENT_TYPE))
        append_type(out, file->type);
    append_length(out, plan->length);
    append_byte_range(out, plan->offset, plan->length, file->facts->size);
    append_file_end(out, scope, &choice, file, now);
}

/* --- several ranges: multipart/byteranges (RFC 9110 section 14.6) ---------------------------- */

void response_multipart_init(struct response_multipart *multipart, const struct response_plan *plan,
                             const struct response_scope *scope, const struct response_file *file,
                             const char *boundary)
{
    struct response_choice choice =
        response_rules_choose(scope, HTTP_PARTIAL_CONTENT, file->type.name);
    const char *type = response_choice_type(&choice);

    *multipart = (struct response_multipart){plan->ranges.items, plan->ranges.count,
                                             file->facts->size, file->type, boundary};
    if (!keeps(&choice, OWN_CONTENT_TYPE))
        multipart->type = (struct mime_type){type, NULL};
}

void response_multipart_text(struct response_head *out, const struct response_multipart *multipart,
                             size_t i)
{
    APPEND(out, "\r\n--");
    append_text(out, multipart->boundary);
    if (i == multipart->count) {
        APPEND(out, "--\r\n");
        return;
    }
    APPEND(out, "\r\n");
    if (multipart->type.name)
        append_type(out, multipart->type);
    append_byte_range(out, multipart->ranges[i].offset, multipart->ranges[i].length,
                      multipart->size);
    APPEND(out, "\r\n");
}

static size_t digits_of(uint64_t value)
{
    size_t digits = 1;

    while (value > 9) {
        value /= 10;
        digits++;
    }
    return digits;
}

static uint64_t part_text_length(const struct response_multipart *multipart, size_t i)
{
    const struct http_byte_range *range = &multipart->ranges[i];
    uint64_t length = sizeof("\r\n--"
                             "\r\n"
                             "Content-Range: bytes -/\r\n"
                             "\r\n") -
                      1;

    length += strlen(multipart->boundary);
    if (multipart->type.name)
        length += sizeof("Content-Type: \r\n") - 1 + strlen(multipart->type.name);
    if (multipart->type.name && multipart->type.charset)
        length += sizeof("; charset=") - 1 + strlen(multipart->type.charset);
    return length + digits_of(range->offset) + digits_of(range->offset + range->length - 1) +
           digits_of(multipart->size);
}

uint64_t response_multipart_length(const struct response_multipart *multipart)
{
    uint64_t length = sizeof("\r\n--"
                             "--\r\n") -
                      1 + strlen(multipart->boundary);

    for (size_t i = 0; i < multipart->count; i++)
        length += part_text_length(multipart, i) + multipart->ranges[i].length;
    return length;
}

void response_head_multipart(struct response_head *out, const struct response_scope *scope,
                             const struct response_file *file,
                             const struct response_multipart *multipart, int64_t now)
{
    struct response_choice choice =
        response_rules_choose(scope, HTTP_PARTIAL_CONTENT, file->type.name);

    /* A rule's Content-Type is for the file, so it belongs into the parts: here Content-Type says
     * that the body is multipart (RFC 9110 section 15.3.7.2). */
    choice.skips_type = true;
    append_server(out, &choice);
    APPEND(out, "Content-Type: multipart/byteranges; boundary=");
    append_text(out, multipart->boundary);
    APPEND(out, "\r\n");
    append_length(out, response_multipart_length(multipart));
    append_file_end(out, scope, &choice, file, now);
}
