/* SPDX-License-Identifier: MIT */
/* file_cache.c — the two jobs that fill the cache: the look-up of a path, the first read of a body.
 *
 * An entry in use is never changed under its users, except that a body is added. When the disk
 * says something new, a new entry takes the old one's place; the old one lives until it is put. */
#include "file_cache.h"

#include "file_lookup.h"
#include "file_store.h"
#include "util.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_CACHED_MAX 1024 /* longer ones are looked up each time: they would cost memory */

struct file_lookup {
    struct io_job job;
    struct file_cache *cache;
    struct site_set *set; /* keeps `place` alive */
    const struct file_place *place;
    struct file_entry *entry;
    struct list waiters;
    struct file_found found;
};

struct file_load {
    struct io_job job;
    struct file_cache *cache;
    struct file_entry *entry;
    struct list waiters;
    size_t done;    /* bytes of the body there already */
    ssize_t result; /* bytes the job read, or UV_E* */
};

/* --- the answer of a look-up ----------------------------------------------------------------- */

static void fill_entry(struct file_cache *cache, struct file_entry *entry,
                       const struct file_lookup *lookup)
{
    const struct file_found *found = &lookup->found;
    const struct config_site *site = lookup->place->site;

    entry->is_known = true;
    entry->status = found->status;
    entry->checked_ms = (int64_t)(lookup->job.started_ns / NS_PER_MS);
    if (found->status != HTTP_OK)
        file_store_count_negative(cache, entry);
    if (found->status != HTTP_OK)
        return;
    if (found->index < site->index_count) {
        entry->index = strdup(site->index[found->index]);
        if (!entry->index)
            entry->index = "";
    }
    entry->is_folder = found->is_folder;
    entry->codings = found->codings;
    entry->version = file_version_of(&found->st);
    entry->ctime = found->st.st_ctim;
    entry->device = found->st.st_dev;
    entry->inode = found->st.st_ino;
    file_facts_init(&entry->facts, entry->version.size, entry->version.mtime_seconds,
                    entry->version.mtime_ns, wall_clock_seconds());
    entry->fd = found->fd;
    file_store_count_descriptor(cache, entry);
}

/* Does the disk still say what the entry says? */
static bool is_same(const struct file_entry *entry, const struct file_lookup *lookup)
{
    const struct file_found *found = &lookup->found;
    const struct config_site *site = lookup->place->site;
    const char *index = found->index < site->index_count ? site->index[found->index] : "";

    if (entry->status != found->status)
        return false;
    if (found->status != HTTP_OK)
        return true;
    return entry->inode == found->st.st_ino && entry->device == found->st.st_dev &&
           entry->version.size == (uint64_t)found->st.st_size &&
           entry->version.mtime_seconds == found->st.st_mtim.tv_sec &&
           entry->version.mtime_ns == (uint32_t)found->st.st_mtim.tv_nsec &&
           entry->ctime.tv_sec == found->st.st_ctim.tv_sec &&
           entry->ctime.tv_nsec == found->st.st_ctim.tv_nsec && strcmp(entry->index, index) == 0;
}

static struct file_key key_of(const struct file_entry *entry)
{
    return (struct file_key){file_entry_variable(entry), file_entry_path(entry)};
}

/* The entry that now stands for the path, with a reference for the caller. */
static struct file_entry *settle_lookup(struct file_cache *cache, struct file_lookup *lookup)
{
    struct file_entry *old = lookup->entry, *entry;
    struct file_key key;

