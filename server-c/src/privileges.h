/* SPDX-License-Identifier: MIT */
/* privileges.h — from root to the user the config names, for good, and the pid file.
 *
 * The order: names are looked up and the pid file is written while everything can be seen; ports
 * are bound and logs opened; then chroot, groups, user, all threads of the process at once. Whether
 * root can be had back is tried: if it can, the process must not serve. */
#ifndef FARMSTEAD_PRIVILEGES_H
#define FARMSTEAD_PRIVILEGES_H

#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PRIVILEGES_WHY_LEN 512

struct privileges {
    bool changes_user; /* to uid, gid */
    uid_t uid;
    gid_t gid;
    char *user;   /* NULL: known by number only, or not changed */
    char *chroot; /* NULL: none */
};

/* What `cfg` asks for, looked up. 0, or -1 with `why`: no such user, or not root and yet asked to
 * be somebody else. Main thread, before anything is dropped. */
int privileges_find(struct privileges *privileges, const struct config *cfg,
                    char why[PRIVILEGES_WHY_LEN]);
void privileges_fini(struct privileges *privileges);

/* Does it, for all threads. 0, or -1 with `why`: then the process must end. Main thread. */
int privileges_drop(const struct privileges *privileges, char why[PRIVILEGES_WHY_LEN]);

/* The pid file at `path`, whole or not at all. -1 with `why` when it names a process that lives. */
struct pid_file;
struct pid_file *pid_file_write(const char *path, char why[PRIVILEGES_WHY_LEN]); /* NULL: why */
/* Removes it if it is still ours, and frees. NULL is allowed. */
void pid_file_remove(struct pid_file *file);

#endif
