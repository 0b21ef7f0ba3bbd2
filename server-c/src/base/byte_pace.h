/* SPDX-License-Identifier: MIT */
/* byte_pace.h — when the next bytes may be taken, so that all together are no more than a rate. Time in which none
 * were taken is not made up for. Pure: no clock, no waiting. */
#ifndef FARMSTEAD_BYTE_PACE_H
#define FARMSTEAD_BYTE_PACE_H

#include <stdint.h>

struct byte_pace {
    uint64_t free_ns; /* what was taken before has had its time by then */
};

/* Takes so many bytes; the next ones may be taken when the time that it returns has come. A rate of 0 is none. */
uint64_t byte_pace_take(struct byte_pace *pace, uint64_t bytes, uint64_t bytes_per_second,
                        uint64_t now_ns);

#endif
