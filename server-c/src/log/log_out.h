/* SPDX-License-Identifier: MIT */
/* log_out.h — where the lines of a log go: to a file, to standard output or error, to syslog or
 * nowhere. Each is written by a thread of its own, so that whoever logs never waits for a disk, or for
 * the reader of a pipe.
 *
 * A thread without lines sleeps until there are some. One that hangs in a write is left behind when the
 * log gets another file; at the end it is waited for, but only for limited time. Lines that the file
 * can't take (a full disk, a limit on its size) are kept and tried again. A line of which the old file
 * has a part is written to the new one from its beginning. */
#ifndef FARMSTEAD_LOG_OUT_H
#define FARMSTEAD_LOG_OUT_H

#include "log/log_file.h"

#include <stdbool.h>
#include <stddef.h>

#define LOG_OUT_BATCH_BYTES (64 * 1024)

struct log_out;

/* Where the lines come from. */
struct log_out_source {
    const char *thread_name;
    enum log_file_kind kind;
    bool uses_stderr; /* without a target use standard error; else such lines are thrown away */
    /* Moves whole lines of at most `cap` bytes to `batch`, and returns their length. Called by one
     * thread at a time; must not wait. */
    size_t (*take)(void *arg, char *batch, size_t cap);
    void *arg;
};

/* Starts without a path. NULL: no thread is available. */
struct log_out *log_out_new(const struct log_out_source *source);

/* Writes what is left, for at most two seconds, and frees. False: a thread hangs in a write. It may
 * still call the source, so the source must stay, and so does the log. */
bool log_out_free(struct log_out *out);

/* From now on lines go to `target` (log_target.h), unless they do already: we may not have the rights
 * to open a file again. 0, or a negative number and the problem; then nothing has changed. Any thread
 * but that of a loop. */
int log_out_configure(struct log_out *out, const char *target, struct log_file_problem *problem);
/* Call it after rotation: opens the file's path again unless it is still the open file. */
int log_out_reopen(struct log_out *out, struct log_file_problem *problem);
/* Gives the file to that user, if we have created it. 0 or a negative UV_E*. */
int log_out_give(struct log_out *out, uid_t uid, gid_t gid);

/* There are lines, and the source's `take` finds them: they are written within 200 ms, together with
 * those that come meanwhile. What `take` looks at must have been stored with memory_order_seq_cst, or
 * under a lock. Costs a look at one flag where the thread is at work. Any thread, loops too. */
void log_out_has_lines(struct log_out *out);
/* They are to be written at once. Any thread, loops too. */
void log_out_wake(struct log_out *out);

#endif
