/* SPDX-License-Identifier: MIT */
/* confined_open.c — the root is opened anew for each look-up, so that a root that is itself a
 * symbolic link (a deployment's "current") takes effect when it is turned. */
#include "confined_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
#define RACE_RETRIES 8

static atomic_bool openat2_missing;

static int open_beneath(int root_fd, const char *path)
{
    struct open_how how = {.flags = FILE_FLAGS, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long fd;
    int tries = 0;

    /* EAGAIN: something was renamed meanwhile, so the kernel can't prove that ".." stayed inside. */
    do {
        fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
    } while (fd < 0 && (errno == EAGAIN || errno == EINTR) && ++tries < RACE_RETRIES);
    return fd < 0 ? -errno : (int)fd;
}

/* As safe without openat2: each component is opened from the one before, none may be a link. */
static int open_by_walking(int root_fd, const char *path)
{
    char name[NAME_MAX + 1];
    int dir_fd = root_fd, next_fd;

    for (;;) {
        size_t len = strcspn(path, "/");
        bool is_last = path[len] == '\0' || path[len + 1] == '\0';

        if (len > NAME_MAX)
            next_fd = -ENAMETOOLONG;
        else {
            memcpy(name, path, len);
            name[len] = '\0';
            next_fd = openat(dir_fd, name,
                             (is_last ? FILE_FLAGS : O_PATH | O_DIRECTORY | O_CLOEXEC) |
                                 O_NOFOLLOW | (path[len] == '/' ? O_DIRECTORY : 0));
            if (next_fd < 0)
                next_fd = -errno;
        }
        if (dir_fd != root_fd)
            close(dir_fd);
        if (next_fd < 0 || is_last)
            return next_fd;
        dir_fd = next_fd;
        path += len + 1;
    }
}

int confined_open(const char *root, const char *path)
{
    const char *relative = path[1] ? path + 1 : ".";
    int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = -ENOSYS;

    if (root_fd < 0)
        return -errno;
    if (!atomic_load_explicit(&openat2_missing, memory_order_relaxed)) {
        fd = open_beneath(root_fd, relative);
        /* Some containers' filters answer EPERM for calls they don't know; a real EPERM is rare
         * enough here to pay for a second try. */
        if (fd == -ENOSYS)
            atomic_store_explicit(&openat2_missing, true, memory_order_relaxed);
    }
    if (fd == -ENOSYS || fd == -EPERM)
        fd = open_by_walking(root_fd, relative);
    close(root_fd);
    return fd;
}
