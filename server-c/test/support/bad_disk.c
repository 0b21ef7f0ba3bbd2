/* SPDX-License-Identifier: MIT */
/* bad_disk.c — a preloaded library that makes files fail like those on a dying disk, depending on
 * their names. "eio-open", "eio-stat" or "eio-read" in the name: that call fails with EIO;
 * "eio-late": reads fail from the second MiB on. "slow-open": opening takes SLOW_MS; "slow-read":
 * so does reading the beginning. "ever-new": each call that asks for the time gets another one. As
 * on a real disk, a read or open that may not wait gets neither answer, because it would have to
 * wait.
 *
 * Built by preload.mjs. Looks up the next library's function at each call: it has to be correct,
 * not fast. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SLOW_MS 100
#define GOOD_BYTES (1 << 20)
#define PATH_LEN 4096

static atomic_long looks;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int has(const char *path, const char *word)
{
    return strstr(path, word) != NULL;
}

static void wait_slowly(void)
{
    struct timespec pause = {0, SLOW_MS * 1000000L};
    nanosleep(&pause, NULL);
}

static void path_of(int fd, char path[PATH_LEN])
{
    char link[64];
    ssize_t n;
    int saved = errno;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, PATH_LEN - 1);
    path[n > 0 ? n : 0] = '\0';
    errno = saved;
}

static int is_bad(const char *path, off_t end)
{
    return has(path, "eio-read") || (has(path, "eio-late") && end > GOOD_BYTES);
}

/* Must this read fail? Sets errno. */
static int read_fails(int fd, off_t offset, size_t len)
{
    char path[PATH_LEN];

    path_of(fd, path);
    if (offset == 0 && has(path, "slow-read"))
        wait_slowly();
    if (!is_bad(path, offset + (off_t)len))
        return 0; /* with errno unchanged, which is how readdir() reports the end */
    errno = EIO;
    return 1;
}

static int would_wait(int fd, off_t offset, size_t len)
{
    char path[PATH_LEN];

    path_of(fd, path);
    errno = EAGAIN;
    return has(path, "slow-read") || is_bad(path, offset + (off_t)len);
}

static int is_bad_to_open(const char *path)
{
    return has(path, "slow-open") || has(path, "eio-open");
}

static int may_wait(const struct open_how *how)
{
    return !(how->resolve & RESOLVE_CACHED);
}

static int open_fails(const char *path)
{
    if (has(path, "slow-open"))
        wait_slowly();
    errno = EIO;
    return has(path, "eio-open");
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
    if (number == SYS_openat2 && !may_wait((const struct open_how *)args[2])) {
        errno = EAGAIN;
        if (is_bad_to_open((const char *)args[1]))
            return -1;
    } else if (number == SYS_openat2 && open_fails((const char *)args[1]))
        return -1;
    return NEXT(syscall)(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int fstat(int fd, struct stat *st)
{
    char path[PATH_LEN];

    path_of(fd, path);
    if (has(path, "eio-stat")) {
        errno = EIO;
        return -1;
    }
    if (NEXT(fstat)(fd, st) != 0)
        return -1;
    if (has(path, "ever-new"))
        st->st_mtim.tv_nsec = atomic_fetch_add(&looks, 1) % 1000000000;
    return 0;
}

ssize_t pread(int fd, void *out, size_t len, off_t offset)
{
    return read_fails(fd, offset, len) ? -1 : NEXT(pread)(fd, out, len, offset);
}

ssize_t preadv2(int fd, const struct iovec *pieces, int count, off_t offset, int flags)
{
    size_t len = 0;

    for (int i = 0; i < count; i++)
        len += pieces[i].iov_len;
    if (flags & RWF_NOWAIT ? would_wait(fd, offset, len) : read_fails(fd, offset, len))
        return -1;
    return NEXT(preadv2)(fd, pieces, count, offset, flags);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t len)
{
    return read_fails(in, *offset, len) ? -1 : NEXT(sendfile)(out, in, offset, len);
}

struct dirent *readdir(DIR *dir)
{
    return read_fails(dirfd(dir), 0, 0) ? NULL : NEXT(readdir)(dir);
}
