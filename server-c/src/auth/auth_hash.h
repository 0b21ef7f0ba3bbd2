/* SPDX-License-Identifier: MIT */
/* auth_hash.h — password hashes: which kinds are accepted, how much they may cost, and whether one
 * matches.
 *
 * Only Argon2, bcrypt, SHA-crypt and yescrypt: hashes that are quick to guess are not accepted. A
 * hash that would need too much time or memory is refused before it is ever tried. */
#ifndef FARMSTEAD_AUTH_HASH_H
#define FARMSTEAD_AUTH_HASH_H

#include "base/util.h"

#define AUTH_HASH_MAX 511 /* bytes of a hash, without its NUL */

/* Returns NULL if `hash` is accepted, else the reason as a sentence that shows nothing of it. Any
 * thread. */
const char *auth_hash_refusal(const char *hash);

enum auth_hash_verdict { AUTH_HASH_FAILED, AUTH_HASH_DIFFERS, AUTH_HASH_MATCHES };
/* Takes as long as the hash demands, up to about a second: not for a loop's thread, but any other.
 * `hash` was not refused, `password` ends with a NUL. AUTH_HASH_FAILED: no memory. Leaves no copy
 * of the password behind. */
enum auth_hash_verdict auth_hash_verify(const char *hash, const char *password);

#endif
