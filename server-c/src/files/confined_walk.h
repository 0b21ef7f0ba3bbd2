/* SPDX-License-Identifier: MIT */
/* confined_walk.h — confined_open() without the kernel's help. Only confined_open.c includes
 * this. */
#ifndef FARMSTEAD_CONFINED_WALK_H
#define FARMSTEAD_CONFINED_WALK_H

#include "config/config.h"

/* Opens `path` ("." or components without dot segments) with `flags`. Returns a descriptor or a
 * negative errno. What is neither a regular file nor a folder is not opened at all: -ENXIO. Threads
 * of a lane only. */
int confined_walk(int root, const char *path, enum config_symlinks policy, int flags);

#endif
