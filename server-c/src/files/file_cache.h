/* SPDX-License-Identifier: MIT */
/* file_cache.h — what we know about a path, so that most requests need no system call for it.
 *
 * An entry is facts (size, time, ETag, open file or the bytes themselves, a ready-made head), or facts
 * alone when its file was closed for room, or the refusal that stands in their place, under its
 * place and key (file_place.h). It is trusted for statCache.ttlMillis from the moment the disk was
 * asked, or as long as no change is reported (file_watch.h); one that is in use is looked up again
 * before that, so that a popular file never waits. Look-ups that would wait and first reads happen on
 * the lanes, once for all who ask. One cache per loop, loop thread only. Bounded in entries, bytes and
 * descriptors.
 *
 * How its files work together; those with a star run on a thread of a lane, all others on the loop:
 *
 *   which entry?      file_cache.c    finds the entry of a key, has it looked up
 *                     file_settle     what the answer of a look-up does to it
 *                     file_store      the table, and the orders of use
 *                     file_bounds     what gives way when something is beyond its limit
 *                     file_entry      one entry: its key, its references, what it holds
 *                     file_wait       those who wait for one look-up or one read
 *   what is there?    file_glance     a look-up of what the kernel has in memory, on the loop
 *                   * file_lookup     any other: open, stat, index file, compressed siblings
 *                   * file_place      the folder to begin at
 *                   * confined_open   opens below that folder; confined_walk where the kernel can't
 *                   * served_file     may what was opened be served?
 *   does it hold?     file_watch      an entry as a leaf of the tree of watched folders
 *                     folder_tree     that tree; no system call
 *                     folder_watch    the inotify descriptor; folder_events is what it reported
 *                   * folder_chain    sets the watches along a path, before it is looked up
 *   where are bytes?  file_source.c   in memory after a first read, or in the file
 *                   * file_read       reads, and tells whether that would wait and whether it changed
 *                     file_resident   what of a large file was in the page cache a moment ago
 *
 * What is marked with a star also answers on the loop where its header says so.
 *
 * What no engine can see: a store through a shared mapping that sets no new time, and a writer that
 * puts the time back. What inotify is not told, so that it goes by ttlMillis: what lies behind a link
 * or a mount point, a file with a second name, a file system that is not on the list of local ones,
 * folders beyond maxWatches, the place's own folder. What it is told late or never, for which each
 * file is looked up once in FILE_WATCHED_MS: writes through a mapping that stays open, by AIO or by
 * handle, a mount over a watched folder, a second name that a file gets later (docs/decisions/0023;
 * as a table for operators: docs/serving-files.md). */
#ifndef FARMSTEAD_FILE_CACHE_H
#define FARMSTEAD_FILE_CACHE_H

#include "base/hash_table.h"
#include "base/list.h"
#include "files/file_place.h"
#include "files/file_read.h"
#include "files/folder_tree.h"
#include "http/http_coding.h"
#include "lanes/io_lane.h"
#include "response/response.h"

#include <stdbool.h>

struct file_lookup;
struct file_load;
struct folder_watcher;
struct file_waiters;

enum file_body_state { FILE_BODY_UNREAD, FILE_BODY_LOADING, FILE_BODY_READY };

