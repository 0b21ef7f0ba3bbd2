/* SPDX-License-Identifier: MIT */
/* What a slice of a body has, for tests that pull one. */
#ifndef FARMSTEAD_BODY_SLICE_H
#define FARMSTEAD_BODY_SLICE_H

#include "base/util.h"
#include "body/body.h"
#include "check.h"

#include <unistd.h>

static inline size_t slice_len(const struct body_slice *slice)
{
    size_t len = slice->len;

    for (int i = 0; i < slice->count; i++)
        len += slice->bytes[i].iov_len;
    return len;
}

/* Copies its first `n` bytes, from memory and by its descriptor. */
static inline void slice_copy(char *out, const struct body_slice *slice, size_t n)
{
    for (int i = 0; i < slice->count && n > 0; i++) {
        size_t len = (size_t)smaller_of(slice->bytes[i].iov_len, n);
        memcpy(out, slice->bytes[i].iov_base, len);
        out += len;
        n -= len;
    }
    if (n > 0)
        CHECK_INT(__LINE__, "read by the descriptor",
                  pread(slice->fd, out, n, (off_t)slice->offset), n);
}

#endif
