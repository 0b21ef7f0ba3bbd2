/* SPDX-License-Identifier: MIT */
/* root_disks.h — how many disks hold the files under some folders.
 *
 * Partitions, volumes (LVM, RAID, crypt) and loop devices are followed down to the disks beneath. A
 * file system that has none here counts as one: a network's, FUSE's, an overlay; one in memory as
 * none. File systems mounted below a folder count, too. */
#ifndef FARMSTEAD_ROOT_DISKS_H
#define FARMSTEAD_ROOT_DISKS_H

#include <stddef.h>
#include <stdint.h>

/* Where the kernel says so; others in tests. */
struct disk_sources {
    const char *block_devices; /* "/sys/dev/block" */
    const char *mounts;        /* "/proc/self/mountinfo" */
};

#define ROOT_DISKS_MAX 64

/* At most ROOT_DISKS_MAX; 0 when all is in memory or no folder is there. `sources` NULL: the kernel's.
 * Asks the file systems of the folders: not on a loop. */
uint32_t root_disks_count(const char *const *folders, size_t count,
                          const struct disk_sources *sources);

#endif
