/* SPDX-License-Identifier: MIT */
/* file_read.c — preadv2() with RWF_NOWAIT is the only call that tells whether a read would wait.
 * (mincore() and cachestat() count pages too that are still on their way from the disk.) */
#include "files/file_read.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

_Static_assert(sizeof(off_t) == 8, "files beyond 2 GiB need _FILE_OFFSET_BITS=64 here");

#define PROBE_BYTES 16384
#define PROBE_PIECES 64

struct file_version file_version_of(const struct stat *st)
{
    return (struct file_version){(uint64_t)st->st_size, st->st_mtim.tv_sec,
                                 (uint32_t)st->st_mtim.tv_nsec};
}

bool file_version_equal(const struct file_version *a, const struct file_version *b)
{
    return a->size == b->size && a->mtime_seconds == b->mtime_seconds && a->mtime_ns == b->mtime_ns;
}

enum file_change file_change_since(int fd, const struct file_version *version)
{
    struct file_version now;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return FILE_CUT;
    now = file_version_of(&st);
    if (file_version_equal(&now, version))
        return FILE_SAME;
    if (now.size == version->size)
        return FILE_TOUCHED;
    return now.size > version->size ? FILE_GREW : FILE_CUT;
}

static ssize_t read_without_waiting(int fd, const struct iovec *pieces, int count, uint64_t offset)
{
    ssize_t n;

    do {
        n = preadv2(fd, pieces, count, (off_t)offset, RWF_NOWAIT);
    } while (n < 0 && errno == EINTR);
    if (n >= 0)
        return n;
    /* This file system can't tell whether the read would wait, so it is assumed to. */
    return errno == EOPNOTSUPP || errno == ENOSYS ? UV_EAGAIN : -errno;
}

ssize_t file_read_resident(int fd, char *out, size_t len, uint64_t offset)
{
    struct iovec piece = {out, len};
    return read_without_waiting(fd, &piece, 1, offset);
}

ssize_t file_resident_len(int fd, size_t len, uint64_t offset)
{
    /* All pieces are the same memory, small enough to stay in the processor's cache: only the
     * answer is needed, not the bytes. */
    static _Thread_local char scratch[PROBE_BYTES];
    struct iovec pieces[PROBE_PIECES];
    int count = 0;

    while (len > 0 && count < PROBE_PIECES) {
        size_t piece = len < PROBE_BYTES ? len : PROBE_BYTES;
        pieces[count++] = (struct iovec){scratch, piece};
        len -= piece;
    }
    return read_without_waiting(fd, pieces, count, offset);
}

void file_start_read(int fd, size_t len, uint64_t offset)
{
    posix_fadvise(fd, (off_t)offset, (off_t)len, POSIX_FADV_WILLNEED);
}

ssize_t file_read_fully(int fd, char *out, size_t len, uint64_t offset)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = pread(fd, out + done, len - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

int file_write_fully(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        bytes += n;
        len -= (size_t)n;
    }
    return fdatasync(fd) == 0 ? 0 : -errno;
}

ssize_t file_read_ahead(int fd, size_t len, uint64_t offset, const atomic_bool *is_unwanted)
{
    static _Thread_local char scratch[PROBE_BYTES];
    size_t done = 0;

    while (done < len && !atomic_load_explicit(is_unwanted, memory_order_relaxed)) {
        size_t piece = len - done < PROBE_BYTES ? len - done : PROBE_BYTES;
        ssize_t n = file_read_fully(fd, scratch, piece, offset + done);
        if (n < 0)
            return n;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

/* O_NONBLOCK: a FIFO must not hold us up before we see that it is not a regular file. */
int file_open_regular(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = 0;

    if (fd < 0)
        return -errno;
    if (fstat(fd, st) != 0)
        err = -errno;
    else if (!S_ISREG(st->st_mode))
        err = S_ISDIR(st->st_mode) ? UV_EISDIR : UV_EFTYPE;
    if (err)
        close(fd);
    return err ? err : fd;
}
