/* SPDX-License-Identifier: MIT */
/* served_file.h — may what was opened be served? The last look, by descriptor, at each file and folder
 * that is opened for a client: not when it is the node's own or outside of the owner's policy
 * (bounds.h), and not when it is a file of keys or passwords of the config, by whatever name or link. */
#ifndef FARMSTEAD_SERVED_FILE_H
#define FARMSTEAD_SERVED_FILE_H

#include "base/buf.h"
#include "config/config.h"

#include <stdbool.h>
#include <sys/stat.h>

/* The files with keys and passwords that a config names. Immutable. */
struct kept_files;

/* Looks where they are now: never on a loop's thread. NULL: there are none. */
struct kept_files *kept_files_new(const struct config *cfg);
void kept_files_free(struct kept_files *kept); /* NULL is allowed */

/* Appends what tells one set from another: what a look-up found under one may not hold under the other.
 * `kept` may be NULL. */
void kept_files_append(struct buf *out, const struct kept_files *kept);

/* `kept` may be NULL. `st` is of `fd`. Does not wait for a disk. Any thread. */
bool served_file_is_allowed(const struct kept_files *kept, int fd, const struct stat *st);

#endif
