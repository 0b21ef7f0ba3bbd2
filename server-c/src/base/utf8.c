/* SPDX-License-Identifier: MIT */
/* utf8.c — the ranges of bytes are those of table 3-7 of the Unicode standard (also RFC 3629
 * section 4). */
#include "base/utf8.h"

#include <stdbool.h>

static bool is_between(char c, unsigned char low, unsigned char high)
{
    unsigned char byte = (unsigned char)c;

    return byte >= low && byte <= high;
}

size_t utf8_sequence_len(const char *bytes, size_t len)
{
    unsigned char second_low = 0x80, second_high = 0xbf, first;
    size_t sequence_len;

    if (len == 0)
        return 0;
    first = (unsigned char)bytes[0];
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    sequence_len = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (len < sequence_len)
        return 0;
    if (first == 0xe0)
        second_low = 0xa0; /* below: overlong */
    else if (first == 0xed)
        second_high = 0x9f; /* above: surrogates */
    else if (first == 0xf0)
        second_low = 0x90; /* below: overlong */
    else if (first == 0xf4)
        second_high = 0x8f; /* above: beyond U+10FFFF */
    if (!is_between(bytes[1], second_low, second_high))
        return 0;
    for (size_t i = 2; i < sequence_len; i++)
        if (!is_between(bytes[i], 0x80, 0xbf))
            return 0;
    return sequence_len;
}

uint32_t utf8_decode(const char *bytes, size_t sequence_len)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code_point = (unsigned char)bytes[0] & first_bits[sequence_len];

    for (size_t i = 1; i < sequence_len; i++)
        code_point = code_point << 6 | ((unsigned char)bytes[i] & 0x3f);
    return code_point;
}

size_t utf8_encode(char out[4], uint32_t code_point)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xc0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xe0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code_point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code_point & 0x3f));
    return 4;
}

size_t utf8_count(const char *bytes, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; i < len; i++)
        count += !is_between(bytes[i], 0x80, 0xbf);
    return count;
}

size_t utf8_cut(const char *bytes, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && is_between(bytes[max], 0x80, 0xbf))
        max--;
    return max;
}
