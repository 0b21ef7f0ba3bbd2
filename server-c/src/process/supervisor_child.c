/* SPDX-License-Identifier: MIT */
/* supervisor_child.c — the child is executed again, and not only forked. So each child has its own
 * memory layout, and somebody who crashes one learns nothing about the next; and it has no memory
 * of the parent's. */
#include "process/supervisor_child.h"

#include "log/log.h"
#include "log/log_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "/proc/self/exe" /* still works when a package has replaced the file */
#define EXEC_FAILED 126

int supervisor_child_memory(void)
{
    int fd = memfd_create("farmstead-log-tail", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, sizeof(struct log_tail)) == 0)
        return fd;
    int saved = errno; /* a limit on the size of files applies to memory files, too */
    close(fd);
    errno = saved;
    return -1;
}

/* Runs in the child between fork and exec. TERM, INT, HUP and USR1 stay blocked: signals that come
 * before the new program waits for them are neither lost nor fatal. */
static void become_program(const char *state_dir, const char *policy_path, int socket,
                           int memory_fd, int lock_fd)
{
    char fds[64];
    sigset_t child_ended;
    const char *arguments[] = {"farmstead-node",
                               "run",
                               "--state",
                               state_dir,
                               "--child",
                               fds,
                               policy_path != NULL ? "--policy" : NULL,
                               policy_path,
                               NULL};

    snprintf(fds, sizeof(fds), "%d,%d,%d", socket, memory_fd, lock_fd);
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &child_ended, NULL);
    if (fcntl(socket, F_SETFD, 0) == 0 && fcntl(lock_fd, F_SETFD, 0) == 0 &&
        (memory_fd < 0 || fcntl(memory_fd, F_SETFD, 0) == 0))
        execv(PROGRAM, (char *const *)(uintptr_t)arguments);
    if (log_stderr_is_ready())
        fprintf(stderr, "farmstead-node run: cannot execute %s: %s\n", PROGRAM, strerror(errno));
    _exit(EXEC_FAILED);
}

int supervisor_child_start(struct supervisor_child *child, const char *state_dir,
                           const char *policy_path, const struct supervisor_order *order,
                           int memory_fd, int lock_fd)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    if (send(pair[0], order, sizeof(*order), MSG_NOSIGNAL) != (ssize_t)sizeof(*order))
        goto fail;
    child->pid = fork();
    if (child->pid < 0)
        goto fail;
    if (child->pid == 0)
        become_program(state_dir, policy_path, pair[1], memory_fd, lock_fd);
    close(pair[1]);
    child->socket = pair[0];
    return 0;

fail:;
    int saved = errno;
    child->pid = 0;
    close(pair[0]);
    close(pair[1]);
    errno = saved;
    return -1;
}

bool supervisor_child_hear(struct supervisor_child *child, struct supervisor_note *note)
{
    ssize_t len = -1;

    while (child->socket >= 0) {
        len = recv(child->socket, note, sizeof(*note), MSG_DONTWAIT);
        if (len == (ssize_t)sizeof(*note))
            return true;
        if (len < 0 && errno == EINTR)
            continue;
        if (len > 0) /* a record that is not ours: ignored */
            continue;
        break;
    }
    if (len == 0) { /* closed by the child; poll() would report this for ever */
        close(child->socket);
        child->socket = -1;
    }
    return false;
}

void supervisor_child_signal(const struct supervisor_child *child, int number)
{
    if (child->pid > 0)
        kill(child->pid, number);
}

bool supervisor_child_is_held(const struct supervisor_child *child)
{
    char path[32], text[512];
    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)child->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = '\0';
    const char *name_end = strrchr(text, ')'); /* "123 (name) S …"; the name may contain anything */
    return name_end && (name_end[1] == ' ') && (name_end[2] == 'T' || name_end[2] == 't');
}

void supervisor_child_forget(struct supervisor_child *child)
{
    if (child->socket >= 0)
        close(child->socket);
    *child = (struct supervisor_child){0, -1};
}

void supervisor_child_say_ending(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(out, size, "killed by signal %d (%s%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), WCOREDUMP(status) ? ", core dumped" : "");
    else
        snprintf(out, size, "exit code %d", WEXITSTATUS(status));
}
