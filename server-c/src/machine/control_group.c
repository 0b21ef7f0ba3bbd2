/* SPDX-License-Identifier: MIT */
/* control_group.c — reads the files described in cgroups(7) and in the kernel's
 * Documentation/admin-guide/cgroup-v2.rst.
 *
 * /proc/self/cgroup says where the group is in its hierarchy, and mountinfo says where that part of
 * the hierarchy can be seen. In a container the two may refer to different roots: then the mount
 * point itself is the group, as far as the process can tell. */
#include "machine/control_group.h"

#include "base/util.h"
#include "machine/kernel_file.h"
#include "machine/mount_list.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In v1, the kernel writes the largest multiple of a page for "no limit". */
#define NO_MEMORY_LIMIT (UINT64_C(1) << 62)

/* --- the files of a group -------------------------------------------------------------------- */

/* Reads a limit. "No limit" is written as "max", as -1 or as a very large number. */
static uint64_t read_limit(const char *folder, const char *name, uint64_t none_from)
{
    char line[64], *end;
    uint64_t value;

    if (!kernel_file_line(folder, name, line, sizeof(line)) || line[0] == '-')
        return UINT64_MAX;
    value = strtoull(line, &end, 10);
    return end == line || value >= none_from ? UINT64_MAX : value;
}

static uint64_t percent_of(uint64_t quota_us, uint64_t period_us)
{
    if (quota_us == 0 || period_us == 0 || quota_us > UINT64_MAX / 200 ||
        period_us > UINT64_MAX / 2)
        return UINT64_MAX;
    return (quota_us * 100 + period_us - 1) / period_us;
}

/* Parses "50000 100000" or "max 100000". */
static uint64_t read_cpu_max(const char *folder)
{
    char line[64], *end, *rest;
    uint64_t quota;

    if (!kernel_file_line(folder, "cpu.max", line, sizeof(line)))
        return UINT64_MAX;
    quota = strtoull(line, &end, 10);
    return end == line ? UINT64_MAX : percent_of(quota, strtoull(end, &rest, 10));
}

static void read_v2(struct control_group_limits *out, const char *folder)
{
    /* Above memory.high nothing is killed, but everything almost stands still. */
    out->memory_bytes =
        smaller_of(out->memory_bytes, read_limit(folder, "memory.max", NO_MEMORY_LIMIT));
    out->memory_bytes =
        smaller_of(out->memory_bytes, read_limit(folder, "memory.high", NO_MEMORY_LIMIT));
    out->processor_percent = smaller_of(out->processor_percent, read_cpu_max(folder));
}

static void read_v1(struct control_group_limits *out, const char *folder)
{
    uint64_t quota = read_limit(folder, "cpu.cfs_quota_us", UINT64_MAX);

    out->memory_bytes =
        smaller_of(out->memory_bytes, read_limit(folder, "memory.limit_in_bytes", NO_MEMORY_LIMIT));
    out->processor_percent =
        smaller_of(out->processor_percent,
                   percent_of(quota, read_limit(folder, "cpu.cfs_period_us", UINT64_MAX)));
}

/* --- the groups ------------------------------------------------------------------------------ */

struct search {
    const struct control_group_sources *sources;
    struct control_group_limits *out;
    const char *controller; /* "memory"; "": v2, with one hierarchy for all */
    const char *path;       /* path of the group in its hierarchy */
};

/* Is it one of the words, such as "memory" in "rw,cpu,memory"? */
static bool is_among(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == len && strncmp(at, word, len) == 0)
            return true;
    return false;
}

/* Reads limits from `folder` up to the folder that is its first `top_len` bytes. */
static void read_upwards(const struct search *search, char *folder, size_t top_len)
{
    for (;;) {
        char *slash;
        if (search->controller[0])
            read_v1(search->out, folder);
        else
            read_v2(search->out, folder);
        slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top_len)
            return;
        *slash = '\0';
    }
}

/* Returns the part of the group's path below the mount; "" if the group is the mount itself, or
 * elsewhere. */
static const char *below(const struct mount *mount, const char *path)
{
    size_t len = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);

    if (strncmp(path, mount->root, len) != 0 || (path[len] != '/' && path[len] != '\0') ||
        strstr(path, "/..") || strcmp(path + len, "/") == 0)
        return "";
    return path + len;
}

static bool read_mount(const struct mount *mount, void *arg)
{
    const struct search *search = arg;
    char folder[PATH_MAX];

    if (search->controller[0]
            ? strcmp(mount->type, "cgroup") != 0 || !is_among(mount->options, search->controller)
            : strcmp(mount->type, "cgroup2") != 0)
        return false;
    if (snprintf(folder, sizeof(folder), "%s%s", mount->point, below(mount, search->path)) <
        (int)sizeof(folder))
        read_upwards(search, folder, strlen(mount->point));
    return false; /* it may be mounted again, with another part of it */
}

static void read_hierarchy(struct search *search, const char *controller, const char *path)
{
    search->controller = controller;
    search->path = path;
    mount_list_visit(search->sources->mounts, read_mount, search);
}

/* Parses "4:cpu,cpuacct:/path", or "0::/path" for v2. */
static void read_group(struct search *search, char *line)
{
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!path)
        return;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    controllers++;
    if (controllers[0] == '\0')
        read_hierarchy(search, "", path);
    if (is_among(controllers, "memory"))
        read_hierarchy(search, "memory", path);
    if (is_among(controllers, "cpu"))
        read_hierarchy(search, "cpu", path);
}

void control_group_read(struct control_group_limits *out,
                        const struct control_group_sources *sources)
{
    static const struct control_group_sources own = {"/proc/self/cgroup", "/proc/self/mountinfo"};
    struct search search = {.sources = sources ? sources : &own, .out = out};
    FILE *file = fopen(search.sources->groups, "re");
    char *line = NULL;
    size_t cap = 0;

    *out = (struct control_group_limits){UINT64_MAX, UINT64_MAX};
    if (!file)
        return;
    while (getline(&line, &cap, file) > 0)
        read_group(&search, line);
    free(line);
    fclose(file);
}
