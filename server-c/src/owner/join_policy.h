/* SPDX-License-Identifier: MIT */
/* join_policy.h — the machine owner's policy, as `join` writes it: a tight one, widened by flags.
 *
 * Folders for what is served, for secrets, logs and sockets replace the built-in ones of their list;
 * a second flag of one kind adds to the first. */
#ifndef FARMSTEAD_JOIN_POLICY_H
#define FARMSTEAD_JOIN_POLICY_H

#include "base/buf.h"

#include <stdbool.h>

struct join_policy;

/* For getopt_long(): above all characters. The lists come first, in the order of their keys. */
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

/* False when `flag` is none of those. `value` stays the caller's and as it is. */
bool join_policy_take(struct join_policy *join, int flag, const char *value);

/* Writes the policy: 0 with nothing or something to know in `said`, -1 with a sentence. A policy that is
 * there already is left as it is, which is an error when flags ask for another. */
int join_policy_write(const struct join_policy *join, struct buf *said);

#endif
