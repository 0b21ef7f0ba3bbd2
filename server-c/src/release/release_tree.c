/* SPDX-License-Identifier: MIT */
/* release_tree.c — the folders of the last path stay open, since what follows is mostly beside it. */
#include "release/release_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (64u << 10)

static void name_new(char out[RELEASE_NAME_LEN + 1], const char *manifest)
{
    snprintf(out, RELEASE_NAME_LEN + 1, "%s" RELEASE_NEW, manifest);
}

static void close_to(struct release_tree *tree, int depth)
{
    while (tree->depth > depth)
        close(tree->folders[--tree->depth]);
}

int release_tree_begin(struct release_tree *tree, const struct release_store *store,
                       const char *manifest)
{
    char name[RELEASE_NAME_LEN + 1];

    tree->depth = 0;
    tree->path[0] = '\0';
    snprintf(tree->manifest, sizeof(tree->manifest), "%s", manifest);
    name_new(name, manifest);
    release_remove_folder(store, store->trees_fd, name);
    unlinkat(store->trees_fd, manifest, 0); /* what is there is no folder */
    tree->folders[0] = release_make_folder(store->trees_fd, name);
    if (tree->folders[0] < 0)
        return -1;
    tree->depth = 1;
    return 0;
}

/* The folder of the path, and its name there. */
static int enter(struct release_tree *tree, const char *path, const char **name)
{
    const char *part = path, *end;
    int depth = 1;
    bool is_common = true;

    for (; (end = strchr(part, '/')); part = end + 1, depth++) {
        char folder[RELEASE_PART_LEN + 1];

        is_common = is_common && depth < tree->depth &&
                    strncmp(path, tree->path, (size_t)(end + 1 - path)) == 0;
        if (is_common)
            continue;
        close_to(tree, depth);
        snprintf(folder, sizeof(folder), "%.*s", (int)(end - part), part);
        tree->folders[depth] = release_make_folder(tree->folders[depth - 1], folder);
        if (tree->folders[depth] < 0)
            return -1;
        tree->depth = depth + 1;
    }
    close_to(tree, depth);
    snprintf(tree->path, sizeof(tree->path), "%s", path);
    *name = part;
    return tree->folders[depth - 1];
}

/* A file system has a limit of links to one file (ext4: 65,000), and a confined process may not be let
 * link between folders (Landlock before Linux 5.19). */
static int copy(const struct release_store *store, const char *content, int folder,
                const char *name)
{
    static _Thread_local char bytes[COPY_BYTES];
    int from = openat(store->contents_fd, content, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int to = from < 0
                 ? -1
                 : openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
    ssize_t got = to < 0 ? -1 : 0;
    int saved;

    while (to >= 0 && (got = read(from, bytes, sizeof(bytes))) > 0)
        for (ssize_t done = 0, put; done < got; done += put) {
            put = write(to, bytes + done, (size_t)(got - done));
            if (put < 0) {
                got = -1;
                break;
            }
        }
    saved = errno;
    if (to >= 0)
        close(to);
    if (from >= 0)
        close(from);
    errno = saved;
    return got < 0 ? -1 : 0;
}

int release_tree_add(struct release_tree *tree, const struct release_store *store,
                     const struct release_line *line)
{
    char content[RELEASE_CONTENT_LEN + 1];
    const char *name;
    int folder = enter(tree, line->path, &name);

    if (folder < 0)
        return -1;
    if (line->is_link)
        return symlinkat(line->target, folder, name);
    release_content_name(content, line->sha256, "");
    if (linkat(store->contents_fd, content, folder, name, 0) == 0)
        return 0;
    return errno == EMLINK || errno == EXDEV ? copy(store, content, folder, name) : -1;
}

int release_tree_end(struct release_tree *tree, const struct release_store *store)
{
    char name[RELEASE_NAME_LEN + 1];

    name_new(name, tree->manifest);
    if (syncfs(store->trees_fd) != 0 ||
        renameat(store->trees_fd, name, store->trees_fd, tree->manifest) != 0 ||
        fsync(store->trees_fd) != 0)
        return -1;
    close_to(tree, 0);
    return 0;
}

void release_tree_drop(struct release_tree *tree, const struct release_store *store)
{
    char name[RELEASE_NAME_LEN + 1];

    if (tree->depth == 0)
        return;
    close_to(tree, 0);
    name_new(name, tree->manifest);
    release_remove_folder(store, store->trees_fd, name);
}
