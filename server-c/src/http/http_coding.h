/* SPDX-License-Identifier: MIT */
/* http_coding.h — content codings: what a client takes (RFC 9110 section 12.5.3) and which of ours
 * it gets. An element of the field that is malformed says nothing; of two for the same coding the
 * lower weight counts. */
#ifndef FARMSTEAD_HTTP_CODING_H
#define FARMSTEAD_HTTP_CODING_H

#include "http/http_parser.h"

enum http_coding { CODING_IDENTITY, CODING_BR, CODING_ZSTD, CODING_GZIP, CODING_COUNT };

const char *http_coding_name(enum http_coding coding);   /* "br", as in Content-Encoding */
const char *http_coding_suffix(enum http_coding coding); /* ".br", ".zst", ".gz"; "" of identity */
/* CODING_COUNT when it is none. */
enum http_coding http_coding_named(const char *name);

/* The best of `available` (a bit per coding; identity is always there) for the request's
 * Accept-Encoding: of the greatest weight, of equal ones the first in `preference`, and a coding
 * before identity. What is not in `preference` is not chosen. Without the field, or where all is
 * refused: identity. */
enum http_coding http_coding_choose(const struct http_request *req, const char *head,
                                    unsigned available, const enum http_coding *preference,
                                    size_t count);

/* "0.5" → 500: a weight in thousandths, -1 when it is none (RFC 9110 section 12.4.2). */
int http_qvalue(struct span text);

/* Would the client rather have JSON than HTML (Accept, RFC 9110 section 12.5.1)? Of equal weights
 * the one named more precisely counts: a script that takes JSON and anything is one. Not when
 * it takes both alike. */
bool http_prefers_json(const struct http_request *req, const char *head);

#endif
