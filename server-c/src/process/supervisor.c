/* SPDX-License-Identifier: MIT */
/* supervisor.c — one loop for signals, messages of the child, and time. */
#include "process/supervisor.h"

#include "base/util.h"
#include "log/log.h"
#include "process/privileges.h"
#include "process/service_notify.h"
#include "process/state_folder.h"
#include "process/supervisor_child.h"
#include "process/supervisor_log.h"
#include "process/supervisor_policy.h"
#include "process/supervisor_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEVER UINT64_MAX

struct supervisor {
    const char *state_dir, *policy_path;
    int signal_fd, memory_fd, lock_fd;
    struct supervisor_child child;
    struct supervisor_policy policy;
    char ending[SUPERVISOR_ENDING_LEN]; /* how the last child ended */
    struct supervisor_watch watch;
    uint64_t start_at_ms; /* NEVER: a child is running */
    uint64_t turn_at_ms, watchdog_at_ms;
    bool is_stopping, is_over;
    int exit_code;
};

static uint64_t now_ms(void)
{
    return monotonic_ns() / NS_PER_MS;
}

static void end(struct supervisor *sup, int exit_code)
{
    sup->is_over = true;
    sup->exit_code = exit_code;
}

/* --- the child ------------------------------------------------------------------------------- */

static void start_child(struct supervisor *sup)
{
    struct supervisor_order order;
    uint64_t now = now_ms();

    supervisor_policy_order(&sup->policy, &order, now);
    order.parent_pid = getpid();
    snprintf(order.ending, sizeof(order.ending), "%s", sup->ending);
    supervisor_watch_begin(&sup->watch);
    if (supervisor_child_start(&sup->child, sup->state_dir, sup->policy_path, &order,
                               sup->memory_fd, sup->lock_fd) == 0) {
        sup->start_at_ms = NEVER;
        return;
    }
    log_error("supervisor: no process can be started: %s", strerror(errno));
    if (!sup->policy.was_ready)
        end(sup, 1);
    sup->start_at_ms = now + SUPERVISOR_BEAT_MS;
}

static void hear_child(struct supervisor *sup)
{
    struct supervisor_note note;

    while (supervisor_child_hear(&sup->child, &note)) {
        supervisor_policy_on_note(&sup->policy, &note, now_ms());
        if (note.said == SUPERVISOR_SAID_BEAT)
            supervisor_watch_on_beat(&sup->watch, WATCHED_LOOPS);
        else if (note.said == SUPERVISOR_SAID_AGENT)
            supervisor_watch_on_beat(&sup->watch, WATCHED_AGENT);
        else if (note.said == SUPERVISOR_SAID_READY && !sup->is_stopping)
            service_notify("READY=1\nSTATUS=Process %ld serves.", (long)sup->child.pid);
    }
}

/* Logs how the child ended, or why we ended it. */
static void say_ending(struct supervisor *sup, int status)
{
    bool is_ours = WIFSIGNALED(status) &&
                   (WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGKILL) &&
                   sup->watch.hang[0];

    if (is_ours)
        memcpy(sup->ending, sup->watch.hang, sizeof(sup->ending));
    else
        supervisor_child_say_ending(status, sup->ending, sizeof(sup->ending));
}

static void on_child_end(struct supervisor *sup, int status)
{
    long pid = (long)sup->child.pid;

    hear_child(sup); /* reads its last messages first */
    say_ending(sup, status);
    supervisor_child_forget(&sup->child);
    struct supervisor_verdict verdict =
        supervisor_policy_on_end(&sup->policy, status, sup->is_stopping, now_ms());
    if (verdict.ends) {
        if (WIFSIGNALED(status))
            log_error("supervisor: the serving process (%ld) ended: %s", pid, sup->ending);
        end(sup, verdict.exit_code);
        return;
    }
    log_error("supervisor: the serving process (%ld) ended: %s; starting it again in %u ms", pid,
              sup->ending, verdict.wait_ms);
    service_notify("STATUS=The serving process ended (%s), starting it again.", sup->ending);
    sup->start_at_ms = now_ms() + verdict.wait_ms;
}

/* Waits for all processes that have ended: as process 1 of a container this one is the parent of
 * all orphans. */
static void reap(struct supervisor *sup)
{
    int status;

    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG))
        if (!supervisor_log_on_end(pid) && pid == sup->child.pid)
            on_child_end(sup, status);
}

/* Counts silent turns, and ends a child that is silent for too long. If no loop answers it serves
 * nobody; if the agent hangs the control plane can't reach it, for good. SIGABRT leaves a core that
 * shows where it hung. SIGKILL is for a child that has been told to stop, or that does not react to
 * SIGABRT either. */
