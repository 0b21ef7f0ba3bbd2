/* SPDX-License-Identifier: MIT */
/* http_parser.h — parses the bytes of a request head into struct http_request (RFC 9112).
 *
 * Strict: what could be read in two ways is refused, never guessed at. The parser is called again
 * as more bytes arrive and looks at no byte twice; the result is the same however the bytes were
 * split. No I/O, no allocation. Parts of the head are stored as offsets from its first byte, so the
 * caller may move the bytes between calls and afterwards. */
#ifndef FARMSTEAD_HTTP_PARSER_H
#define FARMSTEAD_HTTP_PARSER_H

#include "base/util.h"
#include "http/http_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parse { PARSE_OK, PARSE_MORE, PARSE_BAD };

enum http_method {
    HTTP_GET,
    HTTP_HEAD,
    HTTP_OPTIONS,
    HTTP_KNOWN_METHOD, /* registered with IANA, but not allowed here: 405 */
    HTTP_OTHER_METHOD  /* not known here: 501 */
};

enum http_field {
#define F(name, text, second) FIELD_##name,
#include "http/http_fields.def"
#undef F
    FIELD_COUNT
};

struct http_slice {
    uint32_t off, len;
};

struct http_request {
    /* Set by http_request_init(). */
    uint32_t max_head, max_target;

    /* Parsing state: all bytes before `pos` have been read, and `line` is where the line at `pos`
     * began. */
    uint32_t pos, line;
    bool in_fields, says_close, says_keep_alive;

    /* After PARSE_OK. */
    enum http_method method;
    uint8_t minor;           /* 0 or 1 */
    bool keep_alive;         /* may the connection persist (RFC 9112 section 9.3)? */
    bool chunked;            /* a body in chunks follows */
    bool expects_continue;   /* "Expect: 100-continue" (RFC 9110 section 10.1.1) */
    bool is_asterisk;        /* "OPTIONS *" (RFC 9112 section 3.2.4) */
    uint32_t seen, repeated; /* one bit per http_field */
    uint32_t head_len;       /* with the empty line that ends it */
    uint64_t content_length; /* 0 without one */
    struct http_slice request_line, target, path, query; /* query without '?' */
    struct http_slice host; /* from the target, else from Host; without the port; may be empty */
    struct http_slice fields[FIELD_COUNT];

    /* After PARSE_BAD: the status to answer with, and why. `method` is HTTP_HEAD if it was a
     * HEAD. */
    enum http_status status;
    const char *reason;
};

void http_request_init(struct http_request *req, uint32_t max_head, uint32_t max_target);

/* Call with all bytes of the request so far: `head` is its first byte, `len` counts all of them,
 * those of earlier calls included. PARSE_OK: the head is whole and head_len bytes long. PARSE_BAD:
 * see `status` and `reason`; nobody knows where a next request would begin, so the connection must
 * end. */
enum parse http_parse_request(struct http_request *req, const char *head, size_t len);

static inline bool http_request_has(const struct http_request *req, enum http_field field)
{
    return (req->seen & (1u << field)) != 0;
}

static inline struct span http_slice_of(const char *head, struct http_slice slice)
{
    return (struct span){head + slice.off, slice.len};
}

/* Is a field of this name looked at? */
bool http_field_is_known(struct span name);

/* The value of `field`, empty when the request has none. */
static inline struct span http_request_field(const struct http_request *req, const char *head,
                                             enum http_field field)
{
    return http_slice_of(head, req->fields[field]);
}

/* Returns the values of a LIST field one line at a time (RFC 9110 section 5.3). Start with *cursor
 * = 0. False after the last line. */
bool http_request_next_value(const struct http_request *req, const char *head,
                             enum http_field field, uint32_t *cursor, struct span *value);

/* Takes the next element off a comma-separated list, without the blanks around it; empty elements
 * are skipped (RFC 9110 section 5.6.1.2). False at the end. */
bool http_list_next(struct span *list, struct span *element);

struct span http_trim(struct span span); /* without the spaces and tabs around it */
bool http_span_equals(struct span span, const char *lower_case_text); /* any case */

#endif
