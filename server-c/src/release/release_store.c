/* SPDX-License-Identifier: MIT */
/* release_store.c — every step is by the descriptor of a folder and a name without "/", and follows no
 * link: whatever somebody has put into the state folder, nothing beside it is touched. */
#include "release/release_store.h"

#include "base/util.h"
#include "owner/bounds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB (1024.0 * 1024)
#define FOLDERS_DEEP (RELEASE_PARTS + 8) /* what is deeper is not ours */

static int open_folder(int dir_fd, const char *name)
{
    return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int release_make_folder(int dir_fd, const char *name)
{
    if (mkdirat(dir_fd, name, 0755) != 0 && errno != EEXIST)
        return -1;
    return open_folder(dir_fd, name);
}

static bool is_stopping(const struct release_store *store)
{
    return atomic_load(store->stopping);
}

/* Calls `look` with each name in the folder until it says false, and closes the folder. False: it did. */
static bool each_name(struct release_store *store, int fd,
                      bool (*look)(struct release_store *store, int fd, const char *name,
                                   const void *arg),
                      const void *arg)
{
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    bool goes_on = true;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return true;
    }
    while (goes_on && !is_stopping(store) && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            goes_on = look(store, dirfd(folder), entry->d_name, arg);
    closedir(folder);
    return goes_on;
}

/* --- removing --- */

static void remove_within(const struct release_store *store, int dir_fd, const char *name,
                          int depth)
{
    DIR *folder;
    struct dirent *entry;
    int fd = depth < FOLDERS_DEEP ? open_folder(dir_fd, name) : -1;

    if (fd < 0)
        return;
    folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return;
    }
    while (!is_stopping(store) && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(fd, entry->d_name, 0) == 0)
            continue;
        remove_within(store, fd, entry->d_name, depth + 1);
        unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    closedir(folder);
}

