/* SPDX-License-Identifier: MIT */
/* confined_open.c — has the kernel confine the look-up where it can, and uses confined_walk.h
 * elsewhere. */
#include "files/confined_open.h"

#include "files/confined_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RACE_RETRIES 8
#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

static atomic_bool openat2_missing;

int confined_root(const char *folder)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static uint64_t resolve_of(enum config_symlinks policy)
{
    switch (policy) {
    case SYMLINKS_WITHIN_ROOT:
        return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    case SYMLINKS_ANY: /* the path has no "..", so without links it stays below the root */
        return RESOLVE_NO_MAGICLINKS;
    case SYMLINKS_NEVER:
    case SYMLINKS_SAME_OWNER: /* tried without links first; see below */
        break;
    }
    return RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
}

static int ask_kernel(int root, const char *path, uint64_t resolve, int flags)
{
    struct open_how how = {.flags = (uint64_t)flags, .resolve = resolve};
    long fd;
    int tries = 0;

    /* EAGAIN: something was renamed meanwhile, and the kernel can't tell whether ".." stayed
     * inside. */
    do {
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
    } while (fd < 0 && (errno == EAGAIN || errno == EINTR) && ++tries < RACE_RETRIES);
    return fd < 0 ? -errno : (int)fd;
}

/* A link can lead to a device, and merely opening some devices does something (a tape rewinds, a
 * watchdog starts), so the file is looked at before it is opened. Somebody could swap links in
 * between, but only in a folder that an administrator trusts. */
static int refuse_device(int root, const char *path)
{
    int fd = ask_kernel(root, path, resolve_of(SYMLINKS_ANY), O_PATH | O_CLOEXEC), err;
    struct stat st;

    if (fd < 0)
        return fd;
    err = fstat(fd, &st) == 0 ? 0 : -errno;
    close(fd);
    if (err == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        err = -ENXIO;
    return err;
}

/* Returns -ENOSYS if the path has to be walked. */
static int open_by_kernel(int root, const char *path, enum config_symlinks policy, int flags)
{
    int fd;

    if (atomic_load_explicit(&openat2_missing, memory_order_relaxed))
        return -ENOSYS;
    fd = policy == SYMLINKS_ANY ? refuse_device(root, path) : 0;
    if (fd == 0)
        fd = ask_kernel(root, path, resolve_of(policy), flags);
    if (fd == -ENOSYS)
        atomic_store_explicit(&openat2_missing, true, memory_order_relaxed);
    /* Some containers have filters that answer EPERM for system calls they don't know. A real EPERM
     * is so rare here that a second try does not matter. */
    if (fd == -EPERM || (fd == -ELOOP && policy == SYMLINKS_SAME_OWNER))
        return -ENOSYS;
    return fd;
}

static int take_opened(int fd, struct stat *st)
{
    int err = fstat(fd, st) == 0 ? -ENXIO : -errno;

    if (err == -ENXIO && (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode)))
        return fd;
    close(fd);
    return err;
}

int confined_open(int root, const char *path, enum config_symlinks policy, enum confined_kind kind,
                  struct stat *st)
{
    int flags = kind == CONFINED_FOLDER ? O_PATH | O_DIRECTORY | O_CLOEXEC : READ_FLAGS;
    const char *relative = path[1] ? path + 1 : ".";
    int fd = open_by_kernel(root, relative, policy, flags);

    if (fd == -ENOSYS)
        fd = confined_walk(root, relative, policy, flags);
    return fd < 0 ? fd : take_opened(fd, st);
}

/* --- from the kernel's memory, without waiting ----------------------------------------------- */

static int ask_cached(int folder, const char *path, uint64_t resolve, int flags)
{
    struct open_how how = {.flags = (uint64_t)flags, .resolve = resolve | RESOLVE_CACHED};
    long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
}

/* Tries it with a path of our own: for a client's path, EINVAL could come from the file system. */
bool confined_may_open_cached(void)
{
    static atomic_int known; /* 0: not known yet; 1: it can; -1: it can't, or a filter forbids it */
    int can = atomic_load_explicit(&known, memory_order_relaxed);

    if (can == 0) {
        int fd = ask_cached(AT_FDCWD, "/", 0, O_PATH | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        can = fd >= 0 || fd == -EAGAIN ? 1 : -1;
        atomic_store_explicit(&known, can, memory_order_relaxed);
    }
    return can > 0;
}

int confined_root_cached(const char *folder)
{
    return ask_cached(AT_FDCWD, folder, 0, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Would confined_open() give the same answer? Errors that are not listed may have other causes: a
 * lack of resources, a filter, a mount point, or a link that has to be walked. */
static bool is_definite(int err, enum config_symlinks policy)
{
    if (err == -ELOOP)
        return policy == SYMLINKS_NEVER || policy == SYMLINKS_WITHIN_ROOT;
    return err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -ENAMETOOLONG;
}

/* Where links may lead anywhere none is followed: its target would have to be looked at before it
 * is opened, as above. */
int confined_open_cached(int root, const char *path, enum config_symlinks policy, struct stat *st)
{
    uint64_t resolve =
        resolve_of(policy == SYMLINKS_WITHIN_ROOT ? SYMLINKS_WITHIN_ROOT : SYMLINKS_NEVER);
    int fd = ask_cached(root, path[1] ? path + 1 : ".", resolve | RESOLVE_NO_XDEV, READ_FLAGS);

    if (fd < 0)
        return is_definite(fd, policy) ? fd : -EAGAIN;
    fd = take_opened(fd, st);
    return fd >= 0 || fd == -ENXIO ? fd : -EAGAIN;
}

int confined_open_straight(int folder, const char *path, int flags)
{
    int fd = atomic_load_explicit(&openat2_missing, memory_order_relaxed)
                 ? -ENOSYS
                 : ask_kernel(folder, path, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
                              flags);
    return fd == -EPERM ? -ENOSYS : fd; /* a container's filter, as above */
}
