/* SPDX-License-Identifier: MIT */
/* http2_request.h — turns a request's field section into the text of an HTTP/1.1 head, which the
 * parser takes apart and the exchange refers to.
 *
 * So there is one reading of requests for both versions. Only fields that somebody looks at are
 * written down. Knows no connection. */
#ifndef FARMSTEAD_HTTP2_REQUEST_H
#define FARMSTEAD_HTTP2_REQUEST_H

#include "http/http_parser.h"

#include <nghttp2/nghttp2.h>

struct http2_head {
    /* References; NULL: not given. */
    nghttp2_rcbuf *method, *scheme, *path, *authority;
    bool has_line; /* the request line was written */
    bool has_host;
    bool is_large;  /* longer than limits.headBytes: the rest is not kept */
    uint32_t limit; /* limits.headBytes */
    uint64_t size;  /* as RFC 9113 section 6.5.2 counts: 32 bytes on top of each field */
    char *bytes;    /* on the heap; kept for the next request while it is small */
    size_t len, cap;
};

enum http2_field {
    HTTP2_FIELD_OK,
    HTTP2_FIELD_MALFORMED, /* the request is malformed (RFC 9113 section 8.1.1) */
    HTTP2_FIELD_ENDLESS,   /* far more than the limit: nobody means that well */
    HTTP2_FIELD_NO_MEMORY
};

void http2_head_init(struct http2_head *head, uint32_t limit);
enum http2_field http2_head_add(struct http2_head *head, nghttp2_rcbuf *name, nghttp2_rcbuf *value);
/* The field section is whole. Parses it into `req`, whose parts refer to head->bytes. PARSE_OK or
 * PARSE_BAD. False: no memory. */
bool http2_head_parse(struct http2_head *head, struct http_request *req, uint32_t max_target,
                      enum parse *parsed);
void http2_head_reset(struct http2_head *head); /* keeps a little memory for the next request */
void http2_head_fini(struct http2_head *head);

#endif
