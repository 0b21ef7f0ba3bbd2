/* SPDX-License-Identifier: MIT */
/* unix_socket.c — binds the socket under a temporary name in the same folder, then renames it. */
#include "net/unix_socket.h"

#include "base/mem.h"
#include "base/path.h"
#include "owner/bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#define BACKLOG 4096
#define NAME_LEN 32

struct unix_socket {
    char *path;
    int fd;
    dev_t device; /* of the file that was created, to recognise it later */
    ino_t inode;
};

static bool fill_address(struct sockaddr_un *address, const char *path)
{
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof(address->sun_path))
        return false;
    strcpy(address->sun_path, path);
    return true;
}

/* Returns 0 when the name is free, or is that of a socket at which nobody listens. */
static int check_name(const char *path)
{
    struct sockaddr_un address;
    struct stat st;
    int fd, err;

    if (lstat(path, &st) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return UV_EEXIST;
    if (!fill_address(&address, path))
        return UV_ENAMETOOLONG;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    err = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;
    close(fd);
    if (err == 0 || err == EAGAIN) /* EAGAIN: its queue is full, so somebody listens */
        return UV_EADDRINUSE;
    return err == ECONNREFUSED || err == ENOENT ? 0 : -err;
}

static mode_t mode_of(const char *octal)
{
    return (mode_t)strtoul(octal, NULL, 8) & 0777;
}

/* Listens at `name` in the folder, and sets its mode. The address goes through the folder's
 * descriptor: this keeps it short enough for any path, and all steps in the same folder. */
static int listen_at(int folder, const char *name, mode_t mode)
{
    char path[64 + NAME_LEN];
    struct sockaddr_un address;
    int fd, err = 0;

    snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", folder, name);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    fill_address(&address, path);
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        fchmodat(folder, name, mode, 0) != 0 || listen(fd, BACKLOG) != 0)
        err = -errno;
    if (!err)
        return fd;
    close(fd);
    return err;
}

/* Returns a descriptor of the folder that contains `path`. *base is the last name of `path`. */
static int open_folder(const char *path, const char **base)
{
    char *folder = path_folder(path);
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int err = fd < 0 ? -errno : 0;

    *base = strrchr(path, '/') + 1;
    free(folder);
    return err ? err : fd;
}

static int bind_in(int folder, const char *base, mode_t mode, struct stat *st)
{
    char name[NAME_LEN];
    int fd;

    snprintf(name, sizeof(name), ".farmstead-%ld", (long)getpid());
    unlinkat(folder, name, 0); /* left by an earlier process with this number */
    fd = listen_at(folder, name, mode);
    if (fd >= 0 && (fstatat(folder, name, st, AT_SYMLINK_NOFOLLOW) != 0 ||
                    renameat(folder, name, folder, base) != 0)) {
        int err = -errno;
        close(fd);
        fd = err;
    }
    if (fd < 0)
        unlinkat(folder, name, 0);
    return fd;
}

int unix_socket_bind(const char *path, const char *mode, struct unix_socket **out)
{
    const char *base;
    char why[BOUNDS_WHY_LEN]; /* not used: the check of the config has reported it */
    struct stat st;
    int folder, fd, err = check_name(path);

    if (err)
        return err;
    folder = open_folder(path, &base);
    if (folder < 0)
        return folder;
    if (bounds_may_write(folder, OWNER_RUNTIME, why) != 0) {
        close(folder);
        return UV_EACCES;
    }
    fd = bind_in(folder, base, mode_of(mode), &st);
    close(folder);
    if (fd < 0)
        return fd;
    *out = xcalloc(1, sizeof(**out));
    **out = (struct unix_socket){xstrdup(path), fd, st.st_dev, st.st_ino};
    return 0;
}

int unix_socket_dup(const struct unix_socket *local)
{
    int fd = fcntl(local->fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

static bool is_still_ours(const struct unix_socket *local)
{
    struct stat st;
    return lstat(local->path, &st) == 0 && st.st_dev == local->device && st.st_ino == local->inode;
}

int unix_socket_set_mode(const struct unix_socket *local, const char *mode)
{
    if (!is_still_ours(local))
        return UV_ENOENT;
    return chmod(local->path, mode_of(mode)) == 0 ? 0 : -errno;
}

/* Works on a descriptor of the file, since whoever may write to the folder could swap the file. */
int unix_socket_give(const struct unix_socket *local, uid_t uid, gid_t gid)
{
    int fd = open(local->path, O_PATH | O_NOFOLLOW | O_CLOEXEC), err = 0;
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0 || st.st_dev != local->device || st.st_ino != local->inode)
        err = UV_ENOENT;
    else if (fchownat(fd, "", uid, gid, AT_EMPTY_PATH) != 0)
        err = -errno;
    close(fd);
    return err;
}

int unix_socket_close(struct unix_socket *local)
{
    int err = is_still_ours(local) && unlink(local->path) != 0 ? -errno : 0;

    close(local->fd);
    free(local->path);
    free(local);
    return err;
}
