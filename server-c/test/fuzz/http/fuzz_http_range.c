/* SPDX-License-Identifier: MIT */
/* Any Range against any size (the first eight bytes): what is to be sent lies inside the file, and
 * is neither too much nor too tangled. */
#include "http/http_range.h"
#include "base/util.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_ranges(const struct http_ranges *ranges, uint64_t size)
{
    size_t overlaps = 0;

    CHECK(ranges->count > 0 && ranges->count <= HTTP_RANGES_MAX);
    for (size_t i = 0; i < ranges->count; i++) {
        struct http_byte_range a = ranges->items[i];
        CHECK(a.length > 0 && a.offset < size && a.length <= size - a.offset);
        for (size_t j = 0; j < i; j++) {
            struct http_byte_range b = ranges->items[j];
            overlaps += a.offset <= b.offset ? b.offset - a.offset < a.length
                                             : a.offset - b.offset < b.length;
        }
    }
    CHECK(overlaps <= HTTP_RANGE_OVERLAPS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct http_ranges ranges;
    uint64_t size = 0;
    size_t size_len = len < sizeof(size) ? len : sizeof(size);
    struct span value = {(const char *)data + size_len, len - size_len};

    memcpy(&size, data, size_len);
    if (http_range_parse(value, size, &ranges) == HTTP_RANGE_PART)
        check_ranges(&ranges, size);
    else
        CHECK(ranges.count == 0);
    return 0;
}