static void count_silence(struct supervisor *sup)
{
    bool is_told = sup->watch.hang[0] != '\0';

    if (sup->child.pid <= 0 || (!sup->is_stopping && supervisor_child_is_held(&sup->child)) ||
        !supervisor_watch_turn(&sup->watch, sup->is_stopping))
        return;
    if (!is_told)
        log_error("supervisor: the serving process (%ld) hangs, %s; ending it",
                  (long)sup->child.pid, sup->watch.hang);
    supervisor_child_signal(&sup->child, is_told || sup->is_stopping ? SIGKILL : SIGABRT);
}

/* --- signals and time ------------------------------------------------------------------------ */

static void stop(struct supervisor *sup, int number)
{
    if (!sup->is_stopping) {
        service_notify("STOPPING=1");
        supervisor_watch_on_stop(&sup->watch);
    }
    sup->is_stopping = true;
    supervisor_child_signal(&sup->child, number);
    if (sup->child.pid == 0)
        end(sup, 0);
}

static void on_signal(struct supervisor *sup, int number)
{
    if (number == SIGCHLD) {
        reap(sup);
    } else if (number == SIGTERM || number == SIGINT) {
        stop(sup, number);
    } else {
        if (number == SIGHUP && sup->policy.is_ready && !sup->is_stopping)
            service_notify_reloading();
        supervisor_child_signal(&sup->child, number);
    }
}

static void on_time(struct supervisor *sup)
{
    uint64_t now = now_ms();
    uint32_t watchdog_ms = service_notify_watchdog_ms();

    if (now >= sup->start_at_ms)
        start_child(sup);
    if (now >= sup->turn_at_ms) {
        count_silence(sup);
        sup->turn_at_ms = now + SUPERVISOR_BEAT_MS;
    }
    if (watchdog_ms > 0 && now >= sup->watchdog_at_ms) {
        service_notify("WATCHDOG=1");
        sup->watchdog_at_ms = now + watchdog_ms;
    }
}

static int wait_ms(const struct supervisor *sup)
{
    uint64_t now = now_ms(), due = sup->turn_at_ms;

    if (sup->start_at_ms < due)
        due = sup->start_at_ms;
    if (service_notify_watchdog_ms() > 0 && sup->watchdog_at_ms < due)
        due = sup->watchdog_at_ms;
    return due > now ? (int)(due - now) : 0;
}

static void turn(struct supervisor *sup)
{
    struct signalfd_siginfo info;
    struct pollfd fds[] = {{.fd = sup->signal_fd, .events = POLLIN},
                           {.fd = sup->child.socket, .events = POLLIN}};

    poll(fds, ARRAY_LEN(fds), wait_ms(sup));
    if (fds[1].revents)
        hear_child(sup);
    while (!sup->is_over && read(sup->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        on_signal(sup, (int)info.ssi_signo);
    if (!sup->is_over)
        on_time(sup);
}

/* --- the run --------------------------------------------------------------------------------- */

/* The child inherits them blocked, and keeps them so until it waits for them itself. */
static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int supervise(struct supervisor *sup)
{
    sup->signal_fd = open_signals();
    if (sup->signal_fd < 0) {
        log_error("supervisor: cannot start: %s", strerror(errno));
        return 1;
    }
    supervisor_log_start();
    sup->memory_fd = supervisor_child_memory();
    if (sup->memory_fd < 0)
        log_warn("supervisor: no memory to keep the last lines of a crash in: %s", strerror(errno));
    sup->turn_at_ms = now_ms() + SUPERVISOR_BEAT_MS;
    while (!sup->is_over)
        turn(sup);
    if (sup->memory_fd >= 0)
        close(sup->memory_fd);
    close(sup->signal_fd);
    supervisor_log_stop();
    return sup->exit_code;
}

int supervisor_run(const char *state_dir, const char *policy_path)
{
    char why[STATE_FOLDER_WHY_LEN];
    struct supervisor sup = {.state_dir = state_dir, .policy_path = policy_path, .child = {0, -1}};
    struct state_folder folder;

    privileges_forbid_new();
    service_notify_init();
    if (state_folder_open(&folder, state_dir, false, why, sizeof(why)) != 0) {
        fprintf(stderr, "farmstead-node run: %s\n", why);
        return 1;
    }
    sup.lock_fd = folder.lock_fd;
    int code = supervise(&sup);
    state_folder_close(&folder);
    return code;
}
