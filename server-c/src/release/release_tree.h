/* SPDX-License-Identifier: MIT */
/* release_tree.h — makes the folder of a release from the lines of its manifest, in their order. */
#ifndef FARMSTEAD_RELEASE_TREE_H
#define FARMSTEAD_RELEASE_TREE_H

#include "release/release_store.h"

struct release_tree {
    char manifest[RELEASE_SHA256_LEN + 1];
    int folders[RELEASE_PARTS + 1]; /* those of the last path; the first is the tree */
    int depth;                      /* how many; 0: it has not begun */
    char path[RELEASE_PATH_LEN + 1];
};

/* 0, or -1 with errno. */
int release_tree_begin(struct release_tree *tree, const struct release_store *store,
                       const char *manifest);
/* A file's content must be there. 0, or -1 with errno. */
int release_tree_add(struct release_tree *tree, const struct release_store *store,
                     const struct release_line *line);
/* Has all of it on the disk, then gives it its name. 0, or -1 with errno: then drop it. */
int release_tree_end(struct release_tree *tree, const struct release_store *store);
void release_tree_drop(struct release_tree *tree, const struct release_store *store);

#endif
