/* SPDX-License-Identifier: MIT */
/* file_watch.h — what the file cache makes of watched folders: the engine "inotify".
 *
 * An entry is fresh for ttlMillis as with the engine "ttl". When that has passed, or folders have
 * changed, an entry all of whose changes are reported is renewed without a look at the disk: nothing
 * was reported that concerns it, and some look-up has found the place's folder to be the same within
 * ttlMillis. So what a request costs is a comparison, and what stays to be looked up is one file per
 * place and half a ttlMillis. Only the files of the cache include this. Loop thread only. */
#ifndef FARMSTEAD_FILE_WATCH_H
#define FARMSTEAD_FILE_WATCH_H

#include "files/file_cache.h"
#include "files/folder_watch.h"

#define FILE_NOT_TRUSTED 0    /* a round that never is */
#define FILE_WATCHED_MS 60000 /* even so, each file is looked up once in such a time */

void file_watch_configure(struct file_cache *cache); /* by cache->limits */
void file_watch_fini(struct file_cache *cache);      /* the table is empty */
void file_watch_tick(struct file_cache *cache);

/* An entry that is not fresh by itself: is it, by what was not reported? */
bool file_watch_renew(struct file_cache *cache, struct file_entry *entry);
/* A fresh entry in the second half of its time: need nobody look at the disk yet? */
bool file_watch_may_wait(struct file_cache *cache, struct file_entry *entry);

/* Around a look-up. What is reported of the entry from lend() on counts. */
void file_watch_lend(struct file_cache *cache, struct folder_loan *loan, struct file_entry *entry);
void file_watch_settle(struct file_cache *cache, struct folder_loan *loan,
                       const struct file_place *place, const struct file_entry *entry,
                       uint64_t began_ns, bool is_fact, struct folder_settled *settled);
/* `entry` is what stands in the table after it. */
void file_watch_hang(struct file_cache *cache, struct file_entry *entry, uint64_t began_ns,
                     const struct folder_settled *settled);
void file_watch_forget(struct file_cache *cache, struct file_entry *entry); /* out of the table */

#endif
