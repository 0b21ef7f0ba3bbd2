/* SPDX-License-Identifier: MIT */
/* agent_pace.c — see agent_pace.h. */
#include "agent/agent_pace.h"

#include "base/util.h"

uint64_t agent_pace_take(struct agent_pace *pace, uint64_t bytes, uint64_t bytes_per_second,
                         uint64_t now_ns)
{
    if (pace->free_ns < now_ns || bytes_per_second == 0)
        pace->free_ns = now_ns;
    if (bytes_per_second > 0)
        pace->free_ns +=
            (uint64_t)((double)bytes / (double)bytes_per_second * (double)NS_PER_SECOND);
    return pace->free_ns;
}
