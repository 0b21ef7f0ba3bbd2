/* SPDX-License-Identifier: MIT */
/* log.h — the error log: one line per event, on standard error or in a file.
 *
 * Lines go into a bounded buffer that a thread of the log writes out (log_out.h), so that a full
 * disk or a pipe nobody reads never holds up anybody; what finds no room is counted and reported
 * later. Without that thread, before log_start() and after log_stop(), a line goes to standard
 * error at once, if that takes it. Any thread. */
#ifndef FARMSTEAD_LOG_H
#define FARMSTEAD_LOG_H

#include "config/config.h"
#include "log/log_file.h"
#include "log/log_tail.h"

#include <stdbool.h>
#include <sys/types.h>

/* Until the next call; `path` "" is standard error, and one that is open already is not opened anew. 0,
 * or a negative number and why; then nothing changes. Starts the thread, too. */
int log_configure(const char *path, enum config_log_level level, struct log_file_problem *problem);
/* After rotation: opens the path anew unless it names the open file still. Keeps that when it fails. */
int log_reopen(struct log_file_problem *problem);
/* If we made the file, it becomes that user's. 0 or a negative UV_E*. */
int log_give(uid_t uid, gid_t gid);
void log_start(void); /* the writing thread */
void log_stop(void);  /* writes out what is left, for two seconds at most */

/* Whether standard error takes a line now: a pipe that is full, or a terminal that was stopped,
 * does not, and who writes all the same waits. */
bool log_stderr_is_ready(void);

/* Where lines go without a thread, instead: for a process that has but one. */
void log_divert(void (*write_line)(const char *line, size_t len));

/* From now on every line is kept there too, when it is written, not when it reaches the file:
 * `tail` lives as long as the process. */
void log_keep(struct log_tail *tail);
/* The lines that are kept, oldest first, each with its "\n", for the caller to free, and how many
 * there have been; "" when none are kept. */
char *log_kept(uint64_t *lines);

void log_write(enum config_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
