/* SPDX-License-Identifier: MIT */
/* Invented trees like those of cgroup v1 and v2, and the limits that a process in them has. */
#include "machine/control_group.c"

#include "check.h"
#include "shell.h"

#define MIB UINT64_C(1048576)
#define NONE UINT64_MAX

static char base[] = "/tmp/farmstead-cgroup-XXXXXX";

struct row {
    int line;
    const char *name;
    const char *groups; /* /proc/self/cgroup */
    const char *mounts; /* root, where below `base`, type and options of each mount; one a line */
    const char *files;  /* shell: puts limits into files below `base` */
    uint64_t memory_bytes, percent;
};

#define V2 "/ /v2 cgroup2 rw\n"
#define V1 "/ /memory cgroup rw,memory\n/ /cpu cgroup rw,cpu,cpuacct\n"
#define IN_V1 "9:name=systemd:/a/b\n4:memory:/a/b\n3:cpu,cpuacct:/a/b\n0::/a/b\n"

static const struct row rows[] = {
    {__LINE__, "v2, none", "0::/a/b\n", V2,
     "mkdir -p v2/a/b; echo max > v2/a/b/memory.max; echo max 100000 > v2/a/b/cpu.max", NONE, NONE},
    {__LINE__, "v2", "0::/a/b\n", V2,
     "mkdir -p v2/a/b; echo 100663296 > v2/a/b/memory.max; echo 150000 100000 > v2/a/b/cpu.max",
     96 * MIB, 150},
    {__LINE__, "v2, the smaller one above counts", "0::/a/b\n", V2,
     "mkdir -p v2/a/b; echo 200000000 > v2/a/b/memory.max; echo 100663296 > v2/a/memory.max;"
     "echo 400000 100000 > v2/a/b/cpu.max; echo 50000 100000 > v2/a/cpu.max",
     96 * MIB, 50},
    {__LINE__, "v2, in a container the mount is the group", "0::/\n", V2,
     "mkdir -p v2; echo 100663296 > v2/memory.max; echo 1000 300000 > v2/cpu.max", 96 * MIB, 1},
    {__LINE__, "v2, memory.high holds back before", "0::/a\n", V2,
     "mkdir -p v2/a; echo 200000000 > v2/a/memory.max; echo 100663296 > v2/a/memory.high", 96 * MIB,
     NONE},
    {__LINE__, "v2, the mount is a part of it", "0::/docker/x/y\n", "/docker/x /v2 cgroup2 rw\n",
     "mkdir -p v2/y; echo 100663296 > v2/memory.max; echo 100001 100000 > v2/y/cpu.max", 96 * MIB,
     101},
    {__LINE__, "v2, the group is outside what can be seen", "0::/../other\n", V2,
     "mkdir -p v2 other; echo 1 > other/memory.max; echo 100663296 > v2/memory.max", 96 * MIB,
     NONE},
    {__LINE__, "v1, none", IN_V1, V1,
     "mkdir -p memory/a/b cpu/a/b; echo 9223372036854771712 > memory/a/b/memory.limit_in_bytes;"
     "echo -1 > cpu/a/b/cpu.cfs_quota_us; echo 100000 > cpu/a/b/cpu.cfs_period_us",
     NONE, NONE},
    {__LINE__, "v1, above and below", IN_V1, V1,
     "mkdir -p memory/a/b cpu/a/b; echo 100663296 > memory/a/memory.limit_in_bytes;"
     "echo 9223372036854771712 > memory/a/b/memory.limit_in_bytes;"
     "echo -1 > cpu/a/b/cpu.cfs_quota_us; echo 100000 > cpu/a/b/cpu.cfs_period_us;"
     "echo 25000 > cpu/cpu.cfs_quota_us; echo 50000 > cpu/cpu.cfs_period_us",
     96 * MIB, 50},
    {__LINE__, "v1 in a container: paths of the host, mounts of its part", IN_V1,
     "/a/b /memory cgroup rw,memory\n/a/b /cpu cgroup rw,cpu,cpuacct\n",
     "mkdir -p memory cpu; echo 100663296 > memory/memory.limit_in_bytes;"
     "echo 200000 > cpu/cpu.cfs_quota_us; echo 100000 > cpu/cpu.cfs_period_us",
     96 * MIB, 200},
    {__LINE__, "v1 and v2 at once", IN_V1, V1 V2,
     "mkdir -p memory/a/b v2/a/b; echo 200000000 > memory/a/b/memory.limit_in_bytes;"
     "echo 100663296 > v2/a/b/memory.max",
     96 * MIB, NONE},
    {__LINE__, "cpuset is not cpu", "5:cpuset:/a\n", "/ /cpuset cgroup rw,cpuset\n",
     "mkdir -p cpuset/a; echo 1000 > cpuset/a/cpu.cfs_quota_us;"
     "echo 100000 > cpuset/a/cpu.cfs_period_us",
     NONE, NONE},
    {__LINE__, "a colon and a blank in names", "0::/a:b c\n", "/ /v\\0402 cgroup2 rw\n",
     "mkdir -p 'v 2/a:b c'; echo 100663296 > 'v 2/a:b c/memory.max'", 96 * MIB, NONE},
    {__LINE__, "what is no number is no limit", "0::/a\n", V2,
     "mkdir -p v2/a; echo > v2/a/memory.max; echo what 1 > v2/a/cpu.max", NONE, NONE},
    {__LINE__, "a quota without a period is none", "0::/a\n", V2,
     "mkdir -p v2/a; echo 50000 > v2/a/cpu.max", NONE, NONE},
    {__LINE__, "lines of another kind", "\nnonsense\n1:\n", V2, "true", NONE, NONE},
    {__LINE__, "nothing is mounted", IN_V1, "", "true", NONE, NONE},
};

