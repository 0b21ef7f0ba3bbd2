/* SPDX-License-Identifier: MIT */
/* file_cache.h — what is known about a path, so that most requests need no system call.
 *
 * An entry belongs to a place and a key (file_place.h) and holds one of three things: facts (size,
 * time, ETag, an open file or its bytes, a prepared head); facts alone, if the file was closed to
 * make room; or the status to refuse with. It is trusted for statCache.ttlMillis from the moment
 * the disk was asked, or as long as no change is reported (file_watch.h). An entry in use is looked
 * up again before that, so that requests for a popular file never wait. Look-ups that would wait,
 * and first reads, are done by the lanes, once for all requests that need them. There is one cache
 * per loop, for the loop's thread only. It is bounded in entries, bytes and descriptors.
 *
 * How its files work together. Those with a star run on a thread of a lane, the others on the loop:
 *
 *   which entry?      file_cache.c    finds the entry of a key, has it looked up
 *                     file_settle     what the answer of a look-up does to it
 *                     file_store      the table, and the orders of use
 *                     file_bounds     what gives way when something is beyond its limit
 *                     file_entry      one entry: its key, its references, what it holds
 *                     file_wait       those who wait for one look-up or one read
 *   what is there?    file_glance     looks up what the kernel has in memory, on the loop
 *                   * file_lookup     any other look-up: open, stat, index file, encoded siblings
 *                   * file_place      the folder to begin at
 *                   * confined_open   opens below that folder; confined_walk where the kernel can't
 *                   * served_file     may the opened file be served?
 *   does it hold?     file_watch      an entry as a leaf of the tree of watched folders
 *                     folder_tree     that tree; no system calls
 *                     folder_watch    the inotify descriptor; folder_events has what it reported
 *                   * folder_chain    sets the watches along a path, before it is looked up
 *   where are bytes?  file_source.c   in memory after a first read, or in the file
 *                   * file_read       reads, and tells whether that waits and whether it changed
 *                     file_resident   what of a large file was in the page cache a moment ago
 *   compressed?       copy_store      the folder of copies that the node makes; * makes one
 *   which bytes?      content_table   the hashes of contents, for all loops
 *                   * content_hash    finds one out, a piece at a time
 *                   * content_list    or has a list of checksums say it
 *                   * checksum_store  the long ones of those lists, for all loops
 *
 * Files with a star can also be used on the loop where their headers say so.
 *
 * Changes that the cache can't see at all: a store through a shared mapping that sets no new time,
 * and a writer that sets the time back. Changes that inotify does not report, so that ttlMillis
 * counts: behind a link or a mount point, of a file with a second name, on a file system that is
 * not on the list of local ones, in folders beyond maxWatches, and of the place's own folder.
 * Changes that it reports late or never, because of which each file is looked up once in
 * FILE_WATCHED_MS: writes through a mapping that stays open, by AIO or by handle, a mount over a
 * watched folder, and a second name that a file gets later (docs/decisions/0023; as a table for
 * operators: docs/serving-files.md). */
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
    /* Fields that each request needs come first, in the order of the processor's cache lines: with
     * more files than fit into its cache, each line costs a wait. */
    struct hash_link by_key;
    uint64_t lookup_id;
    int64_t checked_ms; /* when the disk was asked, or was known not to have changed */
    uint64_t touched_ms;
    struct file_lookup *lookup; /* a look-up under way, or NULL */
    uint32_t trust_round;       /* trusted if equal to the cache's, or after file_watch_renew() */
    uint32_t refs;              /* by users, by the table, and by jobs under way */
    /* HTTP_OK: a regular file, or a folder to list. 301: a folder whose path lacks the final slash.
     * Else the status to refuse with: 404, 403, 500, 503. */
    enum http_status status;
    /* -1: closed because the bytes are in `body`, or there is no file. */
    int fd;
    uint32_t variable_len, key_len;
    bool in_table, is_known; /* is_known: the first look-up is over */
    bool is_negative;
    bool is_watched;      /* every change to it would be reported */
    bool is_folder;       /* for dir_listing.h; has a descriptor, but no facts and no body */
    bool date_is_pending; /* the date can be told soon: it is then looked up again */
    bool knows_codings;   /* false: no siblings were looked for */
    bool seeks_codings;   /* some client accepts a coding: the next look-up looks for siblings */
    /* One bit per enum http_coding whose sibling ("x.js.br") exists, is a regular file and is not
     * older than the file. */
    unsigned codings;
    enum file_body_state body_state;
    char *body;         /* facts.size bytes, preceded by room for FILE_HEAD_ROOM */
    uint32_t ready_len; /* length of a complete 200 head in that room; 0: none */
    /* Requests and jobs that read from `fd`, which stays open for them. */
    uint32_t descriptor_users;
    int64_t ready_second;                         /* the time that is its Date */
    struct list by_use, by_use_open, by_use_body; /* in each list while it counts there */
    struct file_facts facts;
    struct file_version version;
    struct timespec ctime;
    uint64_t device, inode;

    const char *index; /* name of the folder's index file, "" for other paths; owned */
    char *head;        /* the 200's head after Date and Connection, made for head_site */
    size_t head_len;
    uint64_t head_site;
    /* It was made for this match of the rules, and for head_coding. */
    struct response_match head_match;
    enum http_coding head_coding;

    /* When its bytes were last wanted and not in memory, or last used in memory; 0: never. */
    uint64_t asked_ms;
    struct file_load *load;  /* a read of the body under way, or NULL */
    struct folder_leaf leaf; /* where changes are reported, with the engine inotify */
    uint64_t looked_ns;      /* when the disk was last asked */
    uint64_t changed_ns;     /* when a change of its name was last reported */

    /* Of a file whose site is compressed: whether it is fit for that, of which type, and what is known of
     * its copies; see answer_copy.c. */
    struct {
        uint64_t site;      /* for this site */
        const char *type;   /* NULL: not fit */
        unsigned worthless; /* one bit per coding that does not make it smaller */
        unsigned missing;   /* one bit per coding of which there was no copy in `round` */
        uint32_t round;     /* copy_store_round() */
        /* The pattern of the site's dictionaries that it fits; 0: none (answer_delta.c). One bit per dictionary of
         * that pattern tells the same of copies made with it. */
        uint8_t dictionaries;
        uint64_t deltas_worthless, deltas_missing;
    } copies;
    /* The hash of its bytes (content_table.h). `tags`: it becomes the ETag, which is missing until then. */
    struct {
        bool tags, is_known;
        bool has_waited;   /* for a list of checksums that was young */
        uint32_t round;    /* content_table_round() when it was last asked for; 0: never */
        uint64_t again_ms; /* not tried before */
        unsigned char hash[32];
    } content;
    uint64_t head_of; /* of a copy: the hash of the file's key, as a file may have several names */
    uint64_t use_told_ms; /* of a copy: when its use was last told */

    char key[]; /* the place's variable, the path as from url_path, a NUL */
};

