/* SPDX-License-Identifier: MIT */
/* log_file.h — opens the file of a log; nothing else may do so.
 *
 * The path comes from a config, perhaps from far away. So a log may begin only where no file
 * exists, or continue in a file that is empty or was begun by a log of the same kind. It is never
 * opened through a symbolic link in the last place, and never a device, a pipe or a file with a
 * second name.
 *
 * Nothing here waits for more than two seconds: a disk that does not answer is an error. Any thread
 * but that of a loop. */
#ifndef FARMSTEAD_LOG_FILE_H
#define FARMSTEAD_LOG_FILE_H

#include "config/config.h"
#include "owner/bounds.h"

#include <stdbool.h>
#include <sys/types.h>

/* The file of a log, opened for appending. */
struct log_file {
    int fd;       /* -1: there is none */
    bool is_made; /* log_file_open() has created it */
    dev_t device;
    ino_t inode;
};

enum log_file_kind {
    LOG_FILE_ACCESS, /* lines with the time of an access log in them */
    LOG_FILE_ERROR   /* lines of log.h */
};

/* The end of a sentence after the path: "is a folder", and what to do about it. */
struct log_file_problem {
    enum config_code code;
    char what[BOUNDS_WHY_LEN];
    const char *hint;
};

/* Opens or creates the file (mode 0640). 0 and *file; or a negative UV_E* and the problem. Does not
 * open what the machine's owner forbids (bounds.h). */
int log_file_open(const char *path, enum log_file_kind kind, struct log_file *file,
                  struct log_file_problem *problem);

/* Is `path` still this file? Taken to be so if the disk does not answer. */
bool log_file_is_at(const char *path, const struct log_file *file);

/* Would log_file_open() accept what is at `path` now? Creates nothing. UV_ENOENT: there is nothing,
 * and whether a file could be created is not checked. */
int log_file_look(const char *path, enum log_file_kind kind, struct log_file_problem *problem);

/* Fills in the problem for an error of a system call. Returns `err`, a negative UV_E*. */
int log_file_failed(struct log_file_problem *problem, int err);

#endif
