/* SPDX-License-Identifier: MIT */
/* file_place.h — a folder that files are looked up in: a site's root, an alias's, a user's home. */
#ifndef FARMSTEAD_FILE_PLACE_H
#define FARMSTEAD_FILE_PLACE_H

#include "base/util.h"
#include "config/config.h"
#include "files/served_file.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What keeps places alive: whoever works on one off the loop holds a reference meanwhile. Embedded in
 * what they belong to; `free` is called with the last reference, on the thread that gives it back. */
struct place_owner {
    _Atomic uint32_t refs;
    void (*free)(struct place_owner *owner);
};

/* Any thread. */
static inline void place_owner_get(struct place_owner *owner)
{
    atomic_fetch_add_explicit(&owner->refs, 1, memory_order_relaxed);
}
static inline void place_owner_put(struct place_owner *owner)
{
    if (atomic_fetch_sub_explicit(&owner->refs, 1, memory_order_acq_rel) == 1)
        owner->free(owner);
}

/* Immutable; lives as long as its owner. */
struct file_place {
    const struct config_site *site; /* index, symlinks, listing, precompressed, etag_inode */
    /* Absolute. "{host}" and "{user}" in it stand for the key's `variable`, "{host1}", "{host2}" …
     * for its last label, the one before it and so on. */
    const char *folder;
    bool is_template;
    const struct kept_files *kept; /* files of the config that are never served; NULL: none */
    uint64_t lookup_id; /* equal for places, of whatever config, that find the same files */
};

/* What to look for there. `variable` was checked by whoever filled it in: lower-case letters,
 * digits, '-', '_' and '.', no empty label, no dot at either end; it has no '/', so variable and
 * path can stand together as one key. */
struct file_key {
    struct span variable; /* empty for a place that is no template */
    struct span path;     /* as url_path made it: begins with '/' */
    /* Who asks takes coded copies, so whether there are any is to be known; no part of the key. */
    bool wants_codings;
};

/* A place's folder for one key. */
struct file_folder {
    char path[PATH_MAX];
    /* Behind this the path is not the operator's but the user's own, who can put a link there: the
     * symlink policy holds for the rest ("public_html" in "/home/{user}/public_html"). The length
     * of all when the place has no "{user}". */
    size_t trusted_len;
};
/* 0, UV_ENOENT (the variable has no such label, or is none that a folder may be named by) or
 * UV_ENAMETOOLONG. Any thread. */
int file_place_expand(struct file_folder *folder, const struct file_place *place,
                      struct span variable);

/* The folder itself, as a root for confined_open(); or UV_E*. Pool threads only. */
int file_place_open(const struct file_place *place, struct span variable);
/* The same from what the kernel has in memory; an error says nothing. Any thread. */
int file_place_open_cached(const struct file_place *place, struct span variable);

#endif
