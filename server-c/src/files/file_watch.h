/* SPDX-License-Identifier: MIT */
/* file_watch.h — how the file cache uses watched folders: the engine "inotify".
 *
 * An entry is fresh for ttlMillis as with the engine "ttl". When that time has passed, or folders
 * have changed, an entry is renewed without asking the disk if all its changes are reported, none
 * was, and a look-up within the last ttlMillis has found the place's folder unchanged. So a request
 * costs one comparison, and what remains is one look-up per place and half a ttlMillis. Included
 * only by the files of the cache. Loop thread only. */
#ifndef FARMSTEAD_FILE_WATCH_H
#define FARMSTEAD_FILE_WATCH_H

#include "files/file_cache.h"
#include "files/folder_watch.h"

#define FILE_NOT_TRUSTED 0    /* a round that is never current */
#define FILE_WATCHED_MS 60000 /* after so long a file is looked up even so */

void file_watch_configure(struct file_cache *cache); /* follows cache->limits */
void file_watch_fini(struct file_cache *cache);      /* the table must be empty */
void file_watch_tick(struct file_cache *cache);

/* For an entry that is not fresh by itself: is it fresh because no change was reported? */
bool file_watch_renew(struct file_cache *cache, struct file_entry *entry);
/* For a fresh entry in the second half of its time: can its look-up wait? */
bool file_watch_may_wait(struct file_cache *cache, struct file_entry *entry);

/* Call these two before and after a look-up. Changes that are reported after lend() count. */
void file_watch_lend(struct file_cache *cache, struct folder_loan *loan, struct file_entry *entry);
void file_watch_settle(struct file_cache *cache, struct folder_loan *loan,
                       const struct file_place *place, const struct file_entry *entry,
                       uint64_t began_ns, bool is_fact, struct folder_settled *settled);
/* Attaches `entry`, which is in the table after the look-up, to the tree. */
void file_watch_hang(struct file_cache *cache, struct file_entry *entry, uint64_t began_ns,
                     const struct folder_settled *settled);
/* Call it when it leaves the table. */
void file_watch_forget(struct file_cache *cache, struct file_entry *entry);

#endif
