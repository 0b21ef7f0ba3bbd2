/* SPDX-License-Identifier: MIT */
/* auth_check.h — is this the password of one of the users a rule lets in?
 *
 * Three steps, each only when needed: what was verified before and whose file was looked at less
 * than AUTH_TRUST_MS ago passes at once, on the loop; an older file is looked at on the stat lane
 * (and read again when it changed); a password not seen before is verified on the auth lane, whose
 * queue bounds what guessing can cost the node. So a removed user or a changed password is refused
 * AUTH_TRUST_MS after the change at the latest, and a page with fifty images costs one
 * verification. A user who does not exist costs as much as one who does.
 * Passwords are never logged or kept: what is remembered is an HMAC of the password and the user's
 * hash, under a key that lives as long as the process. */
#ifndef FARMSTEAD_AUTH_CHECK_H
#define FARMSTEAD_AUTH_CHECK_H

#include "auth/auth_files.h" /* AUTH_TRUST_MS */
#include "config/config.h"
#include "http/http_auth.h"
#include "lanes/io_lane.h"

#define AUTH_LANE_THREADS 2
#define AUTH_LANE_QUEUE 64

enum auth_verdict {                   /* zeroed memory lets nobody in */
                    AUTH_UNAVAILABLE, /* 503: the file can't be read, the lanes are full or memory is gone */
                    AUTH_REFUSED, /* 401 and the challenge */
                    AUTH_PASSED,
                    AUTH_WAIT
};

/* What was read and verified so far. One for the process, shared by all loops. */
struct auth_store;

/* Both lanes must outlive the store. NULL: no random bytes or no lock to be had. Any thread. */
struct auth_store *auth_store_new(struct io_lane *stat_lane, struct io_lane *auth_lane);
/* After the loops have ended: no check may be under way. NULL is allowed. */
void auth_store_free(struct auth_store *store);

/* Every file is looked at again before it lets anybody in: somebody says that files have changed. Any
 * thread. */
void auth_store_expire(struct auth_store *store);

struct auth_job;

/* Someone who waits for a verdict. Owned by the caller, in its memory until on_verdict or cancel;
 * zeroed before the first use. */
struct auth_waiter {
    /* Loop thread, never inside auth_check(). `verdict` is never AUTH_WAIT. */
    void (*on_verdict)(struct auth_waiter *waiter, enum auth_verdict verdict);
    struct auth_job *job; /* NULL: does not wait */
};

/* The verdict where it is at hand. AUTH_WAIT: the waiter will hear, on the loop of `port`. Keeps
 * nothing of `rule` and `who`: they may go as soon as this returns. Loop thread; does not block. */
enum auth_verdict auth_check(struct auth_store *store, struct io_port *port,
                             const struct config_auth *rule, const struct http_credentials *who,
                             struct auth_waiter *waiter);
void auth_cancel(struct auth_waiter *waiter); /* harmless when it does not wait */

#endif
