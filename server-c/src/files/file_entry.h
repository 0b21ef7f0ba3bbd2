/* SPDX-License-Identifier: MIT */
/* file_entry.h — the parts of an entry that the files of the cache share. Nobody else includes
 * this; what others need is in file_cache.h. Loop thread only. */
#ifndef FARMSTEAD_FILE_ENTRY_H
#define FARMSTEAD_FILE_ENTRY_H

#include "files/file_cache.h"

#include <sys/stat.h>

/* Not in the table yet, with one reference for the caller; NULL: no memory. */
struct file_entry *file_entry_new(struct file_cache *cache, uint64_t lookup_id,
                                  const struct file_key *key);
uint64_t file_entry_hash(const struct file_cache *cache, uint64_t lookup_id,
                         const struct file_key *key);
bool file_entry_has_key(const struct file_entry *entry, const struct file_key *key);

/* Is it the file that the entry tells of, unchanged? */
bool file_entry_is_of(const struct file_entry *entry, const struct stat *st);

/* The budgets count what the table holds: an entry is counted while it is in the list. What only
 * requests under way still hold ends with them, and limits.connections bounds those. */
void file_entry_uncount_descriptor(struct file_cache *cache, struct file_entry *entry);
void file_entry_uncount_body(struct file_cache *cache, struct file_entry *entry);

void file_entry_drop_descriptor(struct file_cache *cache, struct file_entry *entry);
bool file_entry_make_body(struct file_cache *cache,
                          struct file_entry *entry); /* false: no memory */
void file_entry_drop_body(struct file_cache *cache, struct file_entry *entry);
void file_entry_drop_head(struct file_entry *entry);
void file_entry_close(struct file_cache *cache, int fd);      /* without waiting for the disk */
void file_entry_close_late(struct file_cache *cache, int fd); /* by the lane */

/* Its key, and whether somebody who asks takes coded copies. */
static inline struct file_key file_entry_key(const struct file_entry *entry)
{
    return (struct file_key){.variable = file_entry_variable(entry),
                             .path = file_entry_path(entry),
                             .wants_codings = entry->seeks_codings};
}

#endif
