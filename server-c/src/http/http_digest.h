/* SPDX-License-Identifier: MIT */
/* http_digest.h — digests of representations (RFC 9530): whether a client wants one, and its text.
 * SHA-256 only: what else is registered is broken, or asked for by nobody. */
#ifndef FARMSTEAD_HTTP_DIGEST_H
#define FARMSTEAD_HTTP_DIGEST_H

#include "http/http_parser.h"

#define HTTP_SHA256_BYTES 32
#define HTTP_DIGEST_LEN 54 /* "sha-256=:", 44 characters of base64, ":" */

/* Does Want-Repr-Digest name sha-256 with a weight of 1 to 10? 0 means "not this one". A member that is
 * malformed counts as not there; of several the last one counts (RFC 8941 section 3.2). */
bool http_wants_digest(const struct http_request *req, const char *head);

/* Writes the value of Repr-Digest and a NUL. */
void http_digest_format(char out[HTTP_DIGEST_LEN + 1], const unsigned char hash[HTTP_SHA256_BYTES]);

#endif
