/* SPDX-License-Identifier: MIT */
/* release_replace.h — puts a content that was got anew into the trees that have the wrong one. */
#ifndef FARMSTEAD_RELEASE_REPLACE_H
#define FARMSTEAD_RELEASE_REPLACE_H

#include "release/release_store.h"

#include <sys/stat.h>

/* In all trees, each name of the file `old` becomes one of `content` (a name below contents_fd), one by one and each
 * in one step: who asks meanwhile sees the one or the other whole. `content` gets the time of `old`, as a
 * compressed sibling must not be older than its file. 0, or -1 with errno: some names may have changed. */
int release_replace_in_trees(const struct release_store *store, const struct stat *old,
                             const char *content);

#endif
