/* SPDX-License-Identifier: MIT */
/* root_disks.h — counts the disks that hold the files below some folders.
 *
 * Partitions, volumes (LVM, RAID, encryption) and loop devices are followed to the disks they are
 * on. A file system without a disk here counts as one (network, FUSE, overlay), or as none if it is
 * in memory. File systems mounted below a folder count, too. */
#ifndef FARMSTEAD_ROOT_DISKS_H
#define FARMSTEAD_ROOT_DISKS_H

#include <stddef.h>
#include <stdint.h>

/* Where the kernel tells this; tests have others. */
struct disk_sources {
    const char *block_devices; /* "/sys/dev/block" */
    const char *mounts;        /* "/proc/self/mountinfo" */
};

#define ROOT_DISKS_MAX 64

/* Returns at most ROOT_DISKS_MAX; 0 if everything is in memory, or if no folder exists. `sources`
 * NULL: the kernel's. Asks the file systems of the folders: not on a loop's thread. */
uint32_t root_disks_count(const char *const *folders, size_t count,
                          const struct disk_sources *sources);

#endif
