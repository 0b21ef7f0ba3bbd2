/* SPDX-License-Identifier: MIT */
/* owner_file.c — somebody who can write to the file, or replace it, could give configs access to
 * the whole machine. So both the file and its folder must belong to root, or to the user who starts
 * the node, if that is not root. */
#include "owner/owner_file.h"

#include "base/path.h"
#include "owner/bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_trusted_owner(uid_t uid)
{
    return uid == 0 || uid == geteuid();
}

static bool others_may_write(mode_t mode)
{
    return (mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* A sticky folder (like /tmp) is fine: nobody can replace another user's file there. */
static int check_folder(const char *path, struct buf *why)
{
    char *folder = path_folder(path);
    struct stat st;
    int err = stat(folder, &st) == 0 ? 0 : -1;

    if (err != 0) {
        buf_printf(why, "%s: %s", folder, strerror(errno));
    } else if (!is_trusted_owner(st.st_uid) ||
               (others_may_write(st.st_mode) && (st.st_mode & S_ISVTX) == 0)) {
        buf_printf(why,
                   "%s: others may put another policy into %s: make the folder root's, and nobody "
                   "else's to write (chown root, chmod go-w)",
                   path, folder);
        err = -1;
    }
    free(folder);
    return err;
}

static int check_file(const char *path, const struct stat *st, struct buf *why)
{
    if (!S_ISREG(st->st_mode))
        buf_printf(why, "%s: a policy is a regular file", path);
    else if (!is_trusted_owner(st->st_uid) || others_may_write(st->st_mode))
        buf_printf(why,
                   "%s: others may change this policy: make the file root's, and nobody else's to "
                   "write (chown root, chmod go-w)",
                   path);
    else if (st->st_size > OWNER_POLICY_BYTES)
        buf_printf(why, "%s: a policy has at most 1 MiB", path);
    else
        return check_folder(path, why);
    return -1;
}

static int read_text(const char *path, bool *is_missing, struct buf *text, struct buf *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = -1;
    struct stat st;
    ssize_t n = -1;

    *is_missing = fd < 0 && errno == ENOENT;
    if (fd < 0 || fstat(fd, &st) != 0)
        buf_printf(why, "%s: can't read the policy: %s", path, strerror(errno));
    else
        err = check_file(path, &st, why);
    while (err == 0 && text->len <= OWNER_POLICY_BYTES &&
           (n = read(fd, buf_reserve(text, 4096), 4096)) > 0)
        buf_advance(text, (size_t)n);
    if (err == 0 && n < 0) {
        buf_printf(why, "%s: can't read the policy: %s", path, strerror(errno));
        err = -1;
    }
    if (fd >= 0)
        close(fd);
    return err;
}

static void say_findings(struct buf *why, const char *path, const struct config_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct config_error *error = &errors->items[i];
        buf_printf(why, "%s%s:%" PRIu32 ":%" PRIu32 ": %s%s%s%s%s", i > 0 ? "\n" : "", path,
                   error->line, error->column, error->pointer, *error->pointer ? " " : "",
                   error->message, *error->hint ? ": " : "", error->hint);
    }
}

struct owner_policy *owner_file_read(const char *path, bool *is_missing, struct buf *why)
{
    struct config_errors errors = {0};
    struct owner_policy *policy = NULL;
    struct buf text;

    buf_init(&text);
    if (read_text(path, is_missing, &text, why) == 0) {
        policy = owner_policy_parse(text.data ? text.data : "", text.len, &errors);
        say_findings(why, path, &errors);
    }
    config_errors_fini(&errors);
    buf_fini(&text);
    return policy;
}

int owner_file_set_bounds(const char *path, const char *state_dir, struct buf *why)
{
    const char *from = path != NULL ? path : OWNER_POLICY_PATH;
    bool is_missing = false;
    struct owner_policy *policy = owner_file_read(from, &is_missing, why);

    if (policy == NULL && is_missing && path == NULL) {
        buf_clear(why);
        policy = owner_policy_built_in();
        from = "";
    }
    if (policy == NULL)
        return -1;
    bounds_set(policy, from, state_dir);
    return 0;
}

/* --- writing --------------------------------------------------------------------------------- */

static int write_text(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        text += n;
        len -= (size_t)n;
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/* Writes a file with a temporary name and links it to its place. So the policy is either complete
 * or not there, and an existing one is never replaced. */
static int put_in_place(const char *path, const char *text)
{
    struct buf temporary;
    int err, fd;

    buf_init(&temporary);
    buf_printf(&temporary, "%s.%ld", path, (long)getpid());
    fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    err = fd < 0 ? errno : write_text(fd, text, strlen(text));
    if (fd >= 0) {
        if (err == 0 && (fchmod(fd, 0644) != 0 || link(temporary.data, path) != 0))
            err = errno;
        close(fd);
        unlink(temporary.data);
    }
    buf_fini(&temporary);
    return err;
}

int owner_file_write(const char *path, const struct owner_policy *policy, struct buf *why)
{
    json_t *rules = owner_policy_json(policy);
    char *json = json_dumps(rules, JSON_INDENT(2)), *folder = path_folder(path);
    struct buf text;
    int err;

    buf_init(&text);
    buf_printf(&text,
               "// What configs may do on this machine. It is the owner's: no push can change it.\n"
               "// A change holds from the next start of the node on.\n%s\n",
               json);
    err = access(path, F_OK) == 0 ? EEXIST : 0;
    if (err == 0 && mkdir(folder, 0755) != 0 && errno != EEXIST)
        err = errno;
    if (err == 0)
        err = put_in_place(path, text.data);
    if (err != 0 && err != EEXIST)
        buf_printf(why, "%s: can't write the policy: %s", path, strerror(err));
    buf_fini(&text);
    free(folder);
    free(json);
    json_decref(rules);
    return err == 0 ? 0 : err == EEXIST ? 1 : -1;
}
