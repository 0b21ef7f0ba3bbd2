/* SPDX-License-Identifier: MIT */
/* stages.h — what a request's time is spent on: the clock of a request, and what is recorded from
 * it. */
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

#define STAGE_FIRST STAGE_STAT_WAIT /* of a request; those before it are a connection's */

const char *stage_name(enum stage stage); /* on the wire; static */
const char *stage_help(enum stage stage); /* static */

/* Monotonic nanoseconds. Parts of a stage (the chunks of a large file) are added up. */
struct stage_clock {
    uint64_t head_ns;  /* when the last byte of the head was received */
    uint64_t first_ns; /* when the first byte was given to the socket; 0: not yet */
    uint64_t stat_wait_ns, stat_ns, read_wait_ns, read_ns;
    bool looked_up, read_disk; /* it needed a look-up; it needed the read lane */
    /* By the kernel's count, in ticks that may be longer than the write (net/tcp_waits.h). */
    uint64_t client_ns, buffer_ns, network_ns, round_trip_ns;
    bool waited; /* for its socket to take more, and these are known */
};

/* The time for a stage_clock. In a build with FARMSTEAD_STAGES=OFF it is always 0: the difference
 * from the usual build shows what measuring stages costs (docs/observing-a-node.md). */
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

/* Computes how long each stage took of a request that ended, or was aborted, at `end_ns`. */
#define STAGE_ABSENT UINT64_MAX /* the request did not reach or did not need this stage */
void stages_split(uint64_t ns[STAGE_COUNT], const struct stage_clock *clock, uint64_t end_ns);

struct buf;
/* Appends nanoseconds as seconds, exactly: 1500000000 as "1.5". */
void stage_append_seconds(struct buf *out, uint64_t ns);

#endif
