/* SPDX-License-Identifier: MIT */
/* supervisor_policy.h — what the parent does about an end of the process that serves: whether it is
 * started again, when, and with which config (rule N4 of the protocol).
 *
 *   ended                                       | then
 *   while stopping                              | the end, with its exit code
 *   before it was ever ready, with an exit code | the end, with that code: it could not start
 *   later, with exit code 0                     | the end: somebody has stopped it by hand
 *   else (a signal, another code)               | again, after 0.1 s, 0.2 s … 5 s
 *
 * An unconfirmed config gets a second try, while its time to be confirmed runs. After the second
 * crash it is not run again. A confirmed config is started for ever.
 *
 * Pure: no clock, no process. */
#ifndef FARMSTEAD_SUPERVISOR_POLICY_H
#define FARMSTEAD_SUPERVISOR_POLICY_H

#include "process/supervisor_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct supervisor_policy {
    bool was_ready;       /* a child was, once */
    bool is_ready;        /* this one is */
    uint64_t ready_at_ms; /* … since then */
    uint32_t crashes;     /* in a row */

    bool on_trial;       /* an unconfirmed config runs, or did when the child ended */
    uint64_t generation; /* … which */
    uint32_t within_ms;
    uint64_t deadline_ms;
    uint32_t trial_crashes;
};

struct supervisor_verdict {
    bool ends; /* the parent does, with: */
    int exit_code;
    uint32_t wait_ms; /* else until the next start */
};

/* The child has said something. */
void supervisor_policy_on_note(struct supervisor_policy *policy, const struct supervisor_note *note,
                               uint64_t now_ms);

/* The child has ended; `status` as waitpid() says it. */
struct supervisor_verdict supervisor_policy_on_end(struct supervisor_policy *policy, int status,
                                                   bool is_stopping, uint64_t now_ms);

/* The order for the child that is started now; the ending is left to the caller. */
void supervisor_policy_order(const struct supervisor_policy *policy, struct supervisor_order *order,
                             uint64_t now_ms);

#endif
