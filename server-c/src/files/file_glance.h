/* SPDX-License-Identifier: MIT */
/* file_glance.h — a look-up on the loop, if the kernel has everything it needs in memory: then no
 * thread is needed, and the request does not have to wait for one.
 *
 * It is tried only on file systems of a local disk, which the stat lane recognises: whatever
 * openat2(RESOLVE_CACHED) can open there can be opened and examined without waiting. If an attempt
 * takes long nevertheless (somebody listens to opens, the machine is overloaded), there are no
 * further attempts for ten times as long. Included only by the files of the cache. Loop thread
 * only, except where it says otherwise. */
#ifndef FARMSTEAD_FILE_GLANCE_H
#define FARMSTEAD_FILE_GLANCE_H

#include "files/file_cache.h"
#include "files/file_lookup.h"

/* False with watched folders: a watch must be set before the look-up, and only the lane sets
 * watches. */
bool file_glance_is_wanted(const struct file_cache *cache);
/* Looks up a key. False: the lane has to do it. What was found was true at *began_ns or later. */
bool file_glance_run(struct file_cache *cache, struct file_found *found,
                     const struct file_place *place, const struct file_key *key,
                     uint64_t *began_ns);
/* Opens the file of an entry again that was closed to make room, if it is unchanged. False: look it
 * up. */
bool file_glance_reopen(struct file_cache *cache, const struct file_place *place,
                        struct file_entry *entry);
/* Closes what was kept open for the next look-up, if it is old or `all` is set. Call it now and
 * then. */
void file_glance_sweep(struct file_cache *cache, bool all);
/* Is the open file on a local disk? Threads of a lane only. */
bool file_glance_is_local(int fd);
/* Notes that files on this device are on a local disk. */
void file_glance_learn(struct file_cache *cache, uint64_t device);

#endif
