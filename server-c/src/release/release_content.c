/* SPDX-License-Identifier: MIT */
/* release_content.c — many small contents are synced together: one after the other, each would wait for
 * the disk by itself. */
#include "release/release_content.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/util.h"
#include "release/release_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES (256u << 10)

static EVP_MD_CTX *new_sum(void)
{
    EVP_MD_CTX *sum = EVP_MD_CTX_new();

    CHECK(sum && EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1);
    return sum;
}

int release_content_begin(struct release_content *content, const struct release_store *store,
                          const char *sha256, uint64_t size)
{
    char name[RELEASE_CONTENT_LEN + 1], folder[3] = {sha256[0], sha256[1], '\0'};

    *content = (struct release_content){.size = size, .fd = -1};
    snprintf(content->sha256, sizeof(content->sha256), "%s", sha256);
    if (mkdirat(store->contents_fd, folder, 0755) != 0 && errno != EEXIST)
        return -1;
    release_content_name(name, sha256, RELEASE_NEW);
    unlinkat(store->contents_fd, name, 0);
    content->fd = openat(store->contents_fd, name,
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
    if (content->fd < 0)
        return -1;
    content->sum = new_sum();
    return 0;
}

/* Has all bytes of the file in the sum. False: not all, or the node stops. */
static bool add_rest(struct release_content *content, const struct release_store *store)
{
    char *bytes = xmalloc(READ_BYTES);
    struct stat st;
    ssize_t got = -1;

    if (fchmod(content->fd, 0444) == 0 && fstat(content->fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_nlink == 1 && (uint64_t)st.st_size <= content->size)
        while (!atomic_load(store->stopping) && (got = read(content->fd, bytes, READ_BYTES)) > 0) {
            CHECK(EVP_DigestUpdate(content->sum, bytes, (size_t)got) == 1);
            content->done += (uint64_t)got;
        }
    free(bytes);
    return got == 0;
}

/* False: there is nothing that can be gone on with. */
static bool take_rest(struct release_content *content, const struct release_store *store,
                      const char *name)
{
    /* Who owns it may write to it only by a mode that says so. */
    if (fchmodat(store->contents_fd, name, 0600, 0) != 0)
        return false;
    content->fd = openat(store->contents_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (content->fd < 0)
        return false;
    if (add_rest(content, store))
        return true;
    close(content->fd);
    return false;
}

int release_content_go_on(struct release_content *content, const struct release_store *store,
                          const char *sha256, uint64_t size)
{
    char name[RELEASE_CONTENT_LEN + 1];
    struct stat st;

    release_content_name(name, sha256, RELEASE_NEW);
    if (fstatat(store->contents_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return release_content_begin(content, store, sha256, size);
    *content = (struct release_content){.size = size, .fd = -1, .sum = new_sum(), .goes_on = true};
    snprintf(content->sha256, sizeof(content->sha256), "%s", sha256);
    if (take_rest(content, store, name))
        return 0;
    EVP_MD_CTX_free(content->sum);
    return release_content_begin(content, store, sha256, size);
}

int release_content_put(struct release_content *content, const char *bytes, size_t len)
{
    size_t done = 0;

    if (len > content->size - content->done) {
        errno = EFBIG;
        return -1;
    }
    while (done < len) {
        ssize_t put = write(content->fd, bytes + done, len - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        done += (size_t)put;
    }
    CHECK(EVP_DigestUpdate(content->sum, bytes, len) == 1);
    content->done += len;
    return 0;
}

static void finish(struct release_content *content)
{
    EVP_MD_CTX_free(content->sum);
    close(content->fd);
    content->sum = NULL;
    content->fd = -1;
}

static void remove_new(const struct release_content *content, const struct release_store *store)
{
    char name[RELEASE_CONTENT_LEN + 1];

    release_content_name(name, content->sha256, RELEASE_NEW);
    unlinkat(store->contents_fd, name, 0);
}

bool release_content_has_digest(EVP_MD_CTX *sum, const char *sha256)
{
    unsigned char hash[32];
    char hex[RELEASE_SHA256_LEN + 1];

    CHECK(EVP_DigestFinal_ex(sum, hash, NULL) == 1);
    digest_hex(hex, hash, sizeof(hash));
    return strcmp(hex, sha256) == 0;
}

bool release_content_end(struct release_content *content, const struct release_store *store)
{
    bool is_right = release_content_has_digest(content->sum, content->sha256);

    /* The disk may begin: publishing waits for it. */
    sync_file_range(content->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    finish(content);
    if (!is_right)
        remove_new(content, store);
    return is_right;
}

void release_content_drop(struct release_content *content, const struct release_store *store)
{
    if (content->fd < 0)
        return;
    finish(content);
    remove_new(content, store);
}

void release_content_leave(struct release_content *content, struct release_store *store)
{
    char name[RELEASE_CONTENT_LEN + 1];

    if (content->fd < 0 || content->done < RELEASE_REST_BYTES) {
        release_content_drop(content, store);
        return;
    }
    finish(content);
    if (store->rest[0] && strcmp(store->rest, content->sha256) != 0) {
        release_content_name(name, store->rest, RELEASE_NEW);
        unlinkat(store->contents_fd, name, 0);
    }
    memcpy(store->rest, content->sha256, sizeof(store->rest));
}

int release_content_publish(struct release_store *store, char (*names)[RELEASE_SHA256_LEN + 1],
                            size_t count)
{
    if (count > 0 && syncfs(store->contents_fd) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        char from[RELEASE_CONTENT_LEN + 1], to[RELEASE_CONTENT_LEN + 1];
        struct stat old, new;
        bool replaces;

        release_content_name(from, names[i], RELEASE_NEW);
        release_content_name(to, names[i], "");
        replaces = fstatat(store->contents_fd, to, &old, AT_SYMLINK_NOFOLLOW) == 0;
        /* The trees first: as long as the content itself is wrong, whoever ends is known to have to do it again. */
        if (replaces && release_replace_in_trees(store, &old, from) != 0)
            return -1;
        if (fstatat(store->contents_fd, from, &new, AT_SYMLINK_NOFOLLOW) != 0 ||
            renameat(store->contents_fd, from, store->contents_fd, to) != 0)
            return -1;
        if (replaces)
            store->used_bytes -= smaller_of(store->used_bytes, (uint64_t)old.st_size);
        store->used_bytes += (uint64_t) new.st_size;
    }
    return 0;
}
