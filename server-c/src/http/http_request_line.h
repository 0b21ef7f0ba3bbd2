/* SPDX-License-Identifier: MIT */
/* http_request_line.h — the first line of a request, and what its reading shares with that of the
 * fields. Part of http_parser; nobody else includes this. */
#ifndef FARMSTEAD_HTTP_REQUEST_LINE_H
#define FARMSTEAD_HTTP_REQUEST_LINE_H

#include "http/http_parser.h"

/* The most a request line is longer than its target: a method, two spaces, the version, CRLF. */
#define HTTP_REQUEST_LINE_EXTRA 44

/* The line from req->line on, `len` bytes without its end. Sets method, minor, target and its
 * parts. */
enum parse http_take_request_line(struct http_request *req, const char *head, uint32_t len);

/* host [":" port] → the host's length, 0 when it is empty, or -1. */
int64_t http_host_len(struct span authority);

bool http_is_token(struct span span); /* RFC 9110 section 5.6.2 */

/* Says why and how to answer; always PARSE_BAD. */
enum parse http_refuse(struct http_request *req, enum http_status status, const char *reason);

#endif
