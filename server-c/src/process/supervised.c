/* SPDX-License-Identifier: MIT */
/* supervised.c — uses the descriptors that the parent has left open, and a thread that tells the
 * parent at each beat that the loops answer. */
#include "process/supervised.h"

#include "base/util.h"
#include "log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVIDENCE_LINES 50 /* as many as a result may have */
#define DESCRIPTORS 3

static struct {
    int socket; /* -1: there is no parent */
    pid_t parent;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool beats, is_stopping;
} self = {
    .socket = -1,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

void supervised_past_fini(struct supervised_past *past)
{
    free(past->last_lines);
    past->last_lines = NULL;
}

void supervised_end_with_parent(void)
{
    if (self.socket < 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self.parent) /* the parent died before prctl() took effect */
        _exit(1);
}

pid_t supervised_main_pid(void)
{
    return self.socket >= 0 ? self.parent : getpid();
}

/* --- the start --- */

/* Returns the last lines of the previous process, and lets our own lines go to the same memory. If
 * there is none (-1), our lines are kept in memory of our own. */
static int take_tail(int fd, char **last_lines)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    struct log_tail *tail = mmap(NULL, sizeof(*tail), PROT_READ | PROT_WRITE, flags, fd, 0);

    if (fd >= 0)
        close(fd);
    if (tail == MAP_FAILED)
        return -1;
    *last_lines = log_tail_lines(tail, EVIDENCE_LINES);
    log_tail_clear(tail);
    log_keep(tail);
    return 0;
}

static int take_order(int fd, struct supervisor_order *order)
{
    if (recv(fd, order, sizeof(*order), MSG_DONTWAIT) != (ssize_t)sizeof(*order))
        return -1;
    order->ending[SUPERVISOR_ENDING_LEN - 1] = '\0';
    return 0;
}

/* Is it open, and not one of the standard descriptors? */
static bool is_usable(long fd)
{
    return fd > STDERR_FILENO && fd <= INT_MAX && fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* Parses "8,6,4". The second, the memory, may be "-1". */
static int read_descriptors(const char *text, int fds[DESCRIPTORS])
{
    for (size_t i = 0; i < DESCRIPTORS; i++) {
        char *end;
        long fd = strtol(text, &end, 10);
        if (end == text || *end != (i + 1 < DESCRIPTORS ? ',' : '\0') ||
            (!is_usable(fd) && !(i == 1 && fd == -1)))
            return -1;
        fds[i] = (int)fd;
        text = end + 1;
    }
    return 0;
}

int supervised_start(const char *text, struct supervised_past *past, int *lock_fd)
{
    int fds[DESCRIPTORS];

    memset(past, 0, sizeof(*past));
    if (read_descriptors(text, fds) != 0)
        return -1;
    if (take_order(fds[0], &past->order) != 0 || take_tail(fds[1], &past->last_lines) != 0)
        return -1;
    /* Otherwise it would be called "exe", after the path it was started by. */
    prctl(PR_SET_NAME, "farmstead-node");
    self.socket = fds[0];
    self.parent = (pid_t)past->order.parent_pid;
    *lock_fd = fds[2];
    supervised_end_with_parent();
    return 0;
}

/* --- messages to the parent ------------------------------------------------------------------ */

static void say(const struct supervisor_note *note)
{
    if (self.socket >= 0)
        (void)!send(self.socket, note, sizeof(*note), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void supervised_ready(void)
{
    say(&(struct supervisor_note){.said = SUPERVISOR_SAID_READY});
}

void supervised_trial(uint64_t generation, uint32_t within_ms)
{
    say(&(struct supervisor_note){SUPERVISOR_SAID_TRIAL, within_ms, generation});
}

void supervised_settled(void)
{
    say(&(struct supervisor_note){.said = SUPERVISOR_SAID_SETTLED});
}

void supervised_agent_turns(void)
{
    static uint64_t due_ns;
    uint64_t now = monotonic_ns();

    if (now < due_ns)
        return;
    due_ns = now + SUPERVISOR_BEAT_MS / 2 * NS_PER_MS;
    say(&(struct supervisor_note){.said = SUPERVISOR_SAID_AGENT});
}

/* --- the beat --- */

/* Returns true if it is time to stop. */
static bool wait_for_beat(void)
{
    struct timespec until;
    bool is_stopping;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += SUPERVISOR_BEAT_MS / 1000;
    pthread_mutex_lock(&self.lock);
    if (!self.is_stopping)
        pthread_cond_timedwait(&self.changed, &self.lock, &until);
    is_stopping = self.is_stopping;
    pthread_mutex_unlock(&self.lock);
    return is_stopping;
}

static void *beat_main(void *arg)
{
    struct server *server = arg;

    pthread_setname_np(pthread_self(), "beat");
    do {
        struct server_effective effective;
        server_effective(server, &effective); /* returns when every loop has answered */
        say(&(struct supervisor_note){.said = SUPERVISOR_SAID_BEAT});
    } while (!wait_for_beat());
    return NULL;
}

void supervised_beat_start(struct server *server)
{
    pthread_condattr_t attributes;

    if (self.socket < 0)
        return;
    self.is_stopping = false;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* CLOCK_REALTIME may be set back */
    pthread_cond_init(&self.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    self.beats = pthread_create(&self.thread, NULL, beat_main, server) == 0;
    if (!self.beats)
        log_warn("no thread to say that this process is alive: if it hangs, nobody ends it");
}

void supervised_beat_stop(void)
{
    if (!self.beats)
        return;
    pthread_mutex_lock(&self.lock);
    self.is_stopping = true;
    pthread_cond_signal(&self.changed);
    pthread_mutex_unlock(&self.lock);
    pthread_join(self.thread, NULL);
    pthread_cond_destroy(&self.changed);
    self.beats = false;
}
