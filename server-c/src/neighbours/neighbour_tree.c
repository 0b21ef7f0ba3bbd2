/* SPDX-License-Identifier: MIT */
/* neighbour_tree.c — a tree has its name when it is whole, and what is in it never changes but for the mark. */
#include "neighbours/neighbour_tree.h"

#include "files/confined_open.h"
#include "owner/bounds.h"
#include "release/release_store.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int neighbour_tree_open(int state_fd, const char *manifest)
{
    char folder[sizeof(RELEASE_TREES "/") + RELEASE_SHA256_LEN];

    snprintf(folder, sizeof(folder), RELEASE_TREES "/%s", manifest);
    return openat(state_fd, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int neighbour_tree_file(int tree, const char *path, uint64_t *size)
{
    char below[RELEASE_PATH_LEN + 2];
    struct stat st;
    int fd;

    snprintf(below, sizeof(below), "/%s", path);
    fd = confined_open(tree, below, SYMLINKS_NEVER, CONFINED_READ, &st);
    if (fd < 0)
        return -1;
    if (!S_ISREG(st.st_mode) || (st.st_mode & BOUNDS_WRONG_BYTES) != 0) {
        close(fd);
        return -1;
    }
    *size = (uint64_t)st.st_size;
    return fd;
}
