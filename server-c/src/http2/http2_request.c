/* SPDX-License-Identifier: MIT */
/* http2_request.c — the library has checked names, values, pseudo-header fields and their order (RFC
 * 9113 sections 8.2 and 8.3). What is left is what it can't know: limits, and who is asked. */
#include "http2/http2_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIELD_OVERHEAD 32
#define ENDLESS 4       /* times the limit */
#define KEPT_BYTES 2048 /* a usual head */
#define FIRST_BYTES 512

void http2_head_init(struct http2_head *head, uint32_t limit)
{
    head->limit = limit;
}

static struct span span_of(nghttp2_rcbuf *rcbuf)
{
    nghttp2_vec vec = nghttp2_rcbuf_get_buf(rcbuf);

    return (struct span){(const char *)vec.base, vec.len};
}

/* --- the text -------------------------------------------------------------------------------- */

static bool reserve(struct http2_head *head, size_t len)
{
    size_t cap = head->cap ? head->cap : FIRST_BYTES;
    char *grown;

    if (head->len + len <= head->cap)
        return true;
    while (cap < head->len + len)
        cap *= 2;
    grown = realloc(head->bytes, cap);
    if (!grown)
        return false;
    head->bytes = grown;
    head->cap = cap;
    return true;
}

static void put(struct http2_head *head, const char *bytes, size_t len)
{
    memcpy(head->bytes + head->len, bytes, len);
    head->len += len;
}

static void put_span(struct http2_head *head, struct span span)
{
    put(head, span.ptr, span.len);
}

#define PUT(head, literal) put(head, literal, sizeof(literal) - 1)
#define LINE_EXTRA 64 /* what a line has besides names and values */

static bool put_field(struct http2_head *head, struct span name, struct span value)
{
    if (!reserve(head, name.len + value.len + LINE_EXTRA))
        return false;
    put_span(head, name);
    PUT(head, ": ");
    put_span(head, value);
    PUT(head, "\r\n");
    return true;
}

/* A CONNECT has an authority in place of a path (RFC 9113 section 8.5). */
static bool put_request_line(struct http2_head *head)
{
    nghttp2_rcbuf *target = head->path ? head->path : head->authority;
    struct span method, path;

    head->has_line = true;
    if (!head->method || !target) /* the library will find the request malformed */
        return true;
    method = span_of(head->method);
    path = span_of(target);
    if (!reserve(head, method.len + path.len + LINE_EXTRA))
        return false;
    put_span(head, method);
    PUT(head, " ");
    put_span(head, path);
    PUT(head, " HTTP/1.1\r\n");
    return !head->authority || put_field(head, (struct span){"host", 4}, span_of(head->authority));
}

/* --- fields ---------------------------------------------------------------------------------- */

static nghttp2_rcbuf **pseudo_field(struct http2_head *head, struct span name)
{
    if (span_is(name, ":method"))
        return &head->method;
    if (span_is(name, ":scheme"))
        return &head->scheme;
    if (span_is(name, ":path"))
        return &head->path;
    return span_is(name, ":authority") ? &head->authority : NULL;
}

static enum http2_field take_pseudo_field(struct http2_head *head, struct span name,
                                          nghttp2_rcbuf *value)
{
    nghttp2_rcbuf **place = pseudo_field(head, name);

    if (!place || *place || head->has_line)
        return HTTP2_FIELD_MALFORMED;
    nghttp2_rcbuf_incref(value);
    *place = value;
    return HTTP2_FIELD_OK;
}

/* Host beside :authority has to be the same (RFC 9113 section 8.3.1). */
static bool contradicts(const struct http2_head *head, struct span host)
{
    struct span authority = span_of(head->authority);

    return authority.len != host.len || strncasecmp(authority.ptr, host.ptr, host.len) != 0;
}

static enum http2_field take_field(struct http2_head *head, struct span name, struct span value)
{
    if (!head->has_line && !put_request_line(head))
        return HTTP2_FIELD_NO_MEMORY;
    if (span_is(name, "host") && head->authority)
        return contradicts(head, value) ? HTTP2_FIELD_MALFORMED : HTTP2_FIELD_OK;
    if (!http_field_is_known(name))
        return HTTP2_FIELD_OK;
    return put_field(head, name, value) ? HTTP2_FIELD_OK : HTTP2_FIELD_NO_MEMORY;
}

enum http2_field http2_head_add(struct http2_head *head, nghttp2_rcbuf *name, nghttp2_rcbuf *value)
{
    struct span name_span = span_of(name), value_span = span_of(value);

    head->size += name_span.len + value_span.len + FIELD_OVERHEAD;
    if (head->size > (uint64_t)head->limit * ENDLESS)
        return HTTP2_FIELD_ENDLESS;
    if (name_span.len > 0 && name_span.ptr[0] == ':')
        return take_pseudo_field(head, name_span, value);
    if (head->size > head->limit) {
        head->is_large = true;
        return HTTP2_FIELD_OK;
    }
    return take_field(head, name_span, value_span);
}

/* --- the end --------------------------------------------------------------------------------- */

/* The access log tells the version that was spoken. */
static void name_version(struct http2_head *head, const struct http_request *req)
{
    struct http_slice line = req->request_line;

    if (line.len >= sizeof("HTTP/1.1"))
        memcpy(head->bytes + line.off + line.len - 3, "2.0", 3);
}

static enum parse refuse(struct http_request *req, enum http_status status, const char *reason)
{
    req->status = status;
    req->reason = reason;
    return PARSE_BAD;
}

/* Other schemes are not ours to answer for. */
static bool is_web_scheme(const struct http2_head *head)
{
    struct span scheme;

    if (!head->scheme) /* a CONNECT */
        return true;
    scheme = span_of(head->scheme);
    return http_span_equals(scheme, "http") || http_span_equals(scheme, "https");
}

bool http2_head_parse(struct http2_head *head, struct http_request *req, uint32_t max_target,
                      enum parse *parsed)
{
    if (!head->has_line && !put_request_line(head))
        return false;
    if (!reserve(head, 2))
        return false;
    if (!head->is_large)
        PUT(head, "\r\n");
    http_request_init(req, head->limit, max_target);
    *parsed = http_parse_request(req, head->bytes, head->len);
    if (*parsed == PARSE_MORE)
        *parsed = head->is_large ? refuse(req, HTTP_HEADER_FIELDS_TOO_LARGE,
                                          "the field section exceeds limits.headBytes")
                                 : refuse(req, HTTP_BAD_REQUEST, "the request has no target");
    else if (*parsed == PARSE_OK && !is_web_scheme(head))
        *parsed = refuse(req, HTTP_BAD_REQUEST, "the scheme is neither http nor https");
    name_version(head, req);
    return true;
}

static void drop(nghttp2_rcbuf **rcbuf)
{
    if (*rcbuf)
        nghttp2_rcbuf_decref(*rcbuf);
    *rcbuf = NULL;
}

static void drop_all(struct http2_head *head)
{
    drop(&head->method);
    drop(&head->scheme);
    drop(&head->path);
    drop(&head->authority);
}

void http2_head_reset(struct http2_head *head)
{
    char *bytes = head->bytes;
    size_t cap = head->cap;

    drop_all(head);
    if (cap > KEPT_BYTES) {
        free(bytes);
        bytes = NULL;
        cap = 0;
    }
    *head = (struct http2_head){.bytes = bytes, .cap = cap};
}

void http2_head_fini(struct http2_head *head)
{
    drop_all(head);
    free(head->bytes);
    *head = (struct http2_head){0};
}
