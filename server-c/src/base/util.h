/* SPDX-License-Identifier: MIT */
/* util.h — the few things that every module needs: CHECK, container_of, spans of bytes, clocks. */
#ifndef FARMSTEAD_UTIL_H
#define FARMSTEAD_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Only for our own bugs, and in every build. Whatever a client, a disk or the kernel can cause has
 * to be handled instead. */
#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0)) {                                                        \
            fprintf(stderr, "%s:%d: CHECK(%s) failed: this is a bug\n", __FILE__, __LINE__,        \
                    #cond);                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define container_of(ptr, type, member)                                                            \
    ((type *)(void *)((char *)(uintptr_t)(ptr)-offsetof(type, member)))

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Bytes that belong to somebody else, without a NUL at their end. */
struct span {
    const char *ptr;
    size_t len;
};

static inline bool span_is(struct span span, const char *text)
{
    return span.len == strlen(text) && memcmp(span.ptr, text, span.len) == 0;
}

/* Any thread. */
static inline uint64_t monotonic_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_SECOND + (uint64_t)ts.tv_nsec;
}

/* Seconds since 1970, as precise as the kernel's tick, which is enough for Date. Any thread. */
static inline int64_t wall_clock_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME_COARSE, &ts);
    return (int64_t)ts.tv_sec;
}

/* Microseconds since 1970. Any thread. */
static inline uint64_t wall_clock_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000) + (uint64_t)ts.tv_nsec / 1000;
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Of Base64 (RFC 4648 section 4); -1: it is none. */
static inline int base64_digit(int c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

#endif
