/* SPDX-License-Identifier: MIT */
/* response_reader.c — a head is read by lines, a body by lengths.
 *
 * state       | entered when             | left when
 * STATUS_LINE | begun, or after a 1xx    | its line is whole → FIELDS
 * FIELDS      | status known             | empty line → BODY, UNTIL_END, CHUNK_SIZE or ENDED
 * CHUNK_SIZE  | head or chunk before     | size known → CHUNK; 0 → TRAILERS
 * CHUNK       | size known               | all of it → CHUNK_END → CHUNK_SIZE
 * TRAILERS    | the chunk of size 0      | empty line → ENDED
 * BODY        | Content-Length           | all of it → ENDED
 * UNTIL_END   | neither length nor chunks| response_reader_end() */
#include "load/response_reader.h"

#include <strings.h>

void response_reader_init(struct response_reader *r, bool is_head_request)
{
    /* Not the kept line: it would be most of the work. */
    r->state = RESPONSE_STATUS_LINE;
    r->is_head_request = is_head_request;
    r->status = 0;
    r->has_length = r->is_chunked = r->may_keep = false;
    r->length = r->body_bytes = r->left = 0;
    r->fault = NULL;
    r->head_bytes = r->line_len = 0;
}

static enum response_answer bad(struct response_reader *r, const char *fault)
{
    r->fault = fault;
    r->state = RESPONSE_ENDED;
    return RESPONSE_BAD;
}

static enum response_answer ended(struct response_reader *r)
{
    r->state = RESPONSE_ENDED;
    return RESPONSE_DONE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* --- lines of a head ------------------------------------------------------------------------- */

static enum response_answer take_status_line(struct response_reader *r, struct span line)
{
    const char *p = line.ptr;

    if (line.len < 12 || memcmp(p, "HTTP/1.", 7) != 0 || (p[7] != '0' && p[7] != '1') ||
        p[8] != ' ' || (line.len > 12 && p[12] != ' '))
        return bad(r, "the first line is no status line of HTTP/1");
    if (p[9] < '1' || p[9] > '5' || !is_digit(p[10]) || !is_digit(p[11]))
        return bad(r, "the status is no number from 100 to 599");
    r->status = (p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0');
    r->may_keep = p[7] == '1';
    r->state = RESPONSE_FIELDS;
    return RESPONSE_MORE;
}

static bool is_named(struct span line, const char *name, size_t name_len, struct span *value)
{
    if (line.len <= name_len || line.ptr[name_len] != ':' ||
        strncasecmp(line.ptr, name, name_len) != 0)
        return false;
    value->ptr = line.ptr + name_len + 1;
    value->len = line.len - name_len - 1;
    while (value->len && (*value->ptr == ' ' || *value->ptr == '\t')) {
        value->ptr++;
        value->len--;
    }
    while (value->len && (value->ptr[value->len - 1] == ' ' || value->ptr[value->len - 1] == '\t'))
        value->len--;
    return true;
}

static enum response_answer take_length(struct response_reader *r, struct span value)
{
    uint64_t length = 0;

    if (value.len == 0 || value.len > 18)
        return bad(r, "Content-Length is no length");
    for (size_t i = 0; i < value.len; i++) {
        if (!is_digit(value.ptr[i]))
            return bad(r, "Content-Length is no length");
        length = length * 10 + (uint64_t)(value.ptr[i] - '0');
    }
    if (r->has_length && r->length != length)
        return bad(r, "two lengths in Content-Length");
    r->has_length = true;
    r->length = length;
    return RESPONSE_MORE;
}

static bool value_is(struct span value, const char *text)
{
    return value.len == strlen(text) && strncasecmp(value.ptr, text, value.len) == 0;
}

/* Does a comma-separated list have this element? */
static bool list_has(struct span list, const char *element)
{
    size_t len = strlen(element);

    for (size_t at = 0; at < list.len;) {
        size_t end;
        while (at < list.len &&
               (list.ptr[at] == ' ' || list.ptr[at] == ',' || list.ptr[at] == '\t'))
            at++;
        for (end = at; end < list.len && !memchr(" ,\t", list.ptr[end], 3);)
            end++;
        if (end - at == len && strncasecmp(list.ptr + at, element, len) == 0)
            return true;
        at = end;
    }
    return false;
}

static enum response_answer take_field(struct response_reader *r, struct span line)
{
    struct span value;

