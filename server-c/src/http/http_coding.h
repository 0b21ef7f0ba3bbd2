/* SPDX-License-Identifier: MIT */
/* http_coding.h — content codings: which ones a client accepts (RFC 9110 section 12.5.3), and which
 * of ours it gets. Malformed elements of the field are ignored; when a coding is named twice, the
 * lower weight counts. */
#ifndef FARMSTEAD_HTTP_CODING_H
#define FARMSTEAD_HTTP_CODING_H

#include "http/http_parser.h"

enum http_coding {
    CODING_IDENTITY,
    CODING_BR,
    CODING_ZSTD,
    CODING_GZIP,
    CODING_DCZ, /* zstd with a dictionary that the client has (RFC 9842) */
    CODING_COUNT
};
/* From here on no file beside another is a copy of that: a dictionary belongs to it. */
#define CODING_SIBLINGS_END CODING_DCZ

const char *http_coding_name(enum http_coding coding); /* "br", as in Content-Encoding */
const char *
http_coding_suffix(enum http_coding coding); /* ".br", ".zst", ".gz", ".dcz"; "" for identity */
/* Returns CODING_COUNT for a name that is none of ours. */
enum http_coding http_coding_named(const char *name);

/* Chooses among `available` (one bit per coding; identity is always available) by the request's
 * Accept-Encoding (RFC 9110 section 12.5.3): the coding with the greatest weight; at equal weights
 * the first in `preference`, and any coding before identity. A coding that is not in `preference`
 * is never chosen, and "*" does not stand for one that needs a dictionary. Without the field, or when the client refuses everything: identity. */
enum http_coding http_coding_choose(const struct http_request *req, const char *head,
                                    unsigned available, const enum http_coding *preference,
                                    size_t count);

/* Does the client take this coding? Yes when it does not say which it takes. */
bool http_coding_accepts(const struct http_request *req, const char *head, enum http_coding coding);

/* "0.5" → 500: a weight in thousandths, or -1 for malformed text (RFC 9110 section 12.4.2). */
int http_qvalue(struct span text);

/* How much the client likes a language, such as "de", in thousandths (Accept-Language, RFC 9110
 * section 12.5.4); 0: not at all, or it does not say. A range fits its own tag best; else one that
 * begins with the other, subtag by subtag: "de-AT" is served with "de", and "de" with "de-AT". */
int http_language_weight(const struct http_request *req, const char *head, const char *tag);

/* Does the client prefer JSON to HTML (Accept, RFC 9110 section 12.5.1)? At equal weights, the type
 * that is named more specifically wins: a script that accepts JSON and anything else gets JSON.
 * False when the client accepts both alike. */
bool http_prefers_json(const struct http_request *req, const char *head);

#endif
