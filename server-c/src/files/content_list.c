/* SPDX-License-Identifier: MIT */
/* content_list.c — looks for a list from the file's folder up to the place's. */
#include "files/content_list.h"

#include "files/confined_open.h"
#include "files/file_read.h"
#include "text/checksum_list.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define SUFFIX ".sha256"
#define BESIDE_BYTES 4096 /* a longer list is not that of a single file */

static int compare_times(const struct timespec *a, const struct timespec *b)
{
    if (a->tv_sec != b->tv_sec)
        return a->tv_sec < b->tv_sec ? -1 : 1;
    return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

static bool is_made_after(const struct stat *list, const struct content_key *key)
{
    return compare_times(&list->st_mtim, &key->mtime) > 0 &&
           compare_times(&list->st_ctim, &key->ctime) >= 0;
}

/* May the open list be believed, as far as its state says? */
static enum content_list judge_list(const struct content_work *work, int fd, const struct stat *st)
{
    if (!S_ISREG(st->st_mode) || !is_made_after(st, &work->key) ||
        !served_file_is_allowed(work->place->kept, fd, st))
        return CONTENT_LIST_NONE;
    if (content_is_settled(&st->st_ctim, wall_clock_seconds()))
        return CONTENT_LIST_SAYS;
    return work->has_waited ? CONTENT_LIST_NONE : CONTENT_LIST_YOUNG;
}

/* Opens the list at `path`, of which snprintf() said it had `len` bytes. *fd is open where the list is
 * one that says something, and nowhere else. */
static enum content_list open_list(const struct content_work *work, int root, const char *path,
                                   int len, int *fd, struct stat *st)
{
    enum content_list answer;

    if (len >= PATH_MAX)
        return CONTENT_LIST_NONE;
    *fd = confined_open(root, path, SYMLINKS_NEVER, CONFINED_READ, st);
    if (*fd < 0)
        return CONTENT_LIST_NONE;
    answer = judge_list(work, *fd, st);
    if (answer != CONTENT_LIST_SAYS)
        close(*fd);
    return answer;
}

bool content_list_is_there(const struct content_work *work, int root, enum config_symlinks symlinks)
{
    struct stat st;
    int fd = confined_open(root, work->path, symlinks, CONFINED_READ, &st);

    if (fd < 0)
        return false;
    close(fd);
    return content_key_is_of(&work->key, &st);
}

/* --- beside the file ------------------------------------------------------------------------- */

/* Does the list's line name the file, with any folder before it? */
static bool is_named(struct span name, const char *path)
{
    const char *slash = memrchr(name.ptr, '/', name.len);

    if (slash) {
        name.len -= (size_t)(slash + 1 - name.ptr);
        name.ptr = slash + 1;
    }
    return name.len == 0 ? !slash : span_is(name, strrchr(path, '/') + 1);
}

static bool says(struct content_work *work, struct span text)
{
    struct checksum_line line;

    while (checksum_list_next(&text, &line))
        if (is_named(line.name, work->path)) {
            memcpy(work->hash, line.hash, CONTENT_HASH_BYTES);
            return true;
        }
    return false;
}

static enum content_list ask_beside(struct content_work *work, int root)
{
    char path[PATH_MAX], bytes[BESIDE_BYTES];
    struct stat st;
    ssize_t n = 0;
    int fd, len = snprintf(path, sizeof(path), "%s" SUFFIX, work->path);
    enum content_list answer = open_list(work, root, path, len, &fd, &st);

    if (answer != CONTENT_LIST_SAYS)
        return answer;
    if (st.st_size <= BESIDE_BYTES)
        n = file_read_fully(fd, bytes, sizeof(bytes), 0);
    close(fd);
    return n > 0 && says(work, (struct span){bytes, (size_t)n}) ? CONTENT_LIST_SAYS
                                                                : CONTENT_LIST_NONE;
}

/* --- the site's list ------------------------------------------------------------------------- */

/* Have the folders of the path behind its first `above` bytes been as they are since the list was put
 * there? */
static bool folders_are_older(const struct content_work *work, int root, size_t above,
                              const struct stat *list)
{
    char path[PATH_MAX];
    const char *slash = work->path + above;
    struct stat st;
    bool is_older = true;

    while (is_older && (slash = strchr(slash + 1, '/')) != NULL) {
        size_t len = (size_t)(slash - work->path);
        int fd;

        memcpy(path, work->path, len);
        path[len] = '\0';
        fd = confined_open(root, path, SYMLINKS_NEVER, CONFINED_READ, &st);
        if (fd < 0)
            return false;
        close(fd);
        is_older = compare_times(&st.st_ctim, &list->st_ctim) <= 0;
    }
    return is_older;
}

/* Asks the list in the folder that is the first `above` bytes of the path. */
static enum content_list ask_in(struct checksum_store *store, struct content_work *work, int root,
                                size_t above)
{
    const char *rest = work->path + above + 1;
    char path[PATH_MAX];
    struct stat st;
    int fd, err,
        len = snprintf(path, sizeof(path), "%.*s/%s", (int)above, work->path,
                       work->place->site->checksums);
    enum content_list answer = open_list(work, root, path, len, &fd, &st);

    if (answer != CONTENT_LIST_SAYS)
        return answer;
    err = checksum_store_find(store, fd, &st, (struct span){rest, strlen(rest)}, work->hash);
    close(fd);
    work->list_is_too_long = work->list_is_too_long || err == UV_E2BIG;
    return err == 0 && folders_are_older(work, root, above, &st) ? CONTENT_LIST_SAYS
                                                                 : CONTENT_LIST_NONE;
}

static enum content_list ask_upwards(struct checksum_store *store, struct content_work *work,
                                     int root)
{
    enum content_list answer = CONTENT_LIST_NONE;
    const char *slash = strrchr(work->path, '/');

    if (work->place->site->checksums[0] == '\0')
        return CONTENT_LIST_NONE;
    while (slash && answer == CONTENT_LIST_NONE) {
        answer = ask_in(store, work, root, (size_t)(slash - work->path));
        slash = memrchr(work->path, '/', (size_t)(slash - work->path));
    }
    return answer;
}

enum content_list content_list_ask(struct checksum_store *store, struct content_work *work)
{
    enum content_list answer;
    int root;

    if (!work->place || work->key.size < CONTENT_LIST_MIN_BYTES || strlen(work->path) >= PATH_MAX)
        return CONTENT_LIST_NONE;
    root = file_place_open(work->place, work->variable);
    if (root < 0)
        return CONTENT_LIST_NONE;
    answer = ask_beside(work, root);
    if (answer == CONTENT_LIST_NONE)
        answer = ask_upwards(store, work, root);
    if (answer == CONTENT_LIST_SAYS && !content_list_is_there(work, root, SYMLINKS_NEVER))
        answer = CONTENT_LIST_NONE;
    close(root);
    return answer;
}
