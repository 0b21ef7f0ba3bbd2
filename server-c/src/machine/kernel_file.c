/* SPDX-License-Identifier: MIT */
/* kernel_file.c — reads the first line of one of the kernel's files. */
#include "machine/kernel_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool kernel_file_line(const char *folder, const char *name, char *out, size_t cap)
{
    char path[PATH_MAX];
    FILE *file;
    bool has_line;

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return false;
    file = fopen(path, "re");
    if (!file)
        return false;
    has_line = fgets(out, (int)cap, file) != NULL;
    fclose(file);
    if (has_line)
        out[strcspn(out, "\n")] = '\0';
    return has_line;
}
