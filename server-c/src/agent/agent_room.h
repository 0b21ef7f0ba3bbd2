/* SPDX-License-Identifier: MIT */
/* agent_room.h — would a release find room on this node, before one of its bytes is fetched? Says only what is
 * certain: what a look at its files alone can tell, the thread that brings it finds out. Pure. */
#ifndef FARMSTEAD_AGENT_ROOM_H
#define FARMSTEAD_AGENT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one version, as the control plane reckons it from what the node runs of that release. */
struct agent_need {
    uint64_t fetch_bytes; /* contents that what runs does not have */
    uint64_t held_bytes;  /* what runs and this one have, each content once */
};

struct agent_room {
    bool is_known; /* false: something is being brought or removed, or the disk says nothing */
    uint64_t used_bytes; /* by all contents */
    uint64_t free_bytes; /* of the disk they are on */
};

/* False, with a sentence that has the figures: it can't find room. */
bool agent_room_fits(const struct agent_need *need, uint64_t store_max_bytes,
                     const struct agent_room *room, char *why, size_t why_len);

#endif
