/* SPDX-License-Identifier: MIT */
/* neighbour_tree.h — the files of a whole tree, and nothing else of the disk. Waits for the disk. Any thread. */
#ifndef FARMSTEAD_NEIGHBOUR_TREE_H
#define FARMSTEAD_NEIGHBOUR_TREE_H

#include <stdint.h>

/* A descriptor; -1: it is not whole, or not here. `state_fd` is the state folder. */
int neighbour_tree_open(int state_fd, const char *manifest);

/* A descriptor of a file in it, with its size; -1: there is none, a link is on the way, or its bytes are known to be
 * wrong. `path` is one that release_path_fault() lets pass. */
int neighbour_tree_file(int tree, const char *path, uint64_t *size);

#endif
