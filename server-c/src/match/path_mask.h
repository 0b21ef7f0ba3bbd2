/* SPDX-License-Identifier: MIT */
/* path_mask.h — hides what is personal in a path before anybody is shown it.
 *
 * A pattern is a path whose segments are texts or have wildcards: '*' is any bytes, '?' one. It is
 * for every path that begins with such segments, and those for which it has wildcards are replaced
 * by PATH_MASK. "**" as its last segment stands for all that follows, which is replaced as a whole.
 * "/users/ *" (without the blank) makes "/users/ana/photos" into "/users/ *** /photos". Empty
 * segments do not count. Any thread. */
#ifndef FARMSTEAD_PATH_MASK_H
#define FARMSTEAD_PATH_MASK_H

#include "base/util.h"

#include <stddef.h>

#define PATH_MASK "***"
#define PATH_MASK_PATTERNS_MAX 64 /* more are not looked at */
#define PATH_MASK_PATTERN_LEN 512

/* Writes `path` (decoded) as text: masked, well-formed UTF-8 without control characters, where '?'
 * stands for a byte that is neither. What is longer than `max` bytes is cut and ends with "…".
 * Returns its length; `out` has room for `max` bytes, of which there are at least 16. */
size_t path_mask(char *out, size_t max, struct span path, char *const *patterns, size_t count);

#endif
