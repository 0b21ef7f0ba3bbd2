/* SPDX-License-Identifier: MIT */
/* How long a node waits after failures: longer each time, never for long, and never all at once. */
#include "agent/agent_apply.h"

#include <stdbool.h>

static bool is_urgent;
#define agent_apply_is_urgent(apply) ((void)(apply), is_urgent)
#include "agent/agent_session.c"
#undef agent_apply_is_urgent

#include "check.h"

static void test_bounds(void)
{
    static const struct {
        unsigned failures;
        bool is_urgent;
        uint32_t bound;
    } rows[] = {
        {0, false, 500},   {1, false, 1000},         {2, false, 2000}, {3, false, 4000},
        {4, false, 5000},  {6, false, 5000},         {7, false, 5000}, {31, false, 5000},
        {32, false, 5000}, {1000, false, 5000},      {0, true, 500},   {2, true, 2000},
        {3, true, 2000},   {UINT32_MAX, true, 2000},
    };
    static struct agent agent;

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        uint32_t least = UINT32_MAX, most = 0;
        is_urgent = rows[r].is_urgent;
        for (int i = 0; i < 2000; i++) {
            uint32_t ms = backoff_ms(&agent, rows[r].failures);
            least = ms < least ? ms : least;
            most = ms > most ? ms : most;
        }
        CHECK_TRUE(least >= rows[r].bound / 10 && most < rows[r].bound, "row %zu: %u to %u", r,
                   least, most);
        CHECK_TRUE(least < rows[r].bound / 4 && most > rows[r].bound * 3 / 4,
                   "row %zu: all at once, %u to %u", r, least, most);
    }
    is_urgent = false;
}

/* Each slot has its own count. */
static void test_slots(void)
{
    static struct agent agent;
    uint64_t now = agent_now_ms();

    agent.clocks[AGENT_SLOT_TALK].failures = 3;
    agent_back_off(&agent, AGENT_SLOT_TALK);
    CHECK_INT(__LINE__, "one more", agent.clocks[AGENT_SLOT_TALK].failures, 4);
    CHECK_TRUE(agent.clocks[AGENT_SLOT_TALK].due_ms >= now + 400, "waits");
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++)
        if (i != AGENT_SLOT_TALK)
            CHECK_INT((int)i, "another's", agent.clocks[i].failures + agent.clocks[i].due_ms, 0);
    agent_begin_session(&agent, 77);
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++)
        CHECK_INT((int)i, "all are due", agent.clocks[i].due_ms, 77);
    CHECK_INT(__LINE__, "in session", agent.in_session, true);
}

/* A trouble is told once, until there is another or a session came between. */
static void test_news(void)
{
    static struct agent agent;

    CHECK_INT(__LINE__, "a first", is_news(&agent, 7), true);
    CHECK_INT(__LINE__, "the same", is_news(&agent, 7), false);
    CHECK_INT(__LINE__, "another", is_news(&agent, 8), true);
    CHECK_INT(__LINE__, "the first again", is_news(&agent, 7), true);
    agent.in_session = true;
    CHECK_INT(__LINE__, "after a session", is_news(&agent, 7), true);
}

int main(void)
{
    test_bounds();
    test_slots();
    test_news();
    return check_end("agent_session");
}
