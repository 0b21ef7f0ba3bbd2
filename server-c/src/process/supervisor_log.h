/* SPDX-License-Identifier: MIT */
/* supervisor_log.h — the parent's own lines on standard error, written by a process that is forked
 * for them: a pipe that nobody reads or a disk that hangs holds that one up, never the parent,
 * which has one thread.
 *
 * What comes meanwhile waits, bounded; what finds no room is counted and told later. */
#ifndef FARMSTEAD_SUPERVISOR_LOG_H
#define FARMSTEAD_SUPERVISOR_LOG_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on every line goes this way. */
void supervisor_log_start(void);
/* A child has been waited for: true when it was one that writes. */
bool supervisor_log_on_end(pid_t pid);
/* Waits for what is left, for a second at most; lines after this are written at once. */
void supervisor_log_stop(void);

#endif
