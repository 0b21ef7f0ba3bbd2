/* SPDX-License-Identifier: MIT */
/* auth_memo.h — which passwords were found correct, so that each is verified only once.
 *
 * Remembers "this password matches this hash" as an HMAC-SHA256 of both, with a random key of the
 * process: no password is kept, and nothing from which one could be guessed without the key. When a
 * user's hash changes or is removed, what was remembered for it can't match any more. Fixed in
 * size: what was unused for longest is replaced first. Any thread. */
#ifndef FARMSTEAD_AUTH_MEMO_H
#define FARMSTEAD_AUTH_MEMO_H

#include "base/util.h"

#include <stdbool.h>

#define AUTH_MEMO_ENTRIES 4096

struct auth_memo;

struct auth_memo *auth_memo_new(void);       /* NULL: no random bytes or no lock available */
void auth_memo_free(struct auth_memo *memo); /* NULL is allowed */

/* A password has at most HTTP_AUTH_PASSWORD_MAX bytes, a hash AUTH_HASH_MAX. */
bool auth_memo_has(struct auth_memo *memo, const char *hash, struct span password);
void auth_memo_add(struct auth_memo *memo, const char *hash, struct span password);

/* Returns a number below `count`, always the same for a user and not predictable: it chooses the
 * hash that stands in for a user who does not exist. */
size_t auth_memo_pick(struct auth_memo *memo, struct span user, size_t count);

#endif
