/* SPDX-License-Identifier: MIT */
/* confined_open.h — opens a path below a root that nothing in the path can leave, and that no
 * symbolic link can leave unless the policy lets it.
 *
 * The kernel confines the look-up (openat2) where it can; elsewhere, and for the policy it does not
 * know (same owner), the path is walked component by component and links are followed by hand. Both
 * ways are as safe while somebody renames things under us, and say the same but for errno. */
#ifndef FARMSTEAD_CONFINED_OPEN_H
#define FARMSTEAD_CONFINED_OPEN_H

#include "config/config.h"

#include <stdbool.h>
#include <sys/stat.h>

enum confined_kind {
    CONFINED_READ,  /* a regular file or a folder, for reading */
    CONFINED_FOLDER /* a folder, as a root for more (O_PATH) */
};

/* A root to open paths below, or a negative errno. Links on the way are followed, as they are the
 * operator's: a root that is a link itself ("current") takes effect when it is turned, so open it
 * anew for each look-up. Pool threads only. */
int confined_root(const char *folder);

/* A descriptor, and what fstat says of it in *st; or a negative errno, -ENXIO for what is neither a
 * regular file nor a folder. `path` begins with '/' and has no dot segments; "/" is the root
 * itself. Links of /proc are never followed. Never waits for the other end of a FIFO. Blocks on the
 * disk: pool threads only.
 *
 * Policies: never – no link at all; within-root – links that stay below the root, relative ones
 * only; same-owner – a link leads anywhere if what it finally leads to is the link's owner's; any.
 */
int confined_open(int root, const char *path, enum config_symlinks policy, enum confined_kind kind,
                  struct stat *st);

/* --- from what the kernel has in memory: any thread ------------------------------------------- */

/* Is there a kernel that can (Linux 5.12)? */
bool confined_may_open_cached(void);
/* As confined_root(); a negative errno says nothing about the folder. */
int confined_root_cached(const char *folder);
/* As confined_open() for CONFINED_READ, without waiting for a disk or a lock, and beneath mount
 * points of `root` never. -EAGAIN: only confined_open() can tell. `root` is on a file system whose
 * open() and fstat() of what is in memory don't wait. */
int confined_open_cached(int root, const char *path, enum config_symlinks policy, struct stat *st);

/* Opens `path` beneath `folder` with `flags` when no link and no mount point is on the way to it: a
 * negative errno, -ELOOP and -EXDEV for these, -ENOSYS when the kernel can't say. Pool threads only. */
int confined_open_straight(int folder, const char *path, int flags);

#endif
