/* SPDX-License-Identifier: MIT */
/* file_place.h — a folder in which files are looked up: the root of a site or alias, or the home of
 * a user. */
#ifndef FARMSTEAD_FILE_PLACE_H
#define FARMSTEAD_FILE_PLACE_H

#include "base/util.h"
#include "config/config.h"
#include "files/served_file.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What keeps places valid: whoever works with a place outside the loop's thread holds a reference.
 * It is a member of what the places belong to. `free` is called with the last reference, on the
 * thread that gives it back. */
struct place_owner {
    _Atomic uint32_t refs;
    void (*free)(struct place_owner *owner);
};

/* The functions for references: any thread. */
static inline void place_owner_get(struct place_owner *owner)
{
    atomic_fetch_add_explicit(&owner->refs, 1, memory_order_relaxed);
}
static inline void place_owner_put(struct place_owner *owner)
{
    if (atomic_fetch_sub_explicit(&owner->refs, 1, memory_order_acq_rel) == 1)
        owner->free(owner);
}

/* Immutable; valid as long as its owner. */
struct file_place {
    /* For index, symlinks, listing, precompressed, etag, etag_inode. */
    const struct config_site *site;
    /* An absolute path. "{host}" and "{user}" in it stand for the key's `variable`, "{host1}" for
     * its last label, "{host2}" for the one before, and so on. */
    const char *folder;
    bool is_template;
    bool is_own; /* the node's folder: its files were not put there by anybody else */
    const struct kept_files *kept; /* files of the config that must never be served; NULL: none */
    uint64_t lookup_id; /* equal for places that find the same files, even of different configs */
};

/* What to look for in a place. `variable` was checked by whoever set it: lower-case letters,
 * digits, '-', '_' and '.', no empty label, no dot at either end. It contains no '/', so variable
 * and path can stand together as one key. */
struct file_key {
    struct span variable; /* empty if the place is no template */
    struct span path;     /* as from url_path: begins with '/' */
    /* The client accepts a coding, so siblings should be looked for. Not a part of the key. */
    bool wants_codings;
};

/* The folder of a place for one key. */
struct file_folder {
    char path[PATH_MAX];
    /* The part up to here is the operator's. The rest belongs to a user, who can put links there,
     * so the symlink policy applies to it ("public_html" in "/home/{user}/public_html"). The length
     * of the whole path if the place has no "{user}". */
    size_t trusted_len;
};
/* Fills in the variable. Returns 0, UV_ENOENT (the variable has no such label, or can't name a
 * folder) or UV_ENAMETOOLONG. Any thread. */
int file_place_expand(struct file_folder *folder, const struct file_place *place,
                      struct span variable);

/* Opens the folder, as a root for confined_open(). Returns a descriptor or a negative UV_E*.
 * Threads of a lane only. */
int file_place_open(const struct file_place *place, struct span variable);
/* The same without waiting, from what the kernel has in memory; an error says nothing. Any
 * thread. */
int file_place_open_cached(const struct file_place *place, struct span variable);

#endif
