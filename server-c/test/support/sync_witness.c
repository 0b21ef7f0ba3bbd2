/* SPDX-License-Identifier: MIT */
/* sync_witness.c — a preloaded library that logs, in the file SYNC_WITNESS, which names the program
 * has created ("made PATH") and which of them have been written to the disk ("synced PATH"), in
 * order. A name survives a crash if its folder was synced after the name was created.
 *
 * Built by preload.mjs. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_LEN 4096
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(const char *what, const char *path)
{
    const char *log = getenv("SYNC_WITNESS");
    int saved = errno, fd;
    char line[PATH_LEN + 16];
    int len = snprintf(line, sizeof(line), "%s %s\n", what, path);

    fd = log ? NEXT(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        (void)!write(fd, line, (size_t)len);
        close(fd);
    }
    errno = saved;
}

static void path_of(int fd, char path[PATH_LEN])
{
    char link[64];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, PATH_LEN - 1);
    path[n > 0 ? n : 0] = '\0';
}

static void note_in(int folder, const char *name)
{
    char path[PATH_LEN], whole[PATH_LEN + 256];

    path_of(folder, path);
    snprintf(whole, sizeof(whole), "%s/%s", path, name);
    note("made", whole);
}

int mkdir(const char *path, mode_t mode)
{
    int err = NEXT(mkdir)(path, mode);

    if (err == 0)
        note("made", path);
    return err;
}

int openat(int folder, const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list list;
    int fd;

    va_start(list, flags);
    if (flags & O_CREAT)
        mode = va_arg(list, mode_t);
    va_end(list);
    fd = NEXT(openat)(folder, name, flags, mode);
    if (fd >= 0 && (flags & O_CREAT))
        note_in(folder, name);
    return fd;
}

int rename(const char *from, const char *to)
{
    int err = NEXT(rename)(from, to);

    if (err == 0)
        note("made", to);
    return err;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    int err = NEXT(renameat)(from_folder, from, to_folder, to);

    if (err == 0)
        note_in(to_folder, to);
    return err;
}

int fsync(int fd)
{
    char path[PATH_LEN];
    int err = NEXT(fsync)(fd);

    path_of(fd, path);
    if (err == 0)
        note("synced", path);
    return err;
}
