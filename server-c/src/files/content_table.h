/* SPDX-License-Identifier: MIT */
/* content_table.h — the SHA-256 of files' bytes, by what tells one state of a file from another. One
 * table for all loops.
 *
 * A change sets the ctime, which nobody can set by hand; so what is known of a state stays right, and
 * nothing is ever taken back. Whoever has another state asks for another key. What was not asked for
 * the longest time goes when there are CONTENT_TABLE_MAX. */
#ifndef FARMSTEAD_CONTENT_TABLE_H
#define FARMSTEAD_CONTENT_TABLE_H

#include "base/hash_table.h"
#include "files/file_place.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#define CONTENT_HASH_BYTES 32
#define CONTENT_TABLE_MAX 65536 /* of some 150 bytes each */
#define CONTENT_LARGE_BYTES (64u << 20)
#define CONTENT_LARGE_MAX 4 /* larger files that are hashed at once, in turns with all others */

/* A state of a file. Clear it before you set its members: it is compared as bytes. */
struct content_key {
    uint64_t device, inode, size;
    struct timespec mtime, ctime;
};

enum content_end {
    CONTENT_GOES_ON, /* a piece of the file is done: others have their turn, then call it again */
    CONTENT_HASHED,
    CONTENT_CHANGED, /* the file is not any more what it was */
    CONTENT_LATER,   /* its list of checksums is so young that it may be half a list */
    CONTENT_STOPPED, /* the lane had no room, or the process ends */
    CONTENT_UNREADABLE
};

/* One file that is hashed. The caller sets the first members, and keeps the struct until
 * content_table_end(). */
struct content_work {
    struct content_key key;
    /* The file's bytes, if they are in memory; NULL: they are read from `fd`. Both are the caller's. */
    const char *bytes;
    int fd;
    /* Where the file is, and perhaps a list of checksums. `place` is NULL: in the node's own folder, where
     * files never change and have no lists. */
    const struct file_place *place;
    struct span variable;
    const char *path;     /* of the file in the place */
    enum content_end end; /* after content_hash_make() */
    unsigned char hash[CONTENT_HASH_BYTES];
    /* content_hash.c: the hash of the first `at` bytes; NULL: it has not begun. */
    void *sum;
    uint64_t at;
    bool has_waited;       /* set it to take a young list for none: some are always written */
    bool list_is_too_long; /* there is one, and it was not read */
    struct hash_link under_way;
};

struct content_key content_key_of(const struct stat *st);
bool content_key_is_of(const struct content_key *key, const struct stat *st);
/* Has a file had its times for so long that it could not change any more without another ctime? */
bool content_is_settled(const struct timespec *ctime, int64_t now_second);

struct content_table;

/* All of these: any thread. They never wait for a disk. */
struct content_table *content_table_new(void);
void content_table_free(struct content_table *table); /* no work may be under way */
/* From now on nothing is begun, and what is being hashed ends soon. */
void content_table_stop(struct content_table *table);
bool content_table_is_stopping(struct content_table *table);

bool content_table_find(struct content_table *table, const struct content_key *key,
                        unsigned char hash[CONTENT_HASH_BYTES]);
/* Registers the work. False: somebody hashes this state already, or there are enough large files. */
bool content_table_begin(struct content_table *table, struct content_work *work);
/* Takes what it found into the table. */
void content_table_end(struct content_table *table, struct content_work *work);
/* Changes when something that was not known may be known, or may be tried again; never 0. */
uint32_t content_table_round(struct content_table *table);

#endif