    if (line.ptr[0] == ' ' || line.ptr[0] == '\t')
        return bad(r, "a field goes on in a second line");
    switch (line.ptr[0] | 0x20) {
    case 'c':
        if (is_named(line, "content-length", 14, &value))
            return take_length(r, value);
        if (is_named(line, "connection", 10, &value)) {
            if (list_has(value, "close"))
                r->may_keep = false;
            else if (list_has(value, "keep-alive"))
                r->may_keep = true;
        }
        break;
    case 't':
        if (is_named(line, "transfer-encoding", 17, &value)) {
            if (r->is_chunked || !value_is(value, "chunked"))
                return bad(r, "a Transfer-Encoding that is not chunked");
            r->is_chunked = true;
        }
        break;
    default:
        break;
    }
    return RESPONSE_MORE;
}

static enum response_answer end_head(struct response_reader *r)
{
    if (r->status == 101)
        return bad(r, "another protocol that was not asked for");
    if (r->status < 200) {
        uint32_t head_bytes = r->head_bytes;
        response_reader_init(r, r->is_head_request);
        r->head_bytes = head_bytes; /* one bound for all of them */
        return RESPONSE_MORE;
    }
    if (r->has_length && r->is_chunked)
        return bad(r, "both Content-Length and chunks");
    if (r->is_head_request || r->status == 204 || r->status == 304)
        return ended(r);
    if (r->is_chunked) {
        r->state = RESPONSE_CHUNK_SIZE;
        return RESPONSE_MORE;
    }
    if (!r->has_length) {
        r->state = RESPONSE_UNTIL_END;
        r->may_keep = false;
        return RESPONSE_MORE;
    }
    r->left = r->length;
    r->state = RESPONSE_BODY;
    return r->left ? RESPONSE_MORE : ended(r);
}

static enum response_answer take_chunk_size(struct response_reader *r, struct span line)
{
    uint64_t size = 0;
    size_t digits = 0;

    for (; digits < line.len && hex_digit(line.ptr[digits]) >= 0; digits++) {
        if (digits == 15)
            return bad(r, "the size of a chunk is too large");
        size = size * 16 + (uint64_t)hex_digit(line.ptr[digits]);
    }
    if (digits == 0 || (digits < line.len && !memchr(";\t ", line.ptr[digits], 3)))
        return bad(r, "a chunk without its size");
    r->left = size;
    r->head_bytes = 0; /* a bound for each line, and one for all trailers */
    r->state = size ? RESPONSE_CHUNK : RESPONSE_TRAILERS;
    return RESPONSE_MORE;
}

static enum response_answer take_line(struct response_reader *r, struct span line)
{
    switch (r->state) {
    case RESPONSE_STATUS_LINE:
        return take_status_line(r, line);
    case RESPONSE_FIELDS:
        return line.len ? take_field(r, line) : end_head(r);
    case RESPONSE_CHUNK_SIZE:
        return take_chunk_size(r, line);
    case RESPONSE_CHUNK_END:
        if (line.len)
            return bad(r, "a chunk is longer than its size");
        r->state = RESPONSE_CHUNK_SIZE;
        return RESPONSE_MORE;
    case RESPONSE_TRAILERS:
        return line.len ? RESPONSE_MORE : ended(r);
    case RESPONSE_BODY:
    case RESPONSE_UNTIL_END:
    case RESPONSE_CHUNK:
    case RESPONSE_ENDED:
        break;
    }
    return bad(r, "bytes behind the end");
}

/* Is it one of the lines that are read? Then all of it must be there. */
static bool is_read(const struct response_reader *r, struct span line)
{
    struct span value;

    if (r->state != RESPONSE_FIELDS)
        return r->state != RESPONSE_STATUS_LINE && r->state != RESPONSE_TRAILERS;
    return is_named(line, "content-length", 14, &value) ||
           is_named(line, "connection", 10, &value) ||
           is_named(line, "transfer-encoding", 17, &value);
}

static void keep_piece(struct response_reader *r, struct span piece)
{
    if (r->line_len < RESPONSE_LINE_KEPT)
        memcpy(r->line + r->line_len, piece.ptr,
               smaller_of(piece.len, RESPONSE_LINE_KEPT - r->line_len));
    r->line_len += (uint32_t)piece.len;
}

/* `line` without its line feed, of which no more than was kept may be there. */
static enum response_answer end_line(struct response_reader *r, const char *ptr, size_t len)
{
    struct span line = {ptr, smaller_of(len, RESPONSE_LINE_KEPT)};

