/* SPDX-License-Identifier: MIT */
/* privileges.h — changes from root to the user in the config, for good.
 *
 * The order: names are looked up while all files can be seen; then the root folder is changed; then
 * ports are bound and logs opened; then groups and user change, for all threads of the process at
 * once. Finally the process tries to become root again: if that works it must not serve. */
#ifndef FARMSTEAD_PRIVILEGES_H
#define FARMSTEAD_PRIVILEGES_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PRIVILEGES_WHY_LEN 512

struct privileges {
    bool changes; /* change to uid, gid and groups; false: they are the present ones */
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    size_t group_count;
};

/* Forbids that programs started by this process get more rights than it has. Call it first in
 * main(): threads inherit it from the one that starts them. */
void privileges_forbid_new(void);

/* Finds the user that `cfg` asks for. 0, or -1 with `why`: there is no such user, or the process is
 * not root but should become another user or change the root folder. There is nothing to free
 * then. */
int privileges_find(struct privileges *privileges, const struct config *cfg,
                    char why[PRIVILEGES_WHY_LEN]);
void privileges_fini(struct privileges *privileges);

/* 0, or -1 with `why`: the process must then end. */
int privileges_change_root(const char *path, char why[PRIVILEGES_WHY_LEN]);

/* Changes user and groups, for all threads. 0, or -1 with `why`: it may be half done, and the
 * process must end. Any thread. */
int privileges_drop(const struct privileges *privileges, char why[PRIVILEGES_WHY_LEN]);

#endif
