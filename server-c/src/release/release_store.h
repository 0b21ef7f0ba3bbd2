/* SPDX-License-Identifier: MIT */
/* release_store.h — what a node has of releases, below its state folder:
 *
 *   releases/contents/aa/SHA256   each content once, verified, never changed
 *   releases/trees/SHA256/        a release whose manifest has that digest: hard links to contents, and links
 *
 * What is not whole is called like it and ".new", what is being removed ".old": the next start removes both, but for
 * the last large content that broke off, whose first bytes are worth keeping. So a name without them is whole, whenever the process ended. Which contents a tree needs, the kernel
 * counts: one that is in none has a single name.
 *
 * The manifest of a tree is a content, too, and stays with it: of the next one only what is other has to come.
 *
 * Waits for the disk: one thread at a time, and never a loop's. */
#ifndef FARMSTEAD_RELEASE_STORE_H
#define FARMSTEAD_RELEASE_STORE_H

#include "release/release_line.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define RELEASE_FOLDER "releases"
#define RELEASE_TREES "releases/trees"
#define RELEASE_NEW ".new"
#define RELEASE_OLD ".old"
#define RELEASE_NAME_LEN (RELEASE_SHA256_LEN + 4)  /* with ".new" */
#define RELEASE_CONTENT_LEN (3 + RELEASE_NAME_LEN) /* "aa/SHA256.new" */
/* Of a disk so much is left to everything else. */
#define RELEASE_LEAST_FREE_BYTES (64u << 20)
/* Of a content that broke off so much is worth keeping. */
#define RELEASE_REST_BYTES (1u << 20)

/* A content was found to be wrong while it was used, and is marked (`st` says whether the disk took that). On the store's
 * thread. */
typedef void release_found_wrong(void *arg, const char *sha256, const struct stat *st);

/* Asked before each content that is swept: is there something that waits for nothing but this? */
typedef bool release_gives_way(void *arg);

struct release_store {
    int contents_fd, trees_fd;
    uint64_t max_bytes;  /* of all contents */
    uint64_t used_bytes; /* by them now */
    const atomic_bool *stopping;
    char rest[RELEASE_SHA256_LEN + 1]; /* the content of which a part was left; "": none */
    int64_t rest_second;               /* when that was written */
    release_found_wrong *found_wrong;  /* set once it is open; NULL: nobody is told */
    void *found_wrong_arg;
    release_gives_way *gives_way; /* NULL: nothing ever waits */
    void *gives_way_arg;
};

/* Makes the folders, removes what is not whole, and counts. 0, or -1 with a sentence and nothing to
 * close. */
int release_store_open(struct release_store *store, int state_fd, uint64_t max_bytes,
                       const atomic_bool *stopping, char *why, size_t why_len);
void release_store_close(struct release_store *store);

/* Is there room for so many bytes more? 0, or -1 with a sentence that has the figures. */
int release_store_room(const struct release_store *store, uint64_t bytes, char *why,
                       size_t why_len);
/* The same of the disk alone, for bytes that take the place of others. */
int release_store_disk_room(const struct release_store *store, uint64_t bytes, char *why,
                            size_t why_len);

/* The size of a content that is there; -1: it is not, or is known to be wrong. */
int64_t release_store_size(const struct release_store *store, const char *sha256);
bool release_store_has_tree(const struct release_store *store, const char *manifest);

/* Removes all other trees, and the contents that are in none and not one of these manifests, as far as that is possible. Contents are spared while a
 * tree is coming that broke off: what came of it is in no tree yet. False: it gave way (`gives_way`), and some contents were not looked at. */
bool release_store_keep(struct release_store *store, const char *const *manifests, size_t count,
                        bool spares_contents);

/* Where a content is, below contents_fd. `ending` is "" or RELEASE_NEW. */
void release_content_name(char out[RELEASE_CONTENT_LEN + 1], const char *sha256,
                          const char *ending);

/* --- for the files of this folder --- */

/* Removes a folder and all that is in it, whatever it is called; links are not followed. */
void release_remove_folder(const struct release_store *store, int dir_fd, const char *name);
int release_make_folder(int dir_fd, const char *name); /* a descriptor, or -1 */

#endif
