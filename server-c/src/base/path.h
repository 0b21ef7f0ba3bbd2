/* SPDX-License-Identifier: MIT */
/* path.h — parts of a path's text; nothing is looked up. Any thread. */
#ifndef FARMSTEAD_PATH_H
#define FARMSTEAD_PATH_H

#include <stddef.h>

/* The folder that `path` is in: "/srv" for "/srv/a", "/" for "/a", "." for "a". The caller frees it. */
char *path_folder(const char *path);

/* How much of an absolute path is the same for whatever its variables stand for, up to a whole folder:
 * "/srv" of "/srv/{host}/www". All of it when it has none. */
size_t path_fixed_len(const char *path);

#endif
