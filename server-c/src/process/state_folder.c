/* SPDX-License-Identifier: MIT */
/* state_folder.c — holds the folder open and looks names up in it, so that a path that is renamed
 * or replaced while a node runs can't mislead it. */
#include "process/state_folder.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME "lock"
/* `run` tries again for 15 s: a process that held the lock may just have been killed and not be
 * gone yet, which takes the kernel seconds where there is much to take down and little time. */
#define LOCK_TRIES 300
#define LOCK_WAIT_US 50000
#define LOCK_SILENT_TRIES 20 /* who waits longer is told why */
#define GIVEN_DEPTH 4        /* certificates/.versions/NAME/VERSION */

static int fail(char *why, size_t why_len, const char *path, const char *what)
{
    snprintf(why, why_len, "%s: %s: %s", path, what, strerror(errno));
    return -1;
}

/* Makes sure that what was created or renamed in the folder survives a crash of the machine. 0, or
 * -1 with errno. */
static int sync_folder(int dir_fd)
{
    int err = dir_fd < 0 || fsync(dir_fd) != 0 ? errno : 0;
    if (dir_fd >= 0)
        close(dir_fd);
    errno = err;
    return err ? -1 : 0;
}

static int sync_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent =
        !slash ? xstrdup(".") : xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
    int dir_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC), saved = errno;
    free(parent);
    errno = saved;
    return sync_folder(dir_fd);
}

static int make_folder(const char *path, mode_t mode)
{
    if (mkdir(path, mode) != 0)
        return errno == EEXIST ? 0 : -1;
    return sync_parent(path);
}

static int make_parents(const char *path)
{
    char *copy = xstrdup(path);
    int err = 0;
    for (char *slash = strchr(copy + 1, '/'); slash && !err; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        err = make_folder(copy, 0755);
        *slash = '/';
    }
    int saved = errno;
    free(copy);
    errno = saved;
    return err;
}

/* True for a folder that is empty but for what a new file system has in it, or that is a state
 * folder already. */
static bool may_take_over(int dir_fd)
{
    if (faccessat(dir_fd, LOCK_NAME, F_OK, 0) == 0)
        return true;
    int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    if (!dir) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    bool empty = true;
    for (struct dirent *entry = readdir(dir); entry && empty; entry = readdir(dir))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                strcmp(entry->d_name, "lost+found") == 0;
    closedir(dir);
    return empty;
}

static int create_folder(const char *path, char *why, size_t why_len)
{
    if (make_parents(path) != 0 || make_folder(path, 0700) != 0)
        return fail(why, why_len, path, "cannot make the state folder");
    int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return fail(why, why_len, path, "cannot open the state folder");
    int err = 0;
    if (!may_take_over(dir_fd)) {
        snprintf(why, why_len, "%s: has other files in it: name a new or empty folder", path);
        err = -1;
    } else if (fchmod(dir_fd, 0700) != 0) {
        err = fail(why, why_len, path, "cannot close the state folder to others");
    }
    close(dir_fd);
    return err;
}

/* A file that root writes in another user's folder must belong to that user: root may have run
 * `join` for a service that runs as another user. Not if the file has a second name, which may be a
 * trap of that user's. */
static int give_to_owner(const struct state_folder *folder, int fd)
{
    struct stat dir, file;
    if (geteuid() != 0)
        return 0;
    if (fstat(folder->dir_fd, &dir) != 0 || fstat(fd, &file) != 0)
        return -1;
    return dir.st_uid == 0 || file.st_nlink != 1 ? 0 : fchown(fd, dir.st_uid, dir.st_gid);
}

static int lock_file(int fd, int tries, const char *path)
{
    for (int tried = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; tried++) {
        if (errno != EWOULDBLOCK || tried == tries)
            return -1;
        if (tried == LOCK_SILENT_TRIES)
            fprintf(stderr,
                    "farmstead-node: %s: another farmstead-node uses this state folder; waiting "
                    "%d s for it to end\n",
                    path, (tries - tried) * LOCK_WAIT_US / 1000000);
        usleep(LOCK_WAIT_US);
    }
    return 0;
}

