/* SPDX-License-Identifier: MIT */
/* supervisor_policy.c — the table in supervisor_policy.h, and which crashes count as a row. */
#include "process/supervisor_policy.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define WAIT_FIRST_MS 100
#define WAIT_MAX_MS 5000
#define STEADY_MS 60000 /* after serving for so long, crashes are counted from zero */
#define CRASHES_MAX 2   /* for a config that is not confirmed */

static void begin_trial(struct supervisor_policy *policy, const struct supervisor_note *note,
                        uint64_t now_ms)
{
    /* The second attempt with a config keeps its count and its time. */
    if (policy->on_trial && policy->generation == note->generation)
        return;
    policy->on_trial = true;
    policy->generation = note->generation;
    policy->within_ms = note->within_ms;
    policy->deadline_ms = now_ms + note->within_ms;
    policy->trial_crashes = 0;
}

void supervisor_policy_on_note(struct supervisor_policy *policy, const struct supervisor_note *note,
                               uint64_t now_ms)
{
    switch (note->said) {
    case SUPERVISOR_SAID_READY:
        if (!policy->is_ready)
            policy->ready_at_ms = now_ms;
        policy->is_ready = true;
        policy->was_ready = true;
        break;
    case SUPERVISOR_SAID_TRIAL:
        begin_trial(policy, note, now_ms);
        break;
    case SUPERVISOR_SAID_SETTLED:
        policy->on_trial = false;
        break;
    default:
        break;
    }
}

static uint32_t wait_ms(const struct supervisor_policy *policy)
{
    uint32_t doublings = policy->crashes - 1;

    return doublings < 6 ? WAIT_FIRST_MS << doublings : WAIT_MAX_MS;
}

/* SIGTERM and SIGINT may reach a child that does not handle them yet. */
static int exit_code(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT ? 0 : 1;
}

struct supervisor_verdict supervisor_policy_on_end(struct supervisor_policy *policy, int status,
                                                   bool is_stopping, uint64_t now_ms)
{
    bool was_steady = policy->is_ready && now_ms - policy->ready_at_ms >= STEADY_MS;
    bool could_not_start = !policy->was_ready && WIFEXITED(status);
    bool was_stopped = WIFEXITED(status) && WEXITSTATUS(status) == 0;

    policy->is_ready = false;
    if (is_stopping || could_not_start || was_stopped)
        return (struct supervisor_verdict){true, exit_code(status), 0};
    policy->crashes = was_steady ? 1 : policy->crashes + 1;
    if (policy->on_trial)
        policy->trial_crashes++;
    return (struct supervisor_verdict){false, 0, wait_ms(policy)};
}

void supervisor_policy_order(const struct supervisor_policy *policy, struct supervisor_order *order,
                             uint64_t now_ms)
{
    memset(order, 0, sizeof(*order));
    if (!policy->on_trial)
        return;
    order->generation = policy->generation;
    order->within_ms = policy->within_ms;
    if (policy->trial_crashes >= CRASHES_MAX) {
        order->start = SUPERVISOR_START_CRASH_LOOP;
    } else if (policy->deadline_ms > now_ms) {
        order->start = SUPERVISOR_START_RESUME;
        order->remaining_ms = (uint32_t)(policy->deadline_ms - now_ms);
    }
}
