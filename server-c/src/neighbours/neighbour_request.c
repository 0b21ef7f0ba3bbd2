/* SPDX-License-Identifier: MIT */
/* neighbour_request.c — the parser of visitors' requests takes the head apart; what is said in it is read here. */
#include "neighbours/neighbour_request.h"

#include <string.h>

#define NUMBER_DIGITS_MAX 16 /* of a byte's position */

static const char target_begin[] = "/neighbour/v1/";
static const char pass_name[] = "farmstead-pass";

static enum parse refuse(struct neighbour_request *out, enum http_status status, const char *why)
{
    out->status = status;
    out->why = why;
    return PARSE_BAD;
}

/* "bytes=N-" and nothing else. */
static bool read_from(struct span text, uint64_t *from)
{
    static const char unit[] = "bytes=";
    size_t at = sizeof(unit) - 1, first = at;

    *from = 0;
    if (text.len < at || memcmp(text.ptr, unit, at) != 0)
        return false;
    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
        if (at - first == NUMBER_DIGITS_MAX)
            return false;
        *from = *from * 10 + (uint64_t)(text.ptr[at] - '0');
    }
    return at > first && at + 1 == text.len && text.ptr[at] == '-';
}

static bool read_manifest(struct span target, char out[RELEASE_SHA256_LEN + 1])
{
    size_t begin = sizeof(target_begin) - 1;

    if (target.len != begin + RELEASE_SHA256_LEN || memcmp(target.ptr, target_begin, begin) != 0)
        return false;
    memcpy(out, target.ptr + begin, RELEASE_SHA256_LEN);
    out[RELEASE_SHA256_LEN] = '\0';
    return release_is_sha256(out);
}

/* The parser has looked at the lines' form. False: there is none, two, or too long a one. */
static bool read_pass(struct span head, char out[NEIGHBOUR_PASS_LEN + 1])
{
    bool has_one = false;

    for (const char *end; (end = memchr(head.ptr, '\n', head.len)) != NULL;) {
        struct span line = {head.ptr, (size_t)(end - head.ptr)};
        const char *colon = memchr(line.ptr, ':', line.len);

        head.len -= line.len + 1;
        head.ptr = end + 1;
        if (line.len > 0 && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (!colon ||
            !http_span_equals((struct span){line.ptr, (size_t)(colon - line.ptr)}, pass_name))
            continue;
        line.len -= (size_t)(colon + 1 - line.ptr);
        line.ptr = colon + 1;
        line = http_trim(line);
        if (has_one || line.len == 0 || line.len > NEIGHBOUR_PASS_LEN)
            return false;
        memcpy(out, line.ptr, line.len);
        out[line.len] = '\0';
        has_one = true;
    }
    return has_one;
}

static enum parse read_head(struct neighbour_request *out, const struct http_request *req,
                            const char *head)
{
    struct span line = http_slice_of(head, req->request_line);

    if (!read_manifest(http_slice_of(head, req->target), out->manifest))
        return refuse(out, HTTP_NOT_FOUND, "there is nothing but trees of releases");
    if (line.len < 5 || memcmp(line.ptr, "POST ", 5) != 0)
        return refuse(out, HTTP_METHOD_NOT_ALLOWED, "contents are asked for by POST");
    if (req->chunked || req->content_length == 0)
        return refuse(out, HTTP_BAD_REQUEST, "a body with paths and its length must come");
    if (req->content_length > NEIGHBOUR_BODY_BYTES)
        return refuse(out, HTTP_BAD_REQUEST, "the paths have more than 256 KiB");
    out->has_range = http_request_has(req, FIELD_RANGE);
    if (out->has_range && !read_from(http_request_field(req, head, FIELD_RANGE), &out->from))
        return refuse(out, HTTP_BAD_REQUEST, "Range must be \"bytes=N-\"");
    if (!read_pass((struct span){head, req->head_len}, out->pass))
        return refuse(out, HTTP_FORBIDDEN, "one pass must come");
    out->head_len = req->head_len;
    out->body_len = (size_t)req->content_length;
    out->keep_alive = req->keep_alive;
    return PARSE_OK;
}

enum parse neighbour_request_read(struct neighbour_request *out, const char *head, size_t len)
{
    struct http_request req;
    enum parse parsed;

    *out = (struct neighbour_request){0};
    http_request_init(&req, NEIGHBOUR_HEAD_BYTES, NEIGHBOUR_HEAD_BYTES);
    parsed = http_parse_request(&req, head, len);
    if (parsed == PARSE_BAD)
        return refuse(out, req.status, req.reason);
    return parsed == PARSE_OK ? read_head(out, &req, head) : parsed;
}

const char *neighbour_paths_read(struct neighbour_paths *out, char *body, size_t len)
{
    char *end;

    out->count = 0;
    if (len == 0 || body[len - 1] != '\n')
        return "each path must end with a line feed";
    for (char *path = body; path < body + len; path = end + 1) {
        const char *fault;

        end = memchr(path, '\n', (size_t)(body + len - path));
        if (out->count == NEIGHBOUR_PATHS_MAX)
            return "there are more than 512 paths";
        if (memchr(path, '\0', (size_t)(end - path)) != NULL)
            return "a path has a NUL";
        if ((size_t)(end - path) > RELEASE_PATH_LEN)
            return "a path has more than 4095 bytes";
        *end = '\0';
        fault = release_path_fault(path);
        if (fault)
            return fault;
        out->items[out->count++] = path;
    }
    return NULL;
}
