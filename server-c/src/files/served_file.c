/* SPDX-License-Identifier: MIT */
/* served_file.c — recognises a kept file by its inode, which finds hard links to it, and by its
 * path, which finds a file that has replaced it since. As the number of an inode is used again when
 * its file is gone, the time of birth is compared, too. */
#include "files/served_file.h"

#include "base/mem.h"
#include "owner/bounds.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct kept_file {
    char *path; /* in the kernel's form */
    bool is_there;
    dev_t device;
    ino_t inode;
    struct statx_timestamp born; /* all zero: the file system does not know */
};

struct kept_files {
    struct kept_file *items;
    size_t count;
};

static struct statx_timestamp birth_of(int fd, const char *path, int flags)
{
    struct statx st = {0};

    if (statx(fd, path, flags, STATX_BTIME, &st) != 0 || (st.stx_mask & STATX_BTIME) == 0)
        return (struct statx_timestamp){0};
    return st.stx_btime;
}

static void keep(struct kept_files *kept, const char *path)
{
    struct kept_file *file = &kept->items[kept->count++];
    char *real = realpath(path, NULL);
    struct stat st;

    *file = (struct kept_file){.path = real != NULL ? real : xstrdup(path)};
    file->is_there = stat(path, &st) == 0;
    if (!file->is_there)
        return;
    file->device = st.st_dev;
    file->inode = st.st_ino;
    file->born = birth_of(AT_FDCWD, path, 0);
}

static size_t count_files(const struct config *cfg)
{
    size_t count = 0;

    for (size_t i = 0; i < cfg->site_count; i++) {
        for (size_t j = 0; config_site_secret(&cfg->sites[i], j) != NULL; j++)
            count++;
        count += config_has_redirect_file(&cfg->sites[i]);
    }
    return count;
}

struct kept_files *kept_files_new(const struct config *cfg)
{
    size_t count = count_files(cfg);
    struct kept_files *kept;

    if (count == 0)
        return NULL;
    kept = xcalloc(1, sizeof(*kept));
    kept->items = xcalloc(count, sizeof(*kept->items));
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct config_site *site = &cfg->sites[i];
        const char *path;
        for (size_t j = 0; (path = config_site_secret(site, j)) != NULL; j++)
            if (*path != '\0')
                keep(kept, path);
        if (config_has_redirect_file(site))
            keep(kept, site->redirect_file);
    }
    return kept;
}

void kept_files_free(struct kept_files *kept)
{
    if (kept == NULL)
        return;
    for (size_t i = 0; i < kept->count; i++)
        free(kept->items[i].path);
    free(kept->items);
    free(kept);
}

void kept_files_append(struct buf *out, const struct kept_files *kept)
{
    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        buf_printf(out, "%s%c", kept->items[i].path, '\0');
}

/* For a file with the inode number of a kept one: is it the kept one, or a later one? If this is
 * unknown, a file with several names is taken for the kept one. */
static bool is_same_birth(const struct kept_file *file, int fd, const struct stat *st)
{
    struct statx_timestamp born = birth_of(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC);

    if (born.tv_sec == 0 || file->born.tv_sec == 0)
        return st->st_nlink > 1;
    return born.tv_sec == file->born.tv_sec && born.tv_nsec == file->born.tv_nsec;
}

static bool is_kept_inode(const struct kept_files *kept, int fd, const struct stat *st)
{
    for (size_t i = 0; i < kept->count; i++) {
        const struct kept_file *file = &kept->items[i];
        if (file->is_there && file->inode == st->st_ino && file->device == st->st_dev)
            return is_same_birth(file, fd, st);
    }
    return false;
}

static bool is_kept_path(const struct kept_files *kept, const char *path)
{
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->items[i].path, path) == 0)
            return true;
    return false;
}

bool served_file_is_allowed(const struct kept_files *kept, int fd, const struct stat *st)
{
    char path[PATH_MAX];

    if (kept == NULL && !bounds_are_set())
        return true;
    if (kept != NULL && is_kept_inode(kept, fd, st))
        return false;
    if (!bounds_find_path(fd, path))
        return true;
    return bounds_may_serve(path) && (kept == NULL || !is_kept_path(kept, path));
}
