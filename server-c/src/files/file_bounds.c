/* SPDX-License-Identifier: MIT */
/* file_bounds.c — what exceeds a limit goes at once when something was added, and step by step, on
 * a timer, after a limit was lowered. */
#include "files/file_bounds.h"

#include "base/util.h"
#include "files/file_entry.h"
#include "files/file_glance.h"
#include "files/file_store.h"
#include "files/file_watch.h"

#include <uv.h>

#define IDLE_OPEN_MS 5000 /* an unused descriptor is closed this long after its ttl */
/* Files dropped in one step. This takes less than a millisecond, for which clients have to wait. */
#define STEP_FILES 256
#define STEP_MS 4        /* pause between two steps */
#define NEGATIVE_SHARE 8 /* at most one in so many entries may be a refusal */

/* --- making room ----------------------------------------------------------------------------- */

static void evict(struct file_cache *cache, struct list *by_use, size_t link_offset)
{
    struct file_entry *entry = (struct file_entry *)(void *)((char *)by_use->next - link_offset);
    file_store_unlink(cache, entry);
    cache->stats.evictions++;
}

/* Gives up the file's descriptor or memory, but keeps what is known about it if it can be opened
 * again at once: that costs less than looking it up again, with its siblings. */
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

static void give_way(struct file_cache *cache, const struct file_cache_bounds *bounds, size_t most)
{
    const struct file_cache_stats *stats = &cache->stats;

    for (; most && stats->entries > bounds->entries && !list_empty(&cache->by_use); most--)
        evict(cache, &cache->by_use, offsetof(struct file_entry, by_use));
    for (; most && stats->descriptors > bounds->descriptors && !list_empty(&cache->by_use_open);
         most--)
        evict_file(cache, &cache->by_use_open, offsetof(struct file_entry, by_use_open));
    for (; most && stats->body_bytes > bounds->body_bytes && !list_empty(&cache->by_use_body);
         most--)
        evict_file(cache, &cache->by_use_body, offsetof(struct file_entry, by_use_body));
    for (;
         most && cache->negative_count > bounds->negatives && !list_empty(&cache->negative_by_use);
         most--)
        evict(cache, &cache->negative_by_use, offsetof(struct file_entry, by_use));
}

void file_bounds_enforce(struct file_cache *cache)
{
    give_way(cache, &cache->bounds, SIZE_MAX);
}

/* --- approaching lowered limits -------------------------------------------------------------- */

static struct file_cache_bounds bounds_of(const struct file_cache_limits *limits)
{
    if (limits->ttl_ms == 0)
        return (struct file_cache_bounds){0};
    return (struct file_cache_bounds){.entries = limits->entries,
                                      .negatives = limits->entries / NEGATIVE_SHARE + 1,
                                      .descriptors = limits->descriptors,
                                      .body_bytes = limits->body_bytes};
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Does one step, and lowers the bounds as far as what is left allows. */
static void on_approach(uv_timer_t *timer)
{
    struct file_cache *cache = container_of(timer, struct file_cache, approach);
    const struct file_cache_bounds goal = bounds_of(&cache->limits);
    struct file_cache_bounds *bounds = &cache->bounds;

    give_way(cache, &goal, STEP_FILES);
    bounds->entries = larger(goal.entries, cache->stats.entries);
    bounds->negatives = larger(goal.negatives, cache->negative_count);
    bounds->descriptors = larger(goal.descriptors, cache->stats.descriptors);
    bounds->body_bytes = larger(goal.body_bytes, cache->stats.body_bytes);
    if (memcmp(bounds, &goal, sizeof(goal)) == 0)
        uv_timer_stop(timer);
    else if (!uv_is_active((uv_handle_t *)timer))
        uv_timer_start(timer, on_approach, STEP_MS, STEP_MS);
}

void file_cache_configure(struct file_cache *cache, const struct file_cache_limits *limits)
{
    cache->limits = *limits;
    file_watch_configure(cache);
    on_approach(&cache->approach);
}

void file_bounds_init(struct file_cache *cache)
{
    uv_timer_init(cache->port->wake.loop, &cache->approach);
}

void file_bounds_fini(struct file_cache *cache)
{
    uv_close((uv_handle_t *)&cache->approach, NULL);
}

/* --- unused descriptors ---------------------------------------------------------------------- */

void file_cache_sweep(struct file_cache *cache)
{
    for (int left = STEP_FILES; left > 0 && !list_empty(&cache->by_use_open); left--) {
        struct file_entry *entry =
            container_of(cache->by_use_open.next, struct file_entry, by_use_open);
        if (cache->now_ms < entry->touched_ms + IDLE_OPEN_MS + cache->limits.ttl_ms)
            break;
        file_store_unlink(cache, entry);
    }
    file_watch_tick(cache);
    file_glance_sweep(cache, false);
}