struct file_entry {
    /* What each request looks at, in the order of lines of the processor's cache: where there are more
     * files than fit there, each line is a wait. */
    struct hash_link by_key;
    uint64_t lookup_id;
    int64_t checked_ms; /* when the disk was asked, or would have said the same */
    uint64_t touched_ms;
    struct file_lookup *lookup; /* the look-up under way */
    uint32_t trust_round;       /* trusted if this is the cache's, or after file_watch_renew() */
    uint32_t refs;              /* users, the table, and jobs under way */
    enum http_status status;    /* HTTP_OK: a regular file, or a folder to list. 301: a folder
                                   without its slash. Else the refusal: 404, 403, 500, 503 */
    int fd;                     /* -1: closed, as the bytes are in `body`, or there is no file */
    uint32_t variable_len, key_len;
    bool in_table, is_known; /* is_known: the first look-up is over */
    bool is_negative;
    bool is_watched;      /* all that could change it is reported */
    bool is_folder;       /* for dir_listing.h; it has a descriptor, no facts and no body */
    bool date_is_pending; /* its second is over soon: then it is looked up again for it */
    bool knows_codings;   /* else none was looked for */
    bool seeks_codings;   /* somebody takes some: the next look-up looks for them */
    unsigned codings;     /* a bit per enum http_coding whose sibling ("x.js.br") is there, is
                           regular and not older than the file */
    enum file_body_state body_state;
    char *body;                /* facts.size bytes, with FILE_HEAD_ROOM before them */
    uint32_t ready_len;        /* of a whole 200 head that stands there, Date and all; 0: none */
    uint32_t descriptor_users; /* requests and jobs that read from `fd`: it stays open for them */
    int64_t ready_second;      /* what its Date says */
    struct list by_use, by_use_open, by_use_body; /* linked while it counts there */
    struct file_facts facts;
    struct file_version version;
    struct timespec ctime;
    uint64_t device, inode;

    const char *index; /* of the folder, "" for other paths; belongs to the entry */
    char *head; /* the 200's head after Date and Connection, as prepared for the site head_site */
    size_t head_len;
    uint64_t head_site;
    struct response_match head_match; /* of its rules, and head_coding: what it was prepared for */
    enum http_coding head_coding;

    uint64_t asked_ms; /* when its bytes were last asked for and not in memory, or last used there;
                          0: never */
    struct file_load *load;  /* the body's read under way */
    struct folder_leaf leaf; /* where changes on the disk are reported, with the engine inotify */
    uint64_t looked_ns;      /* when the disk was asked */
    uint64_t changed_ns;     /* when a change of its name was last reported */

    char key[]; /* the place's variable, then the path as url_path made it, then a NUL */
};

/* A body has room for a head before it: both leave as one piece of memory. */
#define FILE_HEAD_ROOM 512

struct file_cache_limits {
    uint32_t ttl_ms; /* 0: ask the disk for each request */
    uint32_t entries, descriptors;
    uint32_t watches; /* of folders; 0: changes are not reported */
    uint64_t body_bytes;
    uint32_t max_body; /* larger files are sent from their descriptor */
};

/* What the table may hold now: what the limits say, or on the way there after they were lowered. */
struct file_cache_bounds {
    size_t entries, negatives, descriptors;
    uint64_t body_bytes;
};

struct file_cache_stats {
    uint64_t evictions;          /* since the start */
    size_t entries, descriptors; /* what the table holds; requests may hold more for a while */
    uint64_t body_bytes;
    uint32_t watches;
    bool lacks_watches; /* they are wanted, and the system has none */
};

/* A device that was found to be a local disk (file_glance.h). */
struct file_disk {
    uint64_t device, until_ms;
};
#define FILE_DISKS_MAX 4

/* The root that look-ups on the loop begin at, kept open between them for a moment. */
struct file_root {
    int fd; /* only while is_open */
    bool is_open, is_reusable, is_local;
    uint64_t lookup_id, opened_ns;
};

struct file_cache {
    struct io_lane *stat_lane, *read_lane;
    struct io_port *port;
    struct file_cache_limits limits;
    struct file_cache_bounds bounds;
    uv_timer_t approach; /* runs while they come nearer to the limits */
    struct hash_table table;
    uint64_t seed;
    struct list by_use, negative_by_use, by_use_open, by_use_body; /* least recently used first */
    size_t negative_count;
    uint64_t all_body_bytes; /* of bodies that the table does not hold, too */
    struct file_cache_stats stats;
    struct folder_watcher *watcher; /* NULL: none was wanted so far */
    uint32_t trust_round;           /* changed when folders have */
    struct file_disk disks[FILE_DISKS_MAX];
    struct file_root root;
    uint64_t glance_again_ms; /* no look-up on the loop before this */
    bool is_ending;           /* the lanes take no more jobs */
    uint64_t now_ms;          /* the loop's clock; the owner sets it before it calls in here */
};

