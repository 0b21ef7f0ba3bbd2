/* SPDX-License-Identifier: MIT */
/* path_watch.h — how requests below some paths end, counted only while somebody asks for it: a rollout
 * whose gates name these paths.
 *
 * A path is compared as it stands in the request line, without its query: `/docs/` is the beginning of
 * all that lies below it. A page is what a browser shows by itself, by its name: it ends in a slash,
 * .html or .htm, or its last part has no dot. Pure. */
#ifndef FARMSTEAD_PATH_WATCH_H
#define FARMSTEAD_PATH_WATCH_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of the protocol. */
#define PATH_WATCH_MAX 8
#define PATH_WATCH_ID_LEN 32 /* "watch_" and 26 characters */
#define PATH_WATCH_HOST_LEN 253
#define PATH_WATCH_PATH_LEN 255

/* In the order in which they are reported. */
enum watch_counter {
    WATCH_REQUESTS,
    WATCH_404,
    WATCH_PAGES,      /* sent whole: 200 */
    WATCH_PAGE_BYTES, /* without their heads */
    WATCH_COUNTER_COUNT
};

struct watched_path {
    size_t host_len, path_len;          /* host_len 0: any */
    char host[PATH_WATCH_HOST_LEN + 1]; /* lower case */
    char path[PATH_WATCH_PATH_LEN + 1];
};

struct path_watch {
    char id[PATH_WATCH_ID_LEN + 1];
    size_t count; /* 0: nothing is asked for */
    struct watched_path paths[PATH_WATCH_MAX];
};

/* Since that watch began. */
struct watched_counts {
    char id[PATH_WATCH_ID_LEN + 1]; /* "": of none */
    uint64_t rows[PATH_WATCH_MAX][WATCH_COUNTER_COUNT];
};

struct watched_answer {
    struct span host, path; /* as they were asked for; the host without its port */
    int status;
    bool is_get; /* else it has no body, whatever the file is */
    uint64_t body_bytes;
};

void path_watch_count(const struct path_watch *watch, struct watched_counts *into,
                      const struct watched_answer *answer);
/* What loops counted for different watches is not added: `into` keeps its own. */
void watched_counts_add(struct watched_counts *into, const struct watched_counts *more);

#endif
