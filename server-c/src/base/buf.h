/* SPDX-License-Identifier: MIT */
/* buf.h — a byte buffer that grows as it is appended to.
 *
 * A NUL always stands behind the bytes, so `data` of a buffer with text in it is a C string; a
 * buffer that was never written to has the data "". Aborts when memory is gone (mem.h), so bound
 * what a client can append. One thread at a time. */
#ifndef FARMSTEAD_BUF_H
#define FARMSTEAD_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *data;
    size_t len;
    size_t cap; /* bytes allocated; 0 while `data` is the shared "" */
};

void buf_init(struct buf *buf);
void buf_fini(struct buf *buf);  /* may be used again after another buf_init() */
void buf_clear(struct buf *buf); /* empties it and keeps the memory */

/* Room for `extra` more bytes without another allocation. Returns where they go; after writing
 * there, say how many with buf_advance(). */
char *buf_reserve(struct buf *buf, size_t extra);
void buf_advance(struct buf *buf, size_t len);

void buf_append(struct buf *buf, const void *bytes, size_t len);
void buf_append_str(struct buf *buf, const char *text);
void buf_append_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

void buf_consume(struct buf *buf, size_t len);  /* drop the first `len` bytes */
void buf_truncate(struct buf *buf, size_t len); /* keep the first `len` bytes */

/* The bytes as a heap string that the caller frees; the buffer is empty afterwards. */
char *buf_take(struct buf *buf);

#endif
