/* SPDX-License-Identifier: MIT */
/* A list of checksums: every line lies in the text, and the index has those names whose whole lines agree,
 * and no others. */
#include "text/checksum_index.h"
#include "text/checksum_list.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define LINES_MAX 200 /* each is held against all others */

static struct span without_dots(struct span name)
{
    while (name.len > 2 && memcmp(name.ptr, "./", 2) == 0)
        name = (struct span){name.ptr + 2, name.len - 2};
    return name;
}

static bool same_name(struct span a, struct span b)
{
    a = without_dots(a), b = without_dots(b);
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static bool agrees_with_all(const struct checksum_line *line, struct span text)
{
    struct checksum_line other;

    while (checksum_list_next(&text, &other))
        if (same_name(line->name, other.name) && memcmp(line->hash, other.hash, 32) != 0)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *copy = malloc(len + 1);
    const char *last = len > 0 ? memrchr(data, '\n', len) : NULL;
    struct span all = {(const char *)data, len}, whole = {all.ptr, 0}, rest;
    struct checksum_index *index;
    struct checksum_line line;
    unsigned char hash[32];
    int lines = 0;

    while (checksum_list_next(&all, &line)) {
        CHECK(line.name.ptr >= (const char *)data + 64 || line.name.len == 0);
        CHECK(line.name.ptr + line.name.len <= (const char *)data + len);
        CHECK(!memchr(line.name.ptr, '\n', line.name.len));
    }
    CHECK(all.len == 0);
    memcpy(copy, data, len);
    index = checksum_index_new(copy, len);
    CHECK(!checksum_index_find(index, (struct span){"", 0}, hash));
    whole.len = last ? (size_t)(last + 1 - whole.ptr) : 0;
    for (rest = whole; lines < LINES_MAX && checksum_list_next(&rest, &line); lines++) {
        bool is_found = checksum_index_find(index, without_dots(line.name), hash);

        CHECK(is_found == (line.name.len > 0 && agrees_with_all(&line, whole)));
        CHECK(!is_found || memcmp(hash, line.hash, 32) == 0);
    }
    checksum_index_free(index);
    return 0;
}
