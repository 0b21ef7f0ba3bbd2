/* SPDX-License-Identifier: MIT */
/* release_replace.c — nobody has a list of the names that a file has, so the trees are searched: by the numbers of
 * inodes that folders have, until the file has no other name any more. Where that does not find all (overlayfs can
 * list other numbers than files have), each file is asked for its own. */
#include "release/release_replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beside the trees: the next start removes what has no digest's name. */
#define BETWEEN "content" RELEASE_NEW

struct replacing {
    const struct release_store *store;
    const struct stat *old;
    const char *content;
    bool asks_each;
    nlink_t left; /* names that were not found yet */
    int err;      /* 0, or an errno */
};

static bool is_old(const struct replacing *replacing, int folder, const char *name)
{
    struct stat st;

    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_ino == replacing->old->st_ino && st.st_dev == replacing->old->st_dev;
}

static int replace(struct replacing *replacing, int folder, const char *name)
{
    const struct release_store *store = replacing->store;

    unlinkat(store->trees_fd, BETWEEN, 0);
    if (linkat(store->contents_fd, replacing->content, store->trees_fd, BETWEEN, 0) != 0)
        return errno;
    if (renameat(store->trees_fd, BETWEEN, folder, name) != 0)
        return errno;
    replacing->left--;
    return 0;
}

static void search(struct replacing *replacing, int parent, const char *name, int depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (replacing->err == 0 && replacing->left > 0 && (entry = readdir(folder))) {
        const char *each = entry->d_name;

        if (atomic_load(replacing->store->stopping))
            replacing->err = ECANCELED;
        else if ((replacing->asks_each || entry->d_ino == replacing->old->st_ino) &&
                 is_old(replacing, fd, each))
            replacing->err = replace(replacing, fd, each);
        else if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
                 depth <= RELEASE_PARTS && strcmp(each, ".") != 0 && strcmp(each, "..") != 0)
            search(replacing, fd, each, depth + 1);
    }
    closedir(folder);
}

int release_replace_in_trees(const struct release_store *store, const struct stat *old,
                             const char *content)
{
    const struct timespec times[2] = {old->st_atim, old->st_mtim};
    struct replacing replacing = {
        .store = store, .old = old, .content = content, .left = old->st_nlink - 1};

    if (utimensat(store->contents_fd, content, times, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    search(&replacing, store->trees_fd, ".", 0);
    replacing.asks_each = true;
    search(&replacing, store->trees_fd, ".", 0);
    errno = replacing.err;
    return replacing.err == 0 ? syncfs(store->trees_fd) : -1;
}
