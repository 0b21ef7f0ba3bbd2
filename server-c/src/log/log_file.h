/* SPDX-License-Identifier: MIT */
/* log_file.h — how the file of a log is opened, and by nobody else.
 *
 * A log is written where a config says, and a config may come from far away: so it begins where
 * nothing is, or goes on in a file that a log of its kind began, or that is empty. Never through a
 * symbolic link in the last place, never in a device, a pipe or a file with a second name.
 *
 * Nothing here waits for longer than two seconds: a disk that does not answer is an error. Any
 * thread but a loop's. */
#ifndef FARMSTEAD_LOG_FILE_H
#define FARMSTEAD_LOG_FILE_H

#include "config/config.h"
#include "owner/bounds.h"

#include <stdbool.h>
#include <sys/types.h>

/* The file of a log, open for appending. */
struct log_file {
    int fd;       /* -1: none */
    bool is_made; /* by log_file_open(): nobody else's */
    dev_t device;
    ino_t inode;
};

enum log_file_kind {
    LOG_FILE_ACCESS, /* lines of `common`, `combined` or ours of `json` */
    LOG_FILE_ERROR   /* lines of log.h */
};

/* To be said after the path and a space: "is a folder", and what to do about it. */
struct log_file_problem {
    enum config_code code;
    char what[BOUNDS_WHY_LEN];
    const char *hint;
};

/* 0 and *file; or a negative UV_E* and why. A new file has the mode 0640. What the machine's owner
 * forbids (bounds.h) is not opened. */
int log_file_open(const char *path, enum log_file_kind kind, struct log_file *file,
                  struct log_file_problem *problem);

/* Whether `path` names `file` still. So it is taken to be where the disk does not answer. */
bool log_file_is_at(const char *path, const struct log_file *file);

/* Whether log_file_open() would take what is at `path` now, and makes nothing. UV_ENOENT: nothing
 * is there; whether it could be made is another question. */
int log_file_look(const char *path, enum log_file_kind kind, struct log_file_problem *problem);

/* The problem that a system call's error is. Returns `err`, a negative UV_E*. */
int log_file_failed(struct log_file_problem *problem, int err);

#endif
