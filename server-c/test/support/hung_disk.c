/* SPDX-License-Identifier: MIT */
/* hung_disk.c — a preloaded library that makes files wait as on a disk or network file system that
 * does not answer, depending on their names: "hang-open", "hang-read", "hang-write" or "hang-stat"
 * in the name holds up that call, "hang-late" holds up reads from the second MiB on, all until the
 * file FARMSTEAD_HANG_UNTIL exists. A read or open that may not wait returns at once and reports
 * that it would have to.
 *
 * Built by hung-disk.mjs. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define GOOD_BYTES (1 << 20)
#define PATH_LEN 4096

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void hang(void)
{
    const char *until = getenv("FARMSTEAD_HANG_UNTIL");
    struct timespec pause = {0, 20 * 1000000L};

    while (!until || access(until, F_OK) != 0)
        nanosleep(&pause, NULL);
}

static int is_released(void)
{
    const char *until = getenv("FARMSTEAD_HANG_UNTIL");
    return until && access(until, F_OK) == 0;
}

static int is_named(int fd, const char *part)
{
    char link[64], path[PATH_LEN];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    return !is_released() && strstr(path, part) != NULL;
}

static int is_hung(int fd, off_t end)
{
    return is_named(fd, "hang-read") || (end > GOOD_BYTES && is_named(fd, "hang-late"));
}

/* The program makes this system call by its number. */
long syscall(long number, ...)
{
    long args[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        args[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_openat2 && !is_released() && strstr((const char *)args[1], "hang-open")) {
        if (((const struct open_how *)args[2])->resolve & RESOLVE_CACHED) {
            errno = EAGAIN;
            return -1;
        }
        hang();
    }
    return NEXT(syscall)(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int stat(const char *path, struct stat *st)
{
    if (strstr(path, "hang-stat") && !is_released())
        hang();
    return NEXT(stat)(path, st);
}

char *realpath(const char *path, char *resolved)
{
    if (strstr(path, "hang-stat") && !is_released())
        hang();
    return NEXT(realpath)(path, resolved);
}

int open(const char *path, int flags, ...)
{
    va_list list;

    va_start(list, flags);
    unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
    va_end(list);
    if (!is_released() && strstr(path, "hang-open"))
        hang();
    return NEXT(open)(path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    if (is_named(fd, "hang-write"))
        hang();
    return NEXT(write)(fd, bytes, len);
}

ssize_t pread(int fd, void *out, size_t len, off_t offset)
{
    if (is_hung(fd, offset + (off_t)len))
        hang();
    return NEXT(pread)(fd, out, len, offset);
}

ssize_t preadv2(int fd, const struct iovec *pieces, int count, off_t offset, int flags)
{
    size_t len = 0;

    for (int i = 0; i < count; i++)
        len += pieces[i].iov_len;
    if ((flags & RWF_NOWAIT) && is_hung(fd, offset + (off_t)len)) {
        errno = EAGAIN;
        return -1;
    }
    return NEXT(preadv2)(fd, pieces, count, offset, flags);
}
