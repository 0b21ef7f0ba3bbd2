/* SPDX-License-Identifier: MIT */
/* file_lookup.h — asks the disk what a key is in its place. The blocking half of file_cache, and the
 * same look at what the kernel has in memory, which does not block. */
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
    int fd;                  /* -1 unless HTTP_OK; the caller's */
    bool is_folder;
    /* It, or a sibling, changed so lately that one more change might not show in its times. If only its ctime is
     * that young, a tag made of the mtime is as good as ever: one more change would show in it, or
     * sets it by hand, and no tag could tell. */
    bool is_settling, has_young_tag;
    bool is_of_build; /* file_time_is_of_build(): its tag is made of the ctime */
    /* The second of its time goes on for so long: it could change once more and keep its date. 0: it is
     * over. INT64_MAX: its date will never tell anything. */
    int64_t date_open_ns;
    unsigned codings;   /* as in struct file_entry */
    bool knows_codings; /* they were looked for: the key wanted them */
    size_t index;       /* which index name was found; site->index_count: none was needed */
    struct stat st;
};

/* Pool threads only. A NUL stands behind the key's path. `chain`: the watches to set on the way. */
void file_lookup_run(struct file_found *found, const struct file_place *place,
                     const struct file_key *key, struct folder_chain *chain);

struct file_glance {
    int root;                         /* of the place; the caller's */
    void (*close)(void *arg, int fd); /* the last close of a file without a name may wait */
    void *arg;
    bool would_wait; /* out: something was not in memory */
};
/* False: only file_lookup_run() can tell; nothing is open. Sets no watches. Any thread. */
bool file_lookup_glance(struct file_found *found, const struct file_place *place,
                        const struct file_key *key, struct file_glance *glance);

#endif
