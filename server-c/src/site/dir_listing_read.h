/* SPDX-License-Identifier: MIT */
/* dir_listing_read.h — the names in a folder that a listing shows. Of others only its
 * order is used. */
#ifndef FARMSTEAD_DIR_LISTING_READ_H
#define FARMSTEAD_DIR_LISTING_READ_H

#include "config/config.h"
#include "http/http_status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dir_entry {
    char *name;
    bool is_folder;
    bool is_known; /* size and time are set */
    uint64_t size;
    int64_t mtime_seconds;
};

enum dir_sort { DIR_SORT_NAME, DIR_SORT_SIZE, DIR_SORT_DATE };

/* Folders come first in any order. */
struct dir_order {
    enum dir_sort by;
    bool is_descending;
};

struct dir_entries {
    struct dir_order order;
    struct dir_entry *items;
    size_t count, cap;
    bool is_truncated;   /* the folder has more */
    size_t packed_bytes; /* of items and names, when they are one allocation; 0: each is its own */
};

struct dir_scan {
    int folder;       /* open for reading; dir_listing_read() closes it */
    int root;         /* of the place: links are resolved from there */
    const char *path; /* of the folder, from the root; ends with '/' */
    const struct config_site *site;
    struct dir_order order;
    atomic_bool *is_cancelled;
};

/* Fills `entries` with at most as many as the site's listing may have: those that come first in the
 * order, folders before files. Returns HTTP_OK, 500 or 503. Threads
 * of the lane only. */
enum http_status dir_listing_read(struct dir_entries *entries, const struct dir_scan *scan);
/* Moves items and names into one allocation, no larger than they need, which is also given back in one
 * go. Nothing may be added or dropped afterwards. False: no memory. */
bool dir_entries_pack(struct dir_entries *entries);
void dir_entries_fini(struct dir_entries *entries);

#endif
