/* SPDX-License-Identifier: MIT */
/* The disks below folders, in an invented tree like that of sysfs and a list of mounts like the
 * kernel's. The folder that is asked for is real: its own file system is one disk in each row. */
#include "lanes/root_disks.c"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <unistd.h>

static char base[PATH_MAX], root[PATH_MAX + 8], sys[PATH_MAX + 8], mounts[PATH_MAX + 8];

__attribute__((format(printf, 2, 3))) static void write_file(const char *text, const char *format,
                                                             ...)
{
    char path[2 * PATH_MAX];
    va_list args;
    FILE *file;

    va_start(args, format);
    vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "w");
    CHECK_TRUE(file != NULL, "%s: %s", path, strerror(errno));
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

/* `place` is below sys/devices. */
static void add_device(const char *number, const char *place)
{
    char target[2 * PATH_MAX], link[2 * PATH_MAX], line[80];

    snprintf(line, sizeof(line), "%s\n", number);
    write_file(line, "%s/devices/%s/dev", sys, place);
    snprintf(target, sizeof(target), "%s/devices/%s", sys, place);
    snprintf(link, sizeof(link), "%s/%s", sys, number);
    CHECK_INT(__LINE__, number, symlink(target, link), 0);
}

static void add_slave(const char *place, const char *slave, const char *number)
{
    write_file(number, "%s/devices/%s/slaves/%s/dev", sys, place, slave);
}

static void make_devices(dev_t own)
{
    char line[2 * PATH_MAX], number[64];

    add_device("8:0", "sda");
    add_device("8:1", "sda/sda1");
    add_device("8:2", "sda/sda2");
    write_file("1\n", "%s/devices/sda/sda1/partition", sys);
    write_file("2\n", "%s/devices/sda/sda2/partition", sys);
    add_device("8:16", "sdb");
    add_device("8:17", "sdb/sdb1");
    write_file("1\n", "%s/devices/sdb/sdb1/partition", sys);
    add_device("9:0", "md0"); /* a mirror of two partitions */
    add_slave("md0", "sda1", "8:1\n");
    add_slave("md0", "sdb1", "8:17\n");
    add_device("252:0", "dm-0"); /* a volume on it */
    add_slave("dm-0", "md0", "9:0\n");
    add_device("252:1", "dm-1"); /* a volume that does not tell what is below it */
    write_file("", "%s/devices/dm-1/slaves/.keep", sys);
    add_device("7:0", "loop0");
    snprintf(line, sizeof(line), "%s\n", mounts);
    write_file(line, "%s/devices/loop0/loop/backing_file", sys);
    add_device("7:1", "loop1");
    write_file("/nowhere/image (deleted)\n", "%s/devices/loop1/loop/backing_file", sys);
    add_device("252:9", "dm-9"); /* endless, which no kernel would have */
    add_slave("dm-9", "dm-9", "252:9\n");
    if (major(own) == 0)
        return;
    snprintf(number, sizeof(number), "%u:%u", major(own), minor(own));
    if (snprintf(line, sizeof(line), "%s/%s", sys, number) > 0 && access(line, F_OK) != 0)
        add_device(number, "own");
}

