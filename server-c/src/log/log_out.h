/* SPDX-License-Identifier: MIT */
/* log_out.h — where the lines of a log go: a file, standard error or nowhere, each written by a
 * thread of its own, so that whoever has a line never waits for a disk or for who reads a pipe.
 *
 * A thread that hangs in a write is left behind when the log gets another file; at the end it is
 * waited for so long and no longer. What the file does not take (a full disk, a limit of the file's
 * size) is kept and tried again; a line that the old file has the beginning of begins again in the
 * new one. */
#ifndef FARMSTEAD_LOG_OUT_H
#define FARMSTEAD_LOG_OUT_H

#include "log/log_file.h"

#include <stdbool.h>
#include <stddef.h>

#define LOG_OUT_BATCH_BYTES (64 * 1024)

struct log_out;

/* Where lines come from. */
struct log_out_source {
    const char *thread_name;
    enum log_file_kind kind;
    bool uses_stderr; /* without a path; else lines without a path are thrown away */
    /* Moves whole lines, at most `cap` bytes, to `batch` and returns their length. One thread of
     * the log at a time; it must not wait. */
    size_t (*take)(void *arg, char *batch, size_t cap);
    void *arg;
};

/* Without a path. NULL: no thread is to be had. */
struct log_out *log_out_new(const struct log_out_source *source);

/* Writes out what is left, for two seconds at most, and frees. False: a thread hangs in a write; it
 * may still call the source, so that must stay, and so does the log. */
bool log_out_free(struct log_out *out);

/* Another file in two steps, so that who changes two logs opens both before either is changed: NULL
 * and why, when nothing changes; or what the same thread is to take or to discard soon, since others
 * that want to change this log wait for it. "" is no path. Any thread but a loop's. */
struct log_out_next;
struct log_out_next *log_out_prepare(struct log_out *out, const char *path,
                                     struct log_file_problem *problem);
void log_out_take(struct log_out *out, struct log_out_next *next);
void log_out_discard(struct log_out *out, struct log_out_next *next);

/* Both steps at once, unless `path` is the log's already: an open file may not be one's to open again.
 * 0, or a negative number and why; then nothing changes. */
int log_out_configure(struct log_out *out, const char *path, struct log_file_problem *problem);
/* After rotation: opens the path anew unless it names the open file still. */
int log_out_reopen(struct log_out *out, struct log_file_problem *problem);
/* If we made the file, it becomes that user's. 0 or a negative UV_E*. */
int log_out_give(struct log_out *out, uid_t uid, gid_t gid);

/* There are lines: do not wait for the next look, which is every 200 ms. Any thread, loops too. */
void log_out_wake(struct log_out *out);

#endif
