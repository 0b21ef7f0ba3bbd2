/* SPDX-License-Identifier: MIT */
/* file_lookup.h — asks the disk what a path is. The blocking half of file_cache. */
#ifndef FARMSTEAD_FILE_LOOKUP_H
#define FARMSTEAD_FILE_LOOKUP_H

#include "config.h"
#include "http_status.h"

#include <stddef.h>
#include <sys/stat.h>

struct file_found {
    enum http_status status; /* as in struct file_entry */
    int fd;                  /* -1 unless HTTP_OK; the caller's */
    size_t index;            /* which index name was found; site->index_count: none was needed */
    struct stat st;
};

/* Pool threads only. `path` as url_path made it. */
void file_lookup_run(struct file_found *found, const struct config_site *site, const char *path,
                     size_t path_len);

#endif
