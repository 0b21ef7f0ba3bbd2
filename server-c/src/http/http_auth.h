/* SPDX-License-Identifier: MIT */
/* http_auth.h — the fields of Basic authentication (RFC 7617): reads credentials, writes the
 * challenge. Whether a password is right is decided in auth_check.h. */
#ifndef FARMSTEAD_HTTP_AUTH_H
#define FARMSTEAD_HTTP_AUTH_H

#include "base/util.h"

#include <stdbool.h>

#define HTTP_AUTH_USER_MAX 255
#define HTTP_AUTH_PASSWORD_MAX 1024
#define HTTP_AUTH_BUFFER (HTTP_AUTH_USER_MAX + 1 + HTTP_AUTH_PASSWORD_MAX)

/* Neither has a control character, so no NUL either. The user is not empty and has no colon (RFC
 * 7617 section 2). */
struct http_credentials {
    struct span user, password;
};

/* Reads the value of Authorization. True: both spans lie in `buffer`, which the caller wipes with
 * explicit_bzero() when it is done. False: another scheme, malformed or too long; `buffer` holds
 * nothing, and the request is to be answered with 401 and the challenge. Any thread. */
bool http_auth_parse_basic(struct http_credentials *out, char buffer[HTTP_AUTH_BUFFER],
                           struct span value);

/* Writes the value of WWW-Authenticate (RFC 9110 section 11.6.1, RFC 7617 section 2.1) and a NUL.
 * Returns its length, or 0 when `cap` is too small (2 * strlen(realm) + 40 is always enough) or the
 * realm has control characters. Any thread. */
size_t http_auth_challenge(char *out, size_t cap, const char *realm);

#endif
