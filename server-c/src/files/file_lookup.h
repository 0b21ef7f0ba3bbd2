/* SPDX-License-Identifier: MIT */
/* file_lookup.h — asks the disk what a key stands for. The part of the file cache that waits; the
 * same for what the kernel has in memory, which does not wait. */
#ifndef FARMSTEAD_FILE_LOOKUP_H
#define FARMSTEAD_FILE_LOOKUP_H

#include "files/file_place.h"
#include "files/folder_chain.h"
#include "http/http_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_found {
    enum http_status status; /* as in struct file_entry */
    int fd;                  /* -1 unless HTTP_OK; the caller closes it */
    bool is_folder;
    /* is_settling: the file or a sibling changed so recently that one more change might not show in
     * its times. has_young_tag: nor in the tag, which is made from the mtime. If only the ctime is
     * that young the tag is fine: one more change would show in the mtime, unless somebody sets the
     * time by hand, which no tag can show. */
    bool is_settling, has_young_tag;
    bool is_of_build; /* file_time_is_of_build(): the tag is made from the ctime */
    /* For so many ns the file could change again and keep its date. 0: not any more. INT64_MAX: its
     * date says nothing. */
    int64_t date_open_ns;
    unsigned codings;   /* as in struct file_entry */
    bool knows_codings; /* the key wanted codings, so siblings were looked for */
    size_t index;       /* index of the index name found; site->index_count: none */
    struct stat st;
};

/* Looks up a key. A NUL must follow its path. `chain`: the watches to set on the way. Waits for the
 * disk: threads of a lane only. */
void file_lookup_run(struct file_found *found, const struct file_place *place,
                     const struct file_key *key, struct folder_chain *chain);

struct file_glance {
    int root; /* the place's root; the caller's */
    /* A close that may have to wait: the last one of a removed file. */
    void (*close)(void *arg, int fd);
    void *arg;
    bool would_wait; /* out: something was not in memory */
};
/* Looks up a key without waiting. False: only file_lookup_run() can tell, and nothing is open. Sets
 * no watches. Any thread. */
bool file_lookup_glance(struct file_found *found, const struct file_place *place,
                        const struct file_key *key, struct file_glance *glance);

#endif
