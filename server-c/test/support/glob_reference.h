/* SPDX-License-Identifier: MIT */
/* glob_reference.h — glob.h's rules said once more, as plainly as can be and as slow. */
#ifndef FARMSTEAD_TEST_GLOB_REFERENCE_H
#define FARMSTEAD_TEST_GLOB_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

static bool glob_reference(const char *pattern, const char *text, size_t len)
{
    if (*pattern == '\0')
        return len == 0;
    if (*pattern == '*') {
        bool is_double = pattern[1] == '*';
        if (glob_reference(pattern + 1 + is_double, text, len))
            return true;
        return len > 0 && (is_double || *text != '/') && glob_reference(pattern, text + 1, len - 1);
    }
    if (len == 0 || (*pattern == '?' ? *text == '/' : *text != *pattern))
        return false;
    return glob_reference(pattern + 1, text + 1, len - 1);
}

#endif
