/* SPDX-License-Identifier: MIT */
/* checksum_index.c — an array in the order of names, which point into the text. */
#include "text/checksum_index.h"

#include "text/checksum_list.h"

#include <stdlib.h>
#include <string.h>

struct checksum_index {
    char *bytes;
    size_t len, count;
    struct checksum_line *lines;
};

static struct span whole_lines(const char *bytes, size_t len)
{
    const char *end = len > 0 ? memrchr(bytes, '\n', len) : NULL;

    return (struct span){bytes, end ? (size_t)(end + 1 - bytes) : 0};
}

static struct span plain_name(struct span name)
{
    while (name.len > 2 && name.ptr[0] == '.' && name.ptr[1] == '/') {
        name.ptr += 2;
        name.len -= 2;
    }
    return name;
}

static int compare_names(const void *a, const void *b)
{
    const struct span *x = &((const struct checksum_line *)a)->name,
                      *y = &((const struct checksum_line *)b)->name;
    int order = memcmp(x->ptr, y->ptr, smaller_of(x->len, y->len));

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static size_t count_lines(struct span text)
{
    struct checksum_line line;
    size_t count = 0;

    while (checksum_list_next(&text, &line))
        count++;
    return count;
}

/* Of each name one line is left; none if its checksums differ. */
static void drop_doubles(struct checksum_index *index)
{
    struct checksum_line *lines = index->lines;
    size_t kept = 0, end;
    bool agree;

    for (size_t first = 0; first < index->count; first = end) {
        agree = true;
        for (end = first + 1; end < index->count && compare_names(&lines[first], &lines[end]) == 0;
             end++)
            agree = agree && memcmp(lines[first].hash, lines[end].hash, 32) == 0;
        if (agree)
            lines[kept++] = lines[first];
    }
    index->count = kept;
}

struct checksum_index *checksum_index_new(char *bytes, size_t len)
{
    struct checksum_index *index = calloc(1, sizeof(*index));
    struct span text = whole_lines(bytes, len);
    size_t count = count_lines(text);

    if (!index || !(index->lines = calloc(count + 1, sizeof(*index->lines)))) {
        free(index);
        free(bytes);
        return NULL;
    }
    index->bytes = bytes;
    index->len = len;
    while (checksum_list_next(&text, &index->lines[index->count])) {
        struct checksum_line *line = &index->lines[index->count];

        line->name = plain_name(line->name);
        index->count += line->name.len > 0;
    }
    qsort(index->lines, index->count, sizeof(*index->lines), compare_names);
    drop_doubles(index);
    return index;
}

void checksum_index_free(struct checksum_index *index)
{
    free(index->bytes);
    free(index->lines);
    free(index);
}

size_t checksum_index_bytes(const struct checksum_index *index)
{
    return sizeof(*index) + index->len + (index->count + 1) * sizeof(*index->lines);
}

bool checksum_index_find(const struct checksum_index *index, struct span name,
                         unsigned char hash[32])
{
    const struct checksum_line wanted = {.name = name};
    const struct checksum_line *line =
        bsearch(&wanted, index->lines, index->count, sizeof(*index->lines), compare_names);

    if (line)
        memcpy(hash, line->hash, sizeof(line->hash));
    return line != NULL;
}
