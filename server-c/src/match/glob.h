/* SPDX-License-Identifier: MIT */
/* glob.h — patterns for the paths of a site's rules.
 *
 * '*' stands for any bytes except '/', "**" for any bytes, '?' for one byte except '/'; '*' and
 * "**" may stand for nothing. Every other byte stands for itself, and case counts. There is no
 * escape. So "/a/ ** /b" (without the blanks) needs both of its slashes and does not match "/a/b",
 * and "** /x" matches every path whose last segment is "x".
 *
 * A pattern that begins with '/' must match the whole path. Any other pattern must match the last
 * segment, which is empty if the path ends with '/'; so one that contains a '/' elsewhere matches
 * nothing. "/private/ **" matches "/private/" and everything below it, but not "/private". */
#ifndef FARMSTEAD_GLOB_H
#define FARMSTEAD_GLOB_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>

/* Does `pattern` match all of `text`? The time is at most proportional to the product of both
 * lengths, for any pattern. */
bool glob_match(const char *pattern, struct span text);

/* Does one of the patterns match `path` (decoded, begins with '/')? True if count is 0. */
bool glob_path_in(char *const *patterns, size_t count, struct span path);

/* The same of two lists: one of `patterns`, or there are none, and none of `exceptions`. */
struct glob_choice {
    char *const *patterns;
    size_t count;
    char *const *exceptions;
    size_t exception_count;
};
bool glob_path_chosen(const struct glob_choice *choice, struct span path);

/* Is `type` (a Content-Type, whose parameters and case do not count) among `types`: "text/css", or
 * "image" and "/" and "*" for all images? True if count is 0. */
bool glob_type_in(char *const *types, size_t count, const char *type);

#endif
