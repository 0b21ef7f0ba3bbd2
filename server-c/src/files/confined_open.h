/* SPDX-License-Identifier: MIT */
/* confined_open.h — opens a path below a root. Nothing in the path can leave the root, and a
 * symbolic link only if the policy allows it.
 *
 * Where it can, the kernel confines the look-up (openat2). Elsewhere, and for a policy that the
 * kernel does not know (same owner), the path is walked component by component, and links are
 * followed by hand. Both ways are equally safe when somebody renames things at the same time, and
 * give the same results but for errno. */
#ifndef FARMSTEAD_CONFINED_OPEN_H
#define FARMSTEAD_CONFINED_OPEN_H

#include "config/config.h"

#include <stdbool.h>
#include <sys/stat.h>

enum confined_kind {
    CONFINED_READ,  /* a regular file or a folder, opened for reading */
    CONFINED_FOLDER /* a folder, opened as a root for further look-ups (O_PATH) */
};

/* Opens a root. Returns a descriptor or a negative errno. Links in `folder` are followed, as they
 * are the operator's. Open it anew for each look-up: then a root that is a link ("current") takes
 * effect as soon as the link is changed. Threads of a lane only. */
int confined_root(const char *folder);

/* Returns a descriptor and fills *st, or returns a negative errno; -ENXIO for what is neither a
 * regular file nor a folder. `path` begins with '/' and has no dot segments; "/" is the root
 * itself. Links of /proc are never followed. Never waits for the other end of a FIFO. Waits for the
 * disk: threads of a lane only.
 *
 * Policies: never – no link at all; within-root – relative links that stay below the root;
 * same-owner – a link may lead anywhere, if its final target belongs to the owner of the link;
 * any. */
int confined_open(int root, const char *path, enum config_symlinks policy, enum confined_kind kind,
                  struct stat *st);

/* --- from the kernel's memory, without waiting: any thread ----------------------------------- */

/* Can the kernel do this (Linux 5.12)? */
bool confined_may_open_cached(void);
/* Like confined_root(). A negative errno says nothing about the folder. */
int confined_root_cached(const char *folder);
/* Like confined_open() with CONFINED_READ, but never waits for a disk or a lock, and never goes
 * below a mount point. -EAGAIN: only confined_open() can tell. `root` must be on a file system on
 * which open() and fstat() do not wait for what is in memory. */
int confined_open_cached(int root, const char *path, enum config_symlinks policy, struct stat *st);

/* Opens `path` below `folder` with `flags`, if neither a link nor a mount point is on the way. Else
 * returns a negative errno: -ELOOP or -EXDEV for these two, -ENOSYS if the kernel can't tell.
 * Threads of a lane only. */
int confined_open_straight(int folder, const char *path, int flags);

#endif
