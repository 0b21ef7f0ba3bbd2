/* SPDX-License-Identifier: MIT */
/* glob.h — path patterns, as a site's rules name paths.
 *
 * '*' stands for any bytes but '/', "**" for any bytes, '?' for one byte but '/', all else for
 * itself, in its own case. A pattern that begins with '/' is for the whole path, another one for
 * its last segment: "*.inc", "/private/ **" (without the blank). */
#ifndef FARMSTEAD_GLOB_H
#define FARMSTEAD_GLOB_H

#include "util.h"

#include <stdbool.h>
#include <stddef.h>

/* Time is at most proportional to the product of both lengths, whatever the pattern. */
bool glob_match(const char *pattern, struct span text);

/* Is `path` (decoded, begins with '/') what one of the patterns means? True with count 0. */
bool glob_path_in(char *const *patterns, size_t count, struct span path);

/* Is `type` (a Content-Type; parameters are not looked at, case neither) one of `types`: "text/css"
 * or a whole kind, "image" and "/" and "*"? True with count 0. */
bool glob_type_in(char *const *types, size_t count, const char *type);

#endif
