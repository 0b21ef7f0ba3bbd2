/* SPDX-License-Identifier: MIT */
/* signed_url.h — links that hold for a while: ?expires=<unix seconds>&signature=<signature>.
 *
 * The signature is HMAC-SHA256(key, path LF expires) in base64url (RFC 4648 section 5) without
 * padding; the path is the one asked for, decoded and normalised (url_path.h). Other parameters
 * are neither signed nor looked at: nothing a file's bytes depend on is in the query. */
#ifndef FARMSTEAD_SIGNED_URL_H
#define FARMSTEAD_SIGNED_URL_H

#include "base/util.h"

#include <stdbool.h>
#include <stdint.h>

#define SIGNED_URL_SIGNATURE_LEN 43                /* without the NUL */
#define SIGNED_URL_EXPIRES_MAX INT64_C(9999999999) /* in the year 2286 */

enum signed_url {
    SIGNED_URL_WRONG,   /* 403: a parameter is missing, doubled or malformed, or another key's */
    SIGNED_URL_EXPIRED, /* 410: was right, but is over */
    SIGNED_URL_VALID
};

/* `query` without '?', `now_seconds` since 1970: a link holds while now < expires. Takes as long
 * for any signature of the right length. Any thread. */
enum signed_url signed_url_check(struct span key, struct span path, struct span query,
                                 int64_t now_seconds);

/* `expires` is 0 to SIGNED_URL_EXPIRES_MAX. False when OpenSSL fails. Any thread. */
bool signed_url_sign(char out[SIGNED_URL_SIGNATURE_LEN + 1], struct span key, struct span path,
                     int64_t expires);

#endif
