/* SPDX-License-Identifier: MIT */
/* pid_file.h — the file that names a process of ours, for whoever sends it signals. */
#ifndef FARMSTEAD_PID_FILE_H
#define FARMSTEAD_PID_FILE_H

#include <sys/types.h>

#define PID_FILE_WHY_LEN 512

struct pid_file;

/* Writes it, whole or not at all. `pid` is this process or its parent. NULL with `why` when it can't,
 * or when the file names another process of ours that lives. While it may still write there. */
struct pid_file *pid_file_write(const char *path, pid_t pid, char why[PID_FILE_WHY_LEN]);

/* Removes the file if it is still this one, or empties it where it may not be removed any
 * more. Frees. NULL is allowed. */
void pid_file_remove(struct pid_file *file);

#endif
