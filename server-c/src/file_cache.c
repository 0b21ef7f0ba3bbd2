/* SPDX-License-Identifier: MIT */
/* file_cache.c — the table, its bounds, and the two jobs that fill it.
 *
 * An entry in use is never changed under its users, except that a body is added. When the disk
 * says something new, a new entry takes the old one's place; the old one lives until it is put. */
#include "file_cache.h"

#include "file_lookup.h"
#include "util.h"

#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_MIN 64
#define TOUCH_MS 1000 /* order of use is kept to this grain: a hit moves an entry once a second */
#define IDLE_OPEN_MS 5000 /* an unused descriptor is closed after this and the ttl */
#define NEGATIVE_SHARE 8  /* at most one in so many entries may be a refusal */

struct file_lookup {
    struct io_job job;
    struct file_cache *cache;
    struct site_set *set; /* keeps `site` alive */
    const struct site *site;
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

struct late_close {
    struct io_job job;
    int fd;
};

/* --- closing --------------------------------------------------------------------------------- */

static void run_late_close(struct io_job *job)
{
    close(container_of(job, struct late_close, job)->fd);
}

static void on_late_close(struct io_job *job)
{
    free(container_of(job, struct late_close, job));
}

/* The last close of a file without a name frees its blocks, which may take long: not on the loop.
 */
static void close_file(struct file_cache *cache, int fd)
{
    struct late_close *late;
    struct stat st;

    if (!cache->is_ending && fstat(fd, &st) == 0 && st.st_nlink == 0 &&
        (late = malloc(sizeof(*late))) != NULL) {
        late->fd = fd;
        late->job.run = run_late_close;
        late->job.on_done = on_late_close;
        if (io_lane_submit(cache->stat_lane, cache->port, &late->job) == 0)
            return;
        free(late);
    }
    close(fd);
}

/* The budgets count what the table holds: an entry is counted while it is in the list. What only
 * requests under way still hold ends with them, and limits.connections bounds those. */
static void uncount_descriptor(struct file_cache *cache, struct file_entry *entry)
{
    if (list_empty(&entry->by_use_open))
        return;
    list_remove(&entry->by_use_open);
    cache->stats.descriptors--;
}

static void uncount_body(struct file_cache *cache, struct file_entry *entry)
{
    if (list_empty(&entry->by_use_body))
        return;
    list_remove(&entry->by_use_body);
    cache->stats.body_bytes -= entry->facts.size;
}

static void drop_descriptor(struct file_cache *cache, struct file_entry *entry)
{
    if (entry->fd < 0)
        return;
    uncount_descriptor(cache, entry);
    close_file(cache, entry->fd);
    entry->fd = -1;
}

static void drop_body(struct file_cache *cache, struct file_entry *entry)
{
    uncount_body(cache, entry);
    free(entry->body);
    entry->body = NULL;
    entry->body_state = FILE_BODY_UNREAD;
}

/* --- entries --------------------------------------------------------------------------------- */

struct file_entry *file_cache_get(struct file_entry *entry)
{
    entry->refs++;
    return entry;
}

void file_cache_put(struct file_cache *cache, struct file_entry *entry)
{
    CHECK(entry->refs > 0);
    if (--entry->refs > 0)
        return;
    drop_descriptor(cache, entry);
    drop_body(cache, entry);
    free(entry->head);
    if (entry->index[0])
        free((void *)(uintptr_t)entry->index);
    free(entry);
}

static uint64_t hash_path(const struct file_cache *cache, uint64_t lookup_id, struct span path)
{
    uint64_t hash = cache->seed ^ lookup_id, word;

    while (path.len >= 8) {
        memcpy(&word, path.ptr, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        path.ptr += 8, path.len -= 8;
    }
    word = path.len;
    memcpy(&word, path.ptr, path.len);
    hash = (hash ^ word ^ (uint64_t)path.len << 56) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static struct file_entry *new_entry(struct file_cache *cache, uint64_t lookup_id, struct span path)
{
    struct file_entry *entry = calloc(1, sizeof(*entry) + path.len + 1);

    if (!entry)
        return NULL;
    list_init(&entry->by_use);
    list_init(&entry->by_use_open);
    list_init(&entry->by_use_body);
    entry->hash = hash_path(cache, lookup_id, path);
    entry->lookup_id = lookup_id;
    entry->refs = 1;
    entry->fd = -1;
    entry->index = "";
    entry->path_len = path.len;
    memcpy(entry->path, path.ptr, path.len);
    return entry;
}

static struct file_entry *find(const struct file_cache *cache, uint64_t lookup_id, struct span path)
{
    uint64_t hash = hash_path(cache, lookup_id, path);
    struct file_entry *entry = cache->table[hash & (cache->table_len - 1)];

    while (entry && (entry->hash != hash || entry->lookup_id != lookup_id ||
                     entry->path_len != path.len || memcmp(entry->path, path.ptr, path.len) != 0))
        entry = entry->hash_next;
    return entry;
}

static void link_entry(struct file_cache *cache, struct file_entry *entry)
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

static void unlink_entry(struct file_cache *cache, struct file_entry *entry)
{
    struct file_entry **slot = &cache->table[entry->hash & (cache->table_len - 1)];

    while (*slot != entry)
        slot = &(*slot)->hash_next;
    *slot = entry->hash_next;
    entry->in_table = false;
    list_remove(&entry->by_use);
    uncount_descriptor(cache, entry);
    uncount_body(cache, entry);
    if (entry->is_negative)
        cache->negative_count--;
    cache->stats.entries--;
    file_cache_put(cache, entry);
}

static void evict(struct file_cache *cache, struct list *by_use, size_t link_offset)
{
    struct file_entry *entry = (struct file_entry *)(void *)((char *)by_use->next - link_offset);
    unlink_entry(cache, entry);
    cache->stats.evictions++;
}

static void enforce_limits(struct file_cache *cache)
{
    const struct file_cache_limits *limits = &cache->limits;

    while (cache->stats.entries > limits->entries && !list_empty(&cache->by_use))
        evict(cache, &cache->by_use, offsetof(struct file_entry, by_use));
    while (cache->stats.descriptors > limits->descriptors && !list_empty(&cache->by_use_open))
        evict(cache, &cache->by_use_open, offsetof(struct file_entry, by_use_open));
    while (cache->stats.body_bytes > limits->body_bytes && !list_empty(&cache->by_use_body))
        evict(cache, &cache->by_use_body, offsetof(struct file_entry, by_use_body));
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

static void touch(struct file_cache *cache, struct file_entry *entry)
{
    if (cache->now_ms - entry->touched_ms < TOUCH_MS || !entry->in_table)
        return;
    entry->touched_ms = cache->now_ms;
    to_end(entry->is_negative ? &cache->negative_by_use : &cache->by_use, &entry->by_use);
    to_end(&cache->by_use_open, &entry->by_use_open);
    to_end(&cache->by_use_body, &entry->by_use_body);
}

/* --- the answer of a look-up ----------------------------------------------------------------- */

static void fill_entry(struct file_cache *cache, struct file_entry *entry,
                       const struct file_lookup *lookup)
{
    const struct file_found *found = &lookup->found;
    const struct config_site *site = lookup->site->cfg;

    entry->is_known = true;
    entry->status = found->status;
    entry->checked_ms = (int64_t)(lookup->job.started_ns / NS_PER_MS);
    entry->is_negative = found->status != HTTP_OK;
    if (entry->is_negative && entry->in_table) {
        cache->negative_count++;
        to_end(&cache->negative_by_use, &entry->by_use);
    }
    if (found->status != HTTP_OK)
        return;
    if (found->index < site->index_count) {
        entry->index = strdup(site->index[found->index]);
        if (!entry->index)
            entry->index = "";
    }
    entry->version = file_version_of(&found->st);
    entry->ctime = found->st.st_ctim;
    entry->device = found->st.st_dev;
    entry->inode = found->st.st_ino;
    file_facts_init(&entry->facts, entry->version.size, entry->version.mtime_seconds,
                    entry->version.mtime_ns, wall_clock_seconds());
    entry->fd = found->fd;
    if (entry->in_table) {
        list_append(&cache->by_use_open, &entry->by_use_open);
        cache->stats.descriptors++;
    }
}

/* Does the disk still say what the entry says? */
static bool is_same(const struct file_entry *entry, const struct file_lookup *lookup)
{
    const struct file_found *found = &lookup->found;
    const struct config_site *site = lookup->site->cfg;
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

/* The entry that now stands for the path, with a reference for the caller. */
static struct file_entry *settle_lookup(struct file_cache *cache, struct file_lookup *lookup)
{
    struct file_entry *old = lookup->entry, *entry;

    if (!old->is_known) {
        fill_entry(cache, old, lookup);
        return file_cache_get(old);
    }
    if (is_same(old, lookup)) {
        old->checked_ms = (int64_t)(lookup->job.started_ns / NS_PER_MS);
        if (lookup->found.fd >= 0)
            close_file(cache, lookup->found.fd);
        return file_cache_get(old);
    }
    entry = new_entry(cache, old->lookup_id, (struct span){old->path, old->path_len});
    if (!entry) {
        if (lookup->found.fd >= 0)
            close(lookup->found.fd);
        if (old->in_table)
            unlink_entry(cache, old);
        return NULL;
    }
    if (old->in_table) {
        unlink_entry(cache, old);
        link_entry(cache, entry);
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
    file_lookup_run(&lookup->found, lookup->site->cfg, lookup->entry->path,
                    lookup->entry->path_len);
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
        unlink_entry(cache, entry);
    enforce_limits(cache);
    tell_waiters(&lookup->waiters, job, entry);
    if (entry)
        file_cache_put(cache, entry);
    file_cache_put(cache, asked);
    site_set_put(lookup->set);
    free(lookup);
}

static bool start_lookup(struct file_cache *cache, struct site_set *set, const struct site *site,
                         struct file_entry *entry)
{
    struct file_lookup *lookup = malloc(sizeof(*lookup));

    if (!lookup)
        return false;
    lookup->job.run = run_lookup;
    lookup->job.on_done = on_lookup_done;
    lookup->cache = cache;
    lookup->set = set;
    lookup->site = site;
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

static void wait_in(struct list *waiters, struct file_waiter *waiter)
{
    waiter->since_ns = monotonic_ns();
    list_append(waiters, &waiter->link);
}

enum file_answer file_cache_find(struct file_cache *cache, struct site_set *set,
                                 const struct site *site, struct span path,
                                 struct file_waiter *waiter, struct file_entry **out)
{
    bool caching = cache->limits.ttl_ms > 0;
    struct file_entry *entry = caching ? find(cache, site->lookup_id, path) : NULL;
    int64_t age;

    if (entry && entry->is_known) {
        age = (int64_t)cache->now_ms - entry->checked_ms;
        if (age < (int64_t)cache->limits.ttl_ms) {
            /* Ask again in the last half of its time: those who come later find it fresh. A full
             * lane is no harm yet. */
            if (age > (int64_t)cache->limits.ttl_ms / 2 && !entry->lookup)
                start_lookup(cache, set, site, entry);
            touch(cache, entry);
            *out = file_cache_get(entry);
            return FILE_HIT;
        }
    }
    if (entry) {
        file_cache_get(entry);
    } else {
        entry = new_entry(cache, site->lookup_id, path);
        if (!entry)
            return FILE_BUSY;
        if (caching)
            link_entry(cache, entry);
    }
    if (!entry->lookup && !start_lookup(cache, set, site, entry)) {
        if (!entry->is_known && entry->in_table)
            unlink_entry(cache, entry);
        file_cache_put(cache, entry);
        return FILE_BUSY;
    }
    wait_in(&entry->lookup->waiters, waiter);
    file_cache_put(cache, entry);
    enforce_limits(cache);
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
        drop_body(cache, entry);
        if (entry->in_table)
            unlink_entry(cache, entry);
        return false;
    }
    entry->body_state = FILE_BODY_READY;
    if (entry->in_table) {
        list_append(&cache->by_use_body, &entry->by_use_body);
        cache->stats.body_bytes += entry->facts.size;
    }
    if (entry->descriptor_users == 0)
        drop_descriptor(cache, entry);
    enforce_limits(cache);
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
        drop_body(cache, entry);
        if (entry->in_table) /* EIO, or shorter than it was */
            unlink_entry(cache, entry);
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
    wait_in(&load->waiters, waiter);
    return FILE_SOURCE_WAIT;

busy:
    free(load);
    drop_body(cache, entry);
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
        wait_in(&entry->load->waiters, waiter);
        return FILE_SOURCE_WAIT;
    }
    if (size > cache->limits.max_body || size > cache->limits.body_bytes) {
        if (file_unchanged(entry->fd, &entry->version))
            return FILE_FROM_DESCRIPTOR;
        if (entry->in_table)
            unlink_entry(cache, entry);
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
        unlink_entry(cache, container_of(cache->by_use.next, struct file_entry, by_use));
    while (!list_empty(&cache->negative_by_use))
        unlink_entry(cache, container_of(cache->negative_by_use.next, struct file_entry, by_use));
}

void file_cache_fini(struct file_cache *cache)
{
    cache->is_ending = true;
    drop_all(cache);
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
    enforce_limits(cache);
}

void file_cache_sweep(struct file_cache *cache)
{
    while (!list_empty(&cache->by_use_open)) {
        struct file_entry *entry =
            container_of(cache->by_use_open.next, struct file_entry, by_use_open);
        if (cache->now_ms < entry->touched_ms + IDLE_OPEN_MS + cache->limits.ttl_ms)
            break;
        unlink_entry(cache, entry);
    }
}
