/* SPDX-License-Identifier: MIT */
/* One exchange at a time, a slow one no longer than a turn, and polls that end when a report is
 * due. */
#include "agent/agent_turns.c"

#include "base/util.h"
#include "check.h"

static void one_at_a_time(void)
{
    struct agent_turns turns = {0};
    CHECK_INT(__LINE__, "nothing is under way", agent_turns_is_free(&turns, 5), true);
    for (int i = 0; i < AGENT_SLOT_COUNT; i++) {
        enum agent_slot slot = (enum agent_slot)i;
        agent_turns_begin(&turns, slot, 100, 0);
        CHECK_INT(i, "under way", agent_turns_is_free(&turns, 100), false);
        CHECK_INT(i, "slow", agent_turns_is_free(&turns, 100 + AGENT_TURN_MS - 1), false);
        CHECK_INT(i, "too slow", agent_turns_is_free(&turns, 100 + AGENT_TURN_MS), true);
        agent_turns_end(&turns, slot);
        CHECK_INT(i, "answered", agent_turns_is_free(&turns, 101), true);
    }
}

static void a_poll_has_its_time(void)
{
    struct agent_turns turns = {0};
    agent_turns_begin(&turns, AGENT_SLOT_DESIRED, 100, 5000);
    CHECK_INT(__LINE__, "in its time", agent_turns_is_free(&turns, 5100), false);
    CHECK_INT(__LINE__, "late", agent_turns_is_free(&turns, 5100 + AGENT_TURN_MS), true);
}

/* One that is too slow keeps nobody waiting, but those that began since do. */
static void a_slow_one_and_another(void)
{
    struct agent_turns turns = {0};
    agent_turns_begin(&turns, AGENT_SLOT_REPORT, 0, 0);
    agent_turns_begin(&turns, AGENT_SLOT_DESIRED, AGENT_TURN_MS, 5000);
    CHECK_INT(__LINE__, "the second", agent_turns_is_free(&turns, AGENT_TURN_MS + 1), false);
    agent_turns_end(&turns, AGENT_SLOT_DESIRED);
    CHECK_INT(__LINE__, "the first", agent_turns_is_free(&turns, AGENT_TURN_MS + 1), true);
}

static void polls(void)
{
    static const struct {
        int line;
        bool is_owed;
        uint64_t now, next;
        uint32_t most, wait;
        bool may;
    } rows[] = {
        {__LINE__, false, 1000, 6000, 25000, 5000, true},
        {__LINE__, false, 1000, UINT64_MAX, 25000, 25000, true},
        {__LINE__, false, 1000, 1000 + AGENT_POLL_LEAST_MS, 25000, AGENT_POLL_LEAST_MS, true},
        {__LINE__, false, 1000, 1000 + AGENT_POLL_LEAST_MS - 1, 25000, AGENT_POLL_LEAST_MS - 1,
         false},
        {__LINE__, false, 1000, 1000, 25000, 0, false},
        {__LINE__, false, 1000, 900, 25000, 0, false},
        {__LINE__, true, 1000, 900, 25000, 0, true},
        {__LINE__, true, 1000, 1010, 25000, 10, true},
        {__LINE__, true, 1000, 6000, 3000, 3000, true},
    };
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct agent_turns turns = {.is_poll_owed = rows[r].is_owed};
        uint32_t wait = UINT32_MAX;
        bool may = agent_turns_poll(&turns, rows[r].now, rows[r].next, rows[r].most, &wait);
        CHECK_INT(rows[r].line, "may", may, rows[r].may);
        CHECK_INT(rows[r].line, "wait", wait, rows[r].wait);
    }
}

static void while_something_comes(void)
{
    CHECK_INT(__LINE__, "at once", agent_turns_patience(1000, 1000), 1000 + AGENT_POLL_LEAST_MS);
    CHECK_INT(__LINE__, "for a second", agent_turns_patience(1000, 2000), 3000);
    CHECK_INT(__LINE__, "for an hour", agent_turns_patience(1000, 3601000), 7201000);
    CHECK_INT(__LINE__, "not yet", agent_turns_patience(1000, 900), 900 + AGENT_POLL_LEAST_MS);
}

static void polls_and_reports_alternate(void)
{
    struct agent_turns turns = {0};
    agent_turns_begin(&turns, AGENT_SLOT_REPORT, 0, 0);
    CHECK_INT(__LINE__, "after a report", turns.is_poll_owed, true);
    agent_turns_begin(&turns, AGENT_SLOT_TALK, 0, 0);
    agent_turns_begin(&turns, AGENT_SLOT_FETCH, 0, 0);
    CHECK_INT(__LINE__, "whatever else is said", turns.is_poll_owed, true);
    agent_turns_begin(&turns, AGENT_SLOT_DESIRED, 0, 0);
    CHECK_INT(__LINE__, "after a poll", turns.is_poll_owed, false);
}

int main(void)
{
    one_at_a_time();
    a_poll_has_its_time();
    a_slow_one_and_another();
    polls();
    while_something_comes();
    polls_and_reports_alternate();
    return check_end("agent_turns");
}