/* A head can be put right before the body, so that both leave as one piece of memory. */
#define FILE_HEAD_ROOM 512

struct file_cache_limits {
    uint32_t ttl_ms; /* 0: ask the disk for each request */
    uint32_t entries, descriptors;
    uint32_t watches; /* number of folders to watch; 0: changes are not reported */
    uint64_t body_bytes;
    uint32_t max_body; /* larger files are sent from their descriptor */
};

/* What the table may hold now. After limits were lowered these bounds approach them. */
struct file_cache_bounds {
    size_t entries, negatives, descriptors;
    uint64_t body_bytes;
};

struct file_cache_stats {
    uint64_t evictions;          /* since the start */
    size_t entries, descriptors; /* in the table; requests may hold more for a while */
    uint64_t body_bytes;
    uint32_t watches;
    bool lacks_watches; /* watches are wanted, but the system has none */
};

/* A device that was found to be a local disk (file_glance.h). */
struct file_disk {
    uint64_t device, until_ms;
};
#define FILE_DISKS_MAX 4

/* The root for look-ups on the loop, kept open between them for a moment. */
struct file_root {
    int fd; /* valid while is_open */
    bool is_open, is_reusable, is_local;
    uint64_t lookup_id, opened_ns;
};

struct file_cache {
    struct io_lane *stat_lane, *read_lane;
    struct io_port *port;
    struct file_cache_limits limits;
    struct file_cache_bounds bounds;
    uv_timer_t approach; /* runs while the bounds approach lowered limits */
    struct hash_table table;
    uint64_t seed;
    struct list by_use, negative_by_use, by_use_open, by_use_body; /* least recently used first */
    size_t negative_count;
    uint64_t all_body_bytes; /* of all bodies, also those no longer in the table */
    struct file_cache_stats stats;
    struct folder_watcher *watcher; /* NULL: not needed so far */
    uint32_t trust_round;           /* changes when folders have changed */
    struct file_disk disks[FILE_DISKS_MAX];
    struct file_root root;
    uint64_t glance_again_ms; /* no look-ups on the loop before this time */
    bool is_ending;           /* the lanes take no more jobs */
    uint64_t now_ms;          /* the loop's time; its owner sets it before each call */
};

