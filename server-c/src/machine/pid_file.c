/* SPDX-License-Identifier: MIT */
/* pid_file.c — writes the file under another name and renames it. The descriptor stays open, so
 * that the file can be emptied even if its folder can't be reached any more. */
#include "machine/pid_file.h"

#include "base/mem.h"
#include "base/path.h"
#include "owner/bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_LEN 32

struct pid_file {
    char *path;
    int fd;
};

/* Reads the text of the file at `path`; "" if it can't be read. */
static void read_text(const char *path, char text[TEXT_LEN])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, text, TEXT_LEN - 1) : 0;

    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Is there only a number and a line end, or nothing? A file with anything else belongs to somebody
 * else. */
static bool is_number(const char *path)
{
    char text[TEXT_LEN];
    size_t digits;

    read_text(path, text);
    digits = strspn(text, "0123456789");
    return strlen(text) < TEXT_LEN - 1 && digits < TEXT_LEN / 2 &&
           text[digits + strspn(text + digits, " \n")] == '\0';
}

int pid_file_look(const char *path, char why[PID_FILE_WHY_LEN])
{
    struct stat st;
    int err = lstat(path, &st) == 0 ? 0 : errno;

    if (err == ENOENT)
        return 0;
    if (err != 0)
        snprintf(why, PID_FILE_WHY_LEN, "can't be looked at: %s", strerror(err));
    else if (S_ISLNK(st.st_mode))
        snprintf(why, PID_FILE_WHY_LEN, "is a link: name the file itself");
    else if (!S_ISREG(st.st_mode))
        snprintf(why, PID_FILE_WHY_LEN, "is there and is no regular file");
    else if (st.st_nlink > 1)
        snprintf(why, PID_FILE_WHY_LEN, "has another name as well: it is not the node's");
    else if (!is_number(path))
        snprintf(why, PID_FILE_WHY_LEN,
                 "is there and holds something else than a process's number: it is not the node's");
    else
        return 0;
    return -1;
}

/* A node that has lost its config and gets another one has its pid file already. */
bool pid_file_names(const char *path, pid_t pid)
{
    char text[TEXT_LEN];

    read_text(path, text);
    return strtol(text, NULL, 10) == (long)pid;
}

/* Does the number belong to a process of ours? After a crash another process may soon have it, so
 * the name is compared if it can be read. */
static bool is_one_of_us(long pid, pid_t self)
{
    char path[TEXT_LEN], theirs[TEXT_LEN], ours[TEXT_LEN];

    if (pid <= 0 || pid > INT_MAX || pid == self || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
        return false;
    snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
    read_text(path, theirs);
    read_text("/proc/self/comm", ours);
    return !theirs[0] || !ours[0] || strcmp(theirs, ours) == 0;
}

static int write_text(const char *path, pid_t pid, int *fd)
{
    char text[TEXT_LEN];
    int len = snprintf(text, sizeof(text), "%ld\n", (long)pid);

    unlink(path); /* left by an earlier process with this number */
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (*fd < 0)
        return errno;
    errno = ENOSPC;
    if (write(*fd, text, (size_t)len) == len && fchmod(*fd, 0644) == 0)
        return 0;
    return errno;
}

/* Checks the folder, since the name is written there. */
static int check_folder(const char *path, char why[PID_FILE_WHY_LEN])
{
    char *folder = path_folder(path);
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;
    char reason[BOUNDS_WHY_LEN];

    if (fd >= 0)
        err = bounds_may_write(fd, OWNER_RUNTIME, reason);
    if (err != 0)
        snprintf(why, PID_FILE_WHY_LEN, "process.pidFile: \"%.200s\" %s", folder, reason);
    if (fd >= 0)
        close(fd);
    free(folder);
    return err;
}

static int check_place(const char *path, pid_t pid, char why[PID_FILE_WHY_LEN])
{
    char text[TEXT_LEN], reason[PID_FILE_WHY_LEN];

    if (check_folder(path, why) != 0)
        return -1;
    if (pid_file_look(path, reason) != 0) {
        snprintf(why, PID_FILE_WHY_LEN, "process.pidFile: \"%.200s\" %.200s", path, reason);
        return -1;
    }
    read_text(path, text);
    if (!is_one_of_us(strtol(text, NULL, 10), pid))
        return 0;
    snprintf(why, PID_FILE_WHY_LEN, "process.pidFile: \"%s\" names process %ld, which runs", path,
             strtol(text, NULL, 10));
    return -1;
}

struct pid_file *pid_file_write(const char *path, pid_t pid, char why[PID_FILE_WHY_LEN])
{
    size_t len = strlen(path) + TEXT_LEN;
    struct pid_file *file = NULL;
    char *temporary;
    int fd = -1, err;

    if (check_place(path, pid, why) != 0)
        return NULL;
    temporary = xmalloc(len);
    snprintf(temporary, len, "%s.%ld", path, (long)getpid());
    err = write_text(temporary, pid, &fd);
    if (!err && rename(temporary, path) != 0)
        err = errno;
    if (err) {
        snprintf(why, PID_FILE_WHY_LEN, "process.pidFile: can't write \"%s\": %s", path,
                 strerror(err));
        if (fd >= 0) {
            close(fd);
            unlink(temporary);
        }
    } else {
        file = xcalloc(1, sizeof(*file));
        *file = (struct pid_file){xstrdup(path), fd};
    }
    free(temporary);
    return file;
}

static bool is_still_ours(const struct pid_file *file)
{
    struct stat named, open;

    return lstat(file->path, &named) == 0 && fstat(file->fd, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

void pid_file_remove(struct pid_file *file)
{
    if (!file)
        return;
    if (!is_still_ours(file) || unlink(file->path) != 0)
        (void)!ftruncate(file->fd, 0);
    close(file->fd);
    free(file->path);
    free(file);
}
