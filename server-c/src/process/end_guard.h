/* SPDX-License-Identifier: MIT */
/* end_guard.h — SIGTERM and SIGINT end the process, whatever it is busy with: a reload that waits
 * for a disk, say, or a stop that does. */
#ifndef FARMSTEAD_END_GUARD_H
#define FARMSTEAD_END_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What the calling thread gets instead of SIGTERM and SIGINT, to stop in its own time. */
#define END_GUARD_SIGNAL SIGRTMIN

/* Starts a thread that takes these two, which all threads have blocked, for the calling one, and
 * `within_ms` later ends the process with exit code 1, wherever it stands. False: no thread is to
 * be had, and they are still the caller's to wait for. */
bool end_guard_start(uint32_t within_ms);

#endif
