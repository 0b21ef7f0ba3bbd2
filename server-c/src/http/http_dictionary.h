/* SPDX-License-Identifier: MIT */
/* http_dictionary.h — compression dictionaries (RFC 9842): what a client says of the one that it has, and what may
 * become one. */
#ifndef FARMSTEAD_HTTP_DICTIONARY_H
#define FARMSTEAD_HTTP_DICTIONARY_H

#include "http/http_parser.h"

#define HTTP_DICTIONARY_HASH_BYTES 32

/* Reads the SHA-256 in Available-Dictionary (RFC 9842 section 2.2), a byte sequence (RFC 9651 section
 * 3.3.5). False: there is none, it comes twice, or it is malformed or of another length. */
bool http_available_dictionary(const struct http_request *req, const char *head,
                               unsigned char hash[HTTP_DICTIONARY_HASH_BYTES]);

/* May an answer to this request be compressed with a dictionary (RFC 9842 section 9.3.3), as far as the
 * browser says who asks? Not if a page of another origin could look at its length without being allowed to read
 * it. `is_welcome`: the answer says that its origin may. */
bool http_dictionary_is_readable(const struct http_request *req, const char *head, bool is_welcome);

/* The text between which and after which of a path stands what changes with the content: "/a/app." and ".js" of
 * "/a/app.*.js". */
struct http_dictionary_pattern {
    struct span before, after;
};
/* False: `text` has not exactly one "*", or has it in a folder's name. */
bool http_dictionary_pattern_read(struct http_dictionary_pattern *pattern, const char *text);
/* What stands for "*" is not empty and has no '/'. */
bool http_dictionary_pattern_fits(const struct http_dictionary_pattern *pattern, struct span path);

#endif
