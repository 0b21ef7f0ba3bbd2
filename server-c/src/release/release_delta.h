/* SPDX-License-Identifier: MIT */
/* release_delta.h — makes a manifest of an earlier one and of what came instead of it whole (agent-protocol/README.md,
 * "Deltas of manifests"): "=N" are the next N lines of the earlier one, "-N" passes over as many, "{" begins a line that
 * it does not have.
 *
 * Says nothing of whether it is the right one: its digest does. Keeps one line and one piece of the earlier one. Waits
 * for the disk. */
#ifndef FARMSTEAD_RELEASE_DELTA_H
#define FARMSTEAD_RELEASE_DELTA_H

#include "base/buf.h"
#include "release/release_store.h"

/* Takes what has been made. False: no more of it. */
typedef bool release_delta_put(void *arg, const char *bytes, size_t len);

struct release_delta {
    const struct release_store *store;
    int base_fd;
    char *bytes; /* of the base: those from `at` to `end` are still to be looked at */
    size_t at, end;
    struct buf begun; /* a line whose end has not come */
    uint64_t taken;   /* bytes, in all */
    release_delta_put *put;
    void *arg;
    const char *wrong; /* NULL: nothing is; else what, as a sentence */
};

/* 0, or -1: the base cannot be read. */
int release_delta_init(struct release_delta *delta, const struct release_store *store,
                       const char *base, release_delta_put *put, void *arg);
/* False: `wrong` says why, or `put` wanted no more, or the node stops. */
bool release_delta_take(struct release_delta *delta, const char *bytes, size_t len);
void release_delta_fini(struct release_delta *delta);

#endif