/* Someone who waits for an entry. Owned by the caller, in its memory until on_ready or cancel. */
struct file_waiter {
    struct list link;
    struct file_waiters *among; /* NULL: does not wait */
    /* Gets `entry` with a reference, complete: its body was read if that was waited for. NULL when
     * the read failed or the lane was full. Never inside the call that began the wait. */
    void (*on_ready)(struct file_waiter *waiter, struct file_entry *entry);
    uint64_t since_ns;
    uint64_t wait_ns, work_ns; /* in on_ready: time queued and time worked on while we waited */
};

void file_cache_init(struct file_cache *cache, struct io_lane *stat_lane, struct io_lane *read_lane,
                     struct io_port *port);
/* No entry may be in use, no job under way. The loop must run once more afterwards. */
void file_cache_fini(struct file_cache *cache);
/* In force at once. What is held beyond lower limits goes a little at a time, as clients wait meanwhile. */
void file_cache_configure(struct file_cache *cache, const struct file_cache_limits *limits);
/* Now and then: lets go of descriptors that nobody used of late: a removed file's space must not be held. */
void file_cache_sweep(struct file_cache *cache);

enum file_answer { FILE_HIT, FILE_SEEN, FILE_WAIT, FILE_BUSY };
/* What is known of the key in `place`, which lives as long as `owner`. FILE_HIT: *entry, referenced.
 * FILE_SEEN: so, too, after a look at what the kernel had in memory, of waiter->work_ns.
 * FILE_WAIT: the waiter will hear. FILE_BUSY: the stat lane is full. `key` is copied.
 * Who wants codings and is told of an entry that lacks them joined a look-up for others: ask again. */
enum file_answer file_cache_find(struct file_cache *cache, struct place_owner *owner,
                                 const struct file_place *place, const struct file_key *key,
                                 struct file_waiter *waiter, struct file_entry **entry);

enum file_source {
    FILE_FROM_MEMORY,
    FILE_FROM_DESCRIPTOR,
    FILE_SOURCE_WAIT,
    FILE_SOURCE_BUSY,
    FILE_SOURCE_CHANGED
};
/* Where the bytes of a regular file (HTTP_OK and no folder) are. FILE_SOURCE_WAIT: the waiter will hear, then ask again.
 * FILE_SOURCE_CHANGED: the file is not what the entry says any more; find it again. With `takes_grown` one
 * that only got longer is taken as it was when it was looked up. */
enum file_source file_cache_source(struct file_cache *cache, struct file_entry *entry,
                                   bool takes_grown, struct file_waiter *waiter);

void file_cache_cancel(struct file_waiter *waiter);          /* harmless when it does not wait */
struct file_entry *file_cache_get(struct file_entry *entry); /* one more reference */
void file_cache_put(struct file_cache *cache, struct file_entry *entry);

/* While held, the descriptor stays open even when the bytes get into memory. */
static inline void file_entry_hold_descriptor(struct file_entry *entry)
{
    entry->descriptor_users++;
}
static inline void file_entry_release_descriptor(struct file_entry *entry)
{
    entry->descriptor_users--;
}

/* A file of which nobody who takes coded copies has asked yet: whether there are any is not known. */
static inline bool file_entry_lacks_codings(const struct file_entry *entry)
{
    return !entry->knows_codings && entry->status == HTTP_OK && !entry->is_folder;
}

/* Only what is known of the file is there: it was closed to make room. */
static inline bool file_entry_is_bare(const struct file_entry *entry)
{
    return entry->fd < 0 && entry->status == HTTP_OK && entry->body_state == FILE_BODY_UNREAD;
}

/* The path that was asked for, as url_path made it. */
static inline struct span file_entry_path(const struct file_entry *entry)
{
    return (struct span){entry->key + entry->variable_len, entry->key_len - entry->variable_len};
}

static inline struct span file_entry_variable(const struct file_entry *entry)
{
    return (struct span){entry->key, entry->variable_len};
}

/* The name the file was found under, for its type: the index name, or else the path. */
static inline struct span file_entry_name(const struct file_entry *entry)
{
    if (entry->index[0])
        return (struct span){entry->index, __builtin_strlen(entry->index)};
    return file_entry_path(entry);
}

#endif
