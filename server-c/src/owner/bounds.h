/* SPDX-License-Identifier: MIT */
/* bounds.h — what this process may touch, whatever a config says: nothing of the node's own, and no
 * more than the owner's policy (owner_policy.h) allows.
 *
 * Set once at the start, before there is a second thread, and never changed afterwards: no push, no
 * reload and no signal can widen it. config_check_bounds.c holds a config against it beforehand; the
 * functions here look again at what was really opened, since a link or a folder may have been turned
 * meanwhile. */
#ifndef FARMSTEAD_BOUNDS_H
#define FARMSTEAD_BOUNDS_H

#include "owner/owner_policy.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define BOUNDS_WHY_LEN 256

/* Takes `policy` over; NULL: only the node's own files are out of bounds. `policy_path`: its file, ""
 * when it was written nowhere. `state_dir`: NULL when there is none. Nothing is freed before
 * bounds_clear(), which only tests and short commands need. */
void bounds_set(struct owner_policy *policy, const char *policy_path, const char *state_dir);
void bounds_clear(void);

/* Any thread, all that follow. */

const struct owner_policy *bounds_policy(void); /* NULL: none */
const char *bounds_policy_path(void);           /* "": the built-in one, or none */
const char *bounds_state_dir(void);             /* as the kernel names it; "": none */

/* Who serves when the config names `user`: that user; when it names nobody ("") and root has started
 * the node, the first of the policy's. "": who has started it. */
const char *bounds_user(const char *user);

/* Whether `path`, as the kernel names it, is the node's own: in its state folder, or the policy. */
bool bounds_is_own(const char *path);

bool bounds_are_set(void); /* false: everything is allowed */

/* How the kernel names what `fd` has open; false where there is no /proc. Does not wait for a disk. */
bool bounds_find_path(int fd, char path[PATH_MAX]);

/* Whether the file or folder that the kernel names so may be served. */
bool bounds_may_serve(const char *path);

/* Whether the node may write to the file, or in the folder, that `fd` has open. `list`: OWNER_LOGS or
 * OWNER_RUNTIME. 0, or -1 with the end of a sentence that began with the file's name. */
int bounds_may_write(int fd, enum owner_list list, char why[BOUNDS_WHY_LEN]);

#endif
