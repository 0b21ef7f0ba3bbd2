/* SPDX-License-Identifier: MIT */
/* supervisor_log.h — the parent's own lines on standard error. A forked process writes them, so
 * that a pipe that nobody reads, or a disk that hangs, holds up that process and not the parent,
 * which has a single thread.
 *
 * Further lines wait meanwhile in a queue of limited size. Lines that don't fit are counted, and
 * the number is logged later. */
#ifndef FARMSTEAD_SUPERVISOR_LOG_H
#define FARMSTEAD_SUPERVISOR_LOG_H

#include <stdbool.h>
#include <sys/types.h>

/* All lines are written like this from now on. */
void supervisor_log_start(void);
/* Call it when a child has been waited for. True if it was a writing process. */
bool supervisor_log_on_end(pid_t pid);
/* Waits for the rest to be written, at most a second. Later lines are written at once. */
void supervisor_log_stop(void);

#endif
