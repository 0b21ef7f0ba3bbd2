/* SPDX-License-Identifier: MIT */
/* Changing to another user, each time in a child, with other threads that have to follow. Most of
 * it needs root; without it only the refusal is tested. */
#include "process/privileges.c"

#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char why[PRIVILEGES_WHY_LEN], empty[] = "", nobody[] = "nobody", none[] = "no such user";
static char root[] = "root", daemon_group[] = "daemon", slash[] = "/", nowhere[] = "/nonexistent";

static struct config config_of(char *user, char *group, char *folder)
{
    struct config cfg = {.process = {user, group, folder, empty}};
    return cfg;
}

static void test_looking_up(void)
{
    bool is_root = geteuid() == 0;
    struct {
        const char *name;
        char *user, *group, *folder;
        bool as_root, as_other, changes;
    } rows[] = {
        {"nothing", empty, empty, empty, true, true, false},
        {"a user", nobody, empty, empty, true, false, true},
        {"a user nobody knows", none, empty, empty, false, false, false},
        {"a group nobody knows", empty, none, empty, false, false, false},
        {"a group alone", empty, daemon_group, empty, true, false, true},
        {"both", nobody, daemon_group, empty, true, false, true},
        {"root stays root", root, empty, empty, true, false, false},
        {"a root folder", empty, empty, slash, true, false, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct config cfg = config_of(rows[i].user, rows[i].group, rows[i].folder);
        struct privileges privileges;
        bool want = is_root ? rows[i].as_root : rows[i].as_other;
        why[0] = '\0';
        CHECK_INT((int)i, rows[i].name, privileges_find(&privileges, &cfg, why) == 0, want);
        CHECK_INT((int)i, rows[i].name, why[0] == '\0', want);
        if (want)
            CHECK_INT((int)i, rows[i].name, privileges.changes, rows[i].changes);
        privileges_fini(&privileges);
    }
}

/* --- in a child ------------------------------------------------------------------------------ */

static _Atomic bool is_dropped;
static _Atomic int threads_as_root;

static void *run_thread(void *arg)
{
    (void)arg;
    while (!is_dropped)
        usleep(1000);
    if (syscall(SYS_geteuid) == 0 || syscall(SYS_getegid) == 0 || syscall(SYS_setuid, 0) == 0 ||
        syscall(SYS_setresuid, 0, 0, 0) == 0)
        threads_as_root++;
    return NULL;
}

static int drop_with_threads(char *user, char *group)
{
    struct config cfg = config_of(user, group, empty);
    struct privileges privileges;
    pthread_t threads[4];
    gid_t groups[64];
    int count;

    privileges_forbid_new();
    if (privileges_find(&privileges, &cfg, why) != 0)
        return 1;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    if (privileges_drop(&privileges, why) != 0)
        return 2;
    is_dropped = true;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    if (threads_as_root || geteuid() != privileges.uid || getegid() != privileges.gid)
        return 3;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return 4;
    count = getgroups(64, groups);
    for (int i = 0; i < count; i++)
        if (groups[i] == 0)
            return 5;
    privileges_fini(&privileges);
    return 0;
}

static int in_child(int (*function)(char *, char *), char *a, char *b)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(function(a, b));
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int change_root(char *folder, char *unused)
{
    (void)unused;
    if (privileges_change_root(folder, why) != 0)
        return 1;
    return access("/etc", F_OK) == 0 ? 2 : 0;
}

/* A process that could change back must not serve. */
static int drop_halfway(char *user, char *group)
{
    struct config cfg = config_of(user, group, empty);
    struct privileges privileges;

    if (privileges_find(&privileges, &cfg, why) != 0)
        return 1;
    if (setresgid(privileges.gid, privileges.gid, 0) != 0 ||
        setresuid(privileges.uid, privileges.uid, 0) != 0)
        return 2;
    return verify(&privileges, why) == 0 ? 3 : 0;
}

int main(void)
{
    char folder[] = "/tmp/farmstead-root-XXXXXX";

    test_looking_up();
    if (geteuid() != 0) {
        printf("privileges: not root: the rest is left out\n");
        return check_end("privileges");
    }
    CHECK_INT(__LINE__, "a user", in_child(drop_with_threads, nobody, empty), 0);
    CHECK_INT(__LINE__, "a user and a group", in_child(drop_with_threads, nobody, daemon_group), 0);
    CHECK_INT(__LINE__, "a way back is noticed", in_child(drop_halfway, nobody, empty), 0);
    CHECK_TRUE(mkdtemp(folder), "folder");
    CHECK_INT(__LINE__, "another root", in_child(change_root, folder, empty), 0);
    CHECK_INT(__LINE__, "none there", in_child(change_root, nowhere, empty), 1);
    rmdir(folder);
    return check_end("privileges");
}
