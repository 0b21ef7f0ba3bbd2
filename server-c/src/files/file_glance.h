/* SPDX-License-Identifier: MIT */
/* file_glance.h — a look-up on the loop, when the kernel has all of it in memory: then no thread is
 * needed, and the request need not wait for one.
 *
 * It is tried for file systems of a local disk only, which the stat lane tells from others: on those,
 * what openat2(RESOLVE_CACHED) opens is opened and asked about without waiting. One attempt that took
 * long all the same (somebody listens to opens, the machine is overloaded) ends them for ten
 * times as long.
 * Only the files of the cache include this. Loop thread only but where it says so. */
#ifndef FARMSTEAD_FILE_GLANCE_H
#define FARMSTEAD_FILE_GLANCE_H

#include "files/file_cache.h"
#include "files/file_lookup.h"

/* With watched folders, the watch must be there before the look: those are the lane's. */
bool file_glance_is_wanted(const struct file_cache *cache);
/* False: it is for the lane. What is found was so at *began_ns or later. */
bool file_glance_run(struct file_cache *cache, struct file_found *found,
                     const struct file_place *place, const struct file_key *key,
                     uint64_t *began_ns);
/* Opens a bare entry's file again, if it still is what the entry says. False: look it up. */
bool file_glance_reopen(struct file_cache *cache, const struct file_place *place,
                        struct file_entry *entry);
/* Now and then, and at the end (`all`): closes what was kept open for the next look. */
void file_glance_sweep(struct file_cache *cache, bool all);
/* Is the open file on a local disk? Pool threads only. */
bool file_glance_is_local(int fd);
/* Files of this device are, as was found just now. */
void file_glance_learn(struct file_cache *cache, uint64_t device);

#endif
