/* SPDX-License-Identifier: MIT */
/* signed_url.h — links that are valid for a while: ?expires=<unix seconds>&signature=<signature>.
 *
 * The signature is HMAC-SHA256(key, path LF expires) in base64url (RFC 4648 section 5) without
 * padding. The path is the one asked for, decoded and normalised (url_path.h). Other parameters are
 * neither signed nor looked at, because the bytes of a file do not depend on the query. */
#ifndef FARMSTEAD_SIGNED_URL_H
#define FARMSTEAD_SIGNED_URL_H

#include "base/util.h"

#include <stdbool.h>
#include <stdint.h>

#define SIGNED_URL_SIGNATURE_LEN 43                /* without the NUL */
#define SIGNED_URL_EXPIRES_MAX INT64_C(9999999999) /* in the year 2286 */

enum signed_url {
    SIGNED_URL_WRONG,   /* 403: parameter missing, repeated or malformed, or another key */
    SIGNED_URL_EXPIRED, /* 410: it was valid, but has expired */
    SIGNED_URL_VALID
};

/* Checks a link. `query` is without '?', `now_seconds` since 1970; a link is valid while now <
 * expires. Takes equally long for every signature of the right length. Any thread. */
enum signed_url signed_url_check(struct span key, struct span path, struct span query,
                                 int64_t now_seconds);

/* Makes a signature. `expires` must be 0 to SIGNED_URL_EXPIRES_MAX. False if OpenSSL fails. Any
 * thread. */
bool signed_url_sign(char out[SIGNED_URL_SIGNATURE_LEN + 1], struct span key, struct span path,
                     int64_t expires);

#endif
