/* SPDX-License-Identifier: MIT */
/* byte_pace.c — see byte_pace.h. */
#include "base/byte_pace.h"

#include "base/util.h"

uint64_t byte_pace_take(struct byte_pace *pace, uint64_t bytes, uint64_t bytes_per_second,
                        uint64_t now_ns)
{
    if (pace->free_ns < now_ns || bytes_per_second == 0)
        pace->free_ns = now_ns;
    if (bytes_per_second > 0)
        pace->free_ns +=
            (uint64_t)((double)bytes / (double)bytes_per_second * (double)NS_PER_SECOND);
    return pace->free_ns;
}
