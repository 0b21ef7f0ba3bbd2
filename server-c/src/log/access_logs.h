/* SPDX-License-Identifier: MIT */
/* access_logs.h — the access logs that are open, by where they go: sites that name the same place share
 * one.
 *
 * A log that no config names any more stays while requests that began under an older one may still have
 * a line for it. Any thread but that of a loop. */
#ifndef FARMSTEAD_ACCESS_LOGS_H
#define FARMSTEAD_ACCESS_LOGS_H

#include "log/access_log.h"

struct access_logs;

struct access_logs *access_logs_new(void);
/* Ends all of them. False: the disk of one does not answer. */
bool access_logs_free(struct access_logs *logs);

/* Returns a reference to the log that goes to `target`. NULL: it is not open. */
struct access_log *access_logs_find(struct access_logs *logs, const char *target);
/* Opens it unless it is open; nobody has a reference to a new one yet. 0, or a negative number and the
 * problem. */
int access_logs_open(struct access_logs *logs, const char *target,
                     struct log_file_problem *problem);
/* Ends those that nobody has a reference to. False as above. */
bool access_logs_end_unused(struct access_logs *logs);

/* Calls `function` with each log. */
void access_logs_each(struct access_logs *logs, void (*function)(struct access_log *log, void *arg),
                      void *arg);

#endif
