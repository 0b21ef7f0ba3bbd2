/* SPDX-License-Identifier: MIT */
/* http_range.h — the Range field and a length → which parts of a file (RFC 9110 section 14).
 *
 * A field that asks for more work than it is worth (very many ranges, ranges that overlap or go back and
 * forth) is answered with the whole file, as section 14.2 allows. */
#ifndef FARMSTEAD_HTTP_RANGE_H
#define FARMSTEAD_HTTP_RANGE_H

#include "base/util.h"

/* A field with more is answered with the whole file: of ranges in the file's order that don't overlap, as
 * zsync, zchunk and casync ask for them by the hundred, and of others. */
#define HTTP_RANGES_MAX 256
#define HTTP_RANGES_UNORDERED_MAX 16
#define HTTP_RANGE_OVERLAPS 2 /* so is one with more pairs of ranges that overlap */

struct http_byte_range {
    uint64_t offset, length; /* length > 0, all within the file */
};

/* As asked for and in that order; those beyond the end are left out. */
struct http_ranges {
    size_t count;
    struct http_byte_range items[HTTP_RANGES_MAX];
};

enum http_range {
    HTTP_RANGE_WHOLE, /* nothing to honour: send everything with 200 */
    HTTP_RANGE_PART,  /* send ranges->items with 206 */
    HTTP_RANGE_NEVER  /* 416 */
};

/* Other units and wrong syntax are HTTP_RANGE_WHOLE, and so is a range from the start of an empty file: it
 * asks for what there is, and no Content-Range could say so. ranges->count is 0 unless the result is
 * HTTP_RANGE_PART; items behind it are not written to. */
enum http_range http_range_parse(struct span value, uint64_t size, struct http_ranges *ranges);

#endif
