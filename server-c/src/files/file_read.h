/* SPDX-License-Identifier: MIT */
/* file_read.h — reading a file without waiting for its disk, and noticing that it changed. */
#ifndef FARMSTEAD_FILE_READ_H
#define FARMSTEAD_FILE_READ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat;

/* What must stay the same while a file's bytes are sent under one ETag. */
struct file_version {
    uint64_t size;
    int64_t mtime_seconds;
    uint32_t mtime_ns;
};
struct file_version file_version_of(const struct stat *st);
bool file_version_equal(const struct file_version *a, const struct file_version *b);

/* What became of the version. One that only got longer (a log, a recording, an upload under way) still
 * begins with the bytes it had, as far as can be told: a file that is written anew in place and ends up
 * longer looks the same. Of one that is appended to the kernel sets the time first, and then the size:
 * in between it looks as if it had been written anew. */
enum file_change {
    FILE_SAME,
    FILE_GREW,
    FILE_TOUCHED, /* of the same size, at another time: written anew, or just about to grow */
    FILE_CUT      /* shorter, or nobody can tell */
};
/* Asks the open descriptor: no disk is touched for that on a local file system. */
enum file_change file_change_since(int fd, const struct file_version *version);

/* Reads what is in the page cache: the bytes read (0 at the end of the file), or UV_EAGAIN when
 * the first byte would have to come from the disk or nobody can tell; other errors as UV_E*. */
ssize_t file_read_resident(int fd, char *out, size_t len, uint64_t offset);

/* How many of the bytes from `offset` on can be had without waiting; as file_read_resident. */
ssize_t file_resident_len(int fd, size_t len, uint64_t offset);

/* Has the disk begin to bring the bytes into the page cache, and does not wait for them. It may wait
 * for a place in the disk's queue: pool threads only. */
void file_start_read(int fd, size_t len, uint64_t offset);

/* Reads until `len` bytes or the end of the file: the bytes read, or UV_E*. Blocks on the disk: never
 * on a loop. */
ssize_t file_read_fully(int fd, char *out, size_t len, uint64_t offset);

/* The same, and the bytes are only left in the page cache; fewer when *is_unwanted becomes true.
 * Pool threads only. */
ssize_t file_read_ahead(int fd, size_t len, uint64_t offset, const atomic_bool *is_unwanted);

#endif
