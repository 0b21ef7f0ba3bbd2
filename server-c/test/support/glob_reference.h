/* SPDX-License-Identifier: MIT */
/* glob_reference.h — the rules of glob.h again, as simply as possible: a table of which rest of the
 * pattern matches which rest of the text, filled from the ends. */
#ifndef FARMSTEAD_TEST_GLOB_REFERENCE_H
#define FARMSTEAD_TEST_GLOB_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool glob_reference(const char *pattern, const char *text, size_t len)
{
    size_t pattern_len = strlen(pattern), columns = len + 1;
    bool *fits = calloc((pattern_len + 2) * columns, sizeof(*fits)), result;

    fits[pattern_len * columns + len] = true;
    for (size_t p = pattern_len; p-- > 0;) {
        bool is_star = pattern[p] == '*', is_double = is_star && pattern[p + 1] == '*';
        bool *row = fits + p * columns, *next = row + (is_double ? 2 : 1) * columns;
        for (size_t t = len + 1; t-- > 0;) {
            bool is_slash = t < len && text[t] == '/';
            if (is_star)
                row[t] = next[t] || (t < len && (is_double || !is_slash) && row[t + 1]);
            else if (t < len && (pattern[p] == '?' ? !is_slash : pattern[p] == text[t]))
                row[t] = next[t + 1];
        }
    }
    result = fits[0];
    free(fits);
    return result;
}

#endif
