/* SPDX-License-Identifier: MIT */
/* log_place.h — where a log lies and whose it is, for both logs.
 *
 * A node that root started opens its logs before it becomes another user. What it made then it gives
 * to that user, and a file that is open is not opened a second time while its name still stands for
 * it: so nothing is demanded that only root could do. Any thread but a loop's. */
#ifndef FARMSTEAD_LOG_PLACE_H
#define FARMSTEAD_LOG_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens the file at `path` with `flags`, or makes it: then *is_made. 0 or a negative UV_E*. */
int log_place_open(const char *path, int flags, int *fd, bool *is_made);

/* Whether `path` still is the file that fstat(2) said this of. */
bool log_place_is(const char *path, const struct stat *held);

#endif