    if (!old->is_known) {
        fill_entry(cache, old, lookup);
        return file_cache_get(old);
    }
    if (is_same(old, lookup)) {
        old->checked_ms = (int64_t)(lookup->job.started_ns / NS_PER_MS);
        if (lookup->found.fd >= 0)
            file_store_close(cache, lookup->found.fd);
        return file_cache_get(old);
    }
    key = key_of(old);
    entry = file_store_new_entry(cache, old->lookup_id, &key);
    if (!entry) {
        if (lookup->found.fd >= 0)
            close(lookup->found.fd);
        if (old->in_table)
            file_store_unlink(cache, old);
        return NULL;
    }
    if (old->in_table) {
        file_store_unlink(cache, old);
        file_store_link(cache, entry);
    }
    fill_entry(cache, entry, lookup);
    return entry;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What of the job's times fell into this waiter's wait; it may have come later. */
static void share_times(struct file_waiter *waiter, const struct io_job *job)
{
    uint64_t started = later(job->started_ns, waiter->since_ns);

    waiter->wait_ns = started - waiter->since_ns;
    waiter->work_ns = later(job->ended_ns, started) - started;
}

/* `entry` may be NULL. Each waiter gets a reference of its own. */
static void tell_waiters(struct list *waiters, const struct io_job *job, struct file_entry *entry)
{
    while (!list_empty(waiters)) {
        struct file_waiter *waiter = container_of(waiters->next, struct file_waiter, link);
        list_remove(&waiter->link);
        share_times(waiter, job);
        waiter->on_ready(waiter, entry ? file_cache_get(entry) : NULL);
    }
}

static void run_lookup(struct io_job *job)
{
    struct file_lookup *lookup = container_of(job, struct file_lookup, job);
    struct file_key key = key_of(lookup->entry);

    file_lookup_run(&lookup->found, lookup->place, &key);
}

static void on_lookup_done(struct io_job *job)
{
    struct file_lookup *lookup = container_of(job, struct file_lookup, job);
    struct file_cache *cache = lookup->cache;
    struct file_entry *asked = lookup->entry;
    struct file_entry *entry = settle_lookup(cache, lookup);

    asked->lookup = NULL;
    /* A passing shortage is no fact about the file. */
    if (entry && entry->status == HTTP_UNAVAILABLE && entry->in_table)
        file_store_unlink(cache, entry);
    file_store_enforce_limits(cache);
    tell_waiters(&lookup->waiters, job, entry);
    if (entry)
        file_cache_put(cache, entry);
    file_cache_put(cache, asked);
    site_set_put(lookup->set);
    free(lookup);
}

static bool start_lookup(struct file_cache *cache, struct site_set *set,
                         const struct file_place *place, struct file_entry *entry)
{
    struct file_lookup *lookup = malloc(sizeof(*lookup));

    if (!lookup)
        return false;
    lookup->job.run = run_lookup;
    lookup->job.on_done = on_lookup_done;
    lookup->cache = cache;
    lookup->set = set;
    lookup->place = place;
    lookup->entry = entry;
    list_init(&lookup->waiters);
    if (io_lane_submit(cache->stat_lane, cache->port, &lookup->job) != 0) {
        free(lookup);
        return false;
    }
    site_set_get(set);
    file_cache_get(entry);
    entry->lookup = lookup;
    return true;
}

/* Who comes while the job is under way waits from now on. */
static void join_wait(struct list *waiters, struct file_waiter *waiter)
{
    waiter->since_ns = monotonic_ns();
    list_append(waiters, &waiter->link);
}

/* Who began the job waits since it was queued: a clock read only now may be later than its end. */
static void begin_wait(struct list *waiters, struct file_waiter *waiter, const struct io_job *job)
{
    waiter->since_ns = job->queued_ns;
    list_append(waiters, &waiter->link);
}

enum file_answer file_cache_find(struct file_cache *cache, struct site_set *set,
                                 const struct file_place *place, const struct file_key *key,
                                 struct file_waiter *waiter, struct file_entry **out)
{
    bool caching = cache->limits.ttl_ms > 0 && key->path.len <= PATH_CACHED_MAX;
    struct file_entry *entry = caching ? file_store_find(cache, place->lookup_id, key) : NULL;
    int64_t age;

