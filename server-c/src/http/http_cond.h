/* SPDX-License-Identifier: MIT */
/* http_cond.h — conditional requests: which precondition counts, and what it decides
 * (RFC 9110 section 13). */
#ifndef FARMSTEAD_HTTP_COND_H
#define FARMSTEAD_HTTP_COND_H

#include "http/http_parser.h"

enum http_cond { HTTP_COND_SERVE, HTTP_COND_NOT_MODIFIED, HTTP_COND_FAILED };

/* What the selected file has to compare with. */
struct http_validators {
    struct span etag;      /* with its quotes; always strong. Empty: none yet, nothing equals it */
    int64_t last_modified; /* seconds since 1970 */
    bool has_date; /* last_modified is told to clients, and tells this version from others */
};

/* For GET and HEAD of a file that exists. `now` in seconds since 1970. */
enum http_cond http_cond_decide(const struct http_request *req, const char *head,
                                const struct http_validators *file, int64_t now);

/* May Range be honoured? True without If-Range. */
bool http_cond_range_applies(const struct http_request *req, const char *head,
                             const struct http_validators *file, int64_t now);

#endif
