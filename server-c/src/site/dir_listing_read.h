/* SPDX-License-Identifier: MIT */
/* dir_listing_read.h — the names in a folder that a listing shows. Included only by
 * dir_listing*.c. */
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

struct dir_entries {
    struct dir_entry *items;
    size_t count, cap;
    bool is_truncated; /* the folder has more */
};

struct dir_scan {
    int folder;       /* open for reading; dir_listing_read() closes it */
    int root;         /* of the place: links are resolved from there */
    const char *path; /* of the folder, from the root; ends with '/' */
    const struct config_site *site;
    atomic_bool *is_cancelled;
};

/* Fills `entries` with at most as many as the site's listing may have: those that come first,
 * folders before files, and each by the bytes of their names. Returns HTTP_OK, 500 or 503. Threads
 * of the lane only. */
enum http_status dir_listing_read(struct dir_entries *entries, const struct dir_scan *scan);
void dir_entries_fini(struct dir_entries *entries);

#endif
