/* SPDX-License-Identifier: MIT */
/* file_cache.c — the look-up of a key: from what is known, on the loop or on the lane. What its answer does
 * to the entry in the table is file_settle.c's. */
#include "files/file_cache.h"

#include "base/util.h"
#include "files/file_bounds.h"
#include "files/file_entry.h"
#include "files/file_glance.h"
#include "files/file_lookup.h"
#include "files/file_settle.h"
#include "files/file_store.h"
#include "files/file_wait.h"
#include "files/file_watch.h"

#include <string.h>
#include <unistd.h>

#define PATH_CACHED_MAX 1024 /* longer paths are not cached, because of their memory */

struct file_lookup {
    struct io_job job;
    struct file_cache *cache;
    struct place_owner *owner; /* keeps `place` valid */
    const struct file_place *place;
    struct file_entry *entry;
    struct file_waiters waiters;
    struct folder_loan loan;
    bool was_left_out; /* no one waited any more when its turn came */
    bool asks_disk;    /* should it find out whether the file is on a local disk? */
    bool is_local;
    struct file_found found;
};

/* --- the result of a look-up ----------------------------------------------------------------- */

static void run_lookup(struct io_job *job)
{
    struct file_lookup *lookup = container_of(job, struct file_lookup, job);
    struct file_key key = file_entry_key(lookup->entry);

    lookup->was_left_out = atomic_load_explicit(&lookup->waiters.are_gone, memory_order_relaxed);
    if (!lookup->was_left_out)
        file_lookup_run(&lookup->found, lookup->place, &key, &lookup->loan.chain);
    lookup->is_local = lookup->asks_disk && !lookup->was_left_out && lookup->found.fd >= 0 &&
                       file_glance_is_local(lookup->found.fd);
}

/* A lack of resources or a disk error will pass: it is no fact about the file. */
static bool is_fact(const struct file_found *found)
{
    return found->status != HTTP_UNAVAILABLE && found->status != HTTP_INTERNAL_ERROR;
}

/* A file that is being changed right now is sent only to those who asked for it, and not kept. */
static bool may_be_kept(const struct file_found *found)
{
    return is_fact(found) && !found->is_settling;
}

/* As file_settle(), and it is in the table only if it may stay there. */
static struct file_entry *take_answer(struct file_cache *cache, struct file_lookup *lookup,
                                      const struct folder_settled *settled)
{
    const struct file_said said = {lookup->place, &lookup->found, lookup->job.started_ns};
    struct file_entry *entry = file_settle(cache, lookup->entry, &said);

    lookup->entry->lookup = NULL;
    if (entry && entry->in_table) {
        file_watch_hang(cache, entry, lookup->job.started_ns, settled);
        if (!may_be_kept(&lookup->found))
            file_store_unlink(cache, entry);
    }
    file_bounds_enforce(cache);
    return entry;
}

/* --- look-ups on the loop -------------------------------------------------------------------- */

/* Looks the entry up without waiting. NULL: the lane has to do it. No one may be waiting for the
 * entry. */
static struct file_entry *see(struct file_cache *cache, const struct file_place *place,
                              struct file_entry *entry, struct file_waiter *waiter)
{
    static const struct folder_settled settled = {.holds = true};
    struct file_lookup lookup;
    struct file_key key = file_entry_key(entry);
    uint64_t began_ns = monotonic_ns();

    if (!file_glance_is_wanted(cache))
        return NULL;
    lookup.place = place;
    lookup.entry = entry;
    if (!file_glance_run(cache, &lookup.found, place, &key, &lookup.job.started_ns))
        return NULL;
    waiter->wait_ns = 0;
    waiter->work_ns = monotonic_ns() - began_ns;
    return take_answer(cache, &lookup, &settled);
}

/* Opens the file of an entry again whose descriptor was closed to make room, and which still
 * holds. */
static bool open_again(struct file_cache *cache, const struct file_place *place,
                       struct file_entry *entry, struct file_waiter *waiter)
{
    uint64_t began_ns = monotonic_ns();

    if (!file_glance_reopen(cache, place, entry))
        return false;
    waiter->wait_ns = 0;
    waiter->work_ns = monotonic_ns() - began_ns;
    return true;
}

/* --- look-ups on the lane -------------------------------------------------------------------- */

static void end_lookup(struct file_lookup *lookup, struct file_entry *entry)
{
    struct file_cache *cache = lookup->cache;

    file_wait_tell(&lookup->waiters, &lookup->job, entry);
    if (entry)
        file_cache_put(cache, entry);
    file_cache_put(cache, lookup->entry);
    place_owner_put(lookup->owner);
    free(lookup);
}

/* The look-up was skipped because no one waited; but somebody may have come since. */
static void on_lookup_left_out(struct file_lookup *lookup)
{
    struct file_cache *cache = lookup->cache;
    struct file_entry *asked = lookup->entry;
    struct folder_settled settled;

    if (!list_empty(&lookup->waiters.list) &&
        io_lane_submit(cache->stat_lane, cache->port, &lookup->job) == 0)
        return;
    file_watch_settle(cache, &lookup->loan, lookup->place, asked, 0, false, &settled);
    asked->lookup = NULL;
    if (!asked->is_known && asked->in_table)
        file_store_unlink(cache, asked);
    end_lookup(lookup, NULL);
}

