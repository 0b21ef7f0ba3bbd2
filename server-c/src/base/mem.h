/* SPDX-License-Identifier: MIT */
/* mem.h — allocation that can't fail: without memory it prints one line and aborts.
 *
 * For start-up, configs and small structures of fixed size. Memory whose size a client determines
 * is limited by the config instead, and allocated with malloc(); if that fails the client gets
 * 503. */
#ifndef FARMSTEAD_MEM_H
#define FARMSTEAD_MEM_H

#include <stddef.h>

/* All of these: any thread. Never NULL, not even for size 0. Free the memory with free(). */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *ptr, size_t size) __attribute__((returns_nonnull));
/* xrealloc() of count * size bytes; aborts if the product overflows. */
void *xreallocarray(void *ptr, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
/* Copies the first `len` bytes, or fewer if a NUL comes before, and adds a NUL. */
char *xstrndup(const char *text, size_t len) __attribute__((malloc, returns_nonnull));
/* Copies `len` bytes, whatever they are, and adds a NUL. */
char *xmemdup(const void *bytes, size_t len) __attribute__((malloc, returns_nonnull));

#endif
