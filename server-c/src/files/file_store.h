/* SPDX-License-Identifier: MIT */
/* file_store.h — the table under file_cache: entries by path, least recently used first out. Only
 * file_cache.c includes this; what others need is in file_cache.h. */
#ifndef FARMSTEAD_FILE_STORE_H
#define FARMSTEAD_FILE_STORE_H

#include "files/file_cache.h"

/* Order of use is kept to this grain: a hit moves an entry once a second. */
#define FILE_TOUCH_MS 1000

/* The entry in the table, not referenced, or NULL. */
struct file_entry *file_store_find(const struct file_cache *cache, uint64_t lookup_id,
                                   const struct file_key *key);
/* The table has a reference of its own while the entry is in it. */
void file_store_link(struct file_cache *cache, struct file_entry *entry);
void file_store_unlink(struct file_cache *cache, struct file_entry *entry);

/* The facts, the descriptor or the body were filled in: they count from now on. */
void file_store_count_negative(struct file_cache *cache, struct file_entry *entry);
void file_store_count_descriptor(struct file_cache *cache, struct file_entry *entry);
void file_store_count_body(struct file_cache *cache, struct file_entry *entry);

void file_store_touch(struct file_cache *cache, struct file_entry *entry); /* it was used */

#endif
