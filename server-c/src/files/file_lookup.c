/* SPDX-License-Identifier: MIT */
/* file_lookup.c — opens and examines the file; for a folder, it tries the index names in their
 * order.
 *
 * What the symlink policy forbids gets 404 as if it did not exist: any other answer would tell what
 * is where (RFC 9110 section 15.5.4). Only a name that exists but can't be read gets 403. */
#include "files/file_lookup.h"

#include "files/confined_open.h"
#include "files/served_file.h"
#include "http/http_coding.h"
#include "owner/bounds.h"
#include "response/response.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* 50 ms: longer than the kernel's clock for files may lag. */
#define SETTLING_NS INT64_C(50000000)
/* 2 s: for times in whole seconds, or in two seconds on FAT. */
#define SETTLING_COARSE_NS INT64_C(2000000000)

static enum http_status refusal_of(int err)
{
    switch (err) {
    case -ENOENT:
    case -ENOTDIR:
    case -ENAMETOOLONG:
    case -EINVAL: /* some file systems do not allow such a name */
    case -EILSEQ:
    case -ENXIO: /* a device, a FIFO, a socket */
    case -ELOOP: /* a link that the policy does not follow, or too many links */
    case -EXDEV: /* a link that leads out of the root */
        return HTTP_NOT_FOUND;
    case -EACCES:
    case -EPERM:
        return HTTP_FORBIDDEN;
    case -EMFILE:
    case -ENFILE:
    case -EAGAIN: /* renamed meanwhile, or leased to a writer: says nothing about the name */
    case -EINTR:
    case -ENOMEM:
    case -ESTALE: /* on a network file system, or a release's file with wrong bytes */
    case -ETIMEDOUT:
        return HTTP_UNAVAILABLE;
    default: /* EIO, and whatever else a broken file system returns */
        return HTTP_INTERNAL_ERROR;
    }
}

struct search {
    struct file_found *found;
    const struct config_site *site;
    const struct file_place *place;
    int root;
    struct timespec now;
    struct file_glance *glance; /* NULL: it may wait */
};

static void close_file(const struct search *search, int fd)
{
    if (search->glance)
        search->glance->close(search->glance->arg, fd);
    else
        close(fd);
}

/* As soon as something would have to be waited for, the look-up ends: the lane repeats all of
 * it. */
static int open_any_file(const struct search *search, const char *path, struct stat *st)
{
    enum config_symlinks policy = search->site->symlinks;
    struct file_glance *glance = search->glance;
    int fd;

    if (!glance)
        return confined_open(search->root, path, policy, CONFINED_READ, st);
    if (glance->would_wait)
        return -EAGAIN;
    fd = confined_open_cached(search->root, path, policy, st);
    glance->would_wait = fd == -EAGAIN;
    return fd;
}

static bool is_known_wrong(const struct search *search, const struct stat *st)
{
    return S_ISREG(st->st_mode) && (st->st_mode & BOUNDS_WRONG_BYTES) != 0 &&
           config_has_release(search->site);
}

/* A file that must not be served is treated like a link that leads out of the root. */
static int open_file(const struct search *search, const char *path, struct stat *st)
{
    int fd = open_any_file(search, path, st), err;

    if (fd < 0 || search->place->is_own)
        return fd;
    if (is_known_wrong(search, st))
        err = -ESTALE; /* its bytes are being got anew */
    else if (!served_file_is_allowed(search->place->kept, fd, st))
        err = -EXDEV;
    else
        return fd;
    close_file(search, fd);
    return err;
}

/* HTTP_OK: found->fd is open and found->st is filled. */
static enum http_status open_path(const struct search *search, const char *path)
{
    struct file_found *found = search->found;

    found->fd = open_file(search, path, &found->st);
    return found->fd < 0 ? refusal_of(found->fd) : HTTP_OK;
}

/* Could one more change leave the file with the same time, because the clock has not ticked yet?
 * Not if the time lies ahead: it was set by hand, and a change now would set another. */
static bool is_young(const struct timespec *changed, const struct timespec *now)
{
    int64_t settling = changed->tv_nsec == 0 ? SETTLING_COARSE_NS : SETTLING_NS;
    int64_t age;

    if (changed->tv_sec < now->tv_sec - 3 || changed->tv_sec > now->tv_sec + 3)
        return false;
    age = (now->tv_sec - changed->tv_sec) * INT64_C(1000000000) + now->tv_nsec - changed->tv_nsec;
    return age < settling && age > -settling;
}

/* How long one more change could leave the date as it is, in whole seconds as clients compare it,
 * with an allowance for the kernel's clock, which lags. If the time lies ahead this can't be known:
 * INT64_MAX. */
static int64_t date_open_ns(const struct timespec *changed, const struct timespec *now)
{
    int64_t over_ns =
        changed->tv_nsec == 0 ? SETTLING_COARSE_NS : INT64_C(1000000000) + SETTLING_NS;
    int64_t left_ns;

    if (changed->tv_sec < now->tv_sec - 3)
        return 0;
    if (changed->tv_sec > now->tv_sec + 3)
        return INT64_MAX;
    left_ns = (changed->tv_sec - now->tv_sec) * INT64_C(1000000000) + over_ns - now->tv_nsec;
    return left_ns > 0 ? left_ns : 0;
}

