/* SPDX-License-Identifier: MIT */
/* join_policy.h — the policy of the machine's owner as `join` writes it: a tight one, extended by
 * flags.
 *
 * Flags with folders for what is served, for secrets, logs and sockets replace the built-in folders
 * of that list. Further flags of the same kind add to the first. */
#ifndef FARMSTEAD_JOIN_POLICY_H
#define FARMSTEAD_JOIN_POLICY_H

#include "base/buf.h"

#include <stdbool.h>

struct join_policy;

/* Values for getopt_long(), above all characters. Flags for lists come first, in the order of their
 * keys. */
enum join_policy_flag {
    JOIN_SERVE = 1000,
    JOIN_SECRETS,
    JOIN_LOGS,
    JOIN_RUNTIME,
    JOIN_USER,
    JOIN_GROUP,
    JOIN_LISTEN,
    JOIN_ADMIN_BEYOND_LOOPBACK,
    JOIN_SYMLINKS_ANY,
    JOIN_POLICY_FILE
};

struct join_policy *join_policy_new(void);
void join_policy_free(struct join_policy *join);

/* False if `flag` is not one of these. `value` remains the caller's, and must not change. */
bool join_policy_take(struct join_policy *join, int flag, const char *value);

/* Writes the policy. 0, perhaps with something to tell the user in `said`; -1 with a sentence. An
 * existing policy is left as it is, which is an error if flags ask for another one. */
int join_policy_write(const struct join_policy *join, struct buf *said);

#endif
