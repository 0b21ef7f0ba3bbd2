/* SPDX-License-Identifier: MIT */
/* redirect_file.c — reads the file whole, and makes a list only of a text that is new. */
#include "site/redirect_file.h"

#include "base/mem.h"
#include "files/file_read.h"
#include "files/served_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

/* What a rule says is for everybody who asks, and mistakes are quoted in logs and to the control
 * plane. So only what may be served is read, wherever a link leads by now. */
static int open_list(const char *path, struct stat *st)
{
    int fd = file_open_regular(path, st), err = 0;

    if (fd < 0)
        return fd;
    if (!served_file_is_allowed(NULL, fd, st))
        err = UV_EPERM;
    else if (st->st_size > REDIRECT_LIST_BYTES)
        err = UV_EFBIG;
    if (err)
        close(fd);
    return err ? err : fd;
}

/* The caller frees *bytes. */
static ssize_t read_whole(const char *path, char **bytes)
{
    struct stat st = {0};
    int fd = open_list(path, &st);
    ssize_t len;

    *bytes = NULL;
    if (fd < 0)
        return fd;
    *bytes = xmalloc((size_t)st.st_size + 1);
    len = file_read_fully(fd, *bytes, (size_t)st.st_size + 1, 0);
    close(fd);
    return len > st.st_size ? UV_EAGAIN : len; /* somebody is writing it */
}

int redirect_file_read(struct redirect_list **list, const char *path,
                       struct redirect_problems *problems)
{
    struct redirect_list *fresh;
    char *bytes;
    ssize_t len = read_whole(path, &bytes);
    int err = 0;

    problems->count = 0;
    if (len < 0) {
        err = (int)len;
    } else if (!*list || !redirect_list_is_of(*list, (struct span){bytes, (size_t)len})) {
        fresh = redirect_list_parse((struct span){bytes, (size_t)len}, problems);
        if (fresh) {
            redirect_list_put(*list);
            *list = fresh;
        } else {
            err = UV_EINVAL;
        }
    }
    free(bytes);
    return err;
}

const char *redirect_file_problem(int err)
{
    switch (err) {
    case UV_EFBIG:
        return "is too long: 33554432 bytes are the most";
    case UV_EAGAIN:
        return "was being written while it was read";
    case UV_EPERM:
        return "is not in a folder that may be served here";
    case UV_EFTYPE:
        return "is not a regular file";
    case UV_ENOENT:
        return "does not exist on this machine";
    default:
        return uv_strerror(err);
    }
}
