/* SPDX-License-Identifier: MIT */
/* file_store.c — the table of entries, and the order in which they were used. */
#include "files/file_store.h"

#include "base/util.h"
#include "files/file_bounds.h"
#include "files/file_entry.h"
#include "files/file_glance.h"
#include "files/file_watch.h"

#include <string.h>
#include <sys/random.h>

/* --- the table -------------------------------------------------------------------------------- */

struct file_entry *file_store_find(const struct file_cache *cache, uint64_t lookup_id,
                                   const struct file_key *key)
{
    uint64_t hash = file_entry_hash(cache, lookup_id, key);
    struct hash_link *link = hash_table_chain(&cache->table, hash);
    struct file_entry *entry;

    for (; link; link = link->next) {
        entry = container_of(link, struct file_entry, by_key);
        if (link->hash == hash && entry->lookup_id == lookup_id && file_entry_has_key(entry, key))
            return entry;
    }
    return NULL;
}

void file_store_link(struct file_cache *cache, struct file_entry *entry)
{
    hash_table_add(&cache->table, &entry->by_key, entry->by_key.hash);
    entry->in_table = true;
    entry->refs++;
    entry->touched_ms = cache->now_ms;
    list_append(&cache->by_use, &entry->by_use);
    cache->stats.entries++;
}

void file_store_unlink(struct file_cache *cache, struct file_entry *entry)
{
    hash_table_remove(&cache->table, &entry->by_key);
    entry->in_table = false;
    list_remove(&entry->by_use);
    file_entry_uncount_descriptor(cache, entry);
    file_entry_uncount_body(cache, entry);
    file_watch_forget(cache, entry);
    if (entry->is_negative)
        cache->negative_count--;
    cache->stats.entries--;
    file_cache_put(cache, entry);
}

static void to_end(struct list *head, struct list *link)
{
    if (list_empty(link))
        return;
    list_remove(link);
    list_append(head, link);
}

void file_store_touch(struct file_cache *cache, struct file_entry *entry)
{
    if (cache->now_ms - entry->touched_ms < FILE_TOUCH_MS || !entry->in_table)
        return;
    entry->touched_ms = cache->now_ms;
    to_end(entry->is_negative ? &cache->negative_by_use : &cache->by_use, &entry->by_use);
    to_end(&cache->by_use_open, &entry->by_use_open);
    to_end(&cache->by_use_body, &entry->by_use_body);
}

void file_store_count_negative(struct file_cache *cache, struct file_entry *entry)
{
    entry->is_negative = true;
    if (!entry->in_table)
        return;
    cache->negative_count++;
    to_end(&cache->negative_by_use, &entry->by_use);
}

void file_store_count_descriptor(struct file_cache *cache, struct file_entry *entry)
{
    if (!entry->in_table)
        return;
    list_append(&cache->by_use_open, &entry->by_use_open);
    cache->stats.descriptors++;
}

void file_store_count_body(struct file_cache *cache, struct file_entry *entry)
{
    if (!entry->in_table)
        return;
    list_append(&cache->by_use_body, &entry->by_use_body);
    cache->stats.body_bytes += entry->facts.size;
}

/* --- the cache ------------------------------------------------------------------------------- */

void file_cache_init(struct file_cache *cache, struct io_lane *stat_lane, struct io_lane *read_lane,
                     struct io_port *port)
{
    memset(cache, 0, sizeof(*cache));
    cache->stat_lane = stat_lane;
    cache->read_lane = read_lane;
    cache->port = port;
    list_init(&cache->by_use);
    list_init(&cache->negative_by_use);
    list_init(&cache->by_use_open);
    list_init(&cache->by_use_body);
    cache->trust_round = FILE_NOT_TRUSTED + 1;
    hash_table_init(&cache->table);
    file_bounds_init(cache);
    if (getrandom(&cache->seed, sizeof(cache->seed), GRND_NONBLOCK) != sizeof(cache->seed))
        cache->seed = monotonic_ns();
}

void file_cache_forget_file(struct file_cache *cache, uint64_t device, uint64_t inode)
{
    struct list *next;

    for (struct list *link = cache->by_use.next; link != &cache->by_use; link = next) {
        struct file_entry *entry = container_of(link, struct file_entry, by_use);

        next = link->next;
        if (entry->lookup || (entry->device == device && entry->inode == inode))
            file_store_unlink(cache, entry);
    }
}

static void drop_all(struct file_cache *cache)
{
    while (!list_empty(&cache->by_use))
        file_store_unlink(cache, container_of(cache->by_use.next, struct file_entry, by_use));
    while (!list_empty(&cache->negative_by_use))
        file_store_unlink(cache,
                          container_of(cache->negative_by_use.next, struct file_entry, by_use));
}

void file_cache_fini(struct file_cache *cache)
{
    cache->is_ending = true;
    drop_all(cache);
    file_bounds_fini(cache);
    file_watch_fini(cache);
    file_glance_sweep(cache, true);
    CHECK(cache->stats.descriptors == 0 && cache->stats.body_bytes == 0);
    hash_table_fini(&cache->table, NULL);
}
