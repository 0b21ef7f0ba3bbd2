/* SPDX-License-Identifier: MIT */
/* config_hint.c — two names are near if few typing slips lie between them (a letter too many, too
 * few, wrong, or swapped with the next); case and separators do not count. */
#include "config/config_hint.h"

#include <stdbool.h>
#include <string.h>

#define MAX_NAME 40 /* no name of ours is near a longer one */

/* Keeps letters and digits, in lower case: max-open_files is the same as maxOpenFiles. */
static size_t fold(char out[MAX_NAME + 1], const char *name)
{
    size_t len = 0;

    for (; *name != '\0' && len < MAX_NAME; name++) {
        if (*name >= 'A' && *name <= 'Z')
            out[len++] = (char)(*name - 'A' + 'a');
        else if (*name != '-' && *name != '_')
            out[len++] = *name;
    }
    out[len] = '\0';
    return len;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* The edit distance, with a swap of neighbours as one edit (optimal string alignment). */
static size_t distance(const char *from, const char *to)
{
    char a[MAX_NAME + 1], b[MAX_NAME + 1];
    size_t rows = fold(a, from), columns = fold(b, to);
    unsigned char table[MAX_NAME + 1][MAX_NAME + 1];

    for (size_t i = 0; i <= rows; i++)
        table[i][0] = (unsigned char)i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            size_t cost = smallest(table[i - 1][j] + 1u, table[i][j - 1] + 1u,
                                   table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u));

            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost = smallest(cost, cost, table[i - 2][j - 2] + 1u);
            table[i][j] = (unsigned char)cost;
        }
    }
    return table[rows][columns];
}

/* How many slips are allowed: a third of the letters, and at most three. */
static size_t allowed_distance(const char *name)
{
    size_t third = strlen(name) / 3;

    return third > 3 ? 3 : third > 0 ? third : 1;
}

static bool is_nearer(const char *name, const char *candidate, size_t *best)
{
    size_t slips = distance(name, candidate);

    if (slips > allowed_distance(candidate) || slips >= *best)
        return false;
    *best = slips;
    return true;
}

/* Appends where in the whole table an option has this name, ours or lighttpd's. */
static bool append_place(struct buf *out, const struct option *options, const char *name)
{
    size_t len = out->len;

    for (const struct option *option = options; option->name != NULL; option++) {
        buf_printf(out, "%s%s%s", len > 0 ? "." : "", option->name,
                   option->type == OPTION_OBJECTS && option->members != NULL ? "[]" : "");
        if (strcmp(option->name, name) == 0 ||
            (option->lighttpd != NULL && strcmp(option->lighttpd, name) == 0))
            return true;
        if (option->members != NULL && append_place(out, option->members, name))
            return true;
        buf_truncate(out, len);
    }
    return false;
}

void config_hint_key(struct buf *out, const struct option *options, const char *name)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    struct buf place;

    if (strlen(name) > MAX_NAME)
        return;
    for (const struct option *option = options; option->name != NULL; option++)
        if (is_nearer(name, option->name, &best))
            nearest = option->name;
    if (nearest != NULL) {
        buf_printf(out, "did you mean \"%s\"?", nearest);
        return;
    }
    buf_init(&place);
    if (append_place(&place, config_table, name))
        buf_printf(out, "that is %s here", place.data);
    buf_fini(&place);
}

void config_hint_word(struct buf *out, const char *const *words, const char *word)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;

    if (strlen(word) > MAX_NAME)
        return;
    for (; *words != NULL; words++)
        if (is_nearer(word, *words, &best))
            nearest = *words;
    if (nearest != NULL)
        buf_printf(out, "did you mean \"%s\"?", nearest);
}
