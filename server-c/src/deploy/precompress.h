/* SPDX-License-Identifier: MIT */
/* precompress.h — makes compressed copies beside the files of a folder, as `precompressed` of a site
 * looks for them.
 *
 * A copy has the time of its file, to the nanosecond, and is made anew if that differs, or if the file's
 * inode has changed since: so only what changed costs anything. It appears whole or not at all. A copy that would not be smaller is not made,
 * and one of another state of the file that can't be made anew is removed. */
#ifndef FARMSTEAD_PRECOMPRESS_H
#define FARMSTEAD_PRECOMPRESS_H

#include "config/config.h"
#include "http/http_coding.h"

struct precompress_options {
    const char *folder;
    const struct config *cfg; /* for media types */
    enum http_coding codings[CODING_COUNT];
    size_t coding_count;
    uint64_t min_bytes;
    uint32_t threads;
    bool removes_orphans;
    /* Called for each orphan, and for each failure with its reason; `is_failure` tells them apart. */
    void (*say)(const char *path, const char *what, bool is_failure);
};

struct precompress_result {
    size_t files;                    /* with at least min_bytes */
    size_t made, current, worthless; /* copies; worthless: not smaller than the file */
    size_t removed, orphans, failed;
};

/* 0, or a negative errno if another process is doing the same to the folder (-EWOULDBLOCK) or it can't
 * be opened. */
int precompress_run(const struct precompress_options *options, struct precompress_result *result);

#endif
