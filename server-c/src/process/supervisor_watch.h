/* SPDX-License-Identifier: MIT */
/* supervisor_watch.h — who in the serving process has been silent for too long: its event loops, or
 * its agent. Counted in turns of the parent's own clock (SUPERVISOR_BEAT_MS), so that a machine that
 * slept, or was stopped with all that runs on it, does not look like a child that hangs.
 *
 * Pure: no clock, no process. */
#ifndef FARMSTEAD_SUPERVISOR_WATCH_H
#define FARMSTEAD_SUPERVISOR_WATCH_H

#include "process/supervisor_wire.h"

#include <stdbool.h>

enum supervisor_watched { WATCHED_LOOPS, WATCHED_AGENT, WATCHED_COUNT };

struct supervisor_watch {
    struct {
        bool has_beaten; /* before that it may take its time */
        unsigned silent_turns;
    } watched[WATCHED_COUNT];
    unsigned stopping_turns;
    /* An agent that hangs again and again, over a disk say, gets more time each time: who visits
     * the sites suffers from each end. */
    unsigned agent_doublings, agent_beats;
    char hang[SUPERVISOR_ENDING_LEN]; /* why this child is ended; "": it is not */
};

/* Another child begins. */
void supervisor_watch_begin(struct supervisor_watch *watch);
void supervisor_watch_on_beat(struct supervisor_watch *watch, enum supervisor_watched who);
/* It has been told to end. */
void supervisor_watch_on_stop(struct supervisor_watch *watch);

/* A turn is over. True when the child hangs, and at each turn after that; `hang` says what it is. */
bool supervisor_watch_turn(struct supervisor_watch *watch, bool is_stopping);

#endif
