/* SPDX-License-Identifier: MIT */
/* release_build.h — brings a release onto the disk: its manifest, the contents that are lacking, and the tree.
 *
 * First all that is lacking is got, some hundred contents at a time, then the lines are put into the tree one by one.
 * Knows no network: the source is somebody else's. Waits for the disk and the source: one thread, never a loop's. */
#ifndef FARMSTEAD_RELEASE_BUILD_H
#define FARMSTEAD_RELEASE_BUILD_H

#include "release/release_manifest.h"
#include "release/release_store.h"

#include <pthread.h>

#define RELEASE_BATCH_COUNT 512u
#define RELEASE_BATCH_BYTES (16u << 20)
#define RELEASE_MANIFEST_BYTES (2048ull << 20) /* of a manifest, at most */

enum release_end {
    RELEASE_STANDS,
    RELEASE_WRONG,     /* not to be had, other bytes than were named, or no manifest */
    RELEASE_NO_ROOM,   /* the disk, or the setting */
    RELEASE_UNREACHED, /* again and again nothing came */
    RELEASE_ELSEWHERE, /* a source's alone: what is lacking is to be asked for at once, and comes from somebody else */
    RELEASE_STOPPED
};

/* Takes bytes as they come. False: no more of them. */
typedef bool release_take(void *arg, const char *bytes, size_t len);

/* A content, and a path that has it. */
struct release_wanted {
    const char *sha256;
    const char *path; /* NULL: nobody knows one */
    uint64_t size;    /* if there is a path */
};

/* Each function gives bytes to `take`, and returns RELEASE_STANDS if all have come, RELEASE_UNREACHED if
 * they broke off, RELEASE_ELSEWHERE if another one gives the rest, RELEASE_WRONG if there are none, or RELEASE_STOPPED. */
struct release_source {
    void *arg;
    enum release_end (*one)(void *arg, bool is_manifest, struct release_wanted wanted,
                            uint64_t from, release_take *take, void *taker,
                            char why[RELEASE_WHY_LEN]);
    /* What makes the manifest of `base`, from the byte `from` of that on. */
    enum release_end (*delta)(void *arg, const char *manifest, const char *base, uint64_t from,
                              release_take *take, void *taker, char why[RELEASE_WHY_LEN]);
    enum release_end (*many)(void *arg, const struct release_wanted *wanted, size_t count,
                             release_take *take, void *taker, char why[RELEASE_WHY_LEN]);
    /* The bytes of a content that has so many came whole and are wrong. True: who gave them is not asked again, so it
     * is to be asked for anew. */
    bool (*blame)(void *arg, uint64_t size);
    /* Waits before the next try, which is the `failures`th after no byte came. False: stop. */
    bool (*pause)(void *arg, unsigned failures);
};

/* What another thread may look at. */
struct release_progress {
    pthread_mutex_t lock;
    char manifest[RELEASE_SHA256_LEN + 1]; /* "": none is being built */
    uint64_t files, files_done, bytes, bytes_done;
};

/* `base` is an earlier manifest that is here, of which the most lines are the same; NULL: none is.
 * Anything but RELEASE_STANDS leaves a sentence in `why`, and the store as whole as it was: contents that have
 * come stay for the next time. */
enum release_end release_build(struct release_store *store, const struct release_source *source,
                               const char *manifest, const char *base,
                               struct release_progress *progress, char why[RELEASE_WHY_LEN]);

#endif
