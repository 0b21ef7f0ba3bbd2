/* SPDX-License-Identifier: MIT */
/* mem.c — malloc() and related functions, with a line that says why the process ends. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check_allocated(void *ptr, size_t size)
{
    if (ptr == NULL) {
        fprintf(stderr, "farmstead-node: out of memory asking for %zu bytes\n", size);
        abort();
    }
    return ptr;
}

void *xmalloc(size_t size)
{
    return check_allocated(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    return check_allocated(calloc(count, size), size);
}

void *xrealloc(void *ptr, size_t size)
{
    return check_allocated(realloc(ptr, size ? size : 1), size);
}

void *xreallocarray(void *ptr, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return check_allocated(NULL, SIZE_MAX);
    return xrealloc(ptr, count * size);
}

char *xstrdup(const char *text)
{
    return xmemdup(text, strlen(text));
}

char *xstrndup(const char *text, size_t len)
{
    return xmemdup(text, strnlen(text, len));
}

char *xmemdup(const void *bytes, size_t len)
{
    char *copy = xmalloc(len + 1);

    if (len > 0)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}
