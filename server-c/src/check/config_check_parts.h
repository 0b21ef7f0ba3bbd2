/* SPDX-License-Identifier: MIT */
/* config_check_parts.h — what the files of config_check.h share; only config_check*.c include
 * this. */
#ifndef FARMSTEAD_CONFIG_CHECK_PARTS_H
#define FARMSTEAD_CONFIG_CHECK_PARTS_H

#include "base/buf.h"
#include "config/config.h"

#include <stdbool.h>
#include <sys/types.h>

#define CHECK_POINTER_LEN 80

/* A check of one config. */
struct check {
    const struct config *cfg;
    const struct config *running; /* NULL: nothing is running yet */
    struct config_errors *errors;
    /* The process is in process.chroot already: what is outside can't be seen. */
    bool is_jailed;
    /* Goes before all paths except the pid file's; "" or process.chroot. */
    const char *jail;
};

/* Adds an error about `path`: `err` is what the system answered when we wanted to `verb` it. */
void config_check_report_path(const struct check *check, const char *pointer, const char *path,
                              int err, const char *verb, const char *hint);

/* Returns what goes before all paths except the pid file's, as seen from here; "" or
 * process.chroot. */
const char *config_check_jail(const struct config *cfg, const struct config *running);

/* As config_site_secret(), with where the config says so. */
const char *config_check_secret(const struct config *cfg, size_t site, size_t index,
                                char pointer[CHECK_POINTER_LEN]);

/* Appends a path of the config as this process sees it. */
void config_check_see(struct buf *out, const struct check *check, const char *path);

/* Has this thread these rights (R_OK, W_OK, X_OK)? 0 or an errno. */
int config_check_access(const char *path, int mode);

/* Checks that the folder of `path` can be written to. */
void config_check_folder_of(const struct check *check, const char *path, const char *pointer,
                            const char *what);

/* The parts of the check, each in its own file. */
void config_check_bounds(const struct check *check);
void config_check_exposed(const struct check *check);
void config_check_listeners(const struct check *check);
void config_check_process(const struct check *check);
void config_check_sizes(const struct check *check);
void config_check_site(const struct check *check, size_t site);
void config_check_site_tls(const struct check *check, size_t site);

/* What is served is read as the user that the node will become. A thread of root takes over that
 * user's rights to files, for itself only and until config_check_user_leave(). */
struct check_user {
    bool is_taken;
    int group_count;
    gid_t *groups; /* its own groups, to be restored */
};
void config_check_user_enter(struct check_user *user, const struct check *check);
void config_check_user_leave(struct check_user *user);

#endif