static void write_mounts(const char *mounts)
{
    char path[100], root[100], point[100], type[20], options[40];
    FILE *file;
    int used;

    snprintf(path, sizeof(path), "%s/mounts", base);
    file = fopen(path, "we");
    for (; sscanf(mounts, "%99s %99s %19s %39s\n%n", root, point, type, options, &used) == 4;
         mounts += used)
        fprintf(file, "31 23 0:28 %s %s%s rw,relatime shared:1 - %s some %s\n", root, base, point,
                type, options);
    fclose(file);
}

static void check_row(const struct row *row)
{
    char groups[100], mounts[100];
    const struct control_group_sources sources = {groups, mounts};
    struct control_group_limits limits;
    FILE *file;

    shell_in(base, "rm -rf \"$PWD\"/*");
    snprintf(groups, sizeof(groups), "%s/groups", base);
    snprintf(mounts, sizeof(mounts), "%s/mounts", base);
    file = fopen(groups, "we");
    fputs(row->groups, file);
    fclose(file);
    write_mounts(row->mounts);
    shell_in(base, row->files);
    control_group_read(&limits, &sources);
    CHECK_TRUE(limits.memory_bytes == row->memory_bytes, "row %d \"%s\": %llu bytes", row->line,
               row->name, (unsigned long long)limits.memory_bytes);
    CHECK_TRUE(limits.processor_percent == row->percent, "row %d \"%s\": %llu percent", row->line,
               row->name, (unsigned long long)limits.processor_percent);
}

int main(void)
{
    const struct control_group_sources nowhere = {"/nonexistent", "/nonexistent"};
    struct control_group_limits limits;

    if (!mkdtemp(base))
        return 1;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i]);
    control_group_read(&limits, &nowhere);
    CHECK_TRUE(limits.memory_bytes == NONE && limits.processor_percent == NONE, "no /proc");
    shell_in(base, "rm -rf \"$PWD\"");
    return check_end("control_group");
}
