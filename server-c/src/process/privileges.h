/* SPDX-License-Identifier: MIT */
/* privileges.h — from root to the user the config names, for good.
 *
 * The order: names are looked up while everything can be seen; the root folder is changed; ports
 * are bound and logs opened; then groups and user, for all threads of the process at once. Whether
 * root can be had back is tried: if it can, the process must not serve. */
#ifndef FARMSTEAD_PRIVILEGES_H
#define FARMSTEAD_PRIVILEGES_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PRIVILEGES_WHY_LEN 512

struct privileges {
    bool changes; /* to uid, gid and groups; else they are what they are now */
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    size_t group_count;
};

/* No program this process starts gets more rights than it has. First thing in main(): a thread
 * takes it over from the one that starts it. */
void privileges_forbid_new(void);

/* Who `cfg` asks to become. 0, or -1 with `why`: no such user, or not root and yet asked to be
 * somebody else, or to change the root folder. Nothing to free then. */
int privileges_find(struct privileges *privileges, const struct config *cfg,
                    char why[PRIVILEGES_WHY_LEN]);
void privileges_fini(struct privileges *privileges);

/* 0, or -1 with `why`: the process must end then. */
int privileges_change_root(const char *path, char why[PRIVILEGES_WHY_LEN]);

/* Does it, for all threads. 0, or -1 with `why`: then it may be half done and the process must end.
 * Any thread. */
int privileges_drop(const struct privileges *privileges, char why[PRIVILEGES_WHY_LEN]);

#endif
