/* SPDX-License-Identifier: MIT */
/* glob.h — path patterns, as a site's rules name paths.
 *
 * '*' stands for any bytes but '/', "**" for any bytes at all, '?' for one byte but '/', all else
 * for itself, in its own case; '*' and "**" may stand for nothing. There is nothing else to know:
 * "/a/ ** /b" (without blanks) needs both its slashes, so it is not for "/a/b", and "** /x" is for
 * every path with a last segment "x". No byte can be escaped.
 *
 * A pattern that begins with '/' is for the whole path, another one for its last segment, which is
 * empty when the path ends in '/'. So a pattern with a '/' that doesn't begin with one is for no
 * path, and "/private/ **" is for "/private/" and all beneath it, not for "/private". */
#ifndef FARMSTEAD_GLOB_H
#define FARMSTEAD_GLOB_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>

/* Does `pattern` stand for all of `text`? Time is at most proportional to the product of both
 * lengths, whatever the pattern. */
bool glob_match(const char *pattern, struct span text);

/* Is `path` (decoded, begins with '/') what one of the patterns means? True with count 0. */
bool glob_path_in(char *const *patterns, size_t count, struct span path);

/* Is `type` (a Content-Type; parameters are not looked at, case neither) one of `types`: "text/css"
 * or a whole kind, "image" and "/" and "*"? True with count 0. */
bool glob_type_in(char *const *types, size_t count, const char *type);

#endif
