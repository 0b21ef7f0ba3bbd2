/* SPDX-License-Identifier: MIT */
/* root_disks.c — the set of device numbers of all disks that were found.
 *
 * The device number of a file system is looked up in sysfs: a partition leads to its disk, a volume
 * to its slaves, a loop device to the file system that has its file. Device numbers without a
 * device (major 0) are searched in the list of mounts, which has their type and, for Btrfs and ZFS,
 * their device. Depth, mounts and disks are limited. What can't be read counts as one disk. */
#include "lanes/root_disks.h"

#include "base/util.h"
#include "machine/kernel_file.h"
#include "machine/mount_list.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DEPTH_MAX 8
#define SLAVES_MAX 256

struct search {
    struct disk_sources sources;
    dev_t disks[ROOT_DISKS_MAX];
    uint32_t count;
    unsigned depth;
};

static void add_disk(struct search *search, dev_t disk)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (search->disks[i] == disk)
            return;
    if (search->count < ROOT_DISKS_MAX)
        search->disks[search->count++] = disk;
}

/* --- block devices --------------------------------------------------------------------------- */

static void add_block_device(struct search *search, dev_t device);
static void add_file_system(struct search *search, dev_t device);

static bool read_number(const char *folder, const char *name, dev_t *device)
{
    char line[64];

    return kernel_file_line(folder, name, line, sizeof(line)) &&
           mount_list_parse_device(line, device);
}

/* Returns false if it has none. */
static bool add_slaves(struct search *search, const char *folder)
{
    char path[PATH_MAX];
    struct dirent *slave;
    unsigned found = 0;
    DIR *dir;

    if (snprintf(path, sizeof(path), "%s/slaves", folder) >= (int)sizeof(path))
        return false;
    dir = opendir(path);
    if (!dir)
        return false;
    while (found < SLAVES_MAX && (slave = readdir(dir)) != NULL) {
        char number[sizeof(slave->d_name) + 8];
        dev_t device;
        if (slave->d_name[0] == '.')
            continue;
        snprintf(number, sizeof(number), "%s/dev", slave->d_name);
        if (read_number(path, number, &device)) {
            add_block_device(search, device);
            found++;
        }
    }
    closedir(dir);
    return found > 0;
}

static void follow_device(struct search *search, dev_t device, const char *folder)
{
    char path[PATH_MAX];
    struct stat st;
    dev_t disk;

    if (kernel_file_line(folder, "partition", path, sizeof(path)) &&
        read_number(folder, "../dev", &disk))
        add_block_device(search, disk);
    else if (kernel_file_line(folder, "loop/backing_file", path, sizeof(path)) &&
             stat(path, &st) == 0)
        add_file_system(search, st.st_dev);
    else if (!add_slaves(search, folder))
        add_disk(search, device);
}

static void add_block_device(struct search *search, dev_t device)
{
    char link[PATH_MAX], folder[PATH_MAX];

    snprintf(link, sizeof(link), "%s/%u:%u", search->sources.block_devices, major(device),
             minor(device));
    if (search->depth >= DEPTH_MAX || !realpath(link, folder)) {
        add_disk(search, device);
        return;
    }
    search->depth++;
    follow_device(search, device, folder);
    search->depth--;
}

/* --- mounts ---------------------------------------------------------------------------------- */

static bool is_in_memory(const char *type)
{
    static const char *const types[] = {"tmpfs",  "ramfs",     "devtmpfs", "proc",
                                        "sysfs",  "cgroup",    "cgroup2",  "devpts",
                                        "mqueue", "hugetlbfs", "debugfs",  "securityfs"};

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static void add_mount(struct search *search, const struct mount *mount)
{
    struct stat st;

    if (is_in_memory(mount->type))
        return;
    if (major(mount->device) != 0)
        add_block_device(search, mount->device);
    else if (mount->source[0] == '/' && stat(mount->source, &st) == 0 && S_ISBLK(st.st_mode))
        add_block_device(search, st.st_rdev); /* Btrfs */
    else
        add_disk(search, mount->device);
}

/* What is searched for in the list of mounts. */
struct mount_search {
    struct search *search;
    dev_t device;
    const char *folder;
};

static bool add_if_device(const struct mount *mount, void *arg)
{
    const struct mount_search *wanted = arg;

    if (mount->device != wanted->device)
        return false;
    add_mount(wanted->search, mount);
    return true;
}

static bool add_if_below(const struct mount *mount, void *arg)
{
    const struct mount_search *wanted = arg;
    size_t len = strlen(wanted->folder);

    if (strncmp(mount->point, wanted->folder, len) == 0 && mount->point[len] == '/')
        add_mount(wanted->search, mount);
    return false;
}

static void add_file_system(struct search *search, dev_t device)
{
    struct mount_search wanted = {.search = search, .device = device};

    if (major(device) != 0)
        add_block_device(search, device);
    else if (!mount_list_visit(search->sources.mounts, add_if_device, &wanted))
        add_disk(search, device);
}

uint32_t root_disks_count(const char *const *folders, size_t count,
                          const struct disk_sources *sources)
{
    struct search search = {.sources = {"/sys/dev/block", "/proc/self/mountinfo"}};
    char folder[PATH_MAX];
    struct mount_search wanted = {.search = &search, .folder = folder};
    struct stat st;

    if (sources)
        search.sources = *sources;
    for (size_t i = 0; i < count; i++) {
        if (!realpath(folders[i], folder) || stat(folder, &st) != 0)
            continue;
        add_file_system(&search, st.st_dev);
        /* Everything mounted is below "/", so that says nothing. */
        if (strcmp(folder, "/") != 0)
            mount_list_visit(search.sources.mounts, add_if_below, &wanted);
    }
    return search.count;
}
