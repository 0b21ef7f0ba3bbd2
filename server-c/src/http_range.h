/* SPDX-License-Identifier: MIT */
/* http_range.h — the Range field and a file's size → the bytes to send (RFC 9110 section 14). */
#ifndef FARMSTEAD_HTTP_RANGE_H
#define FARMSTEAD_HTTP_RANGE_H

#include "util.h"

#include <stdint.h>

enum http_range {
    HTTP_RANGE_WHOLE, /* no such range to honour: send everything with 200 */
    HTTP_RANGE_PART,  /* send `length` bytes from `offset` with 206 */
    HTTP_RANGE_NEVER  /* 416 */
};

/* Other units, wrong syntax and several ranges (all allowed to be ignored) are HTTP_RANGE_WHOLE.
 * After HTTP_RANGE_PART: length > 0 and offset + length <= size. */
enum http_range http_range_parse(struct span value, uint64_t size, uint64_t *offset,
                                 uint64_t *length);

#endif