static const struct {
    const char *name;
    struct {
        const char *device, *point, *type, *source; /* point: after the folder */
    } mounts[4];
    uint32_t disks; /* besides the folder's own */
} rows[] = {
    {"nothing below", {{0}}, 0},
    {"two partitions of a disk",
     {{"8:1", "/a", "ext4", "/dev/sda1"}, {"8:2", "/b", "ext4", "/dev/sda2"}},
     1},
    {"a whole disk and its partition",
     {{"8:0", "/a", "ext4", "/dev/sda"}, {"8:2", "/b", "ext4", "/dev/sda2"}},
     1},
    {"two disks", {{"8:1", "/a", "ext4", "/dev/sda1"}, {"8:17", "/b", "xfs", "/dev/sdb1"}}, 2},
    {"a mirror", {{"9:0", "/a", "ext4", "/dev/md0"}}, 2},
    {"a volume on a mirror, and a disk of it",
     {{"252:0", "/a", "ext4", "/dev/dm-0"}, {"8:17", "/b/c", "ext4", "/dev/sdb1"}},
     2},
    {"a volume without anything beneath", {{"252:1", "/a", "ext4", "/dev/dm-1"}}, 1},
    {"a loop device on the folder's own disk", {{"7:0", "/a", "ext4", "/dev/loop0"}}, 0},
    {"a loop device whose file is gone", {{"7:1", "/a", "ext4", "/dev/loop1"}}, 1},
    {"a device without an end", {{"252:9", "/a", "ext4", "/dev/dm-9"}}, 1},
    {"a device that sysfs does not have", {{"99:9", "/a", "ext4", "/dev/x"}}, 1},
    {"memory",
     {{"0:50", "/a", "tmpfs", "tmpfs"},
      {"0:51", "/b", "proc", "proc"},
      {"0:52", "/c", "ramfs", "x"}},
     0},
    {"network file systems",
     {{"0:50", "/a", "nfs4", "host:/x"}, {"0:51", "/b", "cifs", "//host/x"}},
     2},
    {"one of them in two places",
     {{"0:50", "/a", "nfs4", "host:/x"}, {"0:50", "/b", "nfs4", "host:/x"}},
     1},
    {"Btrfs whose device is not to be seen", {{"0:60", "/a", "btrfs", "/dev/nowhere"}}, 1},
    {"a mount beside the folder", {{"8:1", "x", "ext4", "/dev/sda1"}}, 0},
    {"a mount point with spaces", {{"8:1", "/with\\040space\\134", "ext4", "/dev/sda1"}}, 1},
};

static void write_mounts(size_t row, dev_t own)
{
    char text[8 * PATH_MAX];
    int len = snprintf(text, sizeof(text),
                       "22 1 %u:%u / %s rw - nfs own:/x rw\nno mount\n1 2 x:y / /z rw - a b c\n"
                       "1 2 8:1 / - ext4 /dev/sda1 rw\n",
                       major(own), minor(own), major(own) == 0 ? base : "/elsewhere");

    for (size_t i = 0; i < 4 && rows[row].mounts[i].device; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "30 22 %s / %s%s rw,noatime shared:1 master:2 - %s %s rw\n",
                        rows[row].mounts[i].device, root, rows[row].mounts[i].point,
                        rows[row].mounts[i].type, rows[row].mounts[i].source);
    write_file(text, "%s", mounts);
}

static void test_too_many(const struct disk_sources *sources)
{
    const char *const folders[] = {root, "/nowhere"};
    char text[200 * 160] = "";
    int len = 0;

    for (int i = 0; i < 100; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "30 22 0:%d / %.80s/%d rw - nfs host:/x rw\n", 1000 + i, root, i);
    write_file(text, "%s", mounts);
    CHECK_INT(__LINE__, "no more than", root_disks_count(folders, 2, sources), ROOT_DISKS_MAX);
    CHECK_INT(__LINE__, "no folder", root_disks_count(folders + 1, 1, sources), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

int main(void)
{
    const char *const folders[] = {root, root};
    struct disk_sources sources = {sys, mounts};
    char made[] = "/tmp/farmstead-disks-XXXXXX";
    struct stat st;

    CHECK_TRUE(mkdtemp(made) && realpath(made, base), "a folder");
    snprintf(root, sizeof(root), "%s/root", base);
    snprintf(sys, sizeof(sys), "%s/sys", base);
    snprintf(mounts, sizeof(mounts), "%s/mounts", base);
    write_file("", "%s/file", root);
    CHECK_INT(__LINE__, "stat", stat(root, &st), 0);
    make_devices(st.st_dev);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        write_mounts(i, st.st_dev);
        CHECK_INT((int)i, rows[i].name, root_disks_count(folders, 2, &sources), 1 + rows[i].disks);
    }
    test_too_many(&sources);
    CHECK_TRUE(root_disks_count(folders, 1, NULL) <= ROOT_DISKS_MAX, "the kernel's own");
    nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return check_end("root_disks");
}
