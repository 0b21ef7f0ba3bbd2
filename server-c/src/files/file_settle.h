/* SPDX-License-Identifier: MIT */
/* file_settle.h — what the disk said of a path becomes the entry that stands for it. Loop thread. */
#ifndef FARMSTEAD_FILE_SETTLE_H
#define FARMSTEAD_FILE_SETTLE_H

#include "files/file_cache.h"
#include "files/file_lookup.h"

/* Of a look-up that is over. */
struct file_said {
    const struct file_place *place;
    const struct file_found *found;
    uint64_t started_ns; /* monotonic: it is trusted from then on */
};

/* The entry that now stands for the path of `old`, with a reference for the caller; NULL: there is no memory
 * for another, and `old` is in the table no more. Takes over found->fd. */
struct file_entry *file_settle(struct file_cache *cache, struct file_entry *old,
                               const struct file_said *said);

/* From then on whoever is in use is looked up again. */
static inline int64_t file_cache_half_ttl_ms(const struct file_cache *cache)
{
    return cache->limits.ttl_ms / 2;
}

#endif
