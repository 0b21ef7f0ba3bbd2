/* SPDX-License-Identifier: MIT */
/* file_source.c — where the bytes of a file come from: memory, after a first read, or its
 * descriptor.
 *
 * A body is accepted if after the read the file has the size and time it had at the look-up, or has
 * only become longer; in that case only for those who ask now, and later requests look the file up
 * again. What this can't see: a writer that sets the time back, and stores through a shared
 * mapping, of which only the first to a page since it was last written to disk sets the time. */
#include "base/util.h"
#include "files/file_bounds.h"
#include "files/file_entry.h"
#include "files/file_store.h"
#include "files/file_wait.h"

#define SMALL_BYTES 65536
#define BESIDE_TABLE_SHARE 4 /* a fraction of fileCache.maxBytes */

struct file_load {
    struct io_job job;
    struct file_cache *cache;
    struct file_entry *entry;
    struct file_waiters waiters;
    size_t done;    /* bytes of the body that are there already */
    ssize_t result; /* number of bytes the job read, or UV_E* */
};

static void run_load(struct io_job *job)
{
    struct file_load *load = container_of(job, struct file_load, job);
    struct file_entry *entry = load->entry;

    load->result = atomic_load_explicit(&load->waiters.are_gone, memory_order_relaxed)
                       ? UV_ECANCELED
                       : file_read_fully(entry->fd, entry->body + load->done,
                                         entry->facts.size - load->done, load->done);
}

/* Are the bytes that the entry describes still in the file? If the file has changed at all, the
 * entry leaves the table. */
static bool still_holds(struct file_cache *cache, struct file_entry *entry, bool takes_grown)
{
    enum file_change change = file_change_since(entry->fd, &entry->version);

    if (change == FILE_SAME)
        return true;
    if (entry->in_table)
        file_store_unlink(cache, entry);
    return change == FILE_GREW && takes_grown;
}

/* All bytes have been read. False if they may not be those of one version of the file. */
static bool accept_body(struct file_cache *cache, struct file_entry *entry, bool takes_grown)
{
    if (!still_holds(cache, entry, takes_grown)) {
        file_entry_drop_body(cache, entry);
        return false;
    }
    entry->body_state = FILE_BODY_READY;
    file_store_count_body(cache, entry);
    if (entry->descriptor_users == 0)
        file_entry_drop_descriptor(cache, entry);
    file_bounds_enforce(cache);
    return true;
}

static void on_load_done(struct io_job *job)
{
    struct file_load *load = container_of(job, struct file_load, job);
    struct file_cache *cache = load->cache;
    struct file_entry *entry = load->entry;
    bool was_left_out = load->result == UV_ECANCELED;

    if (was_left_out && !list_empty(&load->waiters.list) && /* somebody has come since */
        io_lane_submit(cache->read_lane, cache->port, job) == 0)
        return;
    entry->load = NULL;
    entry->body_state = FILE_BODY_UNREAD;
    if (load->result >= 0 && load->done + (size_t)load->result == entry->facts.size) {
        /* If the file has changed, the waiters must not ask again for the body of this entry:
         * without a page cache to look at, that would mean reading it again and again. */
        file_wait_tell(&load->waiters, job, accept_body(cache, entry, true) ? entry : NULL);
    } else {
        file_entry_drop_body(cache, entry);
        if (entry->in_table && !was_left_out) /* EIO, or shorter than before */
            file_store_unlink(cache, entry);
        file_wait_tell(&load->waiters, job, NULL);
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
    file_wait_init(&load->waiters);
    if (io_lane_submit(cache->read_lane, cache->port, &load->job) != 0)
        goto busy;
    file_cache_get(entry);
    entry->load = load;
    entry->body_state = FILE_BODY_LOADING;
    file_wait_begin(&load->waiters, waiter, &load->job);
    return FILE_SOURCE_WAIT;

busy:
    free(load);
    file_entry_drop_body(cache, entry);
    return FILE_SOURCE_BUSY;
}

/* Is the file wanted more often than the one that would have to go for it? While there is room,
 * small files are kept at once and larger ones when they are wanted again. So a client that looks
 * at everything once evicts nothing popular, and does not have to wait for all of a large file. */
static bool is_worth_its_place(const struct file_cache *cache, uint64_t size,
                               uint64_t asked_before_ms)
{
    const struct file_entry *oldest;

    if (cache->stats.body_bytes + size <= cache->limits.body_bytes)
        return size <= SMALL_BYTES || asked_before_ms > 0;
    if (list_empty(&cache->by_use_body))
        return false;
    oldest = container_of(cache->by_use_body.next, struct file_entry, by_use_body);
    return asked_before_ms >= oldest->touched_ms;
}

/* Nothing is kept while too many bytes are held by requests for bodies that have left the table. */
static bool is_to_be_kept(const struct file_cache *cache, struct file_entry *entry)
{
    uint64_t size = entry->facts.size, asked_before_ms = entry->asked_ms;
    uint64_t beside_table = cache->all_body_bytes - cache->stats.body_bytes;

    entry->asked_ms = cache->now_ms;
    return size <= cache->limits.max_body && size <= cache->limits.body_bytes &&
           beside_table <= cache->limits.body_bytes / BESIDE_TABLE_SHARE &&
           is_worth_its_place(cache, size, asked_before_ms);
}

enum file_source file_cache_source(struct file_cache *cache, struct file_entry *entry,
                                   bool takes_grown, struct file_waiter *waiter)
{
    uint64_t size = entry->facts.size;
    ssize_t n;

    if (entry->body_state == FILE_BODY_READY)
        return FILE_FROM_MEMORY;
    if (entry->body_state == FILE_BODY_LOADING) {
        file_wait_join(&entry->load->waiters, waiter);
        return FILE_SOURCE_WAIT;
    }
    if (!is_to_be_kept(cache, entry) || !file_entry_make_body(cache, entry))
        return still_holds(cache, entry, takes_grown) ? FILE_FROM_DESCRIPTOR : FILE_SOURCE_CHANGED;
    n = size ? file_read_resident(entry->fd, entry->body, size, 0) : 0;
    if (n < 0 || (uint64_t)n < size)
        return start_load(cache, entry, n > 0 ? (size_t)n : 0, waiter);
    return accept_body(cache, entry, takes_grown) ? FILE_FROM_MEMORY : FILE_SOURCE_CHANGED;
}
