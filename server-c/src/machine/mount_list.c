/* SPDX-License-Identifier: MIT */
/* mount_list.c — reads mountinfo (proc(5)) line by line, up to MOUNTS_MAX lines. */
#include "machine/mount_list.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#define MOUNTS_MAX 4096

bool mount_list_parse_device(const char *text, dev_t *device)
{
    unsigned long major_number, minor_number;
    char *end;

    major_number = strtoul(text, &end, 10);
    if (end == text || *end != ':')
        return false;
    text = end + 1;
    minor_number = strtoul(text, &end, 10);
    if (end == text || major_number > UINT32_MAX || minor_number > UINT32_MAX)
        return false;
    *device = makedev((unsigned)major_number, (unsigned)minor_number);
    return true;
}

/* Replaces "\040" and the like, which stand for characters that would separate fields. */
static void unescape(char *text)
{
    char *out = text;

    for (; *text; out++) {
        if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
            *out = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
            text += 4;
        } else {
            *out = *text++;
        }
    }
    *out = '\0';
}

/* Parses the fields of proc(5): id, parent, major:minor, root, mount point, options, fields, "-",
 * type, source, options. */
static bool parse_mount(struct mount *mount, char *line)
{
    static char none[] = "";
    char *rest = strstr(line, " - "), *save = NULL, *field;

    if (!rest)
        return false;
    *rest = '\0';
    field = strtok_r(line, " ", &save);
    for (int i = 0; field && i < 2; i++)
        field = strtok_r(NULL, " ", &save);
    if (!field || !mount_list_parse_device(field, &mount->device))
        return false;
    mount->root = strtok_r(NULL, " ", &save);
    mount->point = strtok_r(NULL, " ", &save);
    mount->type = strtok_r(rest + 3, " ", &save);
    mount->source = strtok_r(NULL, " \n", &save);
    if (!mount->root || !mount->point || !mount->type || !mount->source)
        return false;
    mount->options = strtok_r(NULL, " \n", &save);
    if (!mount->options)
        mount->options = none;
    unescape(mount->root);
    unescape(mount->point);
    unescape(mount->source);
    return true;
}

bool mount_list_visit(const char *name, bool (*visit)(const struct mount *mount, void *arg),
                      void *arg)
{
    FILE *file = fopen(name, "re");
    char *line = NULL;
    size_t cap = 0;
    bool is_over = false;

    if (!file)
        return false;
    for (int i = 0; i < MOUNTS_MAX && !is_over && getline(&line, &cap, file) > 0; i++) {
        struct mount mount;
        is_over = parse_mount(&mount, line) && visit(&mount, arg);
    }
    free(line);
    fclose(file);
    return is_over;
}
