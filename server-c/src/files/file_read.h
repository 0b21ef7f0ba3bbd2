/* SPDX-License-Identifier: MIT */
/* file_read.h — reads a file without waiting for its disk, and notices that it has changed. */
#ifndef FARMSTEAD_FILE_READ_H
#define FARMSTEAD_FILE_READ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat;

/* What must stay the same while the bytes of a file are sent under one ETag. */
struct file_version {
    uint64_t size;
    int64_t mtime_seconds;
    uint32_t mtime_ns;
};
struct file_version file_version_of(const struct stat *st);
bool file_version_equal(const struct file_version *a, const struct file_version *b);

/* What has happened to a file since a version was noted. A file that has only become longer (a log,
 * a recording, an upload under way) still begins with the same bytes, as far as one can tell: a
 * file that was rewritten in place and became longer looks the same. When bytes are appended the
 * kernel sets the time first and the size later; in between it looks as if the file had been
 * rewritten. */
enum file_change {
    FILE_SAME,
    FILE_GREW,
    FILE_TOUCHED, /* same size, other time: rewritten, or just about to grow */
    FILE_CUT      /* shorter, or unknown */
};
/* Asks the kernel about the open descriptor. On a local file system this needs no disk. */
enum file_change file_change_since(int fd, const struct file_version *version);

/* Reads what is in the page cache. Returns the number of bytes (0 at the end of the file);
 * UV_EAGAIN if the first byte would have to come from the disk or this is unknown; or another
 * UV_E*. */
ssize_t file_read_resident(int fd, char *out, size_t len, uint64_t offset);

/* How many bytes from `offset` on can be read without waiting. Errors as for
 * file_read_resident(). */
ssize_t file_resident_len(int fd, size_t len, uint64_t offset);

/* Has the disk start to read the bytes into the page cache, without waiting for them. May wait for
 * a place in the disk's queue: threads of a lane only. */
void file_start_read(int fd, size_t len, uint64_t offset);

/* Reads until `len` bytes or the end of the file. Returns the number of bytes, or UV_E*. Waits for
 * the disk: never on a loop. */
ssize_t file_read_fully(int fd, char *out, size_t len, uint64_t offset);

/* Writes all of the bytes, and waits until they are on the disk. 0, or UV_E*. Never on a loop. */
int file_write_fully(int fd, const char *bytes, size_t len);

/* As file_read_fully(), but only leaves the bytes in the page cache. Stops early when *is_unwanted becomes
 * true. Threads of a lane only. */
ssize_t file_read_ahead(int fd, size_t len, uint64_t offset, const atomic_bool *is_unwanted);

/* Opens a regular file. Returns the descriptor; or a negative UV_E*: UV_EISDIR or UV_EFTYPE for
 * anything else at that path, such as a FIFO, for which it does not wait. */
int file_open_regular(const char *path, struct stat *st);

#endif
