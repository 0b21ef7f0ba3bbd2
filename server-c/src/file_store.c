/* SPDX-License-Identifier: MIT */
/* file_store.c — the table of entries, their order of use, and the bounds they are kept in. */
#include "file_store.h"

#include "file_entry.h"
#include "file_glance.h"
#include "file_watch.h"
#include "util.h"

#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define TABLE_MIN 64
#define IDLE_OPEN_MS 5000 /* an unused descriptor is closed after this and the ttl */
#define SWEEP_FILES 256   /* closed at once: less than a millisecond, as clients wait meanwhile */
#define NEGATIVE_SHARE 8  /* at most one in so many entries may be a refusal */

/* --- the table -------------------------------------------------------------------------------- */

struct file_entry *file_store_find(const struct file_cache *cache, uint64_t lookup_id,
                                   const struct file_key *key)
{
    uint64_t hash = file_entry_hash(cache, lookup_id, key);
    struct file_entry *entry = cache->table[hash & (cache->table_len - 1)];

    while (entry && (entry->hash != hash || entry->lookup_id != lookup_id ||
                     !file_entry_has_key(entry, key)))
        entry = entry->hash_next;
    return entry;
}

void file_store_link(struct file_cache *cache, struct file_entry *entry)
{
    struct file_entry **slot = &cache->table[entry->hash & (cache->table_len - 1)];

    entry->hash_next = *slot;
    *slot = entry;
    entry->in_table = true;
    entry->refs++;
    entry->touched_ms = cache->now_ms;
    list_append(&cache->by_use, &entry->by_use);
    cache->stats.entries++;
}

void file_store_unlink(struct file_cache *cache, struct file_entry *entry)
{
    struct file_entry **slot = &cache->table[entry->hash & (cache->table_len - 1)];

    while (*slot != entry)
        slot = &(*slot)->hash_next;
    *slot = entry->hash_next;
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

static void evict(struct file_cache *cache, struct list *by_use, size_t link_offset)
{
    struct file_entry *entry = (struct file_entry *)(void *)((char *)by_use->next - link_offset);
    file_store_unlink(cache, entry);
    cache->stats.evictions++;
}

/* What holds descriptors or memory goes, and what is known of the file stays if it can be opened
 * again at once: that is cheaper than to look it up, its siblings and all. */
static void evict_file(struct file_cache *cache, struct list *by_use, size_t link_offset)
{
    struct file_entry *entry = (struct file_entry *)(void *)((char *)by_use->next - link_offset);

    if (entry->refs > 1 || !file_glance_is_wanted(cache)) {
        evict(cache, by_use, link_offset);
        return;
    }
    file_entry_drop_descriptor(cache, entry);
    file_entry_drop_body(cache, entry);
    file_entry_drop_head(entry);
    cache->stats.evictions++;
}

void file_store_enforce_limits(struct file_cache *cache)
{
    const struct file_cache_limits *limits = &cache->limits;

    while (cache->stats.entries > limits->entries && !list_empty(&cache->by_use))
        evict(cache, &cache->by_use, offsetof(struct file_entry, by_use));
    while (cache->stats.descriptors > limits->descriptors && !list_empty(&cache->by_use_open))
        evict_file(cache, &cache->by_use_open, offsetof(struct file_entry, by_use_open));
    while (cache->stats.body_bytes > limits->body_bytes && !list_empty(&cache->by_use_body))
        evict_file(cache, &cache->by_use_body, offsetof(struct file_entry, by_use_body));
    while (cache->negative_count > limits->entries / NEGATIVE_SHARE + 1 &&
           !list_empty(&cache->negative_by_use))
        evict(cache, &cache->negative_by_use, offsetof(struct file_entry, by_use));
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

int file_cache_init(struct file_cache *cache, struct io_lane *stat_lane, struct io_lane *read_lane,
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
    cache->table_len = TABLE_MIN;
    cache->table = calloc(cache->table_len, sizeof(cache->table[0]));
    if (!cache->table)
        return UV_ENOMEM;
    if (getrandom(&cache->seed, sizeof(cache->seed), GRND_NONBLOCK) != sizeof(cache->seed))
        cache->seed = monotonic_ns();
    return 0;
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
    file_watch_fini(cache);
    file_glance_sweep(cache, true);
    CHECK(cache->stats.descriptors == 0 && cache->stats.body_bytes == 0);
    free(cache->table);
}

static void resize_table(struct file_cache *cache, size_t len)
{
    struct file_entry **table = calloc(len, sizeof(table[0]));

    if (!table) /* longer chains, nothing worse */
        return;
    for (size_t i = 0; i < cache->table_len; i++)
        for (struct file_entry *entry = cache->table[i], *next; entry; entry = next) {
            next = entry->hash_next;
            entry->hash_next = table[entry->hash & (len - 1)];
            table[entry->hash & (len - 1)] = entry;
        }
    free(cache->table);
    cache->table = table;
    cache->table_len = len;
}

void file_cache_configure(struct file_cache *cache, const struct file_cache_limits *limits)
{
    size_t len = TABLE_MIN;

    while (len < limits->entries)
        len *= 2;
    cache->limits = *limits;
    if (len != cache->table_len)
        resize_table(cache, len);
    if (limits->ttl_ms == 0)
        drop_all(cache);
    file_watch_configure(cache);
    file_store_enforce_limits(cache);
}

void file_cache_sweep(struct file_cache *cache)
{
    for (int left = SWEEP_FILES; left > 0 && !list_empty(&cache->by_use_open); left--) {
        struct file_entry *entry =
            container_of(cache->by_use_open.next, struct file_entry, by_use_open);
        if (cache->now_ms < entry->touched_ms + IDLE_OPEN_MS + cache->limits.ttl_ms)
            break;
        file_store_unlink(cache, entry);
    }
    file_watch_tick(cache);
    file_glance_sweep(cache, false);
}
