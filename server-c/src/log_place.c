/* SPDX-License-Identifier: MIT */
/* log_place.c — see log_place.h. */
#include "log_place.h"

#include <errno.h>
#include <fcntl.h>

/* Addresses and what was asked for are not everybody's to read. */
#define LOG_MODE 0640

static int open_once(const char *path, int flags, int *fd)
{
    *fd = open(path, flags, LOG_MODE);
    return *fd < 0 ? -errno : 0;
}

/* Without O_CREAT first: in a folder that everybody may write to, the kernel refuses O_CREAT even to
 * root for another user's file (fs.protected_regular), and after a restart the log is one. */
int log_place_open(const char *path, int flags, int *fd, bool *is_made)
{
    int err = open_once(path, flags, fd);

    *is_made = false;
    if (err != -ENOENT)
        return err;
    err = open_once(path, flags | O_CREAT | O_EXCL, fd);
    *is_made = err == 0;
    /* Somebody was faster, or the name is a link to a file that is still to be made. */
    return err == -EEXIST ? open_once(path, flags | O_CREAT, fd) : err;
}

bool log_place_is(const char *path, const struct stat *held)
{
    struct stat named;

    return stat(path, &named) == 0 && named.st_dev == held->st_dev && named.st_ino == held->st_ino;
}
