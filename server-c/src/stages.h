/* SPDX-License-Identifier: MIT */
/* stages.h — where a request's time goes. The clock of one request, and what is recorded of it. */
#ifndef FARMSTEAD_STAGES_H
#define FARMSTEAD_STAGES_H

#include "histogram.h"

#include <stdbool.h>
#include <stdint.h>

enum stage {
#define X(name, wire, help) STAGE_##name,
#include "stages.def"
#undef X
    STAGE_COUNT
};

const char *stage_name(enum stage stage); /* as on the wire; static */

/* Monotonic nanoseconds. Pieces of a stage (the chunks of a large file) are added up. */
struct stage_clock {
    uint64_t head_ns;  /* the last byte of the head was received */
    uint64_t first_ns; /* the first byte was given to the socket; 0: not yet */
    uint64_t stat_wait_ns, stat_ns, read_wait_ns, read_ns;
    bool looked_up, read_disk; /* did the request need the stat lane, the read lane? */
};

/* Records a response whose last byte was given to the socket at `end_ns`. */
void stages_record(struct histogram stages[STAGE_COUNT], const struct stage_clock *clock,
                   uint64_t end_ns);

#endif
