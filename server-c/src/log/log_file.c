/* SPDX-License-Identifier: MIT */
/* log_file.c — checks what is at the path before opening it, and again afterwards by its
 * descriptor. */
#include "log/log_file.h"

#include "base/mem.h"
#include "base/util.h"
#include "log/log_line.h"
#include "machine/bounded_call.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define WAIT_SECONDS 2
#define FIRST_LINE_BYTES (16 * 1024) /* longer than any line of ours */
#define NEW_FILE_MODE 0640

static const char choose_another[] =
    "name a path where nothing is yet, or a log that a server has begun";

/* --- what is at the path --------------------------------------------------------------------- */

static int refuse(struct log_file_problem *problem, int err, const char *hint, const char *what)
{
    problem->code = CONFIG_CODE_UNUSABLE_FILE;
    problem->hint = hint;
    snprintf(problem->what, sizeof(problem->what), "%s", what);
    return err;
}

int log_file_failed(struct log_file_problem *problem, int err)
{
    bool is_missing = err == UV_ENOENT || err == UV_ENOTDIR;
    bool is_limit = err == UV_EMFILE || err == UV_ENFILE || err == UV_ENOMEM || err == UV_EAGAIN ||
                    err == UV_ENOSPC;

    problem->code = is_missing ? CONFIG_CODE_MISSING_FILE
                    : is_limit ? CONFIG_CODE_RESOURCE_LIMIT
                               : CONFIG_CODE_PERMISSION;
    problem->hint = is_missing ? "create the folder and let the node's user write there"
                    : is_limit ? "make room for it on this machine"
                               : "name a file that the node's user may read and write";
    snprintf(problem->what, sizeof(problem->what), "can't be opened: %s", uv_strerror(err));
    return err;
}

/* For any file, even one that is not open, because opening a device may do something. */
static int judge_type(const struct stat *st, struct log_file_problem *problem)
{
    if (S_ISLNK(st->st_mode))
        return refuse(problem, UV_ELOOP, "name the file itself",
                      "is a symbolic link, and a log is not written through one");
    if (S_ISDIR(st->st_mode))
        return refuse(problem, UV_EISDIR, "name a file in it", "is a folder");
    if (!S_ISREG(st->st_mode))
        return refuse(problem, UV_EINVAL,
                      "name a file; for standard output or error write \"stdout\" or \"stderr\"",
                      "is a pipe, a socket or a device, and a log is a plain file");
    if (st->st_nlink > 1)
        return refuse(problem, UV_EINVAL, choose_another, "has a second name (a hard link)");
    return 0;
}

static int judge_content(int fd, off_t size, enum log_file_kind kind,
                         struct log_file_problem *problem)
{
    char text[FIRST_LINE_BYTES];
    ssize_t len = size == 0 ? 0 : pread(fd, text, sizeof(text), 0);

    if (len < 0)
        return log_file_failed(problem, -errno);
    if (len == 0)
        return 0;
    if (kind == LOG_FILE_ACCESS ? log_line_is_access(text, (size_t)len)
                                : log_line_is_error(text, (size_t)len))
        return 0;
    return refuse(
        problem, UV_EINVAL, "name another path, or move the file away",
        kind == LOG_FILE_ACCESS
            ? "has something else in it: its first line is none of an access log: it has no time"
            : "has something else in it: its first line is none of an error log of ours");
}

/* --- opening --------------------------------------------------------------------------------- */

#define OPEN_FLAGS (O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)

static int open_existing(const char *path, enum log_file_kind kind,
                         struct log_file_problem *problem)
{
    struct stat st;

    if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return log_file_failed(problem, -errno);
    int err = judge_type(&st, problem);
    if (err)
        return err;
    int fd = open(path, OPEN_FLAGS);
    if (fd < 0)
        return log_file_failed(problem, -errno);
    /* By now the path may be another file. */
    err = fstat(fd, &st) == 0 ? judge_type(&st, problem) : log_file_failed(problem, -errno);
    if (!err)
        err = judge_content(fd, st.st_size, kind, problem);
    if (!err)
        return fd;
    close(fd);
    return err;
}

/* Tries without O_CREAT first. In a folder that everybody may write to, the kernel refuses O_CREAT
 * even to root if the file belongs to another user (fs.protected_regular), which a log does after a
 * restart. */
static int open_or_make(const char *path, enum log_file_kind kind, bool *is_made,
                        struct log_file_problem *problem)
{
    int fd = open_existing(path, kind, problem);

    if (fd != UV_ENOENT)
        return fd;
    fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, NEW_FILE_MODE);
    *is_made = fd >= 0;
    if (fd >= 0)
        return fd;
    /* Somebody else, perhaps logrotate, has just created it. */
    return errno == EEXIST ? open_existing(path, kind, problem) : log_file_failed(problem, -errno);
}

