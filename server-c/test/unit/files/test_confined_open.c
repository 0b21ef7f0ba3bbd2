/* SPDX-License-Identifier: MIT */
/* What can be opened below a root under each symlink policy: the same table with the kernel's help
 * and by the walk that replaces it, and while another thread swaps folders and links. */
#include "files/confined_open.c"

#include "base/util.h"
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define STRANGER 54321
#define POLICIES 4

static char base[] = "/tmp/farmstead-confined-XXXXXX";

static const char *in_base(const char *name)
{
    static char path[2][300];
    static int next;

    next = !next;
    snprintf(path[next], sizeof(path[next]), "%s/%s", base, name);
    return path[next];
}

static void make_folder(const char *name)
{
    CHECK_INT(__LINE__, name, mkdir(in_base(name), 0755), 0);
}

static void make_file(const char *name)
{
    int fd = open(in_base(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    CHECK_TRUE(fd >= 0 && write(fd, name, strlen(name)) > 0, "%s", name);
    close(fd);
}

static void make_link(const char *name, const char *target)
{
    CHECK_INT(__LINE__, name, symlink(target, in_base(name)), 0);
}

static void make_socket(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", in_base(name));
    CHECK_INT(__LINE__, name, bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

static void give_away(const char *name)
{
    CHECK_INT(__LINE__, name, lchown(in_base(name), STRANGER, (gid_t)-1), 0);
}

static void make_tree(void)
{
    char name[64], target[64];

    make_folder("root");
    make_folder("root/in");
    make_folder("root/in/deep");
    make_folder("outer");
    make_file("secret");
    make_file("outer/file");
    make_file("root/in/file");
    make_file("root/in/deep/file");
    make_link("root/in/inside", "deep/file");
    make_link("root/in/folder", "deep");
    make_link("root/in/folder-slash", "deep/");
    make_link("root/in/file-slash", "file/");
    make_link("root/in/dot", ".");
    make_link("root/in/up", "../in/file");
    make_link("root/in/zigzag", "deep/../deep/../../in/./deep//file");
    make_link("root/in/to-root", "..");
    make_link("root/in/over-and-back", "../../root/in/file");
    make_link("root/in/outside", "../../secret");
    make_link("root/in/out-folder", "../..");
    make_link("root/in/absolute", in_base("secret"));
    make_link("root/in/absolute-inside", in_base("root/in/file"));
    make_link("root/in/loop", "loop");
    make_link("root/in/nowhere", "missing");
    make_link("root/in/proc", "/proc/self");
    make_link("root/in/null", "/dev/null");
    make_socket("root/in/socket");
    CHECK_INT(__LINE__, "fifo", mkfifo(in_base("root/in/fifo"), 0644), 0);
    make_link("root/in/chain-1", "file");
    for (int i = 2; i <= 41; i++) {
        snprintf(name, sizeof(name), "root/in/chain-%d", i);
        snprintf(target, sizeof(target), "chain-%d", i - 1);
        make_link(name, target);
    }
}

struct row {
    int line;
    const char *path;
    int want[POLICIES]; /* 1: opened, else the negative errno; in the order of the enum */
};

/* An answer from the kernel's memory equals that from the disk. */
static void check_cached(const struct row *row, int root, const char *name,
                         enum config_symlinks policy)
{
    struct stat st;
    int fd =
        confined_may_open_cached() ? confined_open_cached(root, row->path, policy, &st) : -EAGAIN;

    if (fd != -EAGAIN)
        CHECK_INT(row->line, name, fd >= 0 ? 1 : fd, row->want[policy]);
    if (fd >= 0)
        close(fd);
}

static void check_rows(const struct row *rows, size_t count)
{
    int root = confined_root(in_base("root"));
    struct stat st;

    for (size_t i = 0; i < count; i++)
        for (int policy = 0; policy < POLICIES; policy++) {
            char name[100];
            int fd =
                confined_open(root, rows[i].path, (enum config_symlinks)policy, CONFINED_READ, &st);
            snprintf(name, sizeof(name), "%s, policy %d, %s", rows[i].path, policy,
                     openat2_missing ? "walk" : "kernel");
            CHECK_INT(rows[i].line, name, fd >= 0 ? 1 : fd, rows[i].want[policy]);
            if (fd >= 0)
                close(fd);
            check_cached(&rows[i], root, name, (enum config_symlinks)policy);
        }
    close(root);
}

static void test_paths(void)
{
    static const struct row rows[] = {
        {__LINE__, "/", {1, 1, 1, 1}},
        {__LINE__, "/in/", {1, 1, 1, 1}},
        {__LINE__, "/in", {1, 1, 1, 1}},
        {__LINE__, "/in/file", {1, 1, 1, 1}},
        {__LINE__, "/in/deep/file", {1, 1, 1, 1}},
        {__LINE__, "/in/missing", {-ENOENT, -ENOENT, -ENOENT, -ENOENT}},
        {__LINE__, "/in/file/", {-ENOTDIR, -ENOTDIR, -ENOTDIR, -ENOTDIR}},
        {__LINE__, "/in/file/x", {-ENOTDIR, -ENOTDIR, -ENOTDIR, -ENOTDIR}},
        {__LINE__, "/in/fifo", {-ENXIO, -ENXIO, -ENXIO, -ENXIO}},
        {__LINE__, "/in/socket", {-ENXIO, -ENXIO, -ENXIO, -ENXIO}},
        {__LINE__, "/in/inside", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/folder", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/folder/", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/folder/file", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/folder-slash/file", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/folder-slash", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/file-slash", {-ELOOP, -ENOTDIR, -ENOTDIR, -ENOTDIR}},
        {__LINE__, "/in/inside/x", {-ELOOP, -ENOTDIR, -ENOTDIR, -ENOTDIR}},
        {__LINE__, "/in/dot/file", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/dot/dot/folder/file", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/up", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/zigzag", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/to-root", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/to-root/in/file", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/over-and-back", {-ELOOP, -EXDEV, 1, 1}},
        {__LINE__, "/in/outside", {-ELOOP, -EXDEV, 1, 1}},
        {__LINE__, "/in/out-folder/secret", {-ELOOP, -EXDEV, 1, 1}},
        {__LINE__, "/in/to-root/in/outside", {-ELOOP, -EXDEV, 1, 1}},
        {__LINE__, "/in/absolute", {-ELOOP, -EXDEV, 1, 1}},
        {__LINE__, "/in/absolute-inside", {-ELOOP, -EXDEV, 1, 1}},
        {__LINE__, "/in/loop", {-ELOOP, -ELOOP, -ELOOP, -ELOOP}},
        {__LINE__, "/in/nowhere", {-ELOOP, -ENOENT, -ENOENT, -ENOENT}},
        {__LINE__, "/in/chain-40", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/chain-41", {-ELOOP, -ELOOP, -ELOOP, -ELOOP}},
        {__LINE__, "/in/proc/root/etc/passwd", {-ELOOP, -EXDEV, -ELOOP, -ELOOP}},
        {__LINE__, "/in/proc/fd/0", {-ELOOP, -EXDEV, -ELOOP, -ELOOP}},
    };
    check_rows(rows, ARRAY_LEN(rows));
}

/* Needs root, because only root can change the owner of files. */
static void test_owners(void)
{
    static const struct row rows[] = {
        {__LINE__, "/in/strange", {-ELOOP, 1, -ELOOP, 1}},
        {__LINE__, "/in/strange-own", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/to-strange", {-ELOOP, 1, -ELOOP, 1}},
        {__LINE__, "/in/strange-folder/file", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/strange-folder/", {-ELOOP, 1, 1, 1}},
        {__LINE__, "/in/strange-parent/file", {-ELOOP, 1, -ELOOP, 1}},
        {__LINE__, "/in/strange-parent", {-ELOOP, 1, -ELOOP, 1}},
        {__LINE__, "/in/strange-over", {-ELOOP, 1, -ELOOP, 1}},
        {__LINE__, "/in/strange-passwd", {-ELOOP, -EXDEV, -ELOOP, 1}},
        {__LINE__, "/in/null", {-ELOOP, -EXDEV, -ENXIO, -ENXIO}},
    };

    check_rows(rows, ARRAY_LEN(rows));
}

static void make_strangers_tree(void)
{
    make_folder("root/in/hers");
    make_file("root/in/hers/file"); /* belongs to another user, but no link leads to it */
    give_away("root/in/hers");
    make_file("root/in/her-file");
    give_away("root/in/her-file");
    make_link("root/in/strange", "file");
    give_away("root/in/strange");
    make_link("root/in/strange-own", "her-file");
    give_away("root/in/strange-own");
    make_link("root/in/to-strange",
              "strange-own"); /* each link is checked, not only the last one */
    make_link("root/in/strange-folder", "hers");
    give_away("root/in/strange-folder");
    make_link("root/in/strange-parent", "hers/..");
    give_away("root/in/strange-parent");
    make_link("root/in/strange-over", "strange-folder/file");
    give_away("root/in/strange-over");
    make_link("root/in/strange-passwd", "/etc/passwd");
    give_away("root/in/strange-passwd");
}

static void test_long_names(void)
{
    static char path[5000] = "/";
    int root = confined_root(base);
    struct stat st;

    for (int policy = 0; policy < POLICIES; policy++) {
        memset(path + 1, 'n', 300);
        path[301] = '\0';
        CHECK_INT(policy, "long name",
                  confined_open(root, path, (enum config_symlinks)policy, CONFINED_READ, &st),
                  -ENAMETOOLONG);
        for (size_t i = 1; i < sizeof(path) - 1; i++)
            path[i] = i % 2 ? 'n' : '/';
        CHECK_INT(policy, "long path",
                  confined_open(root, path, (enum config_symlinks)policy, CONFINED_READ, &st),
                  -ENAMETOOLONG);
    }
    close(root);
}

static void test_folders(void)
{
    int root = confined_root(in_base("root")), folder, fd;
    struct stat st;

    folder = confined_open(root, "/in/folder", SYMLINKS_WITHIN_ROOT, CONFINED_FOLDER, &st);
    CHECK_TRUE(folder >= 0 && S_ISDIR(st.st_mode), "a folder to go on from");
    fd = confined_open(folder, "/file", SYMLINKS_NEVER, CONFINED_READ, &st);
    CHECK_TRUE(fd >= 0 && S_ISREG(st.st_mode), "and on from it");
    close(fd);
    close(folder);
    CHECK_INT(__LINE__, "a file is no folder",
              confined_open(root, "/in/file", SYMLINKS_NEVER, CONFINED_FOLDER, &st), -ENOTDIR);
    CHECK_INT(__LINE__, "no link either",
              confined_open(root, "/in/folder", SYMLINKS_NEVER, CONFINED_FOLDER, &st), -ELOOP);
    close(root);
    CHECK_INT(__LINE__, "no root", confined_root("/nonexistent"), -ENOENT);
    CHECK_INT(__LINE__, "a file as root", confined_root(in_base("secret")), -ENOTDIR);
}

/* --- races ----------------------------------------------------------------------------------- */

static atomic_bool is_racing;

/* "flip" is alternately a folder and a link out of the root; "moved" is alternately in the root and
 * outside. */
static void *race(void *arg)
{
    char flip[300], flop[300], moved[300], away[300];

    (void)arg;
    snprintf(flip, sizeof(flip), "%s/root/in/flip", base);
    snprintf(flop, sizeof(flop), "%s/root/in/flop", base);
    snprintf(moved, sizeof(moved), "%s/root/in/moved", base);
    snprintf(away, sizeof(away), "%s/outer/moved", base);
    while (atomic_load(&is_racing)) {
        renameat2(AT_FDCWD, flip, AT_FDCWD, flop, RENAME_EXCHANGE);
        rename(moved, away);
        rename(away, moved);
    }
    return NULL;
}

static void test_races(enum config_symlinks policy)
{
    static const char *const paths[] = {"/in/flip/file", "/in/climbs"};
    int root = confined_root(in_base("root")), opened = 0, refused = 0;
    struct stat st;
    char first;

    /* Until both states of "flip" were seen often: when the other thread runs is not determined. */
    for (int i = 0; i < 1000000 && (opened < 300 || refused < 300); i++) {
        int fd = confined_open(root, paths[i % 2], policy, CONFINED_READ, &st);
        opened += i % 2 == 0 && fd >= 0;
        refused += i % 2 == 0 && fd < 0;
        if (fd < 0)
            continue;
        CHECK_TRUE(read(fd, &first, 1) == 1 && first == 'r', "what is opened is in the root");
        close(fd);
    }
    CHECK_TRUE(opened > 0 && refused > 0, "both were met (policy %d, walk %d)", (int)policy,
               (int)openat2_missing);
    close(root);
}

static void test_under_races(void)
{
    pthread_t thread;

    make_folder("root/in/flip");
    make_file("root/in/flip/file");
    make_link("root/in/flop", "../../outer");
    make_folder("root/in/moved");
    make_folder("root/in/moved/sub");
    /* Is "outer/file" while "moved" is outside. */
    make_link("root/in/climbs", "moved/sub/../../file");
    atomic_store(&is_racing, true);
    pthread_create(&thread, NULL, race, NULL);
    for (int missing = 0; missing < 2; missing++) {
        atomic_store(&openat2_missing, missing);
        test_races(SYMLINKS_WITHIN_ROOT);
        test_races(SYMLINKS_NEVER);
    }
    atomic_store(&is_racing, false);
    pthread_join(thread, NULL);
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

    CHECK_TRUE(mkdtemp(base) != NULL, "mkdtemp");
    make_tree();
    if (geteuid() == 0)
        make_strangers_tree();
    before = count_descriptors();
    for (int missing = 0; missing < 2; missing++) {
        atomic_store(&openat2_missing, missing);
        test_paths();
        if (geteuid() == 0)
            test_owners();
        test_long_names();
        test_folders();
    }
    test_under_races();
    CHECK_INT(__LINE__, "no descriptor leaks", count_descriptors(), before);
    snprintf(command, sizeof(command), "rm -rf %s", base);
    CHECK_INT(__LINE__, "clean up", system(command), 0);
    return check_end("confined_open");
}
