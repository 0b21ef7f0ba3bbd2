/* SPDX-License-Identifier: MIT */
/* http_cond.h — conditional requests: which precondition is evaluated, and what follows from it
 * (RFC 9110 section 13). */
#ifndef FARMSTEAD_HTTP_COND_H
#define FARMSTEAD_HTTP_COND_H

#include "http/http_parser.h"

enum http_cond { HTTP_COND_SERVE, HTTP_COND_NOT_MODIFIED, HTTP_COND_FAILED };

/* The validators of the selected file. */
struct http_validators {
    /* `etag` has its quotes and is always strong; while the file has none it is empty and equals no
     * tag. `has_date`: Last-Modified is sent, and changes with the file. */
    struct span etag;
    int64_t last_modified; /* seconds since 1970 */
    bool has_date;
};

/* Evaluates the preconditions of a GET or HEAD of a file that exists (RFC 9110 section 13.2.2).
 * `now` is in seconds since 1970. HTTP_COND_NOT_MODIFIED means 304, HTTP_COND_FAILED means 412. */
enum http_cond http_cond_decide(const struct http_request *req, const char *head,
                                const struct http_validators *file, int64_t now);

/* May Range be honoured (If-Range, RFC 9110 section 13.1.5)? True without If-Range. */
bool http_cond_range_applies(const struct http_request *req, const char *head,
                             const struct http_validators *file, int64_t now);

/* Does the request name `etag` in one of its preconditions, or in If-Range? */
bool http_cond_names(const struct http_request *req, const char *head, struct span etag);

#endif
