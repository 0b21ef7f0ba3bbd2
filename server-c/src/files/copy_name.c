/* SPDX-License-Identifier: MIT */
/* copy_name.c — seven parts of hexadecimal digits, two of them with a dot, an eighth if there is a dictionary, and a
 * coding's suffix. */
#include "files/copy_name.h"

#include "base/util.h"

#include <string.h>

/* Without printf, since each request for a copy makes its name. */
static char *put_hex(char *out, uint64_t value, char end)
{
    static const char digits[] = "0123456789abcdef";
    int shift = 60;

    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *out++ = digits[value >> shift & 15];
    *out++ = end;
    return out;
}

static char *put_hash(char *out, const unsigned char hash[CODER_DICTIONARY_HASH_BYTES])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < CODER_DICTIONARY_HASH_BYTES; i++) {
        *out++ = digits[hash[i] >> 4];
        *out++ = digits[hash[i] & 15];
    }
    *out++ = '.';
    return out;
}

void copy_name(char out[COPY_NAME_BYTES], const struct copy_source *source)
{
    *out++ = '/';
    out = put_hex(out, source->device, '-');
    out = put_hex(out, source->inode, '-');
    out = put_hex(out, source->size, '-');
    out = put_hex(out, (uint64_t)source->mtime.tv_sec, '.');
    out = put_hex(out, (uint64_t)source->mtime.tv_nsec, '-');
    out = put_hex(out, (uint64_t)source->ctime.tv_sec, '.');
    out = put_hex(out, (uint64_t)source->ctime.tv_nsec, '-');
    out = put_hex(out, (uint64_t)source->level, '-');
    if (source->coding == CODING_DCZ) {
        out = put_hex(out, source->mark, '-');
        out = put_hash(out, source->dictionary->hash);
    } else {
        out = put_hex(out, source->mark, '.');
    }
    strcpy(out, http_coding_suffix(source->coding) + 1);
}

bool copy_name_is_one(const char *name)
{
    size_t dashes = 0, dots = 0;

    for (; *name && dots < 3; name++)
        if (*name == '-')
            dashes++;
        else if (*name == '.')
            dots++;
        else if (hex_digit(*name) < 0)
            return false;
    for (int coding = CODING_IDENTITY + 1; coding < CODING_COUNT; coding++)
        if (dashes == (coding == CODING_DCZ ? 7 : 6) && dots == 3 &&
            strcmp(name, http_coding_suffix((enum http_coding)coding) + 1) == 0)
            return true;
    return false;
}
