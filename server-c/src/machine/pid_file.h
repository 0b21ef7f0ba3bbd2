/* SPDX-License-Identifier: MIT */
/* pid_file.h — a file with the number of a process of ours, for those who send it signals. */
#ifndef FARMSTEAD_PID_FILE_H
#define FARMSTEAD_PID_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#define PID_FILE_WHY_LEN 512

struct pid_file;

/* May a pid file be at `path`? Only if there is nothing, or a file with a number or without
 * contents that has no other name. 0, or -1 with the end of a sentence that begins with the
 * path. */
int pid_file_look(const char *path, char why[PID_FILE_WHY_LEN]);

/* Does the file at `path` name `pid`? */
bool pid_file_names(const char *path, pid_t pid);

/* Writes the file as a whole or not at all. `pid` is this process or its parent. NULL with `why` if
 * that fails, or if the file names another process of ours that is alive. Call it while the process
 * still has the rights. */
struct pid_file *pid_file_write(const char *path, pid_t pid, char why[PID_FILE_WHY_LEN]);

/* Removes the file if it is still the same, or empties it if it can't be removed any more. Frees
 * `file`. NULL is allowed. */
void pid_file_remove(struct pid_file *file);

#endif
