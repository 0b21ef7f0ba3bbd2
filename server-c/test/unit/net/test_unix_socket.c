/* SPDX-License-Identifier: MIT */
/* A Unix socket's name: whose place it takes, which mode it has, and whom it is left to. */
#include "net/unix_socket.c"

#include "base/util.h"
#include "check.h"
#include "shell.h"

static char root[] = "/tmp/farmstead-socket-XXXXXX";

static const char *in_root(const char *name)
{
    static char path[300];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static struct stat look(const char *name)
{
    struct stat st = {0};

    (void)!lstat(in_root(name), &st);
    return st;
}

static int dial(const char *name)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;

    fill_address(&address, in_root(name));
    err = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : -errno;
    close(fd);
    return err;
}

static int names_in_root(void)
{
    char command[100];
    int count = -1;
    FILE *list;

    snprintf(command, sizeof(command), "ls -A %s | wc -l", root);
    list = popen(command, "r");
    CHECK_INT(__LINE__, "names", fscanf(list, "%d", &count), 1);
    pclose(list);
    return count;
}

/* What a server that was killed leaves behind. */
static void leave_dead_socket(const char *name)
{
    struct unix_socket *local = NULL;

    CHECK_INT(__LINE__, name, unix_socket_bind(in_root(name), "600", &local), 0);
    close(local->fd);
    free(local->path);
    free(local);
}

static void leave_full_socket(const char *name)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    fill_address(&address, in_root(name));
    CHECK_INT(__LINE__, name, bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    CHECK_INT(__LINE__, name, listen(fd, 0), 0);
    for (int i = 0; i < 3; i++) { /* nobody accepts: its queue is full soon */
        int waits = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(waits, (struct sockaddr *)&address, sizeof(address));
    }
}

static void test_whose_place(void)
{
    static const struct {
        const char *name, *script;
        void (*make)(const char *name);
        int err;
    } rows[] = {
        {"free", ":", NULL, 0},
        {"dead", ":", leave_dead_socket, 0},
        {"full", ":", leave_full_socket, UV_EADDRINUSE},
        {"file", "echo mine > file", NULL, UV_EEXIST},
        {"folder", "mkdir folder", NULL, UV_EEXIST},
        {"link", "ln -s nowhere link", NULL, UV_EEXIST},
        {"link-to-dead", "ln -s dead link-to-dead", NULL, UV_EEXIST},
        {"pipe", "mkfifo pipe", NULL, UV_EEXIST},
        {"missing/socket", ":", NULL, UV_ENOENT},
        {"file/socket", ":", NULL, UV_ENOTDIR},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct unix_socket *local = NULL;
        struct stat before, after;
        int count, err;
        shell_in(root, rows[i].script);
        if (rows[i].make)
            rows[i].make(rows[i].name);
        before = look(rows[i].name);
        count = names_in_root();
        err = unix_socket_bind(in_root(rows[i].name), "660", &local);
        CHECK_INT((int)i, rows[i].name, err, rows[i].err);
        if (err == 0) {
            CHECK_INT((int)i, rows[i].name, dial(rows[i].name), 0);
            CHECK_INT((int)i, rows[i].name, unix_socket_close(local), 0);
            CHECK_INT((int)i, rows[i].name, look(rows[i].name).st_ino, 0);
            continue;
        }
        after = look(rows[i].name);
        CHECK_TRUE(before.st_ino == after.st_ino && before.st_mode == after.st_mode,
                   "\"%s\" was touched", rows[i].name);
        CHECK_INT((int)i, rows[i].name, names_in_root(), count);
    }
}

static void test_modes(void)
{
    static const struct {
        const char *text;
        mode_t mode;
    } rows[] = {{"600", 0600}, {"0660", 0660}, {"666", 0666}, {"7777", 0777}, {"000", 0}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct unix_socket *local = NULL;
        mode_t mask = umask(i % 2 ? 0777 : 0); /* whoever starts the node may have any */
        CHECK_INT((int)i, rows[i].text, unix_socket_bind(in_root("modes"), rows[i].text, &local),
                  0);
        umask(mask);
        CHECK_INT((int)i, rows[i].text, look("modes").st_mode, S_IFSOCK | rows[i].mode);
        CHECK_INT((int)i, rows[i].text, unix_socket_set_mode(local, "640"), 0);
        CHECK_INT((int)i, "set later", look("modes").st_mode, S_IFSOCK | 0640);
        CHECK_INT((int)i, rows[i].text, unix_socket_close(local), 0);
    }
}

