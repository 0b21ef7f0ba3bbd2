/* SPDX-License-Identifier: MIT */
/* auth_check.h — is this the password of a user whom a rule lets in?
 *
 * There are three steps, each taken only if needed. A password that was verified before passes at
 * once, on the loop, if its file was looked at less than AUTH_TRUST_MS ago. A file looked at
 * earlier is looked at again on the stat lane, and read if it has changed. A password not seen
 * before is verified on the auth lane, whose queue limits what guessing can cost the node. So a
 * removed user or an old password is refused AUTH_TRUST_MS after the change at the latest, and a
 * page with fifty images costs one verification. A user who does not exist costs as much as one who
 * does. Passwords are never logged or kept: what is remembered is an HMAC of the password and the
 * user's hash, with a key that exists only in this process. */
#ifndef FARMSTEAD_AUTH_CHECK_H
#define FARMSTEAD_AUTH_CHECK_H

#include "auth/auth_files.h" /* AUTH_TRUST_MS */
#include "config/config.h"
#include "http/http_auth.h"
#include "lanes/io_lane.h"

#define AUTH_LANE_THREADS 2
#define AUTH_LANE_QUEUE 64

/* A struct that is all zero must let nobody in, so AUTH_UNAVAILABLE comes first. */
enum auth_verdict {
    AUTH_UNAVAILABLE, /* 503: file unreadable, lanes full, or no memory */
    AUTH_REFUSED,     /* 401 with the challenge */
    AUTH_PASSED,
    AUTH_WAIT
};

/* What has been read and verified. One per process, shared by all loops. */
struct auth_store;

/* Both lanes must outlive the store. NULL: no random bytes or no lock available. Any thread. */
struct auth_store *auth_store_new(struct io_lane *stat_lane, struct io_lane *auth_lane);
/* Call it when the loops have ended and no check is under way. NULL is allowed. */
void auth_store_free(struct auth_store *store);

/* Has every file looked at again before it lets anybody in, because files are said to have changed.
 * Any thread. */
void auth_store_expire(struct auth_store *store);

struct auth_job;

/* Someone who waits for a verdict. The caller owns it and keeps it valid until on_verdict or
 * cancel; all zero before its first use. */
struct auth_waiter {
    /* Called on the loop's thread, never by auth_check() itself. `verdict` is never AUTH_WAIT. */
    void (*on_verdict)(struct auth_waiter *waiter, enum auth_verdict verdict);
    struct auth_job *job; /* NULL: it does not wait */
};

/* Returns the verdict if it is known. AUTH_WAIT: the waiter will be called on the loop of `port`.
 * `rule` and `who` are not used after this returns. Loop thread; does not wait. */
enum auth_verdict auth_check(struct auth_store *store, struct io_port *port,
                             const struct config_auth *rule, const struct http_credentials *who,
                             struct auth_waiter *waiter);
void auth_cancel(struct auth_waiter *waiter); /* does nothing if it does not wait */

#endif
