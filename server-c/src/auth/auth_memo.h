/* SPDX-License-Identifier: MIT */
/* auth_memo.h — which passwords were found right, so that each costs one verification.
 *
 * Remembers "this password matches this hash" as an HMAC-SHA256 of both under a random key of the
 * process: no password, and nothing to guess one from without the key. A user whose hash changes or
 * goes is thereby forgotten at once. Fixed in size; the one not used for longest goes first. Any
 * thread. */
#ifndef FARMSTEAD_AUTH_MEMO_H
#define FARMSTEAD_AUTH_MEMO_H

#include "base/util.h"

#include <stdbool.h>

#define AUTH_MEMO_ENTRIES 4096

struct auth_memo;

struct auth_memo *auth_memo_new(void);       /* NULL: no random bytes, or no lock, to be had */
void auth_memo_free(struct auth_memo *memo); /* NULL is allowed */

/* Passwords have at most HTTP_AUTH_PASSWORD_MAX bytes, hashes AUTH_HASH_MAX. */
bool auth_memo_has(struct auth_memo *memo, const char *hash, struct span password);
void auth_memo_add(struct auth_memo *memo, const char *hash, struct span password);

/* A number below `count`, always the same for a user and not to be foretold: whose hash stands in
 * for a user that does not exist. */
size_t auth_memo_pick(struct auth_memo *memo, struct span user, size_t count);

#endif