static int take_lock(struct state_folder *folder, int tries, char *why, size_t why_len)
{
    folder->lock_fd =
        openat(folder->dir_fd, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* On a disk that has become read-only, a node must still be able to serve what it has. */
    if (folder->lock_fd < 0 && errno == EROFS)
        folder->lock_fd = openat(folder->dir_fd, LOCK_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (folder->lock_fd < 0)
        return fail(why, why_len, folder->path, "cannot write in the state folder");
    if (lock_file(folder->lock_fd, tries, folder->path) == 0) {
        (void)!give_to_owner(folder, folder->lock_fd); /* as far as this file system allows */
        return 0;
    }
    if (errno == EWOULDBLOCK)
        snprintf(why, why_len,
                 "%s: another farmstead-node uses this state folder: stop it, or name another",
                 folder->path);
    else
        fail(why, why_len, folder->path, "cannot lock the state folder");
    close(folder->lock_fd);
    return -1;
}

int state_folder_open(struct state_folder *folder, const char *path, bool create, char *why,
                      size_t why_len)
{
    size_t len = strlen(path);
    memset(folder, 0, sizeof(*folder));
    while (len > 1 && path[len - 1] == '/')
        len--;
    folder->path = xstrndup(path, len);
    if (create && access(folder->path, F_OK) != 0) {
        struct buf beside;
        buf_init(&beside);
        buf_printf(&beside, "%s.joining", folder->path);
        folder->made_at = buf_take(&beside);
    }
    const char *at = folder->made_at ? folder->made_at : folder->path;
    if (create && create_folder(at, why, why_len) != 0)
        goto fail_create;
    folder->dir_fd = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->dir_fd < 0) {
        fail(why, why_len, folder->path, "cannot open the state folder");
        goto fail_create;
    }
    if (take_lock(folder, create ? 1 : LOCK_TRIES, why, why_len) == 0)
        return 0;
    close(folder->dir_fd);
fail_create:
    free(folder->made_at);
    free(folder->path);
    return -1;
}

/* Both names of the lock must be the same file, as the folder may have been replaced since. */
static bool is_lock(int dir_fd, int lock_fd)
{
    struct stat held, named;
    return fstat(lock_fd, &held) == 0 &&
           fstatat(dir_fd, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

int state_folder_open_locked(struct state_folder *folder, const char *path, int lock_fd, char *why,
                             size_t why_len)
{
    int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return fail(why, why_len, path, "cannot open the state folder");
    if (!is_lock(dir_fd, lock_fd)) {
        snprintf(why, why_len, "%s: it is not the folder any more that this node locked", path);
        close(dir_fd);
        return -1;
    }
    *folder = (struct state_folder){.path = xstrdup(path), .dir_fd = dir_fd, .lock_fd = lock_fd};
    return 0;
}

int state_folder_publish(struct state_folder *folder, char *why, size_t why_len)
{
    if (!folder->made_at)
        return 0;
    if (rename(folder->made_at, folder->path) != 0)
        return fail(why, why_len, folder->path, "cannot put the state folder in its place");
    free(folder->made_at);
    folder->made_at = NULL;
    /* The new name is in the parent folder. */
    if (sync_folder(openat(folder->dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) != 0)
        return fail(why, why_len, folder->path, "cannot sync the state folder's parent");
    return 0;
}

void state_folder_close(struct state_folder *folder)
{
    /* The lock file of a published folder stays: if it were removed, two processes could lock two
     * different files. */
    if (folder->made_at && !folder->is_worth_keeping) {
        state_folder_remove(folder, LOCK_NAME);
        rmdir(folder->made_at);
    }
    close(folder->lock_fd);
    close(folder->dir_fd);
    free(folder->made_at);
    free(folder->path);
}

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void state_folder_stamp(struct state_folder *folder, const char *name, struct state_stamp *out)
{
    struct stat st;
    memset(out, 0, sizeof(*out));
    if (fstatat(folder->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    out->device = st.st_dev;
    out->inode = st.st_ino;
    out->size = (uint64_t)st.st_size;
    out->modified_ns = nanoseconds(st.st_mtim);
    out->changed_ns = nanoseconds(st.st_ctim);
}

static int read_whole(int fd, char **text, size_t *len)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode) || st.st_size > (off_t)STATE_FOLDER_FILE_MAX) {
        errno = EFBIG;
        return -1;
    }
    size_t size = (size_t)st.st_size, done = 0;
    char *bytes = xmalloc(size + 1);
    while (done < size) {
        ssize_t got = read(fd, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(bytes);
            return -1;
        }
        if (got == 0)
            break;
        done += (size_t)got;
    }
    bytes[done] = '\0';
    *text = bytes;
    *len = done;
    return 0;
}

int state_folder_read(struct state_folder *folder, const char *name, char **text, size_t *len,
                      char *why, size_t why_len)
{
    /* O_NONBLOCK: the file may be a FIFO. */
    int fd = openat(folder->dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return 0;
    int err = fd < 0 ? -1 : read_whole(fd, text, len);
    if (err)
        snprintf(why, why_len, "cannot read it: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return err ? -1 : 1;
}

static int write_whole(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, text, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        text += put;
        len -= (size_t)put;
    }
    return fsync(fd);
}

static int rename_durably(struct state_folder *folder, const char *from, const char *to)
{
    if (renameat(folder->dir_fd, from, folder->dir_fd, to) != 0)
        return -1;
    return fsync(folder->dir_fd);
}

int state_folder_replace(struct state_folder *folder, const char *name, const char *text,
                         size_t len, char *why, size_t why_len)
{
    char beside[64];
    snprintf(beside, sizeof(beside), "%s.new", name);
    /* O_NONBLOCK: as in state_folder_read(). */
    int fd = openat(folder->dir_fd, beside,
                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    int err =
        fd < 0 || give_to_owner(folder, fd) != 0 || write_whole(fd, text, len) != 0 ? errno : 0;
    /* On some file systems close() reports a write error. */
    if (fd >= 0 && close(fd) != 0 && !err)
        err = errno;
    if (!err && rename_durably(folder, beside, name) != 0)
        err = errno;
    if (!err)
        return 0;
    snprintf(why, why_len, "%s/%s: cannot write it: %s", folder->path, name, strerror(err));
    if (fd >= 0)
        unlinkat(folder->dir_fd, beside, 0);
    return -1;
}

int state_folder_rename(struct state_folder *folder, const char *from, const char *to, char *why,
                        size_t why_len)
{
    if (rename_durably(folder, from, to) == 0)
        return 0;
    snprintf(why, why_len, "%s/%s: cannot replace it by %s: %s", folder->path, to, from,
             strerror(errno));
    return -1;
}

void state_folder_remove(struct state_folder *folder, const char *name)
{
    /* Not synced: if a crash undoes the removal it is simply done again at the next start. */
    unlinkat(folder->dir_fd, name, 0);
}

struct given {
    uid_t uid;
    gid_t gid;
};

/* Takes over `dir_fd`. Gives the folder and what is in it, `depth` folders deep: certificates are below
 * one of ours. */
static int give_all(int dir_fd, const struct given *given, int depth)
{
    DIR *dir = dir_fd >= 0 ? fdopendir(dir_fd) : NULL;
    int err = dir ? 0 : -1;

    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && !err; entry = readdir(dir)) {
        struct stat st;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            err = errno == ENOENT ? 0 : -1;
        else if (S_ISDIR(st.st_mode) && depth > 0)
            err = give_all(openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW),
                           given, depth - 1);
        else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) /* others are not ours */
            err = fchownat(dir_fd, name, given->uid, given->gid, AT_SYMLINK_NOFOLLOW);
    }
    if (!err)
        err = fchown(dir_fd, given->uid, given->gid);
    if (dir)
        closedir(dir);
    else if (dir_fd >= 0)
        close(dir_fd);
    return err;
}

int state_folder_give(struct state_folder *folder, uid_t uid, gid_t gid, char *why, size_t why_len)
{
    const struct given given = {uid, gid};
    int copy = openat(folder->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (give_all(copy, &given, GIVEN_DEPTH) == 0)
        return 0;
    return fail(why, why_len, folder->path, "cannot give it to the user to become");
}