/* Checks the file against the owner's bounds. It is open, and nothing has been written. */
static int hold_to_bounds(const char *path, int fd, bool is_made, struct log_file_problem *problem)
{
    char why[BOUNDS_WHY_LEN];

    if (bounds_may_write(fd, OWNER_LOGS, why) == 0)
        return fd;
    if (is_made)
        unlink(path);
    close(fd);
    refuse(problem, UV_EACCES, "name a file in a folder of logs of the machine's policy", why);
    problem->code = CONFIG_CODE_POLICY;
    return UV_EACCES;
}

static int open_within_bounds(const char *path, enum log_file_kind kind, bool *is_made,
                              struct log_file_problem *problem)
{
    int fd = open_or_make(path, kind, is_made, problem);

    return fd >= 0 ? hold_to_bounds(path, fd, *is_made, problem) : fd;
}

static int is_at(const char *path, const struct log_file *file)
{
    struct stat st;

    return lstat(path, &st) == 0 && st.st_dev == file->device && st.st_ino == file->inode;
}

/* --- with a limit of time -------------------------------------------------------------------- */

enum question { TO_OPEN, TO_LOOK, IS_AT };

struct job {
    enum question question;
    enum log_file_kind kind;
    char *path;
    struct log_file held; /* for IS_AT */
    bool is_made;
    int result; /* a descriptor or a negative UV_E*; for IS_AT: 1 or 0 */
    struct log_file_problem problem;
};

static void do_job(void *arg)
{
    struct job *job = arg;

    switch (job->question) {
    case TO_OPEN:
        job->result = open_within_bounds(job->path, job->kind, &job->is_made, &job->problem);
        break;
    case TO_LOOK:
        job->result = open_existing(job->path, job->kind, &job->problem);
        break;
    case IS_AT:
        job->result = is_at(job->path, &job->held);
        break;
    }
}

static void free_job(struct job *job)
{
    free(job->path);
    free(job);
}

static void forget_job(void *arg)
{
    struct job *job = arg;

    if (job->question != IS_AT && job->result >= 0)
        close(job->result);
    free_job(job);
}

static void no_answer(struct log_file_problem *problem, const char *what)
{
    problem->code = CONFIG_CODE_RESOURCE_LIMIT;
    problem->hint = "see that the disk or the network file system that it is on answers";
    snprintf(problem->what, sizeof(problem->what), "%s", what);
}

/* NULL with a problem: there was no answer. Else the caller ends the job with free_job(). */
static struct job *ask(const char *path, enum question question, enum log_file_kind kind,
                       const struct log_file *held, struct log_file_problem *problem)
{
    struct job *job = xcalloc(1, sizeof(*job));

    job->path = xstrdup(path);
    job->question = question;
    job->kind = kind;
    if (held)
        job->held = *held;
    switch (bounded_call(do_job, forget_job, job, WAIT_SECONDS)) {
    case BOUNDED_DONE:
        return job;
    case BOUNDED_LEFT:
        no_answer(problem, "can't be opened: the disk does not answer");
        break;
    case BOUNDED_REFUSED:
        no_answer(problem, "can't be opened: no thread is to be had, or too many wait for a disk");
        free_job(job);
        break;
    }
    return NULL;
}

/* Returns a descriptor or a negative UV_E*. */
static int ask_to_open(const char *path, enum question question, enum log_file_kind kind,
                       bool *is_made, struct log_file_problem *problem)
{
    struct job *job = ask(path, question, kind, NULL, problem);
    int result;

    if (!job)
        return UV_ETIMEDOUT;
    result = job->result;
    *is_made = job->is_made;
    if (result < 0)
        *problem = job->problem;
    free_job(job);
    return result;
}

int log_file_open(const char *path, enum log_file_kind kind, struct log_file *file,
                  struct log_file_problem *problem)
{
    bool is_made;
    int fd = ask_to_open(path, TO_OPEN, kind, &is_made, problem);
    struct stat st;

    if (fd < 0)
        return fd;
    *file = (struct log_file){.fd = fd, .is_made = is_made};
    if (fstat(fd, &st) == 0) {
        file->device = st.st_dev;
        file->inode = st.st_ino;
    }
    return 0;
}

bool log_file_is_at(const char *path, const struct log_file *file)
{
    struct log_file_problem ignored;
    struct job *job = ask(path, IS_AT, LOG_FILE_ACCESS, file, &ignored);
    bool is_there = !job || job->result == 1;

    if (job)
        free_job(job);
    return is_there;
}

int log_file_look(const char *path, enum log_file_kind kind, struct log_file_problem *problem)
{
    bool ignored;
    int result = ask_to_open(path, TO_LOOK, kind, &ignored, problem);

    if (result < 0)
        return result;
    close(result);
    return 0;
}
