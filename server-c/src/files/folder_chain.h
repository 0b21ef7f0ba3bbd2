/* SPDX-License-Identifier: MIT */
/* folder_chain.h — the watches along a path, set by the thread that is about to look it up, and what
 * may be trusted to them. The blocking half of folder_watch.h.
 *
 * The folders of the path are watched one below the other, each through the descriptor it was opened
 * with, before the look-up: so a change is either seen by the look-up or reported. Afterwards it is
 * decided whether a change of the answer would be reported at all: not when a link or a mount point
 * is on the way, when the file has a second name, when the file system is not one of the local ones
 * that are known to report all that is done to them and to tell names by their bytes. */
#ifndef FARMSTEAD_FOLDER_CHAIN_H
#define FARMSTEAD_FOLDER_CHAIN_H

#include "base/util.h"
#include "config/config.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLDER_CHAIN_MAX 32 /* new watches of one look-up; what lies deeper is not watched */

struct folder_chain {
    /* What is known before. */
    int inotify; /* -1: there is nothing to do */
    uint32_t may_add;
    size_t known_len;       /* so much of the path is watched; 0: not even the root */
    uint64_t device, inode; /* of the root that is watched */
    /* What came of it. */
    bool has_root; /* the root is there, and the next two are its */
    uint64_t root_device, root_inode;
    bool is_foreign; /* the root can't be watched at all */
    struct {
        int wd;
        size_t len; /* of the path, with the slash; 1: the root */
    } added[FOLDER_CHAIN_MAX];
    uint32_t added_count;
    size_t watched_len; /* the deepest folder that is watched */
    bool is_reported;   /* a change of the answer would be */
    int error;          /* why the system gives no watch, a negative errno; 0 */
    int folder;         /* the deepest one, while the job runs */
};

/* Before the look-up. `path` is a key's. Pool threads only. */
void folder_chain_begin(struct folder_chain *chain, int root, const char *path);
/* After it, always. */
void folder_chain_end(struct folder_chain *chain, const struct config_site *site, const char *path);

#endif
