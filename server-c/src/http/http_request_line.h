/* SPDX-License-Identifier: MIT */
/* http_request_line.h — parses the first line of a request, and declares what it shares with the
 * parsing of fields. Part of http_parser; nobody else includes this. */
#ifndef FARMSTEAD_HTTP_REQUEST_LINE_H
#define FARMSTEAD_HTTP_REQUEST_LINE_H

#include "http/http_parser.h"

/* How much longer a request line may be than its target: a method of up to 32 bytes, two spaces,
 * the version and CRLF. */
#define HTTP_REQUEST_LINE_EXTRA 44

/* Parses the line that begins at req->line and has `len` bytes without its CRLF (RFC 9112 section
 * 3). Sets method, minor, target and the parts of the target. */
enum parse http_take_request_line(struct http_request *req, const char *head, uint32_t len);

/* Returns the length of the host in host [":" port] (RFC 9110 section 7.2), 0 when it is empty, or
 * -1 when it is invalid. */
int64_t http_host_len(struct span authority);

bool http_is_token(struct span span); /* RFC 9110 section 5.6.2 */

/* Notes the status to answer with and the reason. Always returns PARSE_BAD. */
enum parse http_refuse(struct http_request *req, enum http_status status, const char *reason);

#endif
