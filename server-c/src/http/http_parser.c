/* SPDX-License-Identifier: MIT */
/* http_parser.c — works line by line: finds the end of a line byte by byte, then takes the line
 * apart.
 *
 * A request is refused at the first byte that proves it wrong, at the end of a line, or at the end
 * of the head. So the result can't depend on how the bytes were split on their way. A limit is
 * checked before the byte that would exceed it is looked at. */
#include "http/http_parser.h"

#include "http/http_request_line.h"

#include <string.h>
#include <strings.h>

enum field_second { ONE, LIST, VOID, FIRST };

static const struct {
    const char *name;
    size_t len;
    enum field_second second;
} field_table[FIELD_COUNT] = {
#define F(name, text, second) {text, sizeof(text) - 1, second},
#include "http/http_fields.def"
#undef F
};

static enum parse bad(struct http_request *req, const char *reason)
{
    return http_refuse(req, HTTP_BAD_REQUEST, reason);
}

void http_request_init(struct http_request *req, uint32_t max_head, uint32_t max_target)
{
    memset(req, 0, sizeof(*req));
    req->max_head = max_head;
    req->max_target = max_target;
}

bool http_span_equals(struct span span, const char *text)
{
    return span.len == strlen(text) && strncasecmp(span.ptr, text, span.len) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct span http_trim(struct span span)
{
    while (span.len > 0 && is_blank(span.ptr[0]))
        span.ptr++, span.len--;
    while (span.len > 0 && is_blank(span.ptr[span.len - 1]))
        span.len--;
    return span;
}

bool http_list_next(struct span *list, struct span *element)
{
    while (list->len > 0) {
        const char *comma = memchr(list->ptr, ',', list->len);
        size_t len = comma ? (size_t)(comma - list->ptr) : list->len;
        *element = http_trim((struct span){list->ptr, len});
        if (comma)
            len++;
        list->ptr += len;
        list->len -= len;
        if (element->len > 0)
            return true;
    }
    return false;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* At most three names have the same length, and but for two they begin with different letters: so one
 * comparison per line is enough, and most lines need none. The unit test looks up every name of the table. */
static enum http_field field_of(struct span name)
{
    static const struct {
        uint8_t count, fields[3];
    } by_len[] = {
        [3] = {1, {FIELD_VIA}},
        [4] = {1, {FIELD_HOST}},
        [5] = {1, {FIELD_RANGE}},
        [6] = {3, {FIELD_ACCEPT, FIELD_EXPECT, FIELD_ORIGIN}},
        [7] = {1, {FIELD_REFERER}},
        [8] = {2, {FIELD_IF_RANGE, FIELD_IF_MATCH}},
        [9] = {1, {FIELD_FORWARDED}},
        [10] = {2, {FIELD_USER_AGENT, FIELD_CONNECTION}},
        [13] = {3, {FIELD_IF_NONE_MATCH, FIELD_AUTHORIZATION, FIELD_CACHE_CONTROL}},
        [14] = {3, {FIELD_CONTENT_LENGTH, FIELD_SEC_FETCH_MODE, FIELD_SEC_FETCH_SITE}},
        [15] = {3, {FIELD_ACCEPT_ENCODING, FIELD_X_FORWARDED_FOR, FIELD_ACCEPT_LANGUAGE}},
        [16] = {1, {FIELD_WANT_REPR_DIGEST}},
        [17] = {3, {FIELD_IF_MODIFIED_SINCE, FIELD_TRANSFER_ENCODING, FIELD_X_FORWARDED_PROTO}},
        [19] = {1, {FIELD_IF_UNMODIFIED_SINCE}},
        [20] = {1, {FIELD_AVAILABLE_DICTIONARY}},
        [29] = {1, {FIELD_ACCESS_CONTROL_REQUEST_METHOD}},
    };

    if (name.len >= ARRAY_LEN(by_len))
        return FIELD_COUNT;
    for (size_t i = 0; i < by_len[name.len].count; i++) {
        enum http_field field = (enum http_field)by_len[name.len].fields[i];
        if ((name.ptr[0] | 0x20) == field_table[field].name[0] &&
            strncasecmp(field_table[field].name, name.ptr, name.len) == 0)
            return field;
    }
    return FIELD_COUNT;
}

bool http_field_is_known(struct span name)
{
    return name.len > 0 && field_of(name) != FIELD_COUNT;
}

/* A length that is not a plain number makes the framing invalid (RFC 9112 section 6.3): it is
 * refused, and so are lists, even of equal numbers. */
static enum parse take_content_length(struct http_request *req, struct span value)
{
    uint64_t number = 0;

    if (value.len == 0 || value.len > 18) /* up to 18 digits can't overflow */
        return bad(req, "Content-Length is not a number we can count to");
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9')
            return bad(req, "Content-Length is not a number");
        number = number * 10 + (uint64_t)(value.ptr[i] - '0');
    }
    req->content_length = number;
    return PARSE_OK;
}

/* Transfer codings that are known not to mark the end of the body. */
static bool is_endless_coding(struct span coding)
{
    static const char *const names[] = {"compress", "deflate",    "gzip",
                                        "identity", "x-compress", "x-gzip"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (http_span_equals(coding, names[i]))
            return true;
    return false;
}

/* If chunked is not the last coding, or is named twice, nobody knows where the body ends: 400 (RFC
 * 9112 sections 6.1 and 6.3). A coding we don't know may mark the end itself, so it gets 501
 * (section 6.1). */
static enum parse take_transfer_encoding(struct http_request *req, struct span value)
{
    static const char reason[] = "Transfer-Encoding does not end in one chunked";
    struct span element;
    bool is_chunked = false, is_endless = true;

    if (http_span_equals(value, "chunked")) {
        req->chunked = true;
        return PARSE_OK;
    }
    while (http_list_next(&value, &element)) {
        if (is_chunked || !http_is_token(element))
            return bad(req, reason);
        is_chunked = http_span_equals(element, "chunked");
        is_endless = is_endless_coding(element);
    }
    if (is_endless)
        return bad(req, reason);
    return http_refuse(req, HTTP_NOT_IMPLEMENTED, "the only transfer coding known here is chunked");
}

/* RFC 9110 section 10.1.1: a list of expectations, of which a server may refuse those it does not
 * know with 417. */
static enum parse take_expect(struct http_request *req, struct span value)
{
    struct span element;

    if (req->minor == 0) /* HTTP/1.0 has no expectations: ignored (section 10.1.1) */
        return PARSE_OK;
    while (http_list_next(&value, &element)) {
        if (!http_span_equals(element, "100-continue"))
            return http_refuse(req, HTTP_EXPECTATION_FAILED,
                               "the only expectation is 100-continue");
        req->expects_continue = true;
    }
    return PARSE_OK;
}

/* The options that matter here (RFC 9110 section 7.6.1, RFC 9112 section 9.3); others are
 * ignored. */
static void take_connection(struct http_request *req, struct span value)
{
    struct span element;

    while (http_list_next(&value, &element)) {
        if (http_span_equals(element, "close"))
            req->says_close = true;
        else if (http_span_equals(element, "keep-alive"))
            req->says_keep_alive = true;
    }
}

static enum parse take_known_field(struct http_request *req, const char *head,
                                   enum http_field field, struct span value)
{
    struct http_slice slice = {(uint32_t)(value.ptr - head), (uint32_t)value.len};
    int64_t len;

    if (http_request_has(req, field)) {
        if (field_table[field].second == ONE)
            return bad(req, "a field that may come once came twice");
        req->repeated |= 1u << field;
    } else {
        req->seen |= 1u << field;
        req->fields[field] = slice;
    }
    if (field == FIELD_HOST) {
        len = http_host_len(value);
        if (len < 0)
            return bad(req, "Host is not a host and a port");
        if (req->host.len == 0)
            req->host = (struct http_slice){slice.off, (uint32_t)len};
    } else if (field == FIELD_CONTENT_LENGTH) {
        return take_content_length(req, value);
    } else if (field == FIELD_TRANSFER_ENCODING) {
        return take_transfer_encoding(req, value);
    } else if (field == FIELD_CONNECTION) {
        take_connection(req, value);
    } else if (field == FIELD_EXPECT) {
        return take_expect(req, value);
    }
    return PARSE_OK;
}

static enum parse take_field(struct http_request *req, const char *head, uint32_t len)
{
    const char *line = head + req->line;
    const char *colon;
    enum http_field field;
    struct span name;

    /* A folded line must be refused or unfolded (RFC 9112 section 5.2). */
    if (is_blank(line[0]))
        return bad(req, "a field is folded over lines");
    colon = memchr(line, ':', len);
    if (!colon)
        return bad(req, "a line of the head has no colon");
    name = (struct span){line, (size_t)(colon - line)};
    /* This also refuses white space before the colon (RFC 9112 section 5.1). */
    if (!http_is_token(name))
        return bad(req, "a field's name is not a token");
    field = field_of(name);
    if (field == FIELD_COUNT)
        return PARSE_OK;
    return take_known_field(req, head, field,
                            http_trim((struct span){colon + 1, len - name.len - 1}));
}

/* A field with a date that came twice is ignored (RFC 9110 sections 13.1.3 and 13.1.4: it is not a
 * single date). */
static void forget_void_fields(struct http_request *req)
{
    for (int i = 0; req->repeated >> i != 0; i++)
        if ((req->repeated >> i & 1) != 0 && field_table[i].second == VOID) {
            req->seen &= ~(1u << i);
            req->repeated &= ~(1u << i);
            req->fields[i] = (struct http_slice){0, 0};
        }
}

/* What can be decided only when the whole head has been read. */
static enum parse take_end(struct http_request *req)
{
    bool has_length = http_request_has(req, FIELD_CONTENT_LENGTH);

    forget_void_fields(req);
    /* RFC 9112 section 9.3: HTTP/1.1 keeps the connection, HTTP/1.0 only on request; "close"
     * wins. */
    req->keep_alive = !req->says_close && (req->minor == 1 || req->says_keep_alive);
    /* Required by RFC 9112 section 3.2. */
    if (req->minor == 1 && !http_request_has(req, FIELD_HOST))
        return bad(req, "HTTP/1.1 needs Host");
    /* RFC 9112 sections 6.1 and 6.3: these two show an attempt at request smuggling, or faulty
     * framing. */
    if (req->chunked && has_length)
        return bad(req, "Content-Length and Transfer-Encoding contradict each other");
    if (req->chunked && req->minor == 0)
        return bad(req, "HTTP/1.0 knows no Transfer-Encoding");
    return PARSE_OK;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* Which limit was exceeded. A method that is longer than any we know gets 501, a target that is too
 * long 414 (RFC 9112 section 3), a head that is too long 431 (RFC 6585 section 5). */
static enum parse too_long(struct http_request *req, const char *head)
{
    struct span line = {head + req->line, req->pos - req->line};

    if (req->in_fields)
        return http_refuse(req, HTTP_HEADER_FIELDS_TOO_LARGE, "the head exceeds limits.headBytes");
    if (http_is_token(line))
        return http_refuse(req, HTTP_NOT_IMPLEMENTED, "the method is too long");
    return http_refuse(req, HTTP_URI_TOO_LONG, "the request line is too long");
}

/* Bytes that may stand in a line and need no closer look. */
static bool is_plain(unsigned char c)
{
    static const bool table[256] = {['\t'] = true, [' ' ... '~'] = true, [0x80 ... 0xff] = true};
    return table[c];
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Are all eight bytes ' ' or above, and none DEL? This tests all eight at once: the well-known
 * trick for "is a byte below n" (n ≤ 128), once with n = ' ', and once with n = 1 after DEL was
 * turned into zero. */
static bool are_plain(const char *bytes)
{
    uint64_t eight, del;

    memcpy(&eight, bytes, sizeof(eight));
    del = eight ^ EACH(0x7f);
    return ((((eight - EACH(' ')) & ~eight) | ((del - EACH(1)) & ~del)) & EACH(0x80)) == 0;
}

static uint32_t skip_plain(const char *head, uint32_t pos, size_t end)
{
    while (end - pos >= sizeof(uint64_t) && are_plain(head + pos))
        pos += (uint32_t)sizeof(uint64_t);
    while (pos < end && is_plain((unsigned char)head[pos]))
        pos++;
    return pos;
}

/* Finds CR LF. A bare CR is invalid, and a bare LF, which may be accepted (RFC 9112 section 2.2),
 * is refused like other control characters (RFC 9110 section 5.5). */
static enum parse find_line_end(struct http_request *req, const char *head, size_t len)
{
    uint32_t limit = req->max_head;
    uint32_t line_limit = req->line + req->max_target + HTTP_REQUEST_LINE_EXTRA;
    size_t end;

    if (!req->in_fields && line_limit < limit)
        limit = line_limit;
    end = len < limit ? len : limit;
    for (;; req->pos++) {
        bool after_return = req->pos > req->line && head[req->pos - 1] == '\r';
        unsigned char c;
        if (!after_return && req->pos < end)
            req->pos = skip_plain(head, req->pos, end);
        if (req->pos >= end)
            return req->pos < len ? too_long(req, head) : PARSE_MORE;
        c = (unsigned char)head[req->pos];
        if (after_return) {
            if (c != '\n')
                return bad(req, "a carriage return without a line feed");
            req->pos++;
            return PARSE_OK;
        }
        if (c != '\r')
            return bad(req, c == '\n' ? "a line feed without a carriage return"
                                      : "a control character in the head");
    }
}

/* The answer to HEAD has no body (RFC 9110 section 9.3.2). That holds too when the request line is
 * refused before it is whole, so the method is recognised here. */
static enum parse find_head(struct http_request *req, const char *head, enum parse result)
{
    if (result == PARSE_BAD && !req->in_fields && req->pos - req->line > 4 &&
        memcmp(head + req->line, "HEAD", 4) == 0 && is_blank(head[req->line + 4]))
        req->method = HTTP_HEAD;
    return result;
}

enum parse http_parse_request(struct http_request *req, const char *head, size_t len)
{
    for (;;) {
        enum parse result = find_line_end(req, head, len);
        uint32_t line_len;

        if (result != PARSE_OK)
            return find_head(req, head, result);
        line_len = req->pos - req->line - 2;
        if (req->in_fields && line_len == 0) {
            req->head_len = req->pos;
            return take_end(req);
        }
        /* RFC 9112 section 2.2: one empty line before the request line is ignored. */
        if (req->in_fields) {
            result = take_field(req, head, line_len);
        } else if (line_len > 0) {
            result = find_head(req, head, http_take_request_line(req, head, line_len));
            req->in_fields = true;
        } else if (req->line > 0) {
            result = bad(req, "empty lines where a request should be");
        }
        if (result != PARSE_OK)
            return result;
        req->line = req->pos;
    }
}

bool http_request_next_value(const struct http_request *req, const char *head,
                             enum http_field field, uint32_t *cursor, struct span *value)
{
    uint32_t off = *cursor ? *cursor : req->request_line.off + req->request_line.len + 2;

    if (!(req->repeated & (1u << field))) {
        *value = http_request_field(req, head, field);
        return http_request_has(req, field) && (*cursor)++ == 0;
    }
    while (off + 2 < req->head_len) { /* the head was accepted, so each line has a colon and CRLF */
        const char *line = head + off;
        const char *end = memchr(line, '\r', req->head_len - off);
        const char *colon = end ? memchr(line, ':', (size_t)(end - line)) : NULL;
        if (!colon)
            break;
        off = (uint32_t)(end - head) + 2;
        if (field_of((struct span){line, (size_t)(colon - line)}) == field) {
            *cursor = off;
            *value = http_trim((struct span){colon + 1, (size_t)(end - colon - 1)});
            return true;
        }
    }
    *cursor = req->head_len;
    return false;
}
