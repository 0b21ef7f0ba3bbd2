/* SPDX-License-Identifier: MIT */
/* supervised.h — what the serving process knows of its parent (supervisor.h): what it is told at
 * its start, and what it reports afterwards.
 *
 * One per process. Without a parent, in tests, everything here does nothing. Reports never wait: a
 * parent that does not listen is ignored. */
#ifndef FARMSTEAD_SUPERVISED_H
#define FARMSTEAD_SUPERVISED_H

#include "process/supervisor_wire.h"
#include "server/server.h"

#include <stdbool.h>

/* What happened before this process was started. */
struct supervised_past {
    struct supervisor_order order; /* all zero: nothing */
    /* Of the previous process's error log, each with its "\n"; NULL: none. */
    char *last_lines;
};
void supervised_past_fini(struct supervised_past *past);

/* Call it first. Takes over the descriptors in `text` ("SOCKET,MEMORY,LOCK"), and arranges that the
 * kernel ends this process with its parent. Returns 0 and *lock_fd, the lock of the state folder,
 * which this process shares with its parent; or -1 if `text` is not from a parent. */
int supervised_start(const char *text, struct supervised_past *past, int *lock_fd);

/* Has the kernel end this process by SIGKILL when the parent ends, so that nothing goes on serving
 * unattended. Call it again after a change of user, which undoes it. */
void supervised_end_with_parent(void);

/* The process to send signals to: the parent, or this one if there is no parent. */
pid_t supervised_main_pid(void);

/* See supervisor_wire.h. Any thread. */
void supervised_ready(void);
void supervised_trial(uint64_t generation, uint32_t within_ms);
void supervised_settled(void);

/* Reports that the agent's thread is alive, at most once in half a beat. Agent's thread only. */
void supervised_agent_turns(void);

/* Starts a thread that asks every event loop, and tells the parent when all have answered. The
 * parent ends a process that is silent for long. Stop the thread before the server. */
void supervised_beat_start(struct server *server);
void supervised_beat_stop(void);

#endif