/* Someone who waits for an entry. The caller owns it and keeps it valid until on_ready or
 * cancel. */
struct file_waiter {
    struct list link;
    struct file_waiters *among; /* NULL: it does not wait */
    /* Gets a reference to `entry`, which is complete: if its body was waited for, it has been read.
     * NULL if the read failed or the lane was full. Never called by the function that began the
     * wait. */
    void (*on_ready)(struct file_waiter *waiter, struct file_entry *entry);
    uint64_t since_ns;
    uint64_t wait_ns, work_ns; /* in on_ready: the part of the wait in the queue, and at work */
};

void file_cache_init(struct file_cache *cache, struct io_lane *stat_lane, struct io_lane *read_lane,
                     struct io_port *port);
/* No entry may be in use, and no job under way. Afterwards the loop must run once more. */
void file_cache_fini(struct file_cache *cache);
/* Applies new limits at once. What exceeds lowered ones goes step by step, so that clients need not
 * wait. */
void file_cache_configure(struct file_cache *cache, const struct file_cache_limits *limits);
/* Call it now and then: closes descriptors that have not been used lately, as a removed file must
 * not keep its space on the disk. */
void file_cache_sweep(struct file_cache *cache);

enum file_answer { FILE_HIT, FILE_SEEN, FILE_WAIT, FILE_BUSY };
/* Finds what is known about the key in `place`, which lives as long as `owner`. `key` is copied.
 * FILE_HIT: *entry is set, with a reference. FILE_SEEN: the same, after a look-up of what the
 * kernel had in memory, which took waiter->work_ns. FILE_WAIT: the waiter will be called.
 * FILE_BUSY: the stat lane is full. If the key wants codings and the entry does not know them, the
 * caller joined a look-up for others: ask again. */
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
/* Finds out where the bytes of a regular file are (status HTTP_OK, not a folder). FILE_SOURCE_WAIT:
 * the waiter will be called, then ask again. FILE_SOURCE_CHANGED: the file has changed since the
 * look-up: find it again. `takes_grown`: accept a file that has only become longer, with the length
 * it had. */
enum file_source file_cache_source(struct file_cache *cache, struct file_entry *entry,
                                   bool takes_grown, struct file_waiter *waiter);

/* The hash of the bytes that the entry describes has become known. */
void file_cache_tag(struct file_entry *entry, const unsigned char hash[32]);
/* The next look-up asks the disk. */
void file_cache_forget(struct file_cache *cache, struct file_entry *entry);
/* The same for all entries that are of this file, or will be when their look-up ends. */
void file_cache_forget_file(struct file_cache *cache, uint64_t device, uint64_t inode);
void file_cache_cancel(struct file_waiter *waiter);          /* does nothing if it does not wait */
struct file_entry *file_cache_get(struct file_entry *entry); /* takes another reference */
void file_cache_put(struct file_cache *cache, struct file_entry *entry);

/* While held, the descriptor stays open even if the bytes come into memory. */
static inline void file_entry_hold_descriptor(struct file_entry *entry)
{
    entry->descriptor_users++;
}
static inline void file_entry_release_descriptor(struct file_entry *entry)
{
    entry->descriptor_users--;
}

/* Is it unknown whether the file has encoded siblings, because no one who accepts them has asked
 * yet? */
static inline bool file_entry_lacks_codings(const struct file_entry *entry)
{
    return !entry->knows_codings && entry->status == HTTP_OK && !entry->is_folder;
}

/* Was the file closed to make room, so that only facts are left? */
static inline bool file_entry_is_bare(const struct file_entry *entry)
{
    return entry->fd < 0 && entry->status == HTTP_OK && entry->body_state == FILE_BODY_UNREAD;
}

/* The path asked for, as from url_path. */
static inline struct span file_entry_path(const struct file_entry *entry)
{
    return (struct span){entry->key + entry->variable_len, entry->key_len - entry->variable_len};
}

static inline struct span file_entry_variable(const struct file_entry *entry)
{
    return (struct span){entry->key, entry->variable_len};
}

/* The name that determines the file's type: that of the index file, else the path. */
static inline struct span file_entry_name(const struct file_entry *entry)
{
    if (entry->index[0])
        return (struct span){entry->index, __builtin_strlen(entry->index)};
    return file_entry_path(entry);
}

#endif
