/* SPDX-License-Identifier: MIT */
/* auth_hash.h — password hashes: which kinds we take, what they may cost, whether one matches.
 *
 * Argon2, bcrypt, SHA-crypt and yescrypt only: what is quick to guess is not taken. A hash that
 * would need absurd time or memory is refused before it is ever tried. */
#ifndef FARMSTEAD_AUTH_HASH_H
#define FARMSTEAD_AUTH_HASH_H

#include "base/util.h"

#define AUTH_HASH_MAX 511 /* bytes of a hash */

/* NULL when we take `hash`, else why not, as a sentence that shows nothing of it. Any thread. */
const char *auth_hash_refusal(const char *hash);

enum auth_hash_verdict { AUTH_HASH_FAILED, AUTH_HASH_DIFFERS, AUTH_HASH_MATCHES };
/* Takes as long as the hash says, up to a second or so: never on a loop's thread. `hash` is one
 * that was not refused, `password` a NUL-terminated text. AUTH_HASH_FAILED: no memory. Leaves no
 * copy of the password behind. Any other thread. */
enum auth_hash_verdict auth_hash_verify(const char *hash, const char *password);

#endif
