/* SPDX-License-Identifier: MIT */
/* supervisor_log.c — a queue, and a forked process that writes what is in the queue and ends. */
#include "process/supervisor_log.h"

#include "log/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUEUE_BYTES 16384
#define LOOK_EVERY_MS 10
#define LOOKS 100

static struct {
    pid_t pid; /* 0: there is none */
    size_t len, dropped;
    char bytes[QUEUE_BYTES];
} queue;

/* Runs in the forked process, which ends with its parent, and keeps only standard error of its
 * descriptors: not the lock of the state folder, for instance. */
static void write_and_end(pid_t parent)
{
    sigset_t none;

    prctl(PR_SET_NAME, "log"); /* so that it is not taken for a serving process */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    for (size_t done = 0; done < queue.len;) {
        ssize_t n = write(STDERR_FILENO, queue.bytes + done, queue.len - done);
        if (n <= 0 && errno != EINTR)
            _exit(1);
        done += n > 0 ? (size_t)n : 0;
    }
    _exit(0);
}

static void begin(void)
{
    pid_t parent = getpid();

    if (queue.pid > 0 || queue.len == 0)
        return;
    queue.pid = fork();
    if (queue.pid == 0)
        write_and_end(parent);
    if (queue.pid > 0)
        queue.len = 0;
    else
        queue.pid = 0; /* no process was available: the lines wait for the next attempt */
}

static void write_line(const char *line, size_t len)
{
    if (len > sizeof(queue.bytes) - queue.len) {
        queue.dropped++;
        return;
    }
    memcpy(queue.bytes + queue.len, line, len);
    queue.len += len;
    begin();
}

void supervisor_log_start(void)
{
    log_divert(write_line);
}

bool supervisor_log_on_end(pid_t pid)
{
    size_t dropped = queue.dropped;

    if (queue.pid == 0 || pid != queue.pid)
        return false;
    queue.pid = 0;
    begin();
    if (dropped > 0) {
        queue.dropped = 0;
        log_warn("supervisor: %zu lines were dropped: nobody read standard error", dropped);
    }
    return true;
}

void supervisor_log_stop(void)
{
    for (int i = 0; i < LOOKS && queue.pid > 0; i++) {
        pid_t pid = waitpid(queue.pid, NULL, WNOHANG);
        if (pid == 0)
            poll(NULL, 0, LOOK_EVERY_MS);
        else
            supervisor_log_on_end(queue.pid); /* it has ended, or has been waited for elsewhere */
    }
    if (queue.pid > 0)
        kill(queue.pid, SIGKILL);
    queue.pid = 0;
    log_divert(NULL);
}
