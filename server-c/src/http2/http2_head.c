/* SPDX-License-Identifier: MIT */
/* http2_head.c — takes a response's head, one text for all versions of HTTP, apart into the fields
 * of a field section (RFC 9113 section 8.3.2). */
#include "http2/http2_state.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_USUAL 32 /* a head with more of them needs memory */

struct fields {
    nghttp2_nv usual[FIELDS_USUAL];
    nghttp2_nv *all; /* `usual`, or on the heap */
    size_t count;
};

static void add(struct fields *fields, const char *name, size_t name_len, const char *value,
                size_t value_len)
{
    fields->all[fields->count++] = (nghttp2_nv){
        .name = (uint8_t *)(uintptr_t)name,
        .value = (uint8_t *)(uintptr_t)value,
        .namelen = name_len,
        .valuelen = value_len,
    };
}

/* Room for as many fields as there are lines. */
static bool reserve(struct fields *fields, const char *head, size_t len)
{
    size_t lines = 1;

    fields->count = 0;
    fields->all = fields->usual;
    if (len < FIELDS_USUAL * sizeof("a: \r\n"))
        return true;
    for (const char *at = head; (at = memchr(at, '\n', len - (size_t)(at - head))) != NULL; at++)
        lines++;
    if (lines > FIELDS_USUAL)
        fields->all = malloc(lines * sizeof(*fields->all));
    return fields->all != NULL;
}

/* The head was written by us: each line is "Name: value" and CRLF, and the last one is empty. The
 * library turns names into lower case. */
static void add_lines(struct fields *fields, const char *head, size_t len)
{
    const char *line = head, *end = head + len;

    while (line < end && *line != '\r') {
        const char *colon = memchr(line, ':', (size_t)(end - line));
        const char *line_end = memchr(colon + 2, '\r', (size_t)(end - colon - 2));
        add(fields, line, (size_t)(colon - line), colon + 2, (size_t)(line_end - colon - 2));
        line = line_end + 2;
    }
}

bool http2_head_submit(struct http2_stream *stream, const char *head, size_t len,
                       const nghttp2_data_provider *body)
{
    unsigned status = (unsigned)stream->ex.status;
    const char digits[3] = {(char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10),
                            (char)('0' + status % 10)};
    struct fields fields;
    int err;

    if (!reserve(&fields, head, len))
        return false;
    add(&fields, ":status", 7, digits, sizeof(digits));
    add_lines(&fields, head, len);
    err =
        nghttp2_submit_response(stream->conn->protocol, stream->id, fields.all, fields.count, body);
    if (fields.all != fields.usual)
        free(fields.all);
    return err == 0;
}
