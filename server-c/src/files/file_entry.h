/* SPDX-License-Identifier: MIT */
/* file_entry.h — parts of an entry that the files of the cache share; nobody else includes this.
 * All that others need is in file_cache.h. Loop thread only. */
#ifndef FARMSTEAD_FILE_ENTRY_H
#define FARMSTEAD_FILE_ENTRY_H

#include "files/file_cache.h"

#include <sys/stat.h>

/* Returns an entry that is not in the table yet, with one reference for the caller. NULL: no
 * memory. */
struct file_entry *file_entry_new(struct file_cache *cache, uint64_t lookup_id,
                                  const struct file_key *key);
uint64_t file_entry_hash(const struct file_cache *cache, uint64_t lookup_id,
                         const struct file_key *key);
bool file_entry_has_key(const struct file_entry *entry, const struct file_key *key);

/* Does `st` describe the file that the entry is about, unchanged? */
bool file_entry_is_of(const struct file_entry *entry, const struct stat *st);

/* The limits are for what is in the table, so an entry counts while it is in the lists. What only
 * requests still hold ends with them, and limits.connections bounds that. */
void file_entry_uncount_descriptor(struct file_cache *cache, struct file_entry *entry);
void file_entry_uncount_body(struct file_cache *cache, struct file_entry *entry);

void file_entry_drop_descriptor(struct file_cache *cache, struct file_entry *entry);
/* False: no memory. */
bool file_entry_make_body(struct file_cache *cache, struct file_entry *entry);
void file_entry_drop_body(struct file_cache *cache, struct file_entry *entry);
void file_entry_drop_head(struct file_entry *entry);
void file_entry_close(struct file_cache *cache, int fd);      /* without waiting for the disk */
void file_entry_close_late(struct file_cache *cache, int fd); /* by a thread of the lane */

/* Its key, and whether somebody who asks takes coded copies. */
static inline struct file_key file_entry_key(const struct file_entry *entry)
{
    return (struct file_key){.variable = file_entry_variable(entry),
                             .path = file_entry_path(entry),
                             .wants_codings = entry->seeks_codings};
}

#endif
