/* SPDX-License-Identifier: MIT */
/* Lines of mountinfo: optional fields, escapes, and what is no line of it. */
#include "machine/mount_list.c"

#include "base/util.h"
#include "check.h"

#include <unistd.h>

static char seen[500];

static bool note(const struct mount *mount, void *stop_at)
{
    size_t len = strlen(seen);

    snprintf(seen + len, sizeof(seen) - len, "%u:%u %s %s %s %s %s|", major(mount->device),
             minor(mount->device), mount->root, mount->point, mount->type, mount->source,
             mount->options);
    return stop_at && strcmp(mount->point, stop_at) == 0;
}

static bool visit(const char *text, char *stop_at)
{
    char path[] = "/tmp/farmstead-mounts-XXXXXX";
    int fd = mkstemp(path);
    bool is_over;

    seen[0] = '\0';
    CHECK_INT(__LINE__, "written", write(fd, text, strlen(text)), strlen(text));
    is_over = mount_list_visit(path, note, stop_at);
    close(fd);
    unlink(path);
    return is_over;
}

static void test_lines(void)
{
    static const struct {
        const char *line, *want; /* "": none */
    } rows[] = {
        {"36 35 98:0 /part /mnt rw,noatime - ext3 /dev/root rw,errors=continue\n",
         "98:0 /part /mnt ext3 /dev/root rw,errors=continue|"},
        {"36 35 0:5 / / rw shared:1 master:2 - tmpfs none rw\n", "0:5 / / tmpfs none rw|"},
        {"36 35 0:5 / /a\\040b\\134c\\011d rw - ext4 /dev/x\\040y rw\n",
         "0:5 / /a b\\c\td ext4 /dev/x y rw|"},
        {"36 35 0:5 / /a\\04x rw - ext4 none rw\n", "0:5 / /a\\04x ext4 none rw|"},
        {"36 35 0:5 / /m rw - ext4 none\n", "0:5 / /m ext4 none |"},
        {"36 35 0:5 / /m rw - ext4 none rw", "0:5 / /m ext4 none rw|"},
        {"36 35 0:5 / /m rw - ext4\n", ""},
        {"36 35 0:5 / /m rw ext4 none rw\n", ""},
        {"36 35 0-5 / /m rw - ext4 none rw\n", ""},
        {"36 35 :5 / /m rw - ext4 none rw\n", ""},
        {"36 35 0:5 - ext4 none rw\n", ""},
        {"36 - ext4 none rw\n", ""},
        {"\n", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_INT((int)i, rows[i].line, visit(rows[i].line, NULL), false);
        CHECK_STR((int)i, rows[i].line, seen, rows[i].want);
    }
}

static void test_visits(void)
{
    static const char text[] = "1 0 0:1 / /a rw - x x x\nnothing\n2 0 0:2 / /b rw - x x x\n"
                               "3 0 0:3 / /c rw - x x x\n";
    static char b[] = "/b", none[] = "/none";

    CHECK_INT(__LINE__, "found", visit(text, b), true);
    CHECK_STR(__LINE__, "and no further", seen, "0:1 / /a x x x|0:2 / /b x x x|");
    CHECK_INT(__LINE__, "not found", visit(text, none), false);
    CHECK_STR(__LINE__, "all", seen, "0:1 / /a x x x|0:2 / /b x x x|0:3 / /c x x x|");
    seen[0] = '\0';
    CHECK_INT(__LINE__, "no file", mount_list_visit("/tmp/farmstead-none", note, NULL), false);
    CHECK_STR(__LINE__, "no mounts", seen, "");
}

static void test_devices(void)
{
    static const struct {
        const char *text;
        bool is_one;
        unsigned major_number, minor_number;
    } rows[] = {
        {"8:1", true, 8, 1},
        {"8:1 and more", true, 8, 1},
        {"0:4294967295", true, 0, UINT32_MAX},
        {"0:4294967296", false, 0, 0},
        {"4294967296:0", false, 0, 0},
        {"8", false, 0, 0},
        {"8:", false, 0, 0},
        {":1", false, 0, 0},
        {"", false, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        dev_t device = 0;
        CHECK_INT((int)i, rows[i].text, mount_list_parse_device(rows[i].text, &device),
                  rows[i].is_one);
        CHECK_INT((int)i, rows[i].text, device,
                  makedev(rows[i].major_number, rows[i].minor_number));
    }
}

int main(void)
{
    test_lines();
    test_visits();
    test_devices();
    return check_end("mount_list");
}
