/* SPDX-License-Identifier: MIT */
/* copy_store.h — the folder of compressed copies that the node makes itself, one for all loops.
 *
 * A copy's name says which state of which file it is a copy of, and how it was made. So none is ever
 * stale, since whoever has another state looks for another name; nor half, since it gets its name when
 * it is whole and on the disk. An empty copy says that compressing is not worth it. Looking copies up
 * and sending them is the file cache's work, as with any file: nothing here is asked for that.
 *
 * Copies are made by a lane (copy_store_make), one for each name at a time. What is not used goes when
 * there is no more room. Copies that were used lately stay: a folder too small for what is asked for
 * would else be written anew all the time. */
#ifndef FARMSTEAD_COPY_STORE_H
#define FARMSTEAD_COPY_STORE_H

#include "base/hash_table.h"
#include "files/copy_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum copy_end {
    COPY_MADE,
    /* It would not be smaller than the file, or with a dictionary hardly smaller than without: an empty one was
     * made. */
    COPY_WORTHLESS,
    COPY_CHANGED, /* the file, or the dictionary, is not any more what it was: nothing was made */
    COPY_STOPPED,
    COPY_FAILED
};

/* One copy that is being made. The caller sets the first members, and keeps the struct until
 * copy_store_end(). */
struct copy_work {
    struct copy_source source;
    /* The file's bytes, if they are in memory; NULL: they are read from `fd`. Both are the caller's. */
    const char *bytes;
    int fd;
    enum copy_end end; /* after copy_store_make() */
    char why[160];     /* COPY_FAILED: the end of a sentence that begins with the folder's name */
    char name[COPY_NAME_BYTES];
    struct hash_link under_way;
};

struct copy_store;

struct copy_store *copy_store_new(void);
/* No work may be under way. */
void copy_store_free(struct copy_store *store);
/* From now on no copy is begun, and those being made end soon. Any thread. */
void copy_store_stop(struct copy_store *store);

/* Sets the folder ("": none) and how many bytes its copies may take. Any thread. */
void copy_store_configure(struct copy_store *store, const char *folder, uint64_t max_bytes);

/* Registers the work. False: somebody makes this copy already, or the last one failed so lately that
 * it isn't tried again yet. Any thread, never waits for a disk; so the next three. */
bool copy_store_begin(struct copy_store *store, struct copy_work *work);
void copy_store_end(struct copy_store *store, struct copy_work *work);
/* Somebody was sent the copy `name`. Often enough: once in COPY_USE_MS. */
#define COPY_USE_MS 60000
void copy_store_used(struct copy_store *store, const char *name);
/* Changes when a copy that was not there may be there, or may be tried again. */
uint32_t copy_store_round(struct copy_store *store);

/* Makes the copy. A thread of a lane. */
void copy_store_make(struct copy_store *store, struct copy_work *work);
/* Looks through the folder, once for each that is configured: what a process before this one has left
 * half done goes, and its copies count. A thread of a lane. */
void copy_store_tidy(struct copy_store *store);

struct copy_store_state {
    uint64_t bytes;
    size_t copies;
};
void copy_store_state(struct copy_store *store, struct copy_store_state *state); /* any thread */

#endif
