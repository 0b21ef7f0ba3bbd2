/* SPDX-License-Identifier: MIT */
/* pid_file.h — the file that names a process of ours, for whoever sends it signals. */
#ifndef FARMSTEAD_PID_FILE_H
#define FARMSTEAD_PID_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#define PID_FILE_WHY_LEN 512

struct pid_file;

/* Whether a pid file may be at `path`: where nothing is, or where a file is that holds a number or
 * nothing and has no other name. 0, or -1 with the end of a sentence that begins with the path. */
int pid_file_look(const char *path, char why[PID_FILE_WHY_LEN]);

/* Whether the file at `path` names `pid`. */
bool pid_file_names(const char *path, pid_t pid);

/* Writes it, whole or not at all. `pid` is this process or its parent. NULL with `why` when it can't,
 * or when the file names another process of ours that lives. While it may still write there. */
struct pid_file *pid_file_write(const char *path, pid_t pid, char why[PID_FILE_WHY_LEN]);

/* Removes the file if it is still this one, or empties it where it may not be removed any
 * more. Frees. NULL is allowed. */
void pid_file_remove(struct pid_file *file);

#endif
