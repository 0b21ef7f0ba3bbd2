/* SPDX-License-Identifier: MIT */
/* buf.h — a buffer of bytes that grows when something is appended.
 *
 * A NUL always follows the bytes, so `data` is a C string if the bytes are text; it is "" in a
 * buffer that was never written to. Aborts without memory (mem.h), so limit what a client can
 * append. One thread at a time. */
#ifndef FARMSTEAD_BUF_H
#define FARMSTEAD_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *data;
    size_t len;
    size_t cap; /* bytes allocated; 0: `data` is the shared "" */
};

void buf_init(struct buf *buf);
void buf_fini(struct buf *buf);  /* call buf_init() to use it again */
void buf_clear(struct buf *buf); /* empties it, but keeps the memory */

/* Makes room for `extra` more bytes. Returns where to write them; afterwards tell with
 * buf_advance() how many there are. */
char *buf_reserve(struct buf *buf, size_t extra);
void buf_advance(struct buf *buf, size_t len);

void buf_append(struct buf *buf, const void *bytes, size_t len);
void buf_append_str(struct buf *buf, const char *text);
void buf_append_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

void buf_consume(struct buf *buf, size_t len);  /* drops the first `len` bytes */
void buf_truncate(struct buf *buf, size_t len); /* keeps only the first `len` bytes */

/* Returns the bytes as a string on the heap, which the caller frees. The buffer is empty
 * afterwards. */
char *buf_take(struct buf *buf);

#endif
