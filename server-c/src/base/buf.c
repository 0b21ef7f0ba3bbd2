/* SPDX-License-Identifier: MIT */
/* buf.c — doubles its memory when it grows, so appending byte by byte takes linear time. */
#include "base/buf.h"

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 64

/* What `data` points to in a buffer without memory. It is never written to, because cap is 0. */
static char empty[1];

void buf_init(struct buf *buf)
{
    buf->data = empty;
    buf->len = 0;
    buf->cap = 0;
}

void buf_fini(struct buf *buf)
{
    if (buf->cap > 0)
        free(buf->data);
    buf_init(buf);
}

void buf_clear(struct buf *buf)
{
    buf_truncate(buf, 0);
}

char *buf_reserve(struct buf *buf, size_t extra)
{
    size_t cap = buf->cap ? buf->cap : FIRST_CAP;

    if (extra < buf->cap - buf->len)
        return buf->data + buf->len;
    while (cap - buf->len <= extra) {
        if (cap > SIZE_MAX / 2)
            xreallocarray(NULL, cap, 2); /* aborts with a message */
        cap *= 2;
    }
    buf->data = xrealloc(buf->cap ? buf->data : NULL, cap);
    buf->cap = cap;
    buf->data[buf->len] = '\0';
    return buf->data + buf->len;
}

void buf_advance(struct buf *buf, size_t len)
{
    assert(len < buf->cap - buf->len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void buf_append(struct buf *buf, const void *bytes, size_t len)
{
    if (len == 0)
        return;
    memcpy(buf_reserve(buf, len), bytes, len);
    buf_advance(buf, len);
}

void buf_append_str(struct buf *buf, const char *text)
{
    buf_append(buf, text, strlen(text));
}

void buf_append_char(struct buf *buf, char c)
{
    *buf_reserve(buf, 1) = c;
    buf_advance(buf, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    int len;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    assert(len >= 0);
    if (len <= 0)
        return;
    vsnprintf(buf_reserve(buf, (size_t)len), (size_t)len + 1, format, args);
    buf_advance(buf, (size_t)len);
}

void buf_consume(struct buf *buf, size_t len)
{
    assert(len <= buf->len);
    if (len == 0)
        return;
    memmove(buf->data, buf->data + len, buf->len - len + 1);
    buf->len -= len;
}

void buf_truncate(struct buf *buf, size_t len)
{
    assert(len <= buf->len);
    buf->len = len;
    if (buf->cap > 0)
        buf->data[len] = '\0';
}

char *buf_take(struct buf *buf)
{
    char *data = buf->cap > 0 ? buf->data : xstrdup("");

    buf_init(buf);
    return data;
}
