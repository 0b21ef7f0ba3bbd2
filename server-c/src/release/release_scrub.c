/* SPDX-License-Identifier: MIT */
/* release_scrub.c — reads past the page cache where the file system can: what is on the disk is to be compared, and
 * what visitors ask for is to stay in memory. */
#include "release/release_scrub.h"

#include "base/util.h"
#include "owner/bounds.h"
#include "release/release_content.h"
#include "release/release_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (256u << 10)
#define ALIGNMENT 4096

enum compared { IS_RIGHT, IS_WRONG, IS_UNKNOWN, IS_ENDED };

static int open_content(int folder, const char *name, bool is_direct)
{
    return openat(folder, name,
                  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (is_direct ? O_DIRECT : 0));
}

/* Does the error say something of the machine, and nothing of the file? */
static bool will_pass(int err)
{
    return err == ENOMEM || err == EMFILE || err == ENFILE || err == ENOENT || err == EACCES;
}

/* All `size` bytes, of which each is read after it was paced. IS_RIGHT: they are in the sum. */
static enum compared add_bytes(const struct release_scrub *scrub, int fd, uint64_t size,
                               char *bytes, EVP_MD_CTX *sum)
{
    uint64_t at = 0;

    while (at < size) {
        uint64_t part = smaller_of(size - at, READ_BYTES);
        ssize_t got;

        if (!scrub->pace(scrub->arg, part))
            return IS_ENDED;
        got = pread(fd, bytes, READ_BYTES, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return will_pass(errno) || errno == EINVAL ? IS_UNKNOWN : IS_WRONG;
        if (got == 0)
            return IS_WRONG; /* somebody has made it shorter */
        CHECK(EVP_DigestUpdate(sum, bytes, (size_t)got) == 1);
        at += (uint64_t)got;
    }
    return IS_RIGHT;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* IS_UNKNOWN, too, when the name has become another file's: it has been got anew meanwhile. */
static enum compared read_once(const struct release_scrub *scrub, int folder, const char *sha256,
                               const struct stat *whose, bool is_direct)
{
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    char *bytes = NULL;
    struct stat st;
    enum compared end = IS_UNKNOWN;
    int fd = open_content(folder, sha256, is_direct);

    CHECK(sum && EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1);
    if (fd >= 0 && fstat(fd, &st) == 0 && is_same(&st, whose) &&
        posix_memalign((void **)&bytes, ALIGNMENT, READ_BYTES) == 0)
        end = add_bytes(scrub, fd, (uint64_t)st.st_size, bytes, sum);
    if (end == IS_RIGHT && !release_content_has_digest(sum, sha256))
        end = IS_WRONG;
    if (fd >= 0)
        close(fd);
    free(bytes);
    EVP_MD_CTX_free(sum);
    return end;
}

/* Only what two readings find wrong is: memory is not always right, either. */
static enum compared compare(const struct release_scrub *scrub, int folder, const char *sha256,
                             const struct stat *whose)
{
    bool is_direct = true;
    enum compared end = read_once(scrub, folder, sha256, whose, is_direct);

    if (end == IS_UNKNOWN) { /* the file system knows no O_DIRECT, or wants it otherwise */
        is_direct = false;
        end = read_once(scrub, folder, sha256, whose, is_direct);
    }
    return end == IS_WRONG ? read_once(scrub, folder, sha256, whose, is_direct) : end;
}

bool release_scrub_is_there(int folder, const char *sha256, const struct stat *whose)
{
    struct stat st;

    return fstatat(folder, sha256, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&st, whose);
}

/* The file that was read, which may have another one in its place by now. */
static void mark(const struct release_scrub *scrub, int folder, const char *sha256,
                 const struct stat *whose)
{
    int fd = open_content(folder, sha256, false);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && is_same(&st, whose)) {
        /* `st` says whether the mark is there. */
        if (fchmod(fd, 0444 | BOUNDS_WRONG_BYTES) == 0)
            fsync(fd);
        if (fstat(fd, &st) == 0)
            scrub->is_wrong(scrub->arg, folder, sha256, &st);
    }
    if (fd >= 0)
        close(fd);
}

static bool look_at(const struct release_scrub *scrub, int folder, const char *name, bool reads)
{
    enum compared end;
    struct stat st;

    if (!release_is_sha256(name) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return true;
    if ((st.st_mode & BOUNDS_WRONG_BYTES) != 0) {
        scrub->is_wrong(scrub->arg, folder, name, &st);
        return true;
    }
    if (!reads)
        return scrub->pace(scrub->arg, 0);
    end = compare(scrub, folder, name, &st);
    if (end == IS_WRONG)
        mark(scrub, folder, name, &st);
    if (end == IS_WRONG || end == IS_RIGHT)
        scrub->compared(scrub->arg);
    return end != IS_ENDED;
}

static bool look_in(const struct release_scrub *scrub, unsigned number, bool reads)
{
    char path[sizeof(RELEASE_FOLDER "/contents/aa")];
    DIR *folder;
    struct dirent *entry;
    bool goes_on = true;
    int fd;

    snprintf(path, sizeof(path), RELEASE_FOLDER "/contents/%02x", number & 0xff);
    fd = openat(scrub->state_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return true;
    }
    while (goes_on && (entry = readdir(folder)))
        goes_on = look_at(scrub, fd, entry->d_name, reads);
    closedir(folder);
    return goes_on;
}

bool release_scrub_round(const struct release_scrub *scrub, unsigned first_folder, bool reads)
{
    for (unsigned i = 0; i < RELEASE_SCRUB_FOLDERS; i++)
        if (!look_in(scrub, first_folder + i, reads))
            return false;
    return true;
}

/* --- one of them --- */

static bool is_not_stopping(void *arg, uint64_t bytes)
{
    const struct release_store *store = arg;

    (void)bytes;
    return !atomic_load(store->stopping);
}

static void note_nothing(void *arg)
{
    (void)arg;
}

static void tell_of_store(void *arg, int folder, const char *sha256, const struct stat *st)
{
    const struct release_store *store = arg;

    (void)folder;
    if (store->found_wrong)
        store->found_wrong(store->found_wrong_arg, sha256, st);
}

bool release_scrub_one(struct release_store *store, const char *sha256)
{
    const struct release_scrub scrub = {-1, store, is_not_stopping, note_nothing, tell_of_store};
    const char name[3] = {sha256[0], sha256[1], '\0'};
    int folder = openat(store->contents_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    if (folder < 0)
        return false;
    look_at(&scrub, folder, sha256, true);
    close(folder);
    return release_store_size(store, sha256) < 0;
}
