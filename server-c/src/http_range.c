/* SPDX-License-Identifier: MIT */
/* http_range.c — one range; a list of ranges is answered with the whole file. */
#include "http_range.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Digits at the front of `text`. A number beyond 2^64 becomes the greatest one: both lie behind
 * the end of any file. False when there is no digit. */
static bool take_number(struct span *text, uint64_t *value)
{
    size_t i;

    *value = 0;
    for (i = 0; i < text->len && text->ptr[i] >= '0' && text->ptr[i] <= '9'; i++)
        if (__builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, (uint64_t)(text->ptr[i] - '0'), value)) {
            while (i + 1 < text->len && text->ptr[i + 1] >= '0' && text->ptr[i + 1] <= '9')
                i++;
            *value = UINT64_MAX;
        }
    text->ptr += i;
    text->len -= i;
    return i > 0;
}

static enum http_range suffix_range(uint64_t wanted, uint64_t size, uint64_t *offset,
                                    uint64_t *length)
{
    if (wanted == 0)
        return HTTP_RANGE_NEVER;
    if (size == 0) /* satisfiable, but Content-Range can't say so */
        return HTTP_RANGE_WHOLE;
    *length = wanted < size ? wanted : size;
    *offset = size - *length;
    return HTTP_RANGE_PART;
}

enum http_range http_range_parse(struct span value, uint64_t size, uint64_t *offset,
                                 uint64_t *length)
{
    static const char unit[] = "bytes=";
    uint64_t first, last = UINT64_MAX;

    if (value.len < sizeof(unit) - 1 || strncasecmp(value.ptr, unit, sizeof(unit) - 1) != 0)
        return HTTP_RANGE_WHOLE;
    value.ptr += sizeof(unit) - 1;
    value.len -= sizeof(unit) - 1;

    if (value.len > 0 && value.ptr[0] == '-') {
        value.ptr++, value.len--;
        if (!take_number(&value, &first) || value.len > 0)
            return HTTP_RANGE_WHOLE;
        return suffix_range(first, size, offset, length);
    }
    if (!take_number(&value, &first) || value.len == 0 || value.ptr[0] != '-')
        return HTTP_RANGE_WHOLE;
    value.ptr++, value.len--;
    if (value.len > 0 && (!take_number(&value, &last) || value.len > 0 || last < first))
        return HTTP_RANGE_WHOLE;
    if (first >= size)
        return HTTP_RANGE_NEVER;
    if (last > size - 1)
        last = size - 1;
    *offset = first;
    *length = last - first + 1;
    return HTTP_RANGE_PART;
}
