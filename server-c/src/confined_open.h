/* SPDX-License-Identifier: MIT */
/* confined_open.h — opens a path below a root that nothing in the path can leave.
 *
 * The kernel confines the look-up (openat2 with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS):
 * symbolic links that stay below the root are followed, others are refused. Where the kernel has
 * no openat2, components are walked one by one and no symbolic link is followed. */
#ifndef FARMSTEAD_CONFINED_OPEN_H
#define FARMSTEAD_CONFINED_OPEN_H

/* A descriptor for reading, or a negative errno. `path` begins with '/' and has no dot segments;
 * "/" is the root itself. Never waits for the other end of a FIFO. Blocks on the disk: pool
 * threads only. */
int confined_open(const char *root, const char *path);

#endif