    r->line_len = 0;
    if (len > RESPONSE_LINE_KEPT) {
        /* However it was split, the answer is the same. */
        if (is_read(r, line))
            return bad(r, "a line that must be read is too long");
    } else if (line.len && line.ptr[line.len - 1] == '\r') {
        line.len--;
    }
    return take_line(r, line);
}

/* The next line of `bytes`, or as much of it as is there. */
static enum response_answer feed_line(struct response_reader *r, struct span bytes, size_t *used)
{
    const char *end = memchr(bytes.ptr, '\n', bytes.len);
    struct span piece = {bytes.ptr, end ? (size_t)(end - bytes.ptr) : bytes.len};

    *used = piece.len + (end != NULL);
    if (*used > RESPONSE_HEAD_MAX - r->head_bytes)
        return bad(r, "the head is longer than 64 KiB");
    r->head_bytes += (uint32_t)*used;
    if (end && r->line_len == 0)
        return end_line(r, piece.ptr, piece.len);
    keep_piece(r, piece);
    return end ? end_line(r, r->line, r->line_len) : RESPONSE_MORE;
}

/* --- the body -------------------------------------------------------------------------------- */

static enum response_answer take_body(struct response_reader *r, struct span bytes, size_t *used,
                                      struct span *body)
{
    size_t len = r->state == RESPONSE_UNTIL_END ? bytes.len : smaller_of(bytes.len, r->left);

    *used = len;
    *body = (struct span){bytes.ptr, len};
    r->body_bytes += len;
    if (r->state == RESPONSE_UNTIL_END)
        return RESPONSE_MORE;
    r->left -= len;
    if (r->left)
        return RESPONSE_MORE;
    if (r->state == RESPONSE_BODY)
        return ended(r);
    r->state = RESPONSE_CHUNK_END;
    return RESPONSE_MORE;
}

static bool is_in_body(const struct response_reader *r)
{
    return r->state == RESPONSE_BODY || r->state == RESPONSE_UNTIL_END ||
           r->state == RESPONSE_CHUNK;
}

enum response_answer response_reader_feed(struct response_reader *r, const char *bytes, size_t len,
                                          size_t *used, struct span *body)
{
    *used = 0;
    *body = (struct span){bytes, 0};
    while (*used < len) {
        struct span rest = {bytes + *used, len - *used};
        enum response_answer answer;
        size_t step;
        if (is_in_body(r)) {
            answer = take_body(r, rest, &step, body);
            *used += step;
            return answer;
        }
        answer = feed_line(r, rest, &step);
        *used += step;
        if (answer != RESPONSE_MORE)
            return answer;
    }
    return RESPONSE_MORE;
}

enum response_answer response_reader_end(struct response_reader *r)
{
    if (r->state == RESPONSE_UNTIL_END)
        return ended(r);
    return bad(r, r->status ? "the connection ended within the answer"
                            : "the connection ended without an answer");
}
