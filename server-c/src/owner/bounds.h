/* SPDX-License-Identifier: MIT */
/* bounds.h — what this process may use whatever a config says: no files of the node itself, and
 * nothing beyond the owner's policy (owner_policy.h).
 *
 * Set once at the start, before there are other threads, and never changed after that: no push,
 * reload or signal can widen it. config_check_bounds.c compares configs with it in advance. The
 * functions here check again what was really opened, since a link or a folder may have been changed
 * meanwhile. */
#ifndef FARMSTEAD_BOUNDS_H
#define FARMSTEAD_BOUNDS_H

#include "owner/owner_policy.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define BOUNDS_WHY_LEN 256

/* Takes over `policy`; NULL: only the node's own files are out of bounds. `policy_path` is its
 * file, "" if it was in none. `state_dir` is NULL if there is none. Nothing is freed before
 * bounds_clear(), which only tests and short commands need. */
void bounds_set(struct owner_policy *policy, const char *policy_path, const char *state_dir);
void bounds_clear(void);

/* All functions below: any thread. */

const struct owner_policy *bounds_policy(void); /* NULL: there is none */
const char *bounds_policy_path(void);           /* "": the built-in policy, or none */
const char *bounds_state_dir(void);             /* in the kernel's form; "": none */

/* Returns the user that serves if the config names `user`: that user. If it names none ("") and
 * root has started the node, the first user of the policy. "": the user who has started it. */
const char *bounds_user(const char *user);

/* Is `path`, in the kernel's form, one of the node's own files: in its state folder, or the
 * policy? */
bool bounds_is_own(const char *path);

bool bounds_are_set(void); /* false: everything is allowed */

/* Finds the kernel's form of the path that `fd` has open. False without /proc. Does not wait for a
 * disk. */
bool bounds_find_path(int fd, char path[PATH_MAX]);

/* Below the state folder: a folder of that name holds the files of one version of a release, and no others. */
#define BOUNDS_RELEASE_TREES "releases/trees"

/* A file of a release with this bit is known to have wrong bytes, under all its names: it is not served. Linux
 * gives the bit no other meaning for files. */
#define BOUNDS_WRONG_BYTES S_ISVTX

/* May the file or folder at `path` (in the kernel's form) be served? Of the state folder whole releases are,
 * whatever the policy allows: they are not files of the machine, and who joined it to a control plane has said
 * who may publish there. */
bool bounds_may_serve(const char *path);

/* May the node write to the file that `fd` has open, or in the folder? `list` is OWNER_LOGS or
 * OWNER_RUNTIME. 0, or -1 with the end of a sentence that begins with the file's name. */
int bounds_may_write(int fd, enum owner_list list, char why[BOUNDS_WHY_LEN]);

#endif
