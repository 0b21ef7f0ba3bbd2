/* SPDX-License-Identifier: MIT */
/* control_group.h — the memory and processor time that the control groups of this process allow:
 * cgroup v1, v2 or both; the smallest limit of its group and all visible groups above it. */
#ifndef FARMSTEAD_CONTROL_GROUP_H
#define FARMSTEAD_CONTROL_GROUP_H

#include <stdint.h>

struct control_group_limits {
    uint64_t memory_bytes;      /* UINT64_MAX: no limit */
    uint64_t processor_percent; /* percent of one processor, rounded up; UINT64_MAX: no limit */
};

/* Files with the contents of /proc/self/cgroup and /proc/self/mountinfo. */
struct control_group_sources {
    const char *groups, *mounts;
};

/* `sources` NULL: those of this process. What can't be read is no limit. May wait for the disk. */
void control_group_read(struct control_group_limits *out,
                        const struct control_group_sources *sources);

#endif
