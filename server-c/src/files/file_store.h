/* SPDX-License-Identifier: MIT */
/* file_store.h — the table below file_cache: finds entries by key, and knows which was used least
 * recently. Included only by the files of the cache; all that others need is in file_cache.h. */
#ifndef FARMSTEAD_FILE_STORE_H
#define FARMSTEAD_FILE_STORE_H

#include "files/file_cache.h"

/* The order of use is this coarse: a popular entry is moved once a second. */
#define FILE_TOUCH_MS 1000

/* Returns the entry in the table, without a reference, or NULL. */
struct file_entry *file_store_find(const struct file_cache *cache, uint64_t lookup_id,
                                   const struct file_key *key);
/* The table has a reference to each entry in it. */
void file_store_link(struct file_cache *cache, struct file_entry *entry);
void file_store_unlink(struct file_cache *cache, struct file_entry *entry);

/* Call these when the facts, the descriptor or the body have been filled in: they count from then
 * on. */
void file_store_count_negative(struct file_cache *cache, struct file_entry *entry);
void file_store_count_descriptor(struct file_cache *cache, struct file_entry *entry);
void file_store_count_body(struct file_cache *cache, struct file_entry *entry);

/* Call it when the entry was used. */
void file_store_touch(struct file_cache *cache, struct file_entry *entry);

#endif
