/* SPDX-License-Identifier: MIT */
/* After which ends of the serving process the parent ends, when it starts the next one, and with
 * what. */
#include "process/supervisor_policy.c"

#include "check.h"

#define EXIT(code) ((code) << 8) /* as waitpid() says it */
#define SEGV 11

static struct supervisor_policy policy;

static void note(enum supervisor_said said, uint64_t generation, uint32_t within_ms,
                 uint64_t now_ms)
{
    struct supervisor_note one = {said, within_ms, generation};
    supervisor_policy_on_note(&policy, &one, now_ms);
}

static void ready(uint64_t now_ms)
{
    note(SUPERVISOR_SAID_READY, 0, 0, now_ms);
}

static struct supervisor_order order_at(uint64_t now_ms)
{
    struct supervisor_order order;
    supervisor_policy_order(&policy, &order, now_ms);
    return order;
}

static void ends(void)
{
    static const struct {
        int line;
        const char *name;
        bool was_ready, is_ready, is_stopping;
        int status;
        bool ends;
        int exit_code;
    } rows[] = {
        {__LINE__, "a clean stop", true, true, true, EXIT(0), true, 0},
        {__LINE__, "a stop that a disk held up", true, true, true, EXIT(1), true, 1},
        {__LINE__, "stopped before it listened", false, false, true, SIGTERM, true, 0},
        {__LINE__, "interrupted before it listened", false, false, true, SIGINT, true, 0},
        {__LINE__, "crashed while it stopped", true, true, true, SEGV, true, 1},
        {__LINE__, "could not start", false, false, false, EXIT(1), true, 1},
        {__LINE__, "bad usage", false, false, false, EXIT(2), true, 2},
        {__LINE__, "crashed at its start", false, false, false, SEGV, false, 0},
        {__LINE__, "crashed", true, true, false, SEGV, false, 0},
        {__LINE__, "killed", true, true, false, SIGKILL, false, 0},
        {__LINE__, "gave up", true, true, false, EXIT(1), false, 0},
        {__LINE__, "could not start again", true, false, false, EXIT(1), false, 0},
        {__LINE__, "told to stop by somebody", true, true, false, EXIT(0), true, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        policy = (struct supervisor_policy){.was_ready = rows[i].was_ready,
                                            .is_ready = rows[i].is_ready};
        struct supervisor_verdict verdict =
            supervisor_policy_on_end(&policy, rows[i].status, rows[i].is_stopping, 1000);
        CHECK_INT(rows[i].line, rows[i].name, verdict.ends, rows[i].ends);
        CHECK_INT(rows[i].line, rows[i].name, verdict.exit_code, rows[i].exit_code);
    }
}

static void waits_grow_and_begin_anew(void)
{
    static const uint32_t waits[] = {100, 200, 400, 800, 1600, 3200, 5000, 5000};
    uint64_t now = 0;

    policy = (struct supervisor_policy){0};
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        ready(now);
        now += 59999;
        struct supervisor_verdict verdict = supervisor_policy_on_end(&policy, SEGV, false, now);
        CHECK_INT((int)i, "wait", verdict.wait_ms, waits[i]);
    }
    ready(now);
    ready(now + 60000); /* after a reload: the same start */
    CHECK_INT(__LINE__, "after a steady minute",
              supervisor_policy_on_end(&policy, SEGV, false, now + 60000).wait_ms, 100);
    policy.crashes = UINT32_MAX - 1;
    CHECK_INT(__LINE__, "after any number",
              supervisor_policy_on_end(&policy, SEGV, false, now).wait_ms, 5000);
}

static void crash_at(uint64_t now_ms)
{
    supervisor_policy_on_end(&policy, SEGV, false, now_ms);
}

static void a_trial_gets_a_second_try(void)
{
    policy = (struct supervisor_policy){0};
    ready(0);
    CHECK_INT(__LINE__, "nothing is on trial", order_at(0).start, SUPERVISOR_START_PLAIN);
    note(SUPERVISOR_SAID_TRIAL, 7, 60000, 1000);
    crash_at(2000);
    struct supervisor_order order = order_at(2100);
    CHECK_INT(__LINE__, "again", order.start, SUPERVISOR_START_RESUME);
    CHECK_INT(__LINE__, "which", order.generation, 7);
    CHECK_INT(__LINE__, "what is left", order.remaining_ms, 58900);
    CHECK_INT(__LINE__, "of", order.within_ms, 60000);
    note(SUPERVISOR_SAID_TRIAL, 7, 60000, 2200);
    CHECK_INT(__LINE__, "its time runs on", policy.deadline_ms, 61000);
    crash_at(3000);
    order = order_at(3100);
    CHECK_INT(__LINE__, "not a third", order.start, SUPERVISOR_START_CRASH_LOOP);
    CHECK_INT(__LINE__, "which", order.generation, 7);
    crash_at(3200); /* before the child could write it to the disk */
    CHECK_INT(__LINE__, "said again", order_at(3300).start, SUPERVISOR_START_CRASH_LOOP);
    note(SUPERVISOR_SAID_SETTLED, 0, 0, 3400);
    crash_at(3500);
    CHECK_INT(__LINE__, "said once", order_at(3600).start, SUPERVISOR_START_PLAIN);
}

static void a_trial_ends(void)
{
    policy = (struct supervisor_policy){0};
    note(SUPERVISOR_SAID_TRIAL, 7, 1000, 0);
    crash_at(900);
    CHECK_INT(__LINE__, "its time is over", order_at(1000).start, SUPERVISOR_START_PLAIN);

    policy = (struct supervisor_policy){0};
    note(SUPERVISOR_SAID_TRIAL, 7, 60000, 0);
    note(SUPERVISOR_SAID_SETTLED, 0, 0, 10);
    crash_at(900);
    CHECK_INT(__LINE__, "confirmed", order_at(1000).start, SUPERVISOR_START_PLAIN);

    policy = (struct supervisor_policy){0};
    note(SUPERVISOR_SAID_TRIAL, 7, 60000, 0);
    crash_at(10);
    note(SUPERVISOR_SAID_TRIAL, 8, 60000, 20);
    crash_at(30);
    CHECK_INT(__LINE__, "another's first crash", order_at(40).start, SUPERVISOR_START_RESUME);
    CHECK_INT(__LINE__, "another", order_at(40).generation, 8);

    note(99, 1, 1, 50); /* a message that does not exist */
    CHECK_INT(__LINE__, "is passed over", order_at(60).generation, 8);
}

int main(void)
{
    ends();
    waits_grow_and_begin_anew();
    a_trial_gets_a_second_try();
    a_trial_ends();
    return check_end("supervisor_policy");
}
