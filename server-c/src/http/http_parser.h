/* SPDX-License-Identifier: MIT */
/* http_parser.h — the bytes of a request head → struct http_request (RFC 9112).
 *
 * Strict: what could be read in two ways is refused, never guessed at. Works on a prefix that
 * grows and never looks at a byte twice; the result is the same however the bytes were split.
 * No I/O, no allocation. Parts of the head are offsets from its first byte, so the caller may move
 * the bytes between calls and afterwards. */
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
    HTTP_KNOWN_METHOD, /* registered, but nothing a static file allows: 405 */
    HTTP_OTHER_METHOD  /* 501 */
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

    /* Where parsing stands: all bytes before `pos` are read, `line` is where their line began. */
    uint32_t pos, line;
    bool in_fields, says_close, says_keep_alive;

    /* After PARSE_OK. */
    enum http_method method;
    uint8_t minor;           /* 0 or 1 */
    bool keep_alive;         /* what version and Connection ask for */
    bool chunked;            /* a body in chunks follows */
    bool expects_continue;   /* the client waits before it sends the body */
    bool is_asterisk;        /* OPTIONS * */
    uint32_t seen, repeated; /* bit per http_field */
    uint32_t head_len;       /* with the empty line */
    uint64_t content_length; /* 0 without one */
    struct http_slice request_line, target, path, query; /* query without '?' */
    struct http_slice host; /* of the target or of Host, without port; may be empty */
    struct http_slice fields[FIELD_COUNT];

    /* After PARSE_BAD: how to answer, and why. `method` is HTTP_HEAD when it was one. */
    enum http_status status;
    const char *reason;
};

void http_request_init(struct http_request *req, uint32_t max_head, uint32_t max_target);

/* `head` is where the request begins, `len` all its bytes so far: those of the last call and more.
 * PARSE_OK: the head is whole and head_len long. PARSE_BAD: `status` and `reason` say why; where
 * the next request would begin is unknown, so the connection must end. */
enum parse http_parse_request(struct http_request *req, const char *head, size_t len);

static inline bool http_request_has(const struct http_request *req, enum http_field field)
{
    return (req->seen & (1u << field)) != 0;
}

static inline struct span http_slice_of(const char *head, struct http_slice slice)
{
    return (struct span){head + slice.off, slice.len};
}

/* The value of `field`, empty when the request has none. */
static inline struct span http_request_field(const struct http_request *req, const char *head,
                                             enum http_field field)
{
    return http_slice_of(head, req->fields[field]);
}

/* Each line's value of a LIST field in turn: start with *cursor = 0. False after the last. */
bool http_request_next_value(const struct http_request *req, const char *head,
                             enum http_field field, uint32_t *cursor, struct span *value);

/* The next element of a comma-separated list, trimmed; false at its end. Empty ones are skipped. */
bool http_list_next(struct span *list, struct span *element);

struct span http_trim(struct span span); /* without the blanks and tabs around it */
bool http_span_equals(struct span span, const char *lower_case_text); /* ignores case */

#endif
