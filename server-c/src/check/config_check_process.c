/* SPDX-License-Identifier: MIT */
/* config_check_process.c — do the user, group, folder and pid file of `process` exist, and what may
 * that user read? Whether this process may become that user is checked by privileges.h. */
#include "check/config_check_parts.h"

#include "base/mem.h"
#include "machine/pid_file.h"
#include "owner/bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The most that an entry of the user or group database may need; a group's entry has all its
 * members. */
#define ENTRY_BYTES_MAX (1024 * 1024)

/* 0 and *uid, *gid; ENOENT if there is no such user; else another errno. */
static int find_user(const char *name, uid_t *uid, gid_t *gid)
{
    struct passwd entry, *found = NULL;
    char *memory = xmalloc(ENTRY_BYTES_MAX);
    int err = getpwnam_r(name, &entry, memory, ENTRY_BYTES_MAX, &found);

    if (found != NULL) {
        *uid = found->pw_uid;
        *gid = found->pw_gid;
    }
    free(memory);
    return found != NULL ? 0 : err != 0 ? err : ENOENT;
}

static int find_group(const char *name, gid_t *gid)
{
    struct group entry, *found = NULL;
    char *memory = xmalloc(ENTRY_BYTES_MAX);
    int err = getgrnam_r(name, &entry, memory, ENTRY_BYTES_MAX, &found);

    if (found != NULL)
        *gid = found->gr_gid;
    free(memory);
    return found != NULL ? 0 : err != 0 ? err : ENOENT;
}

/* Some databases report "none" with an error of their own (getpwnam_r(3)). */
static bool is_none(int err)
{
    return err == ENOENT || err == ESRCH || err == EBADF || err == EPERM;
}

static void report_account(const struct check *check, const char *pointer, const char *what,
                           const char *name, int err)
{
    if (is_none(err))
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNKNOWN_ACCOUNT, pointer,
                             "create it, or name one that every node has",
                             "there is no %s \"%s\" on this machine", what, name);
    else
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_RESOURCE_LIMIT, pointer, NULL,
                             "can't look up the %s \"%s\": %s", what, name, strerror(err));
}

static void check_accounts(const struct check *check)
{
    const char *user = bounds_user(check->cfg->process.user), *group = check->cfg->process.group;
    uid_t uid;
    gid_t gid;
    int err = *user != '\0' ? find_user(user, &uid, &gid) : 0;

    if (err != 0)
        report_account(check, "/process/user", "user", user, err);
    err = *group != '\0' ? find_group(group, &gid) : 0;
    if (err != 0)
        report_account(check, "/process/group", "group", group, err);
}

static void check_chroot(const struct check *check)
{
    static const char hint[] = "create it, or name a folder that exists on every node";
    const char *path = check->cfg->process.chroot;
    struct stat st;
    int err;

    if (*path == '\0')
        return;
    err = stat(path, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    if (err == 0)
        err = config_check_access(path, X_OK);
    if (err != 0)
        config_check_report_path(check, "/process/chroot", path, err, "enter", hint);
}

/* The file is replaced as a whole, so its folder must be writable, and not the file. */
static void check_pid_file(const struct check *check)
{
    const char *path = check->cfg->process.pid_file;
    char why[PID_FILE_WHY_LEN];

    if (*path == '\0' || pid_file_names(path, getpid()))
        return;
    if (pid_file_look(path, why) != 0)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PROTECTED_FILE,
                             "/process/pidFile", "name a file of its own", "\"%s\" %s", path, why);
    else
        config_check_folder_of(check, path, "/process/pidFile", "PID file");
}

/* The pid file is written once, at the start, with the rights that the process has then. */
void config_check_process(const struct check *check)
{
    if (check->is_jailed)
        return;
    check_accounts(check);
    check_chroot(check);
    if (check->running == NULL)
        check_pid_file(check);
}

/* Uses the system call, because the C library's functions change all threads of the process. */
static int set_own_groups(int count, const gid_t *groups)
{
    return syscall(SYS_setgroups, count, groups) == 0 ? 0 : -1;
}

static bool take_groups(const char *name, gid_t gid)
{
    gid_t groups[256];
    int count = sizeof(groups) / sizeof(*groups);

    if (getgrouplist(name, gid, groups, &count) < 0)
        count = sizeof(groups) / sizeof(*groups); /* there are very many: the first ones */
    return set_own_groups(count, groups) == 0;
}

void config_check_user_enter(struct check_user *user, const struct check *check)
{
    const char *name = bounds_user(check->cfg->process.user), *group = check->cfg->process.group;
    uid_t uid;
    gid_t gid;

    *user = (struct check_user){0};
    if (geteuid() != 0 || check->running != NULL || *name == '\0' ||
        find_user(name, &uid, &gid) != 0 || (*group != '\0' && find_group(group, &gid) != 0))
        return;
    user->group_count = getgroups(0, NULL);
    if (user->group_count < 0)
        return;
    user->groups = xcalloc((size_t)user->group_count + 1, sizeof(gid_t));
    user->group_count = getgroups(user->group_count, user->groups);
    user->is_taken = user->group_count >= 0 && take_groups(name, gid);
    if (!user->is_taken)
        return;
    setfsgid(gid);
    setfsuid(uid);
}

void config_check_user_leave(struct check_user *user)
{
    if (user->is_taken) {
        setfsuid(geteuid());
        setfsgid(getegid());
        if (set_own_groups(user->group_count, user->groups) != 0)
            abort(); /* root may do this; the thread must not go on with wrong groups */
    }
    free(user->groups);
}
