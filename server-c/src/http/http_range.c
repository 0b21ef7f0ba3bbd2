/* SPDX-License-Identifier: MIT */
/* http_range.c — each range is parsed and cut to the size of the file; whether the set as a whole
 * is worth honouring is decided last. */
#include "http/http_range.h"

#include "http/http_parser.h"

#include <stdbool.h>
#include <strings.h>

/* Takes digits off the front of `text`. A number too great for 64 bits becomes UINT64_MAX, which
 * like the number itself lies beyond the end of any file. False when there is no digit. */
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

static enum http_range suffix_range(uint64_t wanted, uint64_t size, struct http_byte_range *range)
{
    if (wanted == 0)
        return HTTP_RANGE_NEVER;
    if (size == 0) /* satisfiable (RFC 9110 section 14.1.2), but Content-Range can't express it */
        return HTTP_RANGE_WHOLE;
    range->length = wanted < size ? wanted : size;
    range->offset = size - range->length;
    return HTTP_RANGE_PART;
}

/* Parses one element of the set. HTTP_RANGE_WHOLE: it is malformed, or asks for all of an empty
 * file. */
static enum http_range one_range(struct span text, uint64_t size, struct http_byte_range *range)
{
    uint64_t first, last = UINT64_MAX;

    if (text.len > 0 && text.ptr[0] == '-') {
        text.ptr++, text.len--;
        if (!take_number(&text, &first) || text.len > 0)
            return HTTP_RANGE_WHOLE;
        return suffix_range(first, size, range);
    }
    if (!take_number(&text, &first) || text.len == 0 || text.ptr[0] != '-')
        return HTTP_RANGE_WHOLE;
    text.ptr++, text.len--;
    if (text.len > 0 && (!take_number(&text, &last) || text.len > 0 || last < first))
        return HTTP_RANGE_WHOLE;
    if (first >= size)
        return first == 0 ? HTTP_RANGE_WHOLE : HTTP_RANGE_NEVER;
    if (last > size - 1)
        last = size - 1;
    range->offset = first;
    range->length = last - first + 1;
    return HTTP_RANGE_PART;
}

static bool overlap(const struct http_byte_range *a, const struct http_byte_range *b)
{
    return a->offset < b->offset + b->length && b->offset < a->offset + a->length;
}

static bool is_in_order(const struct http_ranges *ranges)
{
    for (size_t i = 1; i < ranges->count; i++) {
        const struct http_byte_range *before = &ranges->items[i - 1];
        if (ranges->items[i].offset < before->offset + before->length)
            return false;
    }
    return true;
}

static bool is_too_tangled(const struct http_ranges *ranges)
{
    size_t pairs = 0;

    for (size_t i = 1; i < ranges->count; i++)
        for (size_t j = 0; j < i; j++)
            pairs += overlap(&ranges->items[i], &ranges->items[j]);
    return pairs > HTTP_RANGE_OVERLAPS;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* One malformed element makes the whole set invalid, and an invalid Range is ignored (RFC 9110
 * section 14.2). */
static enum http_range read_set(struct span set, uint64_t size, struct http_ranges *ranges)
{
    struct http_byte_range range;
    struct span element;
    size_t elements = 0;

    if (set.len == 0 || is_blank(set.ptr[0]) || is_blank(set.ptr[set.len - 1]))
        return HTTP_RANGE_WHOLE;
    while (http_list_next(&set, &element)) {
        enum http_range result = one_range(element, size, &range);
        if (result == HTTP_RANGE_WHOLE || ++elements > HTTP_RANGES_MAX)
            return HTTP_RANGE_WHOLE;
        if (result == HTTP_RANGE_PART)
            ranges->items[ranges->count++] = range;
    }
    if (elements == 0)
        return HTTP_RANGE_WHOLE;
    if (!is_in_order(ranges) && (elements > HTTP_RANGES_UNORDERED_MAX || is_too_tangled(ranges)))
        return HTTP_RANGE_WHOLE;
    return ranges->count > 0 ? HTTP_RANGE_PART : HTTP_RANGE_NEVER;
}

enum http_range http_range_parse(struct span value, uint64_t size, struct http_ranges *ranges)
{
    static const char unit[] = "bytes=";
    enum http_range result = HTTP_RANGE_WHOLE;

    ranges->count = 0;
    if (value.len >= sizeof(unit) - 1 && strncasecmp(value.ptr, unit, sizeof(unit) - 1) == 0) {
        value.ptr += sizeof(unit) - 1;
        value.len -= sizeof(unit) - 1;
        result = read_set(value, size, ranges);
    }
    if (result != HTTP_RANGE_PART)
        ranges->count = 0;
    return result;
}
