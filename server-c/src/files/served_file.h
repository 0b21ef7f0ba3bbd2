/* SPDX-License-Identifier: MIT */
/* served_file.h — may a file be served that was opened? The last check of each file and folder that
 * is opened for a client, by its descriptor. Refuses files of the node itself, files outside of the
 * owner's policy (bounds.h), and the config's files of keys and passwords, by whatever name or
 * link. */
#ifndef FARMSTEAD_SERVED_FILE_H
#define FARMSTEAD_SERVED_FILE_H

#include "base/buf.h"
#include "config/config.h"

#include <stdbool.h>
#include <sys/stat.h>

/* The files of keys and passwords that a config names. Immutable. */
struct kept_files;

/* Finds out where these files are now: never on a loop's thread. NULL: there are none. */
struct kept_files *kept_files_new(const struct config *cfg);
void kept_files_free(struct kept_files *kept); /* NULL is allowed */

/* Appends what distinguishes one set from another: results of look-ups under one are not valid
 * under another. `kept` may be NULL. */
void kept_files_append(struct buf *out, const struct kept_files *kept);

/* `kept` may be NULL, `st` is that of `fd`. Does not wait for a disk. Any thread. */
bool served_file_is_allowed(const struct kept_files *kept, int fd, const struct stat *st);

#endif
