/* SPDX-License-Identifier: MIT */
/* mem.h — allocation that cannot fail: prints one line and aborts when memory is gone.
 *
 * For start-up, config and small fixed structures. Memory whose size a client decides is bounded
 * by the config instead, allocated with malloc() and its failure answered with 503. */
#ifndef FARMSTEAD_MEM_H
#define FARMSTEAD_MEM_H

#include <stddef.h>

/* Any thread, all of them. Never NULL, not for size 0 either; free() gives the memory back. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *ptr, size_t size) __attribute__((returns_nonnull));
/* As xrealloc of count * size bytes; aborts when the product overflows. */
void *xreallocarray(void *ptr, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
/* The first `len` bytes (less when a NUL comes before), NUL-terminated. */
char *xstrndup(const char *text, size_t len) __attribute__((malloc, returns_nonnull));
/* A copy of `len` bytes, whatever they are, with a NUL behind them. */
char *xmemdup(const void *bytes, size_t len) __attribute__((malloc, returns_nonnull));

#endif
