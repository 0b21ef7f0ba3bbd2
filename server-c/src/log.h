/* SPDX-License-Identifier: MIT */
/* log.h — the error log: one line per event, on standard error or in a file.
 *
 * Lines go into a bounded buffer that a thread of the log writes out, so that a full disk or a
 * pipe nobody reads never holds up an event loop; what finds no room is counted and reported
 * later. Before log_start() and after log_stop() lines are written at once. Any thread. */
#ifndef FARMSTEAD_LOG_H
#define FARMSTEAD_LOG_H

#include "config.h"
#include "log_tail.h"

#include <sys/types.h>

/* Until the next call; `path` "" is standard error. A path that is open already is not opened anew.
 * 0 or a negative UV_E*, then nothing changes. */
int log_configure(const char *path, enum config_log_level level);
/* After rotation: opens the path anew unless it still is the open file. Keeps that when it fails. */
int log_reopen(void);
/* If we made the file, it becomes that user's. 0 or a negative UV_E*. */
int log_give(uid_t uid, gid_t gid);
void log_start(void); /* the writing thread; at most once at a time */
void log_stop(void);  /* writes out what is left */

/* From now on every line is kept there too, when it is written, not when it reaches the file: `tail`
 * lives as long as the process. */
void log_keep(struct log_tail *tail);
/* The lines that are kept, oldest first, each with its "\n", for the caller to free, and how many there
 * have been; "" when none are kept. */
char *log_kept(uint64_t *lines);

void log_write(enum config_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
