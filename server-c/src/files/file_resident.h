/* SPDX-License-Identifier: MIT */
/* file_resident.h — finds out cheaply how much of a file can be sent without waiting for its disk.
 *
 * The only certain way is to copy the bytes (file_read.c), which costs as much as sending them. So
 * what was found in the page cache is remembered for two seconds, in windows of 64 KiB: bytes that
 * are sent a thousand times a second are copied once in two seconds. The kernel evicts what has not
 * been used for long, and of a file the beginning first, so the first byte of each answer is still
 * asked for. If the answer is wrong nevertheless, one sendfile has to wait for its disk once. One
 * table of fixed size per loop, for all its files. Loop thread only. */
#ifndef FARMSTEAD_FILE_RESIDENT_H
#define FARMSTEAD_FILE_RESIDENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How the kernel identifies a file, and its size in bytes. */
struct file_pages {
    int fd;
    uint64_t device, inode, size;
};

struct file_residents {
    uint64_t *slots; /* NULL: there was no memory, so nothing is remembered */
    uint64_t seed;
    uint64_t now_ms; /* the loop's time; its owner sets it before each call */
};

void file_residents_init(struct file_residents *residents);
void file_residents_fini(struct file_residents *residents);

/* How many bytes from `offset` on can be sent without waiting, of about the first MiB. Result as
 * for file_resident_len(). `len` > 0, and the bytes must lie within the file's size. */
ssize_t file_residents_ask(struct file_residents *residents, const struct file_pages *pages,
                           size_t len, uint64_t offset);

#endif
