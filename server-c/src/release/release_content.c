/* SPDX-License-Identifier: MIT */
/* release_content.c — many small contents are synced together: one after the other, each would wait for
 * the disk by itself. */
#include "release/release_content.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    content->sum = EVP_MD_CTX_new();
    CHECK(content->sum && EVP_DigestInit_ex(content->sum, EVP_sha256(), NULL) == 1);
    return 0;
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

bool release_content_end(struct release_content *content, const struct release_store *store)
{
    unsigned char hash[32];
    char hex[RELEASE_SHA256_LEN + 1];
    bool is_right;

    CHECK(EVP_DigestFinal_ex(content->sum, hash, NULL) == 1);
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    is_right = strcmp(hex, content->sha256) == 0;
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

int release_content_publish(struct release_store *store, char (*names)[RELEASE_SHA256_LEN + 1],
                            size_t count)
{
    if (count > 0 && syncfs(store->contents_fd) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        char from[RELEASE_CONTENT_LEN + 1], to[RELEASE_CONTENT_LEN + 1];
        int64_t size;

        release_content_name(from, names[i], RELEASE_NEW);
        release_content_name(to, names[i], "");
        if (renameat(store->contents_fd, from, store->contents_fd, to) != 0)
            return -1;
        size = release_store_size(store, names[i]);
        store->used_bytes += size > 0 ? (uint64_t)size : 0;
    }
    return 0;
}
