/* SPDX-License-Identifier: MIT */
/* neighbour_request.h — what another node asks for: some contents of one release, by their paths in it.
 *
 *   POST /neighbour/v1/MANIFEST HTTP/1.1
 *   Farmstead-Pass: PASS
 *   Range: bytes=N-              perhaps, with one path
 *   Content-Length: LENGTH
 *
 *   PATH LF PATH LF …
 *
 * Strict, as only nodes ask: what is not in that form is refused. Pure: no I/O. Any thread. */
#ifndef FARMSTEAD_NEIGHBOUR_REQUEST_H
#define FARMSTEAD_NEIGHBOUR_REQUEST_H

#include "http/http_parser.h"
#include "neighbours/neighbour_pass.h"
#include "release/release_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEIGHBOUR_HEAD_BYTES 8192u
#define NEIGHBOUR_BODY_BYTES (256u << 10)
#define NEIGHBOUR_PATHS_MAX 512u

struct neighbour_request {
    char manifest[RELEASE_SHA256_LEN + 1];
    char pass[NEIGHBOUR_PASS_LEN + 1]; /* any text, as it came */
    bool has_range;
    uint64_t from; /* the first byte that is wanted */
    size_t head_len, body_len;
    bool keep_alive;

    /* After PARSE_BAD. */
    enum http_status status;
    const char *why;
};

/* Call with all bytes of the request so far. PARSE_OK: the head is whole. PARSE_BAD: the connection must end. */
enum parse neighbour_request_read(struct neighbour_request *out, const char *head, size_t len);

struct neighbour_paths {
    const char *items[NEIGHBOUR_PATHS_MAX]; /* in the body */
    size_t count;
};

/* Takes the body apart, in its place. NULL, or what is wrong with it: then `out` is not to be used. */
const char *neighbour_paths_read(struct neighbour_paths *out, char *body, size_t len);

#endif
