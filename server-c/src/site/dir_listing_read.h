/* SPDX-License-Identifier: MIT */
/* dir_listing_read.h — the names in a folder that a listing shows. Only the files of dir_listing
 * include this. */
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
    bool is_known; /* size and time are there already */
    uint64_t size;
    int64_t mtime_seconds;
};

struct dir_entries {
    struct dir_entry *items;
    size_t count, cap;
    bool is_truncated; /* there are more */
};

struct dir_scan {
    int folder;       /* open for reading; closed by dir_listing_read() */
    int root;         /* of the place; links are resolved from there */
    const char *path; /* of the folder below the root; ends with '/' */
    const struct config_site *site;
    atomic_bool *is_cancelled;
};

/* HTTP_OK, or 500, 503. Fills `entries`, at most as many as the site's listing may have: those that
 * come first, folders before files and each by the bytes of its name. Pool threads only. */
enum http_status dir_listing_read(struct dir_entries *entries, const struct dir_scan *scan);
void dir_entries_fini(struct dir_entries *entries);

#endif
