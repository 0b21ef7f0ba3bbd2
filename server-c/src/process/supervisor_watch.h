/* SPDX-License-Identifier: MIT */
/* supervisor_watch.h — finds out if the event loops or the agent of the serving process have been
 * silent for too long. Counts turns of the parent's own clock (SUPERVISOR_BEAT_MS), so that a
 * machine that was asleep, or stopped with everything on it, does not look like a child that hangs.
 *
 * Pure: no clock, no process. */
#ifndef FARMSTEAD_SUPERVISOR_WATCH_H
#define FARMSTEAD_SUPERVISOR_WATCH_H

#include "process/supervisor_wire.h"

#include <stdbool.h>

enum supervisor_watched { WATCHED_LOOPS, WATCHED_AGENT, WATCHED_COUNT };

struct supervisor_watch {
    struct {
        bool has_beaten; /* false: it is starting, and may take its time */
        unsigned silent_turns;
    } watched[WATCHED_COUNT];
    unsigned stopping_turns;
    /* An agent that hangs repeatedly, say on a disk, gets more time after each restart, because
     * visitors of the sites suffer from each one. */
    unsigned agent_doublings, agent_beats;
    char hang[SUPERVISOR_ENDING_LEN]; /* why this child is being ended; "": it is not */
};

/* A new child has started. */
void supervisor_watch_begin(struct supervisor_watch *watch);
void supervisor_watch_on_beat(struct supervisor_watch *watch, enum supervisor_watched who);
/* The child has been told to end. */
void supervisor_watch_on_stop(struct supervisor_watch *watch);

/* Call it at the end of each turn. True if the child hangs, then and at each later turn; `hang`
 * tells why. */
bool supervisor_watch_turn(struct supervisor_watch *watch, bool is_stopping);

#endif