    if (entry && entry->is_known) {
        age = (int64_t)cache->now_ms - entry->checked_ms;
        if (age < (int64_t)cache->limits.ttl_ms) {
            /* Ask again in the last half of its time: those who come later find it fresh. A full
             * lane is no harm yet. */
            if (age > (int64_t)cache->limits.ttl_ms / 2 && !entry->lookup)
                start_lookup(cache, set, place, entry);
            file_store_touch(cache, entry);
            *out = file_cache_get(entry);
            return FILE_HIT;
        }
    }
    if (entry) {
        file_cache_get(entry);
    } else {
        entry = file_store_new_entry(cache, place->lookup_id, key);
        if (!entry)
            return FILE_BUSY;
        if (caching)
            file_store_link(cache, entry);
    }
    if (entry->lookup) {
        join_wait(&entry->lookup->waiters, waiter);
    } else if (start_lookup(cache, set, place, entry)) {
        begin_wait(&entry->lookup->waiters, waiter, &entry->lookup->job);
    } else {
        if (!entry->is_known && entry->in_table)
            file_store_unlink(cache, entry);
        file_cache_put(cache, entry);
        return FILE_BUSY;
    }
    file_cache_put(cache, entry);
    file_store_enforce_limits(cache);
    return FILE_WAIT;
}

/* --- bodies ---------------------------------------------------------------------------------- */

static void run_load(struct io_job *job)
{
    struct file_load *load = container_of(job, struct file_load, job);
    struct file_entry *entry = load->entry;

    load->result = file_read_fully(entry->fd, entry->body + load->done,
                                   entry->facts.size - load->done, load->done);
}

/* All bytes are there. False when they may not be those of one version of the file. */
static bool accept_body(struct file_cache *cache, struct file_entry *entry)
{
    if (!file_unchanged(entry->fd, &entry->version)) {
        file_store_drop_body(cache, entry);
        if (entry->in_table)
            file_store_unlink(cache, entry);
        return false;
    }
    entry->body_state = FILE_BODY_READY;
    file_store_count_body(cache, entry);
    if (entry->descriptor_users == 0)
        file_store_drop_descriptor(cache, entry);
    file_store_enforce_limits(cache);
    return true;
}

static void on_load_done(struct io_job *job)
{
    struct file_load *load = container_of(job, struct file_load, job);
    struct file_cache *cache = load->cache;
    struct file_entry *entry = load->entry;

    entry->load = NULL;
    entry->body_state = FILE_BODY_UNREAD;
    if (load->result >= 0 && load->done + (size_t)load->result == entry->facts.size) {
        accept_body(cache, entry); /* if it changed, the waiters ask again and are told so */
        tell_waiters(&load->waiters, job, entry);
    } else {
        file_store_drop_body(cache, entry);
        if (entry->in_table) /* EIO, or shorter than it was */
            file_store_unlink(cache, entry);
        tell_waiters(&load->waiters, job, NULL);
    }
    file_cache_put(cache, entry);
    free(load);
}

static enum file_source start_load(struct file_cache *cache, struct file_entry *entry, size_t done,
                                   struct file_waiter *waiter)
{
    struct file_load *load = malloc(sizeof(*load));

    if (!load)
        goto busy;
    load->job.run = run_load;
    load->job.on_done = on_load_done;
    load->cache = cache;
    load->entry = entry;
    load->done = done;
    list_init(&load->waiters);
    if (io_lane_submit(cache->read_lane, cache->port, &load->job) != 0)
        goto busy;
    file_cache_get(entry);
    entry->load = load;
    entry->body_state = FILE_BODY_LOADING;
    begin_wait(&load->waiters, waiter, &load->job);
    return FILE_SOURCE_WAIT;

busy:
    free(load);
    file_store_drop_body(cache, entry);
    return FILE_SOURCE_BUSY;
}

enum file_source file_cache_source(struct file_cache *cache, struct file_entry *entry,
                                   struct file_waiter *waiter)
{
    uint64_t size = entry->facts.size;
    ssize_t n;

    if (entry->body_state == FILE_BODY_READY)
        return FILE_FROM_MEMORY;
    if (entry->body_state == FILE_BODY_LOADING) {
        join_wait(&entry->load->waiters, waiter);
        return FILE_SOURCE_WAIT;
    }
    if (size > cache->limits.max_body || size > cache->limits.body_bytes) {
        if (file_unchanged(entry->fd, &entry->version))
            return FILE_FROM_DESCRIPTOR;
        if (entry->in_table)
            file_store_unlink(cache, entry);
        return FILE_SOURCE_CHANGED;
    }
    entry->body = malloc(size ? size : 1);
    if (!entry->body)
        return FILE_FROM_DESCRIPTOR;
    n = size ? file_read_resident(entry->fd, entry->body, size, 0) : 0;
    if (n < 0 || (uint64_t)n < size)
        return start_load(cache, entry, n > 0 ? (size_t)n : 0, waiter);
    return accept_body(cache, entry) ? FILE_FROM_MEMORY : FILE_SOURCE_CHANGED;
}

void file_cache_cancel(struct file_waiter *waiter)
{
    list_remove(&waiter->link);
}
