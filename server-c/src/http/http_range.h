/* SPDX-License-Identifier: MIT */
/* http_range.h — the Range field and a file's size → the parts of the file to send (RFC 9110
 * section 14).
 *
 * A field that would cost more than it is worth (very many ranges, or ranges that overlap or go
 * back and forth) is answered with the whole file, as sections 14.2 and 17.15 allow. */
#ifndef FARMSTEAD_HTTP_RANGE_H
#define FARMSTEAD_HTTP_RANGE_H

#include "base/util.h"

/* A field with more ranges than this is answered with the whole file. The first limit is for ranges
 * in the file's order that don't overlap, which zsync, zchunk and casync ask for by the hundred;
 * the second is for all other sets. */
#define HTTP_RANGES_MAX 256
#define HTTP_RANGES_UNORDERED_MAX 16
#define HTTP_RANGE_OVERLAPS 2 /* more overlapping pairs than this: the whole file */

struct http_byte_range {
    uint64_t offset, length; /* length > 0; wholly within the file */
};

/* The ranges in the order asked for, without those that lie beyond the end of the file. */
struct http_ranges {
    size_t count;
    struct http_byte_range items[HTTP_RANGES_MAX];
};

enum http_range {
    HTTP_RANGE_WHOLE, /* Range is ignored: send the whole file with 200 */
    HTTP_RANGE_PART,  /* send ranges->items with 206 */
    HTTP_RANGE_NEVER  /* no range lies within the file: 416 */
};

/* Ranges of another unit and malformed ones are ignored: HTTP_RANGE_WHOLE (RFC 9110 section 14.2).
 * So is a range from the start of an empty file, which asks for all there is, but which no
 * Content-Range could express (section 14.4). ranges->count is 0 unless the result is
 * HTTP_RANGE_PART; items beyond it are not written to. */
enum http_range http_range_parse(struct span value, uint64_t size, struct http_ranges *ranges);

#endif
