/* SPDX-License-Identifier: MIT */
/* file_entry.c — one entry of the file cache: its key, its references, and how it gives back what
 * it holds. */
#include "files/file_entry.h"

#include "base/util.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- closing --------------------------------------------------------------------------------- */

struct late_close {
    struct io_job job;
    int fd;
};

static void run_late_close(struct io_job *job)
{
    close(container_of(job, struct late_close, job)->fd);
}

static void on_late_close(struct io_job *job)
{
    free(container_of(job, struct late_close, job));
}

void file_entry_close_late(struct file_cache *cache, int fd)
{
    struct late_close *late = cache->is_ending ? NULL : malloc(sizeof(*late));

    if (late) {
        late->fd = fd;
        late->job.run = run_late_close;
        late->job.on_done = on_late_close;
        if (io_lane_submit(cache->stat_lane, cache->port, &late->job) == 0)
            return;
        free(late);
    }
    close(fd);
}

/* The last close of a file that has been removed frees its blocks, which can take long: the lane
 * does it. */
void file_entry_close(struct file_cache *cache, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_nlink == 0)
        file_entry_close_late(cache, fd);
    else
        close(fd);
}

void file_entry_uncount_descriptor(struct file_cache *cache, struct file_entry *entry)
{
    if (list_empty(&entry->by_use_open))
        return;
    list_remove(&entry->by_use_open);
    cache->stats.descriptors--;
}

void file_entry_uncount_body(struct file_cache *cache, struct file_entry *entry)
{
    if (list_empty(&entry->by_use_body))
        return;
    list_remove(&entry->by_use_body);
    cache->stats.body_bytes -= entry->facts.size;
}

void file_entry_drop_descriptor(struct file_cache *cache, struct file_entry *entry)
{
    if (entry->fd < 0)
        return;
    file_entry_uncount_descriptor(cache, entry);
    file_entry_close(cache, entry->fd);
    entry->fd = -1;
}

bool file_entry_make_body(struct file_cache *cache, struct file_entry *entry)
{
    char *room = malloc(FILE_HEAD_ROOM + entry->facts.size);

    if (!room)
        return false;
    entry->body = room + FILE_HEAD_ROOM;
    cache->all_body_bytes += entry->facts.size;
    return true;
}

void file_entry_drop_body(struct file_cache *cache, struct file_entry *entry)
{
    file_entry_uncount_body(cache, entry);
    if (entry->body) {
        free(entry->body - FILE_HEAD_ROOM);
        cache->all_body_bytes -= entry->facts.size;
        entry->asked_ms = entry->touched_ms;
    }
    entry->body = NULL;
    entry->ready_len = 0;
    entry->body_state = FILE_BODY_UNREAD;
}

void file_entry_drop_head(struct file_entry *entry)
{
    free(entry->head);
    entry->head = NULL;
    entry->head_len = 0;
    entry->head_site = 0;
}

void file_cache_tag(struct file_entry *entry, const unsigned char hash[32])
{
    entry->content.is_known = true;
    memcpy(entry->content.hash, hash, sizeof(entry->content.hash));
    if (!entry->content.tags)
        return;
    file_facts_tag_content(&entry->facts, hash);
    file_entry_drop_head(entry);
    entry->ready_len = 0;
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
    file_entry_drop_descriptor(cache, entry);
    file_entry_drop_body(cache, entry);
    file_entry_drop_head(entry);
    if (entry->index[0])
        free((void *)(uintptr_t)entry->index);
    free(entry);
}

static uint64_t mix_bytes(uint64_t hash, struct span bytes)
{
    uint64_t word;

    while (bytes.len >= 8) {
        memcpy(&word, bytes.ptr, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        bytes.ptr += 8, bytes.len -= 8;
    }
    word = bytes.len;
    memcpy(&word, bytes.ptr, bytes.len);
    hash = (hash ^ word ^ (uint64_t)bytes.len << 56) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t file_entry_hash(const struct file_cache *cache, uint64_t lookup_id,
                         const struct file_key *key)
{
    uint64_t hash = cache->seed ^ lookup_id;

    if (key->variable.len > 0)
        hash = mix_bytes(hash, key->variable);
    return mix_bytes(hash, key->path);
}

struct file_entry *file_entry_new(struct file_cache *cache, uint64_t lookup_id,
                                  const struct file_key *key)
{
    size_t len = key->variable.len + key->path.len;
    struct file_entry *entry = calloc(1, sizeof(*entry) + len + 1);

    if (!entry)
        return NULL;
    list_init(&entry->by_use);
    list_init(&entry->by_use_open);
    list_init(&entry->by_use_body);
    folder_leaf_init(&entry->leaf);
    entry->by_key.hash = file_entry_hash(cache, lookup_id, key);
    entry->lookup_id = lookup_id;
    entry->refs = 1;
    entry->fd = -1;
    entry->index = "";
    entry->seeks_codings = key->wants_codings;
    entry->key_len = len;
    entry->variable_len = key->variable.len;
    if (key->variable.len > 0)
        memcpy(entry->key, key->variable.ptr, key->variable.len);
    memcpy(entry->key + key->variable.len, key->path.ptr, key->path.len);
    return entry;
}

bool file_entry_has_key(const struct file_entry *entry, const struct file_key *key)
{
    return entry->variable_len == key->variable.len &&
           entry->key_len == key->variable.len + key->path.len &&
           (key->variable.len == 0 ||
            memcmp(entry->key, key->variable.ptr, key->variable.len) == 0) &&
           memcmp(entry->key + key->variable.len, key->path.ptr, key->path.len) == 0;
}

bool file_entry_is_of(const struct file_entry *entry, const struct stat *st)
{
    struct file_version version = file_version_of(st);

    return entry->inode == st->st_ino && entry->device == st->st_dev &&
           file_version_equal(&entry->version, &version) &&
           entry->ctime.tv_sec == st->st_ctim.tv_sec && entry->ctime.tv_nsec == st->st_ctim.tv_nsec;
}
