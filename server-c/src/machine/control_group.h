/* SPDX-License-Identifier: MIT */
/* control_group.h — the memory and the processor time that this process's control groups let it have:
 * cgroup v1, v2 or both, the smallest limit of its group and of all above it that can be seen. */
#ifndef FARMSTEAD_CONTROL_GROUP_H
#define FARMSTEAD_CONTROL_GROUP_H

#include <stdint.h>

struct control_group_limits {
    uint64_t memory_bytes;      /* UINT64_MAX: no limit */
    uint64_t processor_percent; /* of one processor, rounded up; UINT64_MAX: no limit */
};

/* Files in the forms of /proc/self/cgroup and /proc/self/mountinfo. */
struct control_group_sources {
    const char *groups, *mounts;
};

/* `sources` NULL: this process's. What can't be read is no limit. May wait for the disk. */
void control_group_read(struct control_group_limits *out,
                        const struct control_group_sources *sources);

#endif
