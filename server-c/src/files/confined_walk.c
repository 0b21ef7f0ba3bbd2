/* SPDX-License-Identifier: MIT */
/* confined_walk.c — walks a path one component at a time, opening each from the one before.
 *
 * A component is opened with O_PATH before anything is decided about it, so that nobody can replace
 * it in between. The target of a link is put in front of the rest of the path, at most LINKS_MAX
 * times. Where links may not leave the root, ".." is never given to the kernel, because the folder
 * we are in may have been moved out of the root. Instead the walk starts again at the root, without
 * the last name. */
#include "files/confined_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40   /* the same as the kernel's limit */
#define STEPS_MAX 4096 /* bounds a walk that starts again for each ".." */

/* A link that was followed. Its target is reached when `rest_len` bytes of the path are left. */
struct followed {
    uid_t owner;
    size_t rest_len;
};

struct walk {
    enum config_symlinks policy;
    int flags;     /* for opening the last component */
    int root, dir; /* dir: the root, or a descriptor of our own */
    int found;     /* the resulting descriptor; negative until then */
    char todo[PATH_MAX];
    char done[PATH_MAX]; /* the names from the root to `dir`; only within the root */
    size_t todo_pos, done_len;
    unsigned link_count, steps;
    struct followed followed[LINKS_MAX];
    size_t followed_count;
};

static void enter(struct walk *walk, int fd)
{
    if (walk->dir != walk->root)
        close(walk->dir);
    walk->dir = fd;
}

/* Puts `first` in front of `rest`, which is the end of walk->todo and begins with a slash. */
static int put_before(struct walk *walk, const char *first, size_t first_len, const char *rest)
{
    size_t rest_len = strlen(rest);

    if (first_len + rest_len >= sizeof(walk->todo))
        return -ENAMETOOLONG;
    memmove(walk->todo + first_len, rest, rest_len + 1);
    memcpy(walk->todo, first, first_len);
    walk->todo_pos = 0;
    return 0;
}

static size_t len_without_slashes(const char *rest)
{
    return strlen(rest + strspn(rest, "/"));
}

/* Do all followed links whose target is now reached belong to `owner`? */
static int check_owner(struct walk *walk, uid_t owner, size_t rest_len)
{
    while (walk->followed_count > 0) {
        const struct followed *last = &walk->followed[walk->followed_count - 1];
        if (last->rest_len < rest_len)
            break;
        if (last->owner != owner)
            return -ELOOP;
        walk->followed_count--;
    }
    return 0;
}

