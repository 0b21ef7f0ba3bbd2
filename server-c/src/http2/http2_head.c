/* SPDX-License-Identifier: MIT */
/* http2_head.c — takes a response's head, one text for all versions of HTTP, apart into the fields
 * of a field section (RFC 9113 section 8.3.2).
 *
 * The stream keeps a copy until the library has compressed it: the library then needs none. */
#include "http2/http2_state.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_USUAL 32 /* a head with more of them needs memory */
#define KEPT_BYTES 1024 /* more than a usual head has */

/* --- the copy -------------------------------------------------------------------------------- */

bool http2_head_keep(struct http2_stream *stream, const char *head, size_t len)
{
    if (len > stream->text_cap) {
        size_t cap = len > KEPT_BYTES ? len : KEPT_BYTES;
        char *grown = realloc(stream->text, cap);
        if (!grown)
            return false;
        stream->text = grown;
        stream->text_cap = cap;
    }
    memcpy(stream->text, head, len);
    stream->text_len = len;
    stream->has_text = true;
    return true;
}

void http2_head_free(struct http2_stream *stream)
{
    free(stream->text);
    stream->text = NULL;
    stream->text_cap = 0;
}

void http2_head_forget(struct http2_stream *stream)
{
    stream->has_text = false;
    if (stream->text_cap > KEPT_BYTES)
        http2_head_free(stream);
}

/* --- fields ---------------------------------------------------------------------------------- */

struct fields {
    nghttp2_nv usual[FIELDS_USUAL];
    nghttp2_nv *all; /* `usual`, or on the heap */
    size_t count, room;
    uint8_t flags; /* of each */
};

static bool grow(struct fields *fields)
{
    bool is_first = fields->all == fields->usual;
    size_t room = 2 * fields->room;
    nghttp2_nv *all = realloc(is_first ? NULL : fields->all, room * sizeof(*all));

    if (!all)
        return false;
    if (is_first)
        memcpy(all, fields->usual, sizeof(fields->usual));
    fields->all = all;
    fields->room = room;
    return true;
}

/* False: there is no memory for another. */
static bool add(struct fields *fields, char *name, size_t name_len, char *value, size_t value_len)
{
    if (fields->count == fields->room && !grow(fields))
        return false;
    fields->all[fields->count++] = (nghttp2_nv){
        .name = (uint8_t *)name,
        .value = (uint8_t *)value,
        .namelen = name_len,
        .valuelen = value_len,
        .flags = fields->flags,
    };
    return true;
}

/* Turns a name into lower case (RFC 9113 section 8.2.1). Returns the colon behind it. */
static char *lower_name(char *at)
{
    for (; *at != ':'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at |= 0x20;
    return at;
}

/* The head was written by us: each line is "Name: value" and CRLF, and the last one is empty. */
static bool add_lines(struct fields *fields, struct http2_stream *stream)
{
    char *line = stream->text, *end = line + stream->text_len;

    while (line < end && *line != '\r') {
        char *colon = lower_name(line), *value = colon + 2;
        char *line_end = memchr(value, '\r', (size_t)(end - value));
        if (!add(fields, line, (size_t)(colon - line), value, (size_t)(line_end - value)))
            return false;
        line = line_end + 2;
    }
    return true;
}

static bool add_status(struct fields *fields, struct http2_stream *stream, unsigned status)
{
    static char name[] = ":status";

    for (int i = 2; i >= 0; i--, status /= 10)
        stream->status[i] = (char)('0' + status % 10);
    return add(fields, name, sizeof(name) - 1, stream->status, sizeof(stream->status));
}

/* What is kept, after `status`. */
static bool take_apart(struct fields *fields, struct http2_stream *stream, unsigned status,
                       uint8_t flags)
{
    fields->flags = flags;
    fields->all = fields->usual;
    fields->count = 0;
    fields->room = FIELDS_USUAL;
    return add_status(fields, stream, status) && add_lines(fields, stream);
}

static void fields_fini(struct fields *fields)
{
    if (fields->all != fields->usual)
        free(fields->all);
}

bool http2_head_submit(struct http2_stream *stream, const nghttp2_data_provider *body)
{
    const uint8_t refers = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
    struct fields fields; /* not zeroed: this is on every response's way */
    bool is_done = take_apart(&fields, stream, (unsigned)stream->ex.status, refers) &&
                   nghttp2_submit_response(stream->conn->protocol, stream->id, fields.all,
                                           fields.count, body) == 0;

    fields_fini(&fields);
    return is_done;
}

/* The library copies them: the stream's copy is for the response that follows. */
bool http2_head_hint(struct http2_stream *stream, const char *lines, size_t len)
{
    struct fields fields;
    bool is_done;

    if (!http2_head_keep(stream, lines, len))
        return false;
    is_done = take_apart(&fields, stream, 103, NGHTTP2_NV_FLAG_NONE) &&
              nghttp2_submit_headers(stream->conn->protocol, NGHTTP2_FLAG_NONE, stream->id, NULL,
                                     fields.all, fields.count, NULL) == 0;
    fields_fini(&fields);
    http2_head_forget(stream);
    return is_done;
}
