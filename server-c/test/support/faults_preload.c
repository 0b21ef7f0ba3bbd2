/* SPDX-License-Identifier: MIT */
/* faults_preload.c — a preloaded library that disturbs a farmstead-node by means of two files:
 *
 *   FAULTS_CLOCK  8 bytes, a signed number of seconds: how wrong the wall clock is. Mapped into
 *                 memory, so that the clock can jump while the node runs. Monotonic clocks stay
 *                 right, as on a real machine.
 *   FAULTS_DEATH  "COUNT before|after disk|net": kills the process at the COUNT-th call from now
 *                 that changes a file of its state folder (FAULTS_STATE), or that moves bytes to or
 *                 from the control plane. FAULTS_DEATH.was then names that call. No file: it lives.
 *
 * Built by e2e/real-farm/preload.ts. Only libcurl calls send() and recv(); responses of the sites
 * are sent by other calls. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PATH_LEN 4096
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* --- the wall clock --- */

static const volatile int64_t *off_seconds;

__attribute__((constructor)) static void map_clock(void)
{
    const char *path = getenv("FAULTS_CLOCK");
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (map != MAP_FAILED)
        off_seconds = map;
}

static int64_t off(void)
{
    return off_seconds ? *off_seconds : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int err = (int)syscall(SYS_clock_gettime, clock, out);
    if (err == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += off();
    return err;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

/* --- the death --- */

static void write_text(const char *path, const char *text)
{
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    syscall(SYS_write, fd, text, strlen(text));
    syscall(SYS_close, fd);
}

static void die(const char *order, const char *call, const char *what)
{
    char path[PATH_LEN], text[PATH_LEN + 64];
    const char *name = strrchr(what, '/');
    snprintf(path, sizeof(path), "%s.was", order);
    snprintf(text, sizeof(text), "%s %s", call, name ? name + 1 : what);
    write_text(path, text);
    unlink(order);
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Counts this call, on the file `what`, or on the network if that is empty. True: the process must
 * die after it. If it must die before it, it does so at once. */
static bool is_last(const char *call, const char *what)
{
    const char *order = getenv("FAULTS_DEATH");
    int fd = order ? (int)syscall(SYS_openat, AT_FDCWD, order, O_RDWR | O_CLOEXEC) : -1;
    char text[64] = "", when[16] = "", which[16] = "";
    long count = 0;
    if (fd < 0)
        return false;
    ssize_t got = syscall(SYS_read, fd, text, sizeof(text) - 1);
    syscall(SYS_close, fd);
    if (got <= 0 || sscanf(text, "%ld %15s %15s", &count, when, which) != 3)
        return false;
    if ((strcmp(which, "net") == 0) != (what[0] == '\0'))
        return false;
    if (--count > 0) {
        snprintf(text, sizeof(text), "%ld %s %s\n", count, when, which);
        write_text(order, text);
        return false;
    }
    if (strcmp(when, "before") == 0)
        die(order, call, what);
    return true;
}

static void after(bool last, const char *call, const char *what)
{
    if (last)
        die(getenv("FAULTS_DEATH"), call, what);
}

static void path_of(int fd, char path[PATH_LEN])
{
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_LEN - 1);
    path[n > 0 ? n : 0] = '\0';
}

static bool is_state(const char *path)
{
    const char *state = getenv("FAULTS_STATE");
    return state && strncmp(path, state, strlen(state)) == 0;
}

/* Does a call on this descriptor count? Finds its name. */
static bool counts(int fd, char path[PATH_LEN])
{
    path_of(fd, path);
    return is_state(path);
}

int openat(int dir, const char *name, int flags, ...)
{
    char path[PATH_LEN];
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    bool last = (flags & O_CREAT) && counts(dir, path) && is_last("openat", name);
    int fd = NEXT(openat)(dir, name, flags, mode);
    after(last, "openat", name);
    return fd;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    char path[PATH_LEN];
    bool last = counts(fd, path) && is_last("write", path);
    ssize_t put = NEXT(write)(fd, bytes, len);
    after(last, "write", path);
    return put;
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset)
{
    char path[PATH_LEN];
    bool last = counts(fd, path) && is_last("pwrite", path);
    ssize_t put = NEXT(pwrite64)(fd, bytes, len, offset);
    after(last, "pwrite", path);
    return put;
}

int ftruncate64(int fd, off64_t len)
{
    char path[PATH_LEN];
    bool last = counts(fd, path) && is_last("ftruncate", path);
    int err = NEXT(ftruncate64)(fd, len);
    after(last, "ftruncate", path);
    return err;
}

int fsync(int fd)
{
    char path[PATH_LEN];
    bool last = counts(fd, path) && is_last("fsync", path);
    int err = NEXT(fsync)(fd);
    after(last, "fsync", path);
    return err;
}

int fdatasync(int fd)
{
    char path[PATH_LEN];
    bool last = counts(fd, path) && is_last("fdatasync", path);
    int err = NEXT(fdatasync)(fd);
    after(last, "fdatasync", path);
    return err;
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    char path[PATH_LEN];
    bool last = counts(to_dir, path) && is_last("renameat", to);
    int err = NEXT(renameat)(from_dir, from, to_dir, to);
    after(last, "renameat", to);
    return err;
}

int unlinkat(int dir, const char *name, int flags)
{
    char path[PATH_LEN];
    bool last = counts(dir, path) && is_last("unlinkat", name);
    int err = NEXT(unlinkat)(dir, name, flags);
    after(last, "unlinkat", name);
    return err;
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    bool last = is_last("send", "");
    ssize_t put = NEXT(send)(fd, bytes, len, flags);
    after(last, "send", "");
    return put;
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    bool last = is_last("recv", "");
    ssize_t got = NEXT(recv)(fd, bytes, len, flags);
    after(last, "recv", "");
    return got;
}
