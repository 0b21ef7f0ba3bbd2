/* SPDX-License-Identifier: MIT */
/* privileges.c — uses glibc's calls, because those of the kernel change only one thread. */
#include "process/privileges.h"

#include "base/mem.h"
#include "owner/bounds.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define GROUPS_MAX 65536
#define LOOKUP_BYTES 65536

static int fail(char why[PRIVILEGES_WHY_LEN], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int fail(char why[PRIVILEGES_WHY_LEN], const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(why, PRIVILEGES_WHY_LEN, format, args);
    va_end(args);
    return -1;
}

/* --- which user and groups ------------------------------------------------------------------- */

static int find_user(struct privileges *privileges, const char *name, char why[PRIVILEGES_WHY_LEN])
{
    char *memory = xmalloc(LOOKUP_BYTES);
    struct passwd entry, *found = NULL;
    int err = getpwnam_r(name, &entry, memory, LOOKUP_BYTES, &found);

    if (found) {
        privileges->uid = entry.pw_uid;
        privileges->gid = entry.pw_gid;
    }
    free(memory);
    if (found)
        return 0;
    return fail(why, "process.user: there is no user \"%s\" on this machine%s%s", name,
                err ? ": " : "", err ? strerror(err) : "");
}

static int find_group(struct privileges *privileges, const char *name, char why[PRIVILEGES_WHY_LEN])
{
    char *memory = xmalloc(LOOKUP_BYTES);
    struct group entry, *found = NULL;
    int err = getgrnam_r(name, &entry, memory, LOOKUP_BYTES, &found);

    if (found)
        privileges->gid = entry.gr_gid;
    free(memory);
    if (found)
        return 0;
    return fail(why, "process.group: there is no group \"%s\" on this machine%s%s", name,
                err ? ": " : "", err ? strerror(err) : "");
}

/* Finds the groups of the user. Those of root are not kept. */
static void find_groups(struct privileges *privileges, const char *user)
{
    int count = 32, had;

    do {
        had = count;
        privileges->groups = xreallocarray(privileges->groups, (size_t)count, sizeof(gid_t));
        if (getgrouplist(user, privileges->gid, privileges->groups, &count) >= 0)
            break;
        if (count <= had)
            count = had * 2;
    } while (count <= GROUPS_MAX);
    privileges->group_count = count <= GROUPS_MAX ? (size_t)count : 0;
}

int privileges_find(struct privileges *privileges, const struct config *cfg,
                    char why[PRIVILEGES_WHY_LEN])
{
    const char *user = bounds_user(cfg->process.user), *group = cfg->process.group;
    bool is_root = geteuid() == 0;

    *privileges = (struct privileges){.uid = geteuid(), .gid = getegid()};
    if ((user[0] && find_user(privileges, user, why) != 0) ||
        (group[0] && find_group(privileges, group, why) != 0))
        return -1;
    privileges->changes = privileges->uid != geteuid() || privileges->gid != getegid();
    if (privileges->changes && !is_root)
        return fail(why, "process.%s: only root can become \"%s\"; this process is user %ld",
                    privileges->uid != geteuid() ? "user" : "group",
                    privileges->uid != geteuid() ? user : group, (long)geteuid());
    if (cfg->process.chroot[0] && !is_root)
        return fail(why,
                    "process.chroot: only root can change the root folder; this process is "
                    "user %ld",
                    (long)geteuid());
    if (privileges->changes && user[0])
        find_groups(privileges, user);
    return 0;
}

void privileges_fini(struct privileges *privileges)
{
    free(privileges->groups);
    privileges->groups = NULL;
}

/* --- the change ------------------------------------------------------------------------------ */

void privileges_forbid_new(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int privileges_change_root(const char *path, char why[PRIVILEGES_WHY_LEN])
{
    if (chroot(path) != 0 || chdir("/") != 0)
        return fail(why, "process.chroot: can't make \"%s\" the root folder: %s", path,
                    strerror(errno));
    return 0;
}

/* Tries what must not work any more. */
static int verify(const struct privileges *privileges, char why[PRIVILEGES_WHY_LEN])
{
    uid_t uid[3];
    gid_t gid[3];

    if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 || getresgid(&gid[0], &gid[1], &gid[2]) != 0)
        return fail(why, "process.user: can't tell who this process is: %s", strerror(errno));
    for (int i = 0; i < 3; i++)
        if (uid[i] != privileges->uid || gid[i] != privileges->gid)
            return fail(why, "process.user: this process is not quite user %ld, group %ld",
                        (long)privileges->uid, (long)privileges->gid);
    if (privileges->uid != 0 && (setuid(0) == 0 || seteuid(0) == 0))
        return fail(why, "process.user: this process can become root again");
    if (privileges->uid != 0 && privileges->gid != 0 && (setgid(0) == 0 || setegid(0) == 0))
        return fail(why, "process.group: this process can join root's group again");
    return 0;
}

int privileges_drop(const struct privileges *privileges, char why[PRIVILEGES_WHY_LEN])
{
    if (!privileges->changes)
        return 0;
    if (setgroups(privileges->group_count, privileges->groups) != 0)
        return fail(why, "process.user: can't leave root's groups: %s", strerror(errno));
    if (setresgid(privileges->gid, privileges->gid, privileges->gid) != 0)
        return fail(why, "process.group: can't become group %ld: %s", (long)privileges->gid,
                    strerror(errno));
    if (setresuid(privileges->uid, privileges->uid, privileges->uid) != 0)
        return fail(why, "process.user: can't become user %ld: %s", (long)privileges->uid,
                    strerror(errno));
    return verify(privileges, why);
}
