/* SPDX-License-Identifier: MIT */
/* Any Range against any size (the first eight bytes): what is to be sent lies inside the file. */
#include "http_range.h"
#include "util.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint64_t size = 0, offset = 0, length = 0;
    size_t size_len = len < sizeof(size) ? len : sizeof(size);

    memcpy(&size, data, size_len);
    if (http_range_parse((struct span){(const char *)data + size_len, len - size_len}, size,
                         &offset, &length) == HTTP_RANGE_PART)
        CHECK(length > 0 && offset < size && length <= size - offset);
    else
        CHECK(offset == 0 && length == 0);
    return 0;
}
