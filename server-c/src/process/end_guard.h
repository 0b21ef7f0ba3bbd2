/* SPDX-License-Identifier: MIT */
/* end_guard.h — SIGTERM and SIGINT end the process whatever it is doing, such as a reload or a stop
 * that waits for a disk. */
#ifndef FARMSTEAD_END_GUARD_H
#define FARMSTEAD_END_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The signal that the calling thread gets instead of SIGTERM and SIGINT, to stop in an orderly
 * way. */
#define END_GUARD_SIGNAL SIGRTMIN

/* Starts a thread that receives these two signals, which all threads must have blocked, in place of
 * the calling one; `within_ms` later it ends the process with exit code 1, whatever it is doing.
 * False: no thread is available, and the caller still has to wait for the signals itself. */
bool end_guard_start(uint32_t within_ms);

#endif
