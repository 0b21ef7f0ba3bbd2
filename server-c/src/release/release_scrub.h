/* SPDX-License-Identifier: MIT */
/* release_scrub.h — reads the contents of a store again, and compares each with the digest that is its name.
 *
 * One that is wrong, or can't be read, is marked on the disk (BOUNDS_WRONG_BYTES): the mark is the file's, so all
 * trees that have it have the mark, and it survives the process. Changes nothing else; getting it anew is
 * release_mend.h. Waits for the disk: one thread, which may be another than the store's. */
#ifndef FARMSTEAD_RELEASE_SCRUB_H
#define FARMSTEAD_RELEASE_SCRUB_H

#include "release/release_store.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define RELEASE_SCRUB_FOLDERS 256

struct release_scrub {
    int state_fd;
    void *arg;
    /* Called before so many bytes are read. False: end the round. */
    bool (*pace)(void *arg, uint64_t bytes);
    /* One was compared. */
    void (*compared)(void *arg);
    /* This one in `folder` is wrong. Without the mark in `st` the disk took none. */
    void (*is_wrong)(void *arg, int folder, const char *sha256, const struct stat *st);
};

/* Is that still the file which has the name? Another thread may have put one in its place that is right. */
bool release_scrub_is_there(int folder, const char *sha256, const struct stat *whose);

/* Looks at all contents once, beginning with the folder of that number. `reads` is false: it only tells of those
 * that are marked already. False: it was ended. */
bool release_scrub_round(const struct release_scrub *scrub, unsigned first_folder, bool reads);

/* Compares one content at once, on the store's thread. True: it is wrong, and marked; the store's found_wrong is told. */
bool release_scrub_one(struct release_store *store, const char *sha256);

#endif