/* A name of our own making that an earlier process left, and a path longer than an address has room for. */
static void test_names(void)
{
    struct unix_socket *local = NULL;
    char folder[200], script[300];

    memset(folder, 'x', 120);
    snprintf(folder + 120, sizeof(folder) - 120, "/s");
    snprintf(script, sizeof(script), "mkdir %.120s; echo left > %.120s/.farmstead-%ld", folder,
             folder, (long)getpid());
    shell_in(root, script);
    CHECK_INT(__LINE__, "a long path", unix_socket_bind(in_root(folder), "600", &local), 0);
    CHECK_TRUE(S_ISSOCK(look(folder).st_mode), "is there");
    CHECK_INT(__LINE__, "a long path that is taken",
              unix_socket_bind(in_root(folder), "600", &(struct unix_socket *){NULL}),
              UV_ENAMETOOLONG);
    CHECK_INT(__LINE__, "closed", unix_socket_close(local), 0);
    snprintf(script, sizeof(script), "rmdir %.120s", folder);
    shell_in(root, script); /* nothing is left in it */
}

/* Another server has taken the name meanwhile: it is that one's. */
static void test_a_name_that_is_another_one_s(void)
{
    struct unix_socket *first = NULL, *second = NULL;
    struct stat theirs;

    CHECK_INT(__LINE__, "first", unix_socket_bind(in_root("name"), "600", &first), 0);
    shell_in(root, "rm name");
    CHECK_INT(__LINE__, "second", unix_socket_bind(in_root("name"), "600", &second), 0);
    theirs = look("name");
    CHECK_INT(__LINE__, "mode", unix_socket_set_mode(first, "666"), UV_ENOENT);
    CHECK_INT(__LINE__, "owner", unix_socket_give(first, getuid(), getgid()), UV_ENOENT);
    CHECK_INT(__LINE__, "not removed", unix_socket_close(first), 0);
    CHECK_INT(__LINE__, "is there", look("name").st_ino, theirs.st_ino);
    CHECK_INT(__LINE__, "with its mode", look("name").st_mode, S_IFSOCK | 0600);
    CHECK_INT(__LINE__, "and listens", dial("name"), 0);
    CHECK_INT(__LINE__, "its own", unix_socket_give(second, getuid(), getgid()), 0);
    shell_in(root, "rm name; echo a file > name");
    CHECK_INT(__LINE__, "not a file either", unix_socket_close(second), 0);
    CHECK_TRUE(S_ISREG(look("name").st_mode), "the file is there");
}

static void test_copies(void)
{
    struct unix_socket *local = NULL;
    int copy;

    CHECK_INT(__LINE__, "bind", unix_socket_bind(in_root("copied"), "600", &local), 0);
    copy = unix_socket_dup(local);
    CHECK_TRUE(copy >= 0 && copy != local->fd, "another descriptor");
    CHECK_INT(__LINE__, "not for programs we start", fcntl(copy, F_GETFD), FD_CLOEXEC);
    CHECK_INT(__LINE__, "called", dial("copied"), 0);
    CHECK_TRUE(accept(copy, NULL, NULL) >= 0, "and heard by the copy");
    CHECK_INT(__LINE__, "closed", unix_socket_close(local), 0);
    CHECK_INT(__LINE__, "nobody finds it", dial("copied"), -ENOENT);
    close(copy);
}

/* What the machine's owner and the node itself keep to themselves. */
static void test_out_of_bounds(void)
{
    struct unix_socket *local = NULL;

    shell_in(root, "mkdir state");
    bounds_set(NULL, "", in_root("state"));
    CHECK_INT(__LINE__, "state", unix_socket_bind(in_root("state/s"), "600", &local), UV_EACCES);
    shell_in(root, "rmdir state");
    bounds_clear();
}

int main(void)
{
    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    test_whose_place();
    test_modes();
    test_names();
    test_a_name_that_is_another_one_s();
    test_copies();
    test_out_of_bounds();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("unix_socket");
}