static int climb(struct walk *walk, const char *rest)
{
    int fd;

    if (walk->policy == SYMLINKS_ANY || walk->policy == SYMLINKS_SAME_OWNER) {
        fd = openat(walk->dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return -errno;
        enter(walk, fd);
        return 0;
    }
    if (walk->done_len == 0)
        return -EXDEV;
    while (walk->done[--walk->done_len] != '/')
        ;
    enter(walk, walk->root);
    fd = put_before(walk, walk->done, walk->done_len, rest);
    walk->done_len = 0;
    return fd;
}

/* Continues with the target of `link`, a link in walk->dir. */
static int follow(struct walk *walk, int link, const struct stat *st, const char *rest)
{
    char target[PATH_MAX];
    struct statfs fs;
    ssize_t len;
    int err;

    if (walk->policy == SYMLINKS_NEVER || ++walk->link_count > LINKS_MAX)
        return -ELOOP;
    if (fstatfs(link, &fs) != 0)
        return -errno;
    if (fs.f_type == PROC_SUPER_MAGIC) /* many links there do not lead where their text says */
        return -ELOOP;
    len = readlinkat(link, "", target, sizeof(target));
    if (len < 0)
        return -errno;
    if (len == 0 || len == sizeof(target))
        return len == 0 ? -ENOENT : -ENAMETOOLONG;
    if (target[0] == '/' && walk->policy == SYMLINKS_WITHIN_ROOT)
        return -EXDEV;
    if (walk->policy == SYMLINKS_SAME_OWNER)
        walk->followed[walk->followed_count++] =
            (struct followed){st->st_uid, len_without_slashes(rest)};
    err = put_before(walk, target, (size_t)len, rest);
    if (err || target[0] != '/')
        return err;
    err = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (err < 0)
        return -errno;
    enter(walk, err);
    return 0;
}

/* Opens the component with O_PATH, without following it. */
static int hold(const struct walk *walk, const char *name, bool is_last, struct stat *st)
{
    int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, err;
    /* O_DIRECTORY tells an automounter that the folder is wanted. */
    int fd = openat(walk->dir, name, flags | (is_last ? 0 : O_DIRECTORY));

    if (fd < 0 && errno == ENOTDIR && !is_last)
        fd = openat(walk->dir, name, flags);
    if (fd < 0)
        return -errno;
    if (fstat(fd, st) == 0)
        return fd;
    err = -errno;
    close(fd);
    return err;
}

/* Opens the component that hold() described in `held`. -ESTALE: the name is another file by now. */
static int open_last(const struct walk *walk, const char *name, const struct stat *held, int flags)
{
    struct stat st;
    int fd;

    if (!S_ISREG(held->st_mode) && !S_ISDIR(held->st_mode))
        return -ENXIO;
    fd = openat(walk->dir, name, flags | O_NOFOLLOW);
    if (fd < 0)
        return errno == ELOOP ? -ESTALE : -errno;
    if (fstat(fd, &st) == 0 && st.st_dev == held->st_dev && st.st_ino == held->st_ino)
        return fd;
    close(fd);
    return -ESTALE;
}

/* Goes into the folder `fd`, which it takes over. */
static int go_into(struct walk *walk, int fd, const char *name, const char *rest)
{
    size_t len = strlen(name);

    enter(walk, fd);
    walk->todo_pos = (size_t)(rest - walk->todo);
    if (walk->policy != SYMLINKS_WITHIN_ROOT)
        return 0;
    if (walk->done_len + 1 + len >= sizeof(walk->done))
        return -ENAMETOOLONG;
    walk->done[walk->done_len++] = '/';
    memcpy(walk->done + walk->done_len, name, len);
    walk->done_len += len;
    return 0;
}

static int take_component(struct walk *walk, const char *name, const char *rest)
{
    bool is_last = *rest == '\0';
    struct stat st = {0};
    int fd = hold(walk, name, is_last, &st), err;

    if (fd < 0)
        return fd;
    if (S_ISLNK(st.st_mode)) {
        err = follow(walk, fd, &st, rest);
    } else if (is_last) {
        err = check_owner(walk, st.st_uid, 0);
        if (err == 0)
            err = walk->found = open_last(walk, name, &st, walk->flags);
        if (err == -ESTALE) /* -ESTALE: look at the same name again */
            err = 0;
    } else if (S_ISDIR(st.st_mode)) {
        return go_into(walk, fd, name, rest);
    } else {
        err = -ENOTDIR;
    }
    close(fd);
    return err < 0 ? err : 0;
}

/* The path ends with the folder that the walk is in. */
static int open_here(struct walk *walk)
{
    walk->found = openat(walk->dir, ".", walk->flags);
    return walk->found < 0 ? -errno : 0;
}

/* Do the followed links allow the owner of the folder that was just reached? */
static int check_here(struct walk *walk, const char *rest)
{
    struct stat st;

    if (walk->followed_count == 0)
        return 0;
    if (fstat(walk->dir, &st) != 0)
        return -errno;
    return check_owner(walk, st.st_uid, len_without_slashes(rest));
}

static int step(struct walk *walk)
{
    char name[sizeof(walk->todo)], *at = walk->todo + walk->todo_pos;
    size_t len;
    int err = check_here(walk, at);

    if (err)
        return err;
    if (++walk->steps > STEPS_MAX)
        return -ELOOP;
    at += strspn(at, "/");
    if (*at == '\0')
        return open_here(walk);
    len = strcspn(at, "/");
    memcpy(name, at, len);
    name[len] = '\0';
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        return take_component(walk, name, at + len);
    walk->todo_pos = (size_t)(at + len - walk->todo);
    return len == 2 ? climb(walk, at + len) : 0;
}

int confined_walk(int root, const char *path, enum config_symlinks policy, int flags)
{
    struct walk walk = {.policy = policy, .flags = flags, .root = root, .dir = root, .found = -1};
    int err = put_before(&walk, path, strlen(path), "");

    while (err == 0 && walk.found < 0)
        err = step(&walk);
    enter(&walk, root);
    return err ? err : walk.found;
}
