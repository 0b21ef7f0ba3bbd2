/* SPDX-License-Identifier: MIT */
/* folder_chain.h — sets the watches along a path on the thread that is about to look it up, and
 * tells whether the result can be trusted to them. The part of folder_watch.h that waits.
 *
 * Before the look-up the folders of the path are watched, one below the other, each through the
 * descriptor with which it was opened: so a change is either seen by the look-up or reported.
 * Afterwards it is decided whether a change of the result would be reported at all. It would not if
 * a link or a mount point is on the way, if the file has a second name, or if the file system is
 * not one of the local ones that are known to report every change and to compare names by their
 * bytes. */
#ifndef FARMSTEAD_FOLDER_CHAIN_H
#define FARMSTEAD_FOLDER_CHAIN_H

#include "base/util.h"
#include "config/config.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLDER_CHAIN_MAX 32 /* new watches per look-up; deeper folders are not watched */

struct folder_chain {
    /* Before the look-up: */
    int inotify; /* -1: nothing to do */
    uint32_t may_add;
    /* So many bytes of the path are watched already; 0: not even the root. */
    size_t known_len;
    uint64_t device, inode; /* of the watched root */
    /* After the look-up: */
    bool has_root; /* the root exists, with the following device and inode */
    uint64_t root_device, root_inode;
    bool is_foreign; /* the root can't be watched at all */
    struct {
        int wd;
        size_t len; /* bytes of the path, with the slash; 1: the root */
    } added[FOLDER_CHAIN_MAX];
    uint32_t added_count;
    size_t watched_len; /* bytes of the path to the deepest watched folder */
    bool is_reported;   /* a change of the result would be reported */
    int error;          /* why the system refused a watch, a negative errno; or 0 */
    int folder;         /* a descriptor of the deepest folder, while the job runs */
};

/* Call it before the look-up. `path` is that of a key. Threads of a lane only. */
void folder_chain_begin(struct folder_chain *chain, int root, const char *path);
/* Call it after each look-up that folder_chain_begin() preceded. */
void folder_chain_end(struct folder_chain *chain, const struct config_site *site, const char *path);

#endif