void release_remove_folder(const struct release_store *store, int dir_fd, const char *name)
{
    if (unlinkat(dir_fd, name, 0) == 0) /* it was none */
        return;
    remove_within(store, dir_fd, name, 0);
    unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* It loses its name first, so that no half of it has it. */
static void remove_tree(struct release_store *store, const char *name)
{
    char old[RELEASE_NAME_LEN + 1];

    if (!release_is_sha256(name)) {
        release_remove_folder(store, store->trees_fd, name);
        return;
    }
    snprintf(old, sizeof(old), "%s" RELEASE_OLD, name);
    release_remove_folder(store, store->trees_fd, old);
    if (renameat(store->trees_fd, name, store->trees_fd, old) == 0)
        release_remove_folder(store, store->trees_fd, old);
}

/* --- begin and end --- */

/* Is it the newest part of a large content? Then that is the one that stays. */
static bool is_rest(struct release_store *store, int fd, const char *name)
{
    char sha256[RELEASE_SHA256_LEN + 1], other[RELEASE_CONTENT_LEN + 1];
    struct stat st;

    snprintf(sha256, sizeof(sha256), "%.64s", name);
    if (!release_is_sha256(sha256) || strcmp(name + RELEASE_SHA256_LEN, RELEASE_NEW) != 0 ||
        fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size < RELEASE_REST_BYTES || (store->rest[0] && st.st_mtime < store->rest_second))
        return false;
    if (store->rest[0]) {
        release_content_name(other, store->rest, RELEASE_NEW);
        unlinkat(store->contents_fd, other, 0);
    }
    memcpy(store->rest, sha256, sizeof(store->rest));
    store->rest_second = st.st_mtime;
    return true;
}

static bool count_content(struct release_store *store, int fd, const char *name, const void *unused)
{
    struct stat st;

    (void)unused;
    if (release_is_sha256(name) && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        store->used_bytes += (uint64_t)st.st_size;
    else if (!is_rest(store, fd, name))
        unlinkat(fd, name, 0);
    return true;
}

static bool count_folder(struct release_store *store, int fd, const char *name, const void *unused)
{
    return each_name(store, open_folder(fd, name), count_content, unused);
}

static bool clean_tree(struct release_store *store, int fd, const char *name, const void *unused)
{
    (void)fd, (void)unused;
    if (!release_is_sha256(name))
        remove_tree(store, name);
    return true;
}

int release_store_open(struct release_store *store, int state_fd, uint64_t max_bytes,
                       const atomic_bool *stopping, char *why, size_t why_len)
{
    int fd = release_make_folder(state_fd, RELEASE_FOLDER);

    *store = (struct release_store){
        .contents_fd = -1, .trees_fd = -1, .max_bytes = max_bytes, .stopping = stopping};
    if (fd >= 0) {
        store->contents_fd = release_make_folder(fd, "contents");
        store->trees_fd = release_make_folder(fd, "trees");
    }
    if (store->contents_fd < 0 || store->trees_fd < 0 || fsync(fd) != 0) {
        snprintf(why, why_len, "cannot make \"" RELEASE_FOLDER "\" in the state folder: %s",
                 strerror(errno));
        release_store_close(store);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    close(fd);
    each_name(store, open_folder(store->trees_fd, "."), clean_tree, NULL);
    each_name(store, open_folder(store->contents_fd, "."), count_folder, NULL);
    return 0;
}

void release_store_close(struct release_store *store)
{
    if (store->contents_fd >= 0)
        close(store->contents_fd);
    if (store->trees_fd >= 0)
        close(store->trees_fd);
    store->contents_fd = store->trees_fd = -1;
}

/* --- asking --- */

int release_store_room(const struct release_store *store, uint64_t bytes, char *why, size_t why_len)
{
    if (store->used_bytes + bytes > store->max_bytes) {
        snprintf(why, why_len,
                 "%.1f MiB more do not fit: releases take %.1f MiB, and releases.storeMaxBytes is "
                 "%.1f MiB",
                 (double)bytes / MIB, (double)store->used_bytes / MIB,
                 (double)store->max_bytes / MIB);
        return -1;
    }
    return release_store_disk_room(store, bytes, why, why_len);
}

int release_store_disk_room(const struct release_store *store, uint64_t bytes, char *why,
                            size_t why_len)
{
    struct statvfs disk;

    if (fstatvfs(store->contents_fd, &disk) != 0)
        return 0; /* then the disk itself will say it */
    if ((double)disk.f_bavail * (double)disk.f_frsize <
        (double)bytes + (double)RELEASE_LEAST_FREE_BYTES) {
        snprintf(
            why, why_len,
            "%.1f MiB more do not fit: the state folder's disk has %.1f MiB free, of which %.0f "
            "MiB stay free",
            (double)bytes / MIB, (double)disk.f_bavail * (double)disk.f_frsize / MIB,
            RELEASE_LEAST_FREE_BYTES / MIB);
        return -1;
    }
    return 0;
}

void release_content_name(char out[RELEASE_CONTENT_LEN + 1], const char *sha256, const char *ending)
{
    snprintf(out, RELEASE_CONTENT_LEN + 1, "%.2s/%s%s", sha256, sha256, ending);
}

int64_t release_store_size(const struct release_store *store, const char *sha256)
{
    char name[RELEASE_CONTENT_LEN + 1];
    struct stat st;

    release_content_name(name, sha256, "");
    if (fstatat(store->contents_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        (st.st_mode & BOUNDS_WRONG_BYTES) != 0)
        return -1;
    return st.st_size;
}

bool release_store_has_tree(const struct release_store *store, const char *manifest)
{
    struct stat st;

    return fstatat(store->trees_fd, manifest, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* --- what is not needed any more, parts of contents among it --- */

struct kept {
    const char *const *manifests;
    size_t count;
};

static bool is_kept(const struct kept *kept, const char *name)
{
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->manifests[i], name) == 0)
            return true;
    return false;
}

static bool look_at_tree(struct release_store *store, int fd, const char *name, const void *arg)
{
    (void)fd;
    if (!is_kept(arg, name))
        remove_tree(store, name);
    return true;
}

static bool look_at_content(struct release_store *store, int fd, const char *name, const void *arg)
{
    struct stat st;

    if (store->gives_way && store->gives_way(store->gives_way_arg))
        return false;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_nlink == 1 &&
        !is_kept(arg, name) && unlinkat(fd, name, 0) == 0 && release_is_sha256(name))
        store->used_bytes -= smaller_of(store->used_bytes, (uint64_t)st.st_size);
    return true;
}

static bool look_at_folder(struct release_store *store, int fd, const char *name, const void *arg)
{
    return each_name(store, open_folder(fd, name), look_at_content, arg);
}

bool release_store_keep(struct release_store *store, const char *const *manifests, size_t count,
                        bool spares_contents)
{
    struct kept kept = {manifests, count};

    each_name(store, open_folder(store->trees_fd, "."), look_at_tree, &kept);
    if (spares_contents)
        return true;
    store->rest[0] = '\0'; /* what came of it may be gone */
    return each_name(store, open_folder(store->contents_fd, "."), look_at_folder, &kept);
}
