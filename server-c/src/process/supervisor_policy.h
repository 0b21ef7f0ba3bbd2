/* SPDX-License-Identifier: MIT */
/* supervisor_policy.h — what the parent does when the process that serves has ended: whether and
 * when it is started again, and with which config (rule N4 of the protocol).
 *
 *   the child ended                             | then
 *   while stopping                              | the parent ends with the same exit code
 *   before it was ever ready, with an exit code | the parent ends with it: the node could not start
 *   later, with exit code 0                     | the parent ends: somebody has stopped the child
 *   otherwise (by a signal, with another code)  | a new child after 0.1 s, 0.2 s … 5 s
 *
 * An unconfirmed config gets a second attempt while its time to be confirmed runs. After a second
 * crash it is not run again. A confirmed config is started again without limit.
 *
 * Pure: no clock, no process. */
#ifndef FARMSTEAD_SUPERVISOR_POLICY_H
#define FARMSTEAD_SUPERVISOR_POLICY_H

#include "process/supervisor_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct supervisor_policy {
    bool was_ready;       /* some child has been ready */
    bool is_ready;        /* this child is ready */
    uint64_t ready_at_ms; /* when it became ready */
    uint32_t crashes;     /* in a row */

    bool on_trial;       /* an unconfirmed config runs, or ran when the child ended */
    uint64_t generation; /* the generation of that config */
    uint32_t within_ms;
    uint64_t deadline_ms;
    uint32_t trial_crashes;
};

struct supervisor_verdict {
    bool ends; /* the parent has to end, with: */
    int exit_code;
    uint32_t wait_ms; /* otherwise, the time until the next start */
};

/* The child has sent a message. */
void supervisor_policy_on_note(struct supervisor_policy *policy, const struct supervisor_note *note,
                               uint64_t now_ms);

/* The child has ended; `status` is from waitpid(). */
struct supervisor_verdict supervisor_policy_on_end(struct supervisor_policy *policy, int status,
                                                   bool is_stopping, uint64_t now_ms);

/* Fills in the order for the child to be started now. The caller adds the ending. */
void supervisor_policy_order(const struct supervisor_policy *policy, struct supervisor_order *order,
                             uint64_t now_ms);

#endif
