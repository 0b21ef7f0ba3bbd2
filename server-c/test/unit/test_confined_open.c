/* SPDX-License-Identifier: MIT */
/* What can be opened below a root and what can't, with openat2 and with the walk that replaces it.
 */
#include "confined_open.c"

#include "check.h"
#include "util.h"

#include <stdlib.h>
#include <sys/stat.h>

static char root[] = "/tmp/farmstead-confined-XXXXXX";

static void make(const char *format, const char *target, int kind)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", root, format);
    if (kind == 'd')
        mkdir(path, 0755);
    else if (kind == 'l')
        CHECK_INT(__LINE__, path, symlink(target, path), 0);
    else if (kind == 'p')
        CHECK_INT(__LINE__, path, mkfifo(path, 0644), 0);
    else if ((fd = open(path, O_CREAT | O_WRONLY, 0644)) >= 0)
        close(fd);
}

static void test_paths(bool with_openat2)
{
    static const struct {
        int line;
        const char *path;
        int kernel, walk; /* 1: opened; else the negative errno */
    } rows[] = {
        {__LINE__, "/", 1, 1},
        {__LINE__, "/in/", 1, 1},
        {__LINE__, "/in/file", 1, 1},
        {__LINE__, "/in/deep/file", 1, 1},
        {__LINE__, "/in/missing", -ENOENT, -ENOENT},
        {__LINE__, "/in/file/", -ENOTDIR, -ENOTDIR},
        {__LINE__, "/in/file/x", -ENOTDIR, -ENOTDIR},
        {__LINE__, "/in/inside", 1, -ELOOP},
        {__LINE__, "/in/folder/file", 1, -ENOTDIR},
        {__LINE__, "/in/up", 1, -ELOOP},
        {__LINE__, "/in/outside", -EXDEV, -ELOOP},
        {__LINE__, "/in/absolute", -EXDEV, -ELOOP},
        {__LINE__, "/in/outfolder/secret", -EXDEV, -ENOTDIR},
        {__LINE__, "/in/loop", -ELOOP, -ELOOP},
        {__LINE__, "/in/magic/root/etc/passwd", -EXDEV, -ENOTDIR},
        {__LINE__, "/in/fifo", 1, 1}, /* it must not block; the caller looks at its kind */
    };
    char base[256];

    snprintf(base, sizeof(base), "%s/root", root);
    atomic_store(&openat2_missing, !with_openat2);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int fd = confined_open(base, rows[i].path);
        int want = with_openat2 ? rows[i].kernel : rows[i].walk;
        CHECK_INT(rows[i].line, rows[i].path, fd >= 0 ? 1 : fd, want);
        if (fd >= 0)
            close(fd);
    }
    CHECK_INT(__LINE__, "no root", confined_open("/nonexistent", "/a"), -ENOENT);
}

static void test_long_names(void)
{
    char path[400] = "/";

    memset(path + 1, 'n', sizeof(path) - 2);
    for (int missing = 0; missing < 2; missing++) {
        atomic_store(&openat2_missing, missing);
        CHECK_INT(missing, "too long", confined_open(root, path), -ENAMETOOLONG);
    }
}

static int count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}

int main(void)
{
    char command[300];
    int before;

    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    make("root", NULL, 'd');
    make("secret", NULL, 'f');
    make("root/in", NULL, 'd');
    make("root/in/deep", NULL, 'd');
    make("root/in/file", NULL, 'f');
    make("root/in/deep/file", NULL, 'f');
    make("root/in/inside", "deep/file", 'l');
    make("root/in/folder", "deep", 'l');
    make("root/in/up", "../in/file", 'l');
    make("root/in/outside", "../../secret", 'l');
    make("root/in/absolute", "/etc/passwd", 'l');
    make("root/in/outfolder", "../..", 'l');
    make("root/in/loop", "loop", 'l');
    make("root/in/magic", "/proc/self", 'l');
    make("root/in/fifo", NULL, 'p');
    before = count_descriptors();
    test_paths(true);
    test_paths(false);
    test_long_names();
    CHECK_INT(__LINE__, "no descriptor leaks", count_descriptors(), before);
    snprintf(command, sizeof(command), "rm -rf %s", root);
    CHECK_INT(__LINE__, "clean up", system(command), 0);
    return check_end("confined_open");
}
