/* SPDX-License-Identifier: MIT */
/* dir_listing_read.c — reads all names in a folder and keeps those that come first in the order of
 * the listing.
 *
 * Memory is bounded by the number of names kept, in a heap with the last of them on top. Time is
 * bounded by SCAN_MAX: of a folder with more names, only the ones read up to there are
 * considered. */
#include "site/dir_listing_read.h"

#include "files/confined_open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCAN_MAX 200000
#define CAP_MIN 64

static int compare_numbers(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static int compare(const void *a, const void *b, void *arg)
{
    const struct dir_entry *left = a, *right = b;
    const struct dir_order *order = arg;
    int by_key = 0;

    if (left->is_folder != right->is_folder)
        return left->is_folder ? -1 : 1;
    if (order->by == DIR_SORT_SIZE && !left->is_folder) /* that of a folder says nothing */
        by_key = compare_numbers((int64_t)left->size, (int64_t)right->size);
    else if (order->by == DIR_SORT_DATE)
        by_key = compare_numbers(left->mtime_seconds, right->mtime_seconds);
    else if (order->by == DIR_SORT_NAME)
        by_key = strcmp(left->name, right->name);
    if (by_key == 0)
        return strcmp(left->name, right->name);
    return order->is_descending ? -by_key : by_key;
}

/* --- which names ----------------------------------------------------------------------------- */

static bool has_control(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return true;
    return false;
}

static bool may_show(const char *name, const struct config_site *site)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    /* The same names as for url_path.h. */
    return (name[0] != '.' || site->hidden_files) && !has_control(name);
}

/* Returns false for a kind of file that no request can get. */
static bool take_stat(struct dir_entry *entry, const struct stat *st)
{
    entry->is_folder = S_ISDIR(st->st_mode);
    entry->is_known = true;
    entry->size = (uint64_t)st->st_size;
    entry->mtime_seconds = st->st_mtim.tv_sec;
    return S_ISDIR(st->st_mode) || S_ISREG(st->st_mode);
}

static bool resolve_link(struct dir_entry *entry, const struct dir_scan *scan, const char *name)
{
    char path[PATH_MAX];
    size_t folder_len = strlen(scan->path), name_len = strlen(name);
    struct stat st;
    int fd;

    if (folder_len + name_len >= sizeof(path))
        return false;
    memcpy(path, scan->path, folder_len);
    memcpy(path + folder_len, name, name_len + 1);
    fd = confined_open(scan->root, path, scan->site->symlinks, CONFINED_READ, &st);
    if (fd < 0)
        return false;
    close(fd);
    return take_stat(entry, &st);
}

/* Returns false for an entry that is not to be shown. Most file systems tell the kind with the
 * name, so no further call is needed. */
static bool classify(struct dir_entry *entry, const struct dir_scan *scan, int folder,
                     const struct dirent *found)
{
    struct stat st;

    switch (found->d_type) {
    case DT_REG:
    case DT_DIR:
        entry->is_folder = found->d_type == DT_DIR;
        return true;
    case DT_LNK:
        return resolve_link(entry, scan, found->d_name);
    case DT_UNKNOWN:
        if (fstatat(folder, found->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
        return S_ISLNK(st.st_mode) ? resolve_link(entry, scan, found->d_name)
                                   : take_stat(entry, &st);
    default:
        return false;
    }
}

/* Returns false if it has gone or changed its kind. */
static bool stat_entry(struct dir_entry *entry, int folder)
{
    bool was_folder = entry->is_folder;
    struct stat st;

    return fstatat(folder, entry->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && take_stat(entry, &st) &&
           entry->is_folder == was_folder;
}

/* --- the first in the order ------------------------------------------------------------------ */

static void swap(struct dir_entry *a, struct dir_entry *b)
{
    struct dir_entry c = *a;
    *a = *b;
    *b = c;
}

static bool is_before(struct dir_entries *heap, const struct dir_entry *a,
                      const struct dir_entry *b)
{
    return compare(a, b, &heap->order) < 0;
}

static void sift_up(struct dir_entries *heap)
{
    for (size_t i = heap->count - 1; i > 0; i = (i - 1) / 2) {
        if (!is_before(heap, &heap->items[(i - 1) / 2], &heap->items[i]))
            return;
        swap(&heap->items[i], &heap->items[(i - 1) / 2]);
    }
}

static void sift_down(struct dir_entries *heap)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count &&
            is_before(heap, &heap->items[child], &heap->items[child + 1]))
            child++;
        if (!is_before(heap, &heap->items[i], &heap->items[child]))
            return;
        swap(&heap->items[i], &heap->items[child]);
    }
}

