/* SPDX-License-Identifier: MIT */
/* supervised.h — the serving process's side of its parent (supervisor.h): what it is told at its
 * start, and what it says from then on.
 *
 * One per process. Where there is no parent, in tests, everything here does nothing. Whatever is
 * said never waits: a parent that does not listen is passed over. */
#ifndef FARMSTEAD_SUPERVISED_H
#define FARMSTEAD_SUPERVISED_H

#include "process/supervisor_wire.h"
#include "server/server.h"

#include <stdbool.h>

/* What came before this process. */
struct supervised_past {
    struct supervisor_order order; /* all zero: nothing */
    char *last_lines;              /* of its error log, each with "\n"; NULL: none */
};
void supervised_past_fini(struct supervised_past *past);

/* First thing: takes over the descriptors that `text` names ("SOCKET,MEMORY,LOCK") and its signals'
 * end with the parent's. 0 and *lock_fd, the state folder's lock, which this process holds with its
 * parent; or -1: the text is not a parent's. */
int supervised_start(const char *text, struct supervised_past *past, int *lock_fd);

/* The kernel ends this process with its parent, by SIGKILL: nothing is left that serves without
 * anybody who answers for it. To be said again after a change of user, which undoes it. */
void supervised_end_with_parent(void);

/* Who is to be sent signals: the parent, or this process when there is none. */
pid_t supervised_main_pid(void);

/* See supervisor_wire.h. Any thread. */
void supervised_ready(void);
void supervised_trial(uint64_t generation, uint32_t within_ms);
void supervised_settled(void);

/* The agent's thread goes round; at most once in half a beat. That thread. */
void supervised_agent_turns(void);

/* A thread that asks every event loop and tells the parent that all have answered; the parent ends
 * a process that is silent for long. Stop it before the server. */
void supervised_beat_start(struct server *server);
void supervised_beat_stop(void);

#endif
