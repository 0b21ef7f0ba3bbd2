/* SPDX-License-Identifier: MIT */
/* checksum_list.c — line by line, without looking back. */
#include "text/checksum_list.h"

#include <string.h>

#define DIGITS 64

static struct span next_text(struct span *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    struct span line = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};
    size_t taken = line.len + (end ? 1 : 0);

    text->ptr += taken;
    text->len -= taken;
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

static bool read_hash(unsigned char hash[32], struct span line)
{
    if (line.len < DIGITS)
        return false;
    for (size_t i = 0; i < DIGITS; i += 2) {
        int high = hex_digit((unsigned char)line.ptr[i]),
            low = hex_digit((unsigned char)line.ptr[i + 1]);

        if (high < 0 || low < 0)
            return false;
        hash[i / 2] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static bool read_line(struct checksum_line *out, struct span line)
{
    if (!read_hash(out->hash, line))
        return false;
    out->name = (struct span){line.ptr + line.len, 0};
    if (line.len == DIGITS)
        return true;
    if (line.len < DIGITS + 3 || line.ptr[DIGITS] != ' ' ||
        (line.ptr[DIGITS + 1] != ' ' && line.ptr[DIGITS + 1] != '*'))
        return false;
    out->name = (struct span){line.ptr + DIGITS + 2, line.len - DIGITS - 2};
    return true;
}

bool checksum_list_next(struct span *text, struct checksum_line *line)
{
    while (text->len > 0)
        if (read_line(line, next_text(text)))
            return true;
    return false;
}
