/* SPDX-License-Identifier: MIT */
/* log.h — the error log: one line per event, on standard error or in a file.
 *
 * Lines go into a buffer of limited size, from which a thread of the log writes them (log_out.h).
 * So nobody has to wait because of a full disk or a pipe that is not read. Lines that don't fit are
 * counted and reported later. When that thread does not run, before log_start() and after
 * log_stop(), a line goes to standard error at once, if that can take it. Any thread. */
#ifndef FARMSTEAD_LOG_H
#define FARMSTEAD_LOG_H

#include "config/config.h"
#include "log/log_file.h"
#include "log/log_tail.h"

#include <stdbool.h>
#include <sys/types.h>

/* Sets where lines go, and which. `path` "" is standard error; a path that is open already is not
 * opened again. Starts the thread, too. 0, or a negative number and the problem; then nothing has
 * changed. */
int log_configure(const char *path, enum config_log_level level, struct log_file_problem *problem);
/* Call it after rotation: opens the path again unless it is still the open file. If that fails the
 * open file is kept. */
int log_reopen(struct log_file_problem *problem);
/* Gives the file to that user, if we have created it. 0 or a negative UV_E*. */
int log_give(uid_t uid, gid_t gid);
void log_start(void); /* starts the thread */
void log_stop(void);  /* writes what is left, for at most two seconds */

/* Can standard error take a line now? If it is a full pipe or a stopped terminal it can't, and
 * writing would have to wait. */
bool log_stderr_is_ready(void);

/* Sets where lines go without the thread, for a process that has a single thread. */
void log_divert(void (*write_line)(const char *line, size_t len));

/* Keeps every line in `tail` as well, from now on and as soon as it is logged, not when it reaches
 * the file. `tail` must live as long as the process. */
void log_keep(struct log_tail *tail);
/* Returns the lines that are kept, oldest first, each with its "\n", and how many there have been.
 * The caller frees them; "": none are kept. */
char *log_kept(uint64_t *lines);

void log_write(enum config_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
