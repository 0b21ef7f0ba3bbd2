/* SPDX-License-Identifier: MIT */
/* supervisor_watch.c — a counter of silent turns for each that is watched, and how many are too
 * many. */
#include "process/supervisor_watch.h"

#include <stdio.h>
#include <string.h>

#define LOOPS_TURNS 6     /* so many silent turns: the loops hang */
#define AGENT_TURNS 12    /* the agent hangs; it may wait for a slow disk or a name server */
#define STOPPING_TURNS 3  /* it hangs while stopping; longer than it waits for a disk */
#define STEADY_BEATS 1440 /* beats of the agent, an hour or more, that undo its extra time */
#define DOUBLINGS_MAX 6

void supervisor_watch_begin(struct supervisor_watch *watch)
{
    memset(watch->watched, 0, sizeof(watch->watched));
    watch->hang[0] = '\0';
    watch->agent_beats = 0;
}

void supervisor_watch_on_beat(struct supervisor_watch *watch, enum supervisor_watched who)
{
    watch->watched[who].has_beaten = true;
    watch->watched[who].silent_turns = 0;
    if (who == WATCHED_AGENT && ++watch->agent_beats >= STEADY_BEATS)
        watch->agent_doublings = 0;
}

void supervisor_watch_on_stop(struct supervisor_watch *watch)
{
    watch->stopping_turns = 0;
}

/* The first reason is kept. */
static bool hangs(struct supervisor_watch *watch, const char *what, unsigned turns)
{
    if (watch->hang[0] == '\0')
        snprintf(watch->hang, sizeof(watch->hang), "%s %u s", what,
                 turns * SUPERVISOR_BEAT_MS / 1000);
    return true;
}

static bool is_silent(struct supervisor_watch *watch, enum supervisor_watched who, unsigned limit)
{
    return watch->watched[who].has_beaten && ++watch->watched[who].silent_turns >= limit;
}

bool supervisor_watch_turn(struct supervisor_watch *watch, bool is_stopping)
{
    unsigned agent_turns = AGENT_TURNS << watch->agent_doublings;

    if (is_stopping)
        return ++watch->stopping_turns >= STOPPING_TURNS &&
               hangs(watch, "it did not end within", STOPPING_TURNS);
    bool loops_hang = is_silent(watch, WATCHED_LOOPS, LOOPS_TURNS);
    bool agent_hangs = is_silent(watch, WATCHED_AGENT, agent_turns);
    if (loops_hang)
        return hangs(watch, "its event loops did not answer for", LOOPS_TURNS);
    if (!agent_hangs)
        return false;
    if (watch->hang[0] == '\0' && watch->agent_doublings < DOUBLINGS_MAX)
        watch->agent_doublings++;
    return hangs(watch, "its agent did not answer for", agent_turns);
}