static bool grow(struct dir_entries *heap)
{
    size_t cap = heap->cap ? 2 * heap->cap : CAP_MIN;
    struct dir_entry *items = realloc(heap->items, cap * sizeof(*items));

    if (!items)
        return false;
    heap->items = items;
    heap->cap = cap;
    return true;
}

/* Replaces entry->name by a copy if the entry is kept. Returns false if there is no memory. */
static bool keep(struct dir_entries *heap, struct dir_entry *entry, size_t max)
{
    char *name;

    if (heap->count >= max) {
        heap->is_truncated = true;
        if (max == 0 || !is_before(heap, entry, &heap->items[0]))
            return true;
    }
    name = strdup(entry->name);
    if (!name || (heap->count < max && heap->count == heap->cap && !grow(heap))) {
        free(name);
        return false;
    }
    entry->name = name;
    if (heap->count < max) {
        heap->items[heap->count++] = *entry;
        sift_up(heap);
        return true;
    }
    free(heap->items[0].name);
    heap->items[0] = *entry;
    sift_down(heap);
    return true;
}

/* --- the folder ------------------------------------------------------------------------------ */

static enum http_status read_names(struct dir_entries *entries, const struct dir_scan *scan,
                                   DIR *dir)
{
    size_t scanned = 0;

    for (;;) {
        struct dir_entry entry = {0};
        const struct dirent *found;

        if (atomic_load_explicit(scan->is_cancelled, memory_order_relaxed))
            return HTTP_UNAVAILABLE;
        errno = 0;
        found = readdir(dir);
        if (!found)
            return errno ? HTTP_INTERNAL_ERROR : HTTP_OK;
        if (!may_show(found->d_name, scan->site))
            continue;
        if (++scanned > SCAN_MAX) {
            entries->is_truncated = true;
            return HTTP_OK;
        }
        entry.name = (char *)(uintptr_t)found->d_name;
        if (classify(&entry, scan, dirfd(dir), found) &&
            (entry.is_known || scan->order.by == DIR_SORT_NAME || stat_entry(&entry, dirfd(dir))) &&
            !keep(entries, &entry, scan->site->listing.max_entries))
            return HTTP_UNAVAILABLE;
    }
}

/* Gets the sizes and times of the entries that are shown, and drops those that have gone or changed
 * kind. */
static void stat_names(struct dir_entries *entries, int folder)
{
    size_t kept = 0;

    for (size_t i = 0; i < entries->count; i++) {
        struct dir_entry *entry = &entries->items[i];
        if (entry->is_known || stat_entry(entry, folder))
            entries->items[kept++] = *entry;
        else
            free(entry->name);
    }
    entries->count = kept;
}

enum http_status dir_listing_read(struct dir_entries *entries, const struct dir_scan *scan)
{
    DIR *dir = fdopendir(scan->folder);
    enum http_status status;

    *entries = (struct dir_entries){.order = scan->order};
    if (!dir) {
        close(scan->folder);
        return HTTP_UNAVAILABLE;
    }
    status = read_names(entries, scan, dir);
    if (status == HTTP_OK) {
        stat_names(entries, dirfd(dir));
        if (entries->count > 0)
            qsort_r(entries->items, entries->count, sizeof(entries->items[0]), compare,
                    &entries->order);
    }
    closedir(dir);
    return status;
}

bool dir_entries_pack(struct dir_entries *entries)
{
    struct dir_entries packed = *entries;
    char *names;

    packed.packed_bytes = packed.count * sizeof(*packed.items);
    for (size_t i = 0; i < packed.count; i++)
        packed.packed_bytes += strlen(packed.items[i].name) + 1;
    if (packed.packed_bytes == 0)
        return true;
    packed.items = malloc(packed.packed_bytes);
    if (!packed.items)
        return false;
    memcpy(packed.items, entries->items, packed.count * sizeof(*packed.items));
    names = (char *)(packed.items + packed.count);
    for (size_t i = 0; i < packed.count; i++) {
        size_t len = strlen(entries->items[i].name) + 1;
        packed.items[i].name = memcpy(names, entries->items[i].name, len);
        names += len;
    }
    packed.cap = packed.count;
    dir_entries_fini(entries);
    *entries = packed;
    return true;
}

void dir_entries_fini(struct dir_entries *entries)
{
    for (size_t i = 0; i < entries->count && entries->packed_bytes == 0; i++)
        free(entries->items[i].name);
    free(entries->items);
}
