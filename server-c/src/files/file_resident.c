/* SPDX-License-Identifier: MIT */
/* file_resident.c — a slot holds 48 bits of a hash of file and window, and in 16 bits the time when
 * the window was found. Windows with the same slot overwrite each other, which costs a copy. If two
 * windows are confused (one chance in 2^48), or a time comes round again (after 70 minutes), one
 * sendfile may have to wait. */
#include "files/file_resident.h"

#include "files/file_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

#define WINDOW_BYTES UINT64_C(65536)
/* A power of two. 128 KiB of memory, touched only as it is used, for windows of 1 GiB in all. */
#define SLOT_COUNT 16384
#define SMALL_BYTES 8192 /* copying so many costs no more than asking for both ends */
#define TIME_BITS 16
#define TIME_UNIT_MS 64
#define TRUST_UNITS 32

void file_residents_init(struct file_residents *residents)
{
    *residents = (struct file_residents){.slots = calloc(SLOT_COUNT, sizeof(uint64_t))};
    if (getrandom(&residents->seed, sizeof(residents->seed), GRND_NONBLOCK) < 0)
        residents->seed = (uint64_t)(uintptr_t)residents->slots;
}

void file_residents_fini(struct file_residents *residents)
{
    free(residents->slots);
    residents->slots = NULL;
}

/* The final step of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t hash_of(const struct file_residents *residents, const struct file_pages *pages,
                        uint64_t window)
{
    return mix(mix(mix(residents->seed ^ pages->inode) ^ pages->device) ^ window);
}

static uint64_t time_of(const struct file_residents *residents)
{
    return (residents->now_ms / TIME_UNIT_MS) & ((1u << TIME_BITS) - 1);
}

static bool is_remembered(const struct file_residents *residents, const struct file_pages *pages,
                          uint64_t window)
{
    uint64_t hash = hash_of(residents, pages, window);
    uint64_t slot = residents->slots[hash % SLOT_COUNT];
    uint64_t age = (time_of(residents) - slot) & ((1u << TIME_BITS) - 1);

    return slot >> TIME_BITS == hash >> TIME_BITS && age < TRUST_UNITS;
}

static void remember(struct file_residents *residents, const struct file_pages *pages,
                     uint64_t window)
{
    uint64_t hash = hash_of(residents, pages, window);
    residents->slots[hash % SLOT_COUNT] = (hash >> TIME_BITS << TIME_BITS) | time_of(residents);
}

static bool has_byte(int fd, uint64_t offset)
{
    char byte;
    return file_read_resident(fd, &byte, 1, offset) == 1;
}

/* How many of the bytes lie in windows that were found recently and seem to be still there. */
static size_t known_len(const struct file_residents *residents, const struct file_pages *pages,
                        size_t len, uint64_t offset)
{
    uint64_t end = offset + len, at = offset;

    while (at < end && is_remembered(residents, pages, at / WINDOW_BYTES))
        at = (at / WINDOW_BYTES + 1) * WINDOW_BYTES;
    if (at > end)
        at = end;
    return at > offset && has_byte(pages->fd, offset) ? (size_t)(at - offset) : 0;
}

/* Asks for whole windows, so that the result can be remembered. */
static ssize_t look(struct file_residents *residents, const struct file_pages *pages, size_t len,
                    uint64_t offset)
{
    uint64_t from = offset / WINDOW_BYTES * WINDOW_BYTES;
    uint64_t to = (offset + len + WINDOW_BYTES - 1) / WINDOW_BYTES * WINDOW_BYTES;
    uint64_t found;
    ssize_t n;

    if (to > pages->size)
        to = pages->size;
    n = file_resident_len(pages->fd, (size_t)(to - from), from);
    /* Perhaps only the beginning of the window is not there. */
    if (n <= 0 || from + (uint64_t)n <= offset)
        return file_resident_len(pages->fd, len, offset);
    found = from + (uint64_t)n;
    for (uint64_t at = from; at < found; at += WINDOW_BYTES)
        if (found == pages->size || at + WINDOW_BYTES <= found)
            remember(residents, pages, at / WINDOW_BYTES);
    return found - offset < len ? (ssize_t)(found - offset) : (ssize_t)len;
}

ssize_t file_residents_ask(struct file_residents *residents, const struct file_pages *pages,
                           size_t len, uint64_t offset)
{
    size_t known;
    ssize_t n;

    if (!residents->slots || len <= SMALL_BYTES)
        return file_resident_len(pages->fd, len, offset);
    known = known_len(residents, pages, len, offset);
    if (known == len)
        return (ssize_t)len;
    n = look(residents, pages, len - known, offset + known);
    if (known == 0)
        return n;
    return n > 0 ? (ssize_t)known + n : (ssize_t)known;
}
