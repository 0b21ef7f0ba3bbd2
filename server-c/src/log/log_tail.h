/* SPDX-License-Identifier: MIT */
/* log_tail.h — the last lines of the error log in memory that outlives the process: a ring that the
 * parent of `run` holds too, so that the process after a crash can say what the one before it last
 * said, and that a control plane may ask for. Pages that no line was written to cost nothing.
 *
 * Written under the log's lock. Read when the writer is dead, who may have died by writing anywhere:
 * nothing in the ring is believed. */
#ifndef FARMSTEAD_LOG_TAIL_H
#define FARMSTEAD_LOG_TAIL_H

#include <stddef.h>
#include <stdint.h>

#define LOG_TAIL_BYTES (256 * 1024)

struct log_tail {
    uint64_t written; /* bytes, since it was cleared */
    uint64_t lines;   /* … and lines */
    char bytes[LOG_TAIL_BYTES];
};

void log_tail_clear(struct log_tail *tail);
void log_tail_append(struct log_tail *tail, const char *line, size_t len); /* with its "\n" */

/* The newest whole lines, at most `max`, oldest first, each ending with "\n"; the caller frees. */
char *log_tail_lines(const struct log_tail *tail, size_t max);

#endif
