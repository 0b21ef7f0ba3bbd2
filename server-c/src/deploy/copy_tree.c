/* SPDX-License-Identifier: MIT */
/* copy_tree.c — walks the folder. */
#include "deploy/copy_tree.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "http/http_coding.h"
#include "match/glob.h"
#include "response/mime.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define WELL_KNOWN ".well-known"

struct walk {
    struct copy_tree *tree;
    const struct config *cfg;
    struct buf path; /* of the folder that is read, with a slash at its end */
};

static void add(struct copy_tree_list *list, const char *path, const struct stat *st)
{
    list->items = xreallocarray(list->items, list->count + 1, sizeof(*list->items));
    list->items[list->count++] = (struct copy_tree_file){xstrdup(path), *st};
}

static bool ends_with(const char *text, const char *ending)
{
    size_t len = strlen(text), its = strlen(ending);

    return len > its && strcmp(text + len - its, ending) == 0;
}

static bool is_compressed_type(const struct config *cfg, const char *path, size_t len)
{
    struct span name = {path, len};

    return !mime_is_coded(name) && glob_type_in(cfg->compression.types, cfg->compression.type_count,
                                                mime_type(cfg, name).name);
}

/* Is it named like a copy of a file that is not there? */
static bool is_orphan(const struct config *cfg, const char *path)
{
    struct stat st;

    for (int coding = CODING_IDENTITY + 1; coding < CODING_SIBLINGS_END; coding++) {
        const char *suffix = http_coding_suffix((enum http_coding)coding);
        size_t len = strlen(path) - strlen(suffix);
        char *file;
        bool is_missing;
        if (!ends_with(path, suffix) || !is_compressed_type(cfg, path, len))
            continue;
        file = xstrndup(path, len);
        is_missing = lstat(file, &st) != 0 && errno == ENOENT;
        free(file);
        return is_missing;
    }
    return false;
}

static void walk_folder(struct walk *walk, int fd);

static void look_at(struct walk *walk, int folder, const char *name)
{
    size_t len = walk->path.len;
    struct stat st;
    int fd;

    if (name[0] == '.' && strcmp(name, WELL_KNOWN) != 0) {
        if (ends_with(name, COPY_TREE_UNFINISHED))
            unlinkat(folder, name, 0);
        return;
    }
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return; /* it has just been removed */
    buf_append_str(&walk->path, name);
    if (S_ISREG(st.st_mode)) {
        if (is_compressed_type(walk->cfg, walk->path.data, walk->path.len))
            add(&walk->tree->files, walk->path.data, &st);
        else if (is_orphan(walk->cfg, walk->path.data))
            add(&walk->tree->orphans, walk->path.data, &st);
    } else if (S_ISDIR(st.st_mode)) {
        buf_append_char(&walk->path, '/');
        fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        walk_folder(walk, fd);
    }
    buf_truncate(&walk->path, len);
}

/* Takes over `fd`; -1: it could not be opened. */
static void walk_folder(struct walk *walk, int fd)
{
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    struct stat st = {.st_mode = (mode_t)errno};

    if (!names) {
        add(&walk->tree->problems, walk->path.data, &st);
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(names)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            look_at(walk, dirfd(names), entry->d_name);
    closedir(names);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct copy_tree_file *)a)->path,
                  ((const struct copy_tree_file *)b)->path);
}

static void sort(struct copy_tree_list *list)
{
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), compare_paths);
}

void copy_tree_read(struct copy_tree *tree, const char *folder, const struct config *cfg)
{
    struct walk walk = {.tree = tree, .cfg = cfg};

    *tree = (struct copy_tree){0};
    buf_init(&walk.path);
    buf_append_str(&walk.path, folder);
    if (!ends_with(folder, "/"))
        buf_append_char(&walk.path, '/');
    walk_folder(&walk, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    buf_fini(&walk.path);
    sort(&tree->files);
    sort(&tree->orphans);
    sort(&tree->problems);
}

static void free_list(struct copy_tree_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
}

void copy_tree_fini(struct copy_tree *tree)
{
    free_list(&tree->files);
    free_list(&tree->orphans);
    free_list(&tree->problems);
}
