/* SPDX-License-Identifier: MIT */
/* stages.h — where a request's time goes. The clock of one request, and what is recorded of it. */
#ifndef FARMSTEAD_STAGES_H
#define FARMSTEAD_STAGES_H

#include "base/util.h"
#include "measure/histogram.h"

#include <stdbool.h>
#include <stdint.h>

enum stage {
#define X(name, wire, help) STAGE_##name,
#include "measure/stages.def"
#undef X
    STAGE_COUNT
};

const char *stage_name(enum stage stage); /* as on the wire; static */
const char *stage_help(enum stage stage); /* static */

/* Monotonic nanoseconds. Pieces of a stage (the chunks of a large file) are added up. */
struct stage_clock {
    uint64_t head_ns;  /* the last byte of the head was received */
    uint64_t first_ns; /* the first byte was given to the socket; 0: not yet */
    uint64_t stat_wait_ns, stat_ns, read_wait_ns, read_ns;
    bool looked_up, read_disk; /* did the request need a look-up, the read lane? */
};

/* The time for a stage_clock. Built with FARMSTEAD_STAGES=OFF it stands still: then the difference
 * to the usual build is what the stages cost (docs/observing-a-node.md). */
static inline uint64_t stage_now(void)
{
#ifdef FARMSTEAD_WITHOUT_STAGES
    return 0;
#else
    return monotonic_ns();
#endif
}

/* Records a response whose last byte was given to the socket at `end_ns`. */
void stages_record(struct histogram stages[STAGE_COUNT], const struct stage_clock *clock,
                   uint64_t end_ns);

/* How long each stage of a request took that ended, or was ended, at `end_ns`. */
#define STAGE_ABSENT UINT64_MAX /* it did not come to this one, or did not need it */
void stages_split(uint64_t ns[STAGE_COUNT], const struct stage_clock *clock, uint64_t end_ns);

struct buf;
/* Nanoseconds as seconds, with no digit lost or added: 1500000000 as "1.5". */
void stage_append_seconds(struct buf *out, uint64_t ns);

#endif
