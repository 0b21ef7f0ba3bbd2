/* SPDX-License-Identifier: MIT */
/* log_tail.h — the last lines of the error log, in memory that outlives the process: a ring that is
 * also held by the parent of `run`. After a crash the next process can report what the one before
 * logged last, and a control plane can ask for it. Pages to which no line was written cost nothing.
 *
 * Written while the log's lock is held. It is read after the writer has died, perhaps in the middle
 * of a write: so nothing in the ring is trusted. */
#ifndef FARMSTEAD_LOG_TAIL_H
#define FARMSTEAD_LOG_TAIL_H

#include <stddef.h>
#include <stdint.h>

#define LOG_TAIL_BYTES (256 * 1024)

struct log_tail {
    uint64_t written; /* bytes since it was cleared */
    uint64_t lines;   /* lines since it was cleared */
    char bytes[LOG_TAIL_BYTES];
};

void log_tail_clear(struct log_tail *tail);
void log_tail_append(struct log_tail *tail, const char *line, size_t len); /* with its "\n" */

/* Returns the newest whole lines, at most `max`, oldest first, each with its "\n". The caller frees
 * them. */
char *log_tail_lines(const struct log_tail *tail, size_t max);

#endif
