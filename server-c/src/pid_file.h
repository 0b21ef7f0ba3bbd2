/* SPDX-License-Identifier: MIT */
/* pid_file.h — the file that names this process, for whoever sends it signals. */
#ifndef FARMSTEAD_PID_FILE_H
#define FARMSTEAD_PID_FILE_H

#define PID_FILE_WHY_LEN 512

struct pid_file;

/* Writes it, whole or not at all. NULL with `why` when it can't, or when the file names a process
 * of ours that lives. Main thread, while it may still write there. */
struct pid_file *pid_file_write(const char *path, char why[PID_FILE_WHY_LEN]);

/* Removes the file if it is still this process's, or empties it where it may not be removed any
 * more. Frees. NULL is allowed. */
void pid_file_remove(struct pid_file *file);

#endif
