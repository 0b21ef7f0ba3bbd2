/* SPDX-License-Identifier: MIT */
/* path.c — by slashes and braces alone. */
#include "base/path.h"

#include "base/mem.h"

#include <string.h>

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return xstrdup(".");
    return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

size_t path_fixed_len(const char *path)
{
    const char *variable = strchr(path, '{');
    size_t len = strlen(path);

    if (variable == NULL)
        return len;
    for (len = (size_t)(variable - path); path[len] != '/'; len--)
        ;
    return len > 0 ? len : 1;
}