static void on_lookup_done(struct io_job *job)
{
    struct file_lookup *lookup = container_of(job, struct file_lookup, job);
    struct file_cache *cache = lookup->cache;
    uint64_t began_ns = job->started_ns;
    struct folder_settled settled;
    struct file_entry *entry;

    if (lookup->was_left_out) {
        on_lookup_left_out(lookup);
        return;
    }
    file_watch_settle(cache, &lookup->loan, lookup->place, lookup->entry, began_ns,
                      is_fact(&lookup->found), &settled);
    if (lookup->is_local)
        file_glance_learn(cache, lookup->found.st.st_dev);
    entry = take_answer(cache, lookup, &settled);
    end_lookup(lookup, entry);
}

static bool start_lookup(struct file_cache *cache, struct place_owner *owner,
                         const struct file_place *place, struct file_entry *entry)
{
    struct file_lookup *lookup = malloc(sizeof(*lookup));
    bool is_new = !entry->is_known || (entry->seeks_codings && file_entry_lacks_codings(entry));
    struct folder_settled settled;

    if (!lookup)
        return false;
    lookup->job.run = run_lookup;
    lookup->job.on_done = on_lookup_done;
    lookup->cache = cache;
    lookup->owner = owner;
    lookup->place = place;
    lookup->entry = entry;
    lookup->asks_disk = file_glance_is_wanted(cache);
    file_wait_init(&lookup->waiters);
    file_watch_lend(cache, &lookup->loan, entry);
    /* Known entries are in use, and looking them up hardly ever needs the disk: they go first. */
    if ((is_new ? io_lane_submit : io_lane_submit_first)(cache->stat_lane, cache->port,
                                                         &lookup->job) != 0) {
        file_watch_settle(cache, &lookup->loan, place, entry, 0, false, &settled);
        free(lookup);
        return false;
    }
    place_owner_get(owner);
    file_cache_get(entry);
    entry->lookup = lookup;
    return true;
}

static int64_t age_of(const struct file_cache *cache, const struct file_entry *entry)
{
    return (int64_t)cache->now_ms - entry->checked_ms;
}

static bool is_trusted(struct file_cache *cache, struct file_entry *entry)
{
    return ((age_of(cache, entry) < (int64_t)cache->limits.ttl_ms) &
            (entry->trust_round == cache->trust_round)) ||
           file_watch_renew(cache, entry);
}

/* An entry that is in use all the time is looked up again in the second half of its ttl, so that no
 * one has to wait when it expires. */
static bool wants_refresh(struct file_cache *cache, struct file_entry *entry)
{
    int64_t half_ms = file_cache_half_ttl_ms(cache);

    return age_of(cache, entry) > half_ms && !entry->lookup &&
           (entry->is_watched ||
            (int64_t)(cache->now_ms - entry->touched_ms) <= half_ms + FILE_TOUCH_MS) &&
           !file_watch_may_wait(cache, entry);
}

/* Answers with an entry that holds. FILE_WAIT if its file has to be looked up nevertheless. */
static enum file_answer answer_known(struct file_cache *cache, struct place_owner *owner,
                                     const struct file_place *place, struct file_entry *entry,
                                     struct file_waiter *waiter, struct file_entry **out)
{
    enum file_answer answer = FILE_HIT;

    file_cache_get(entry);
    if (file_entry_is_bare(entry)) {
        if (entry->lookup || !open_again(cache, place, entry, waiter)) {
            file_cache_put(cache, entry);
            return FILE_WAIT;
        }
        answer = FILE_SEEN;
        file_bounds_enforce(cache);
    } else if (wants_refresh(cache, entry)) {
        *out = see(cache, place, entry, waiter);
        if (*out) {
            file_cache_put(cache, entry);
            return FILE_HIT;
        }
        start_lookup(cache, owner, place, entry); /* if the lane is full it is tried again later */
    }
    file_store_touch(cache, entry);
    *out = entry;
    return answer;
}

enum file_answer file_cache_find(struct file_cache *cache, struct place_owner *owner,
                                 const struct file_place *place, const struct file_key *key,
                                 struct file_waiter *waiter, struct file_entry **out)
{
    bool caching = cache->limits.ttl_ms > 0 && key->path.len <= PATH_CACHED_MAX;
    struct file_entry *entry = caching ? file_store_find(cache, place->lookup_id, key) : NULL;
    bool holds = entry && entry->is_known && is_trusted(cache, entry);

    if (entry && key->wants_codings && !entry->lookup)
        entry->seeks_codings = true;
    if (holds && !(key->wants_codings && file_entry_lacks_codings(entry))) {
        enum file_answer answer = answer_known(cache, owner, place, entry, waiter, out);
        if (answer != FILE_WAIT)
            return answer;
    }
    if (entry) {
        file_cache_get(entry);
    } else {
        entry = file_entry_new(cache, place->lookup_id, key);
        if (!entry)
            return FILE_BUSY;
        if (caching)
            file_store_link(cache, entry);
    }
    if (!entry->lookup && (*out = see(cache, place, entry, waiter)) != NULL) {
        file_cache_put(cache, entry);
        return FILE_SEEN;
    }
    if (entry->lookup) {
        file_wait_join(&entry->lookup->waiters, waiter);
    } else if (start_lookup(cache, owner, place, entry)) {
        file_wait_begin(&entry->lookup->waiters, waiter, &entry->lookup->job);
    } else if (holds && !file_entry_is_bare(entry)) {
        *out = entry; /* only its encoded siblings are unknown, and the lane is full */
        return FILE_HIT;
    } else {
        if (!entry->is_known && entry->in_table)
            file_store_unlink(cache, entry);
        file_cache_put(cache, entry);
        return FILE_BUSY;
    }
    file_cache_put(cache, entry);
    file_bounds_enforce(cache);
    return FILE_WAIT;
}

void file_cache_forget(struct file_cache *cache, struct file_entry *entry)
{
    if (entry->in_table)
        file_store_unlink(cache, entry);
}
