/* SPDX-License-Identifier: MIT */
/* agent_room.c — what runs stays until the switch; all else that is in the store may go for it. */
#include "agent/agent_room.h"

#include "release/release_store.h"

#include <stdio.h>

#define MIB (1024.0 * 1024)

bool agent_room_fits(const struct agent_need *need, uint64_t store_max_bytes,
                     const struct agent_room *room, char *why, size_t why_len)
{
    uint64_t runs = need->held_bytes > need->fetch_bytes ? need->held_bytes - need->fetch_bytes : 0;
    uint64_t may_go = room->used_bytes > runs ? room->used_bytes - runs : 0;

    if (need->held_bytes > store_max_bytes) {
        snprintf(why, why_len,
                 "with what runs it takes %.1f MiB, and releases.storeMaxBytes is %.1f MiB",
                 (double)need->held_bytes / MIB, (double)store_max_bytes / MIB);
        return false;
    }
    if (!room->is_known || (double)need->fetch_bytes + (double)RELEASE_LEAST_FREE_BYTES <=
                               (double)room->free_bytes + (double)may_go)
        return true;
    snprintf(why, why_len,
             "%.1f MiB are to be fetched: the state folder's disk has %.1f MiB free, of which "
             "%.0f MiB stay free, and releases that do not run take %.1f MiB",
             (double)need->fetch_bytes / MIB, (double)room->free_bytes / MIB,
             RELEASE_LEAST_FREE_BYTES / MIB, (double)may_go / MIB);
    return false;
}
