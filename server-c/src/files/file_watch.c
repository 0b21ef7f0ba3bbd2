/* SPDX-License-Identifier: MIT */
/* file_watch.c — entries of the cache as leaves of the tree of watched folders. */
#include "files/file_watch.h"

#include "files/file_entry.h"

static void on_leaf(struct folder_leaf *leaf, uint64_t now_ns)
{
    struct file_entry *entry = container_of(leaf, struct file_entry, leaf);

    entry->changed_ns = now_ns;
    entry->trust_round = FILE_NOT_TRUSTED;
}

/* Only changes a number: each entry then finds out for itself whether it is concerned. */
static void on_doubt(void *arg)
{
    struct file_cache *cache = arg;

    if (++cache->trust_round == FILE_NOT_TRUSTED)
        cache->trust_round++;
}

static void close_late(void *arg, int fd)
{
    file_entry_close_late(arg, fd);
}

void file_watch_configure(struct file_cache *cache)
{
    const struct file_cache_limits *limits = &cache->limits;
    const struct folder_owner owner = {on_leaf, on_doubt, close_late, cache};

    if (cache->watcher)
        folder_watcher_limit(cache->watcher, limits->watches);
    else if (limits->watches > 0) /* without memory for a watcher, ttlMillis applies */
        cache->watcher = folder_watcher_new(cache->port->wake.loop, limits->watches, &owner);
}

void file_watch_fini(struct file_cache *cache)
{
    if (cache->watcher)
        folder_watcher_free(cache->watcher);
    cache->watcher = NULL;
}

void file_watch_tick(struct file_cache *cache)
{
    struct folder_watcher *watcher = cache->watcher;

    if (!watcher)
        return;
    folder_watcher_tick(watcher, (int64_t)cache->now_ms);
    cache->stats.watches = watcher->in_use;
    cache->stats.lacks_watches = watcher->limit > 0 && !watcher->inotify;
}

static int64_t looked_ms(const struct file_entry *entry)
{
    return (int64_t)(entry->looked_ns / NS_PER_MS);
}

/* Makes the entry as fresh as if it had been looked up when its place's folder was last confirmed,
 * but at most FILE_WATCHED_MS after it was really looked up. */
static void renew_watched(struct file_cache *cache, struct file_entry *entry)
{
    const struct folder_top *top = folder_tree_facts(entry->leaf.folder);
    int64_t last = looked_ms(entry) + FILE_WATCHED_MS - (int64_t)cache->limits.ttl_ms;
    int64_t renewed = top->verified_ms < last ? top->verified_ms : last;

    if (renewed > entry->checked_ms)
        entry->checked_ms = renewed;
}

bool file_watch_renew(struct file_cache *cache, struct file_entry *entry)
{
    if (entry->trust_round == FILE_NOT_TRUSTED)
        return false;
    if (entry->is_watched) {
        if (!folder_tree_holds(&cache->watcher->tree, entry->leaf.folder, entry->looked_ns))
            return false;
        if (!entry->date_is_pending)
            renew_watched(cache, entry);
    }
    entry->trust_round = cache->trust_round;
    return (int64_t)cache->now_ms - entry->checked_ms < (int64_t)cache->limits.ttl_ms;
}

/* If a date can be told soon the entry must be looked up, since nothing reports that a second is
 * over. */
bool file_watch_may_wait(struct file_cache *cache, struct file_entry *entry)
{
    int64_t now = (int64_t)cache->now_ms, ttl = (int64_t)cache->limits.ttl_ms;
    struct folder_top *top;

    if (!entry->is_watched || entry->date_is_pending || !file_watch_renew(cache, entry) ||
        now - looked_ms(entry) > FILE_WATCHED_MS / 2)
        return false;
    if (now - entry->checked_ms <= ttl / 2)
        return true;
    top = folder_tree_facts(entry->leaf.folder);
    if (now - top->asked_ms < ttl / 4) /* another entry's look-up will tell */
        return true;
    top->asked_ms = now;
    return false;
}

/* --- around a look-up ------------------------------------------------------------------------ */

static struct span path_from(const struct file_entry *entry, size_t used)
{
    struct span path = file_entry_path(entry);

    return (struct span){path.ptr + used, path.len - used};
}

void file_watch_lend(struct file_cache *cache, struct folder_loan *loan, struct file_entry *entry)
{
    struct folder_watcher *watcher = cache->watcher;

    loan->inotify = NULL;
    loan->start = NULL;
    loan->chain.inotify = -1;
    if (!watcher || !entry->in_table)
        return;
    folder_watcher_lend(watcher, loan, entry->lookup_id, file_entry_variable(entry),
                        file_entry_path(entry));
    if (loan->start && loan->start != entry->leaf.folder)
        folder_leaf_hang(&watcher->tree, &entry->leaf, loan->start,
                         path_from(entry, loan->chain.known_len));
}

void file_watch_settle(struct file_cache *cache, struct folder_loan *loan,
                       const struct file_place *place, const struct file_entry *entry,
                       uint64_t began_ns, bool is_fact, struct folder_settled *settled)
{
    *settled = (struct folder_settled){.holds = true};
    if (!loan->inotify)
        return;
    folder_watcher_settle(cache->watcher, loan, place, file_entry_variable(entry),
                          file_entry_path(entry), began_ns, is_fact, settled);
    if (entry->changed_ns >= began_ns)
        settled->holds = false;
}

void file_watch_hang(struct file_cache *cache, struct file_entry *entry, uint64_t began_ns,
                     const struct folder_settled *settled)
{
    entry->looked_ns = began_ns;
    entry->is_watched = settled->is_reported;
    entry->trust_round = settled->holds ? cache->trust_round : FILE_NOT_TRUSTED;
    if (settled->folder)
        folder_leaf_hang(&cache->watcher->tree, &entry->leaf, settled->folder,
                         path_from(entry, settled->used));
    else if (cache->watcher)
        folder_leaf_drop(&cache->watcher->tree, &entry->leaf);
}

void file_watch_forget(struct file_cache *cache, struct file_entry *entry)
{
    entry->is_watched = false;
    if (cache->watcher)
        folder_leaf_drop(&cache->watcher->tree, &entry->leaf);
}