/* Is there a sibling that can be sent? One that is older belongs to an earlier version of the file,
 * an empty one is not the encoded form of anything, and one that is being written is not
 * complete. */
static bool has_sibling(const struct search *search, const char *path)
{
    struct stat st;
    int fd = open_file(search, path, &st);

    if (fd < 0)
        return false;
    close_file(search, fd);
    if (!S_ISREG(st.st_mode))
        return false;
    if (is_young(&st.st_mtim, &search->now)) {
        search->found->is_settling = true; /* its completion may not be reported */
        return false;
    }
    return st.st_size > 0 && st.st_mtim.tv_sec >= search->found->st.st_mtim.tv_sec;
}

static void find_siblings(const struct search *search, const char *path)
{
    char sibling[PATH_MAX];
    size_t len = strlen(path);

    if (!search->found->knows_codings || mime_is_coded((struct span){path, len}))
        return;
    for (size_t i = 0; i < search->site->precompressed_count; i++) {
        enum http_coding coding = http_coding_named(search->site->precompressed[i]);
        const char *suffix;

        if (coding == CODING_COUNT || coding == CODING_IDENTITY)
            continue;
        suffix = http_coding_suffix(coding);
        if (len + strlen(suffix) >= sizeof(sibling))
            continue;
        memcpy(sibling, path, len);
        strcpy(sibling + len, suffix);
        if (has_sibling(search, sibling))
            search->found->codings |= 1u << coding;
    }
}

static enum http_status find_index(const struct search *search, struct span folder)
{
    struct file_found *found = search->found;
    char path[PATH_MAX];

    for (size_t i = 0; i < search->site->index_count; i++) {
        size_t name_len = strlen(search->site->index[i]);
        enum http_status status;

        if (folder.len + name_len >= sizeof(path))
            continue;
        memcpy(path, folder.ptr, folder.len);
        memcpy(path + folder.len, search->site->index[i], name_len + 1);
        status = open_path(search, path);
        if (status == HTTP_OK && S_ISREG(found->st.st_mode)) {
            found->index = i;
            find_siblings(search, path);
            return HTTP_OK;
        }
        if (status == HTTP_OK)
            close_file(search, found->fd);
        else if (status != HTTP_NOT_FOUND)
            return status;
    }
    return HTTP_NOT_FOUND;
}

static enum http_status find_folder(const struct search *search, struct span path)
{
    enum http_status status = find_index(search, path);

    if (status != HTTP_NOT_FOUND || !search->site->listing.enabled)
        return status;
    status = open_path(search, path.ptr);
    search->found->is_folder = status == HTTP_OK;
    return status;
}

static enum http_status look_up(const struct search *search, struct span path)
{
    struct file_found *found = search->found;
    enum http_status status;

    if (path.ptr[path.len - 1] == '/')
        return find_folder(search, path);
    status = open_path(search, path.ptr);
    if (status != HTTP_OK)
        return status;
    if (S_ISREG(found->st.st_mode)) {
        find_siblings(search, path.ptr);
        return HTTP_OK;
    }
    close_file(search, found->fd);
    return HTTP_MOVED_PERMANENTLY;
}

static void end_search(const struct search *search)
{
    struct file_found *found = search->found;
    const struct timespec *mtime;

    if (found->status != HTTP_OK) {
        found->fd = -1;
        return;
    }
    if (found->is_folder)
        return;
    mtime = &found->st.st_mtim;
    found->is_of_build = file_time_is_of_build(mtime->tv_sec, (uint32_t)mtime->tv_nsec);
    found->date_open_ns = found->is_of_build ? INT64_MAX : date_open_ns(mtime, &search->now);
    found->has_young_tag = is_young(found->is_of_build ? &found->st.st_ctim : mtime, &search->now);
    found->is_settling =
        found->is_settling || found->has_young_tag || is_young(&found->st.st_ctim, &search->now);
}

static struct file_found new_found(const struct file_place *place, const struct file_key *key)
{
    return (struct file_found){
        .fd = -1, .index = place->site->index_count, .knows_codings = key->wants_codings};
}

void file_lookup_run(struct file_found *found, const struct file_place *place,
                     const struct file_key *key, struct folder_chain *chain)
{
    struct search search = {.found = found,
                            .site = place->site,
                            .place = place,
                            .root = file_place_open(place, key->variable)};

    clock_gettime(CLOCK_REALTIME, &search.now);
    *found = new_found(place, key);
    if (search.root < 0) {
        found->status = refusal_of(search.root);
        return;
    }
    folder_chain_begin(chain, search.root, key->path.ptr);
    found->status = look_up(&search, key->path);
    folder_chain_end(chain, place->site, key->path.ptr);
    close(search.root);
    end_search(&search);
}

bool file_lookup_glance(struct file_found *found, const struct file_place *place,
                        const struct file_key *key, struct file_glance *glance)
{
    struct search search = {.found = found,
                            .site = place->site,
                            .place = place,
                            .root = glance->root,
                            .glance = glance};

    clock_gettime(CLOCK_REALTIME, &search.now);
    *found = new_found(place, key);
    glance->would_wait = false;
    found->status = look_up(&search, key->path);
    end_search(&search);
    if (glance->would_wait && found->fd >= 0)
        close_file(&search, found->fd);
    return !glance->would_wait;
}
