/* SPDX-License-Identifier: MIT */
/* cmd_run.c — farmstead-node run: serves what the control plane assigns, from a state folder made
 * by `join`. Signals: TERM and INT drain and stop, USR1 opens the log files again, HUP loads
 * config.jsonc from the state folder as somebody has changed it.
 *
 * The process that is started is a parent (supervisor.h), which runs this program again with
 * --child: that process serves. */
#include "cmd/commands.h"

#include "admin/admin.h"
#include "agent/agent.h"
#include "agent/agent_state.h"
#include "log/log.h"
#include "machine/inherited_sockets.h"
#include "machine/pid_file.h"
#include "owner/bounds.h"
#include "owner/owner_file.h"
#include "process/confinement.h"
#include "process/privileges.h"
#include "process/supervised.h"
#include "process/supervisor.h"
#include "server/server.h"

#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define USAGE "usage: farmstead-node run --state DIR [--policy FILE]\n"
#define DRAIN_MS 1000
#define START_AGAIN 75 /* exit code that asks the parent to start this again (EX_TEMPFAIL) */
#define OUTDATED_EVERY_S 1
#define OUTDATED_AFTER_S 3 /* limits the cost of folders that are replaced repeatedly */

struct run {
    const char *state_dir;
    const char *policy; /* NULL: the usual place */
    const char *child;  /* NULL in the process that a person starts */
};

static int bad_usage(const char *what)
{
    fprintf(stderr, "farmstead-node run: %s; %s", what, USAGE);
    return 2;
}

static int parse(int argc, char **argv, struct run *run)
{
    static const struct option options[] = {{"state", required_argument, NULL, 's'},
                                            {"policy", required_argument, NULL, 'p'},
                                            {"child", required_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 1;
    for (int c = getopt_long(argc, argv, "", options, NULL); c != -1;
         c = getopt_long(argc, argv, "", options, NULL)) {
        if (c == 's')
            run->state_dir = optarg;
        else if (c == 'p')
            run->policy = optarg;
        else if (c == 'c')
            run->child = optarg;
        else
            return bad_usage("an option is unknown or has no value");
    }
    if (optind != argc)
        return bad_usage("there is an argument too many");
    if (!run->state_dir)
        return bad_usage("--state is needed");
    return 0;
}

/* Threads inherit the mask, so only wait_for_end() receives these signals. */
static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* --- folders that were replaced -------------------------------------------------------------- */

static atomic_bool is_outdated;

/* Runs on a thread that nobody waits for: a folder on a disk that hangs may keep it for ever. */
static void *watch_folders(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "policy-folders");
    sleep(OUTDATED_AFTER_S);
    while (!confinement_is_outdated())
        sleep(OUTDATED_EVERY_S);
    atomic_store(&is_outdated, true);
    kill(getpid(), SIGTERM);
    return NULL;
}

static void start_watching_folders(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, watch_folders, NULL) == 0)
        pthread_detach(thread);
    else
        log_warn("no thread to see whether a folder of the policy is replaced: restart then");
}

/* --- the end --------------------------------------------------------------------------------- */

static void wait_for_end(const sigset_t *set, struct server *server, struct agent *agent)
{
    for (;;) {
        int number = 0;
        if (sigwait(set, &number) != 0)
            continue;
        if (number == SIGUSR1) {
            server_reopen_logs(server);
        } else if (number == SIGHUP) {
            agent_reload(agent);
        } else if (atomic_load(&is_outdated)) {
            log_warn("a folder of this machine's policy was replaced or made: starting anew, since "
                     "the kernel holds this process to the folders that were there");
            return;
        } else {
            log_info("stopping (%s)", number == SIGTERM ? "SIGTERM" : "SIGINT");
            return;
        }
    }
}

/* --- the process itself ---------------------------------------------------------------------- */

struct process {
    struct server *server;
    struct agent_state *state;
    struct pid_file *pid_file;
    bool is_broken; /* rights are only partly given up */
};

/* Also gives the node's own files to the user. */
static int become_user(struct process *process, const struct config *cfg, const char **pointer,
                       char why[PRIVILEGES_WHY_LEN])
{
    struct privileges privileges;
    int result = 0;

    *pointer = "/process/user";
    if (privileges_find(&privileges, cfg, why) != 0)
        return -1;
    if (cfg->process.pid_file[0]) {
        *pointer = "/process/pidFile";
        process->pid_file = pid_file_write(cfg->process.pid_file, supervised_main_pid(), why);
        result = process->pid_file ? 0 : -1;
    }
    if (result == 0 && privileges.changes) {
        *pointer = "/process/user";
        server_give_files(process->server, privileges.uid, privileges.gid);
        result = agent_state_give(process->state, privileges.uid, privileges.gid, why,
                                  PRIVILEGES_WHY_LEN);
        if (result == 0 && privileges_drop(&privileges, why) != 0) {
            process->is_broken = true;
            result = -1;
        }
    }
    if (result == 0 && privileges.changes)
        log_info("serving as user %ld, group %ld", (long)privileges.uid, (long)privileges.gid);
    privileges_fini(&privileges);
    return result;
}

/* Called once, on the agent's thread; see server_before_serving(). */
static int take_place(void *arg, const struct config *cfg, struct config_errors *errors)
{
    struct process *process = arg;
    char why[PRIVILEGES_WHY_LEN];
    const char *pointer = NULL;

    if (cfg->process.chroot[0]) {
        config_errors_add_at(errors, cfg, CONFIG_CODE_PERMISSION, "/process/chroot",
                             "leave it out for nodes that a control plane manages",
                             "a joined node needs its state folder and can't change its root");
        return -1;
    }
    int err = become_user(process, cfg, &pointer, why);
    supervised_end_with_parent(); /* the change of user has undone it */
    if (err == 0)
        return 0;
    pid_file_remove(process->pid_file);
    process->pid_file = NULL;
    config_errors_add_at(errors, cfg, CONFIG_CODE_PERMISSION, pointer, NULL, "%s", why);
    if (process->is_broken)
        kill(getpid(), SIGTERM);
    return -1;
}

/* --- the run --------------------------------------------------------------------------------- */

static void say_bounds(void)
{
    if (*bounds_policy_path())
        log_info("policy: %s", bounds_policy_path());
    else
        log_warn("policy: this machine has no %s, so that a tight one holds: only /srv/www is "
                 "served (docs/running-a-node.md)",
                 OWNER_POLICY_PATH);
}

static int serve(struct agent_state *state, const struct agent_identity *identity,
                 const struct supervised_past *past)
{
    struct process process = {.state = state};
    sigset_t set;
    char why[AGENT_WHY_LEN];
    int err = 0;
    privileges_forbid_new();
    inherited_sockets_init();
    block_signals(&set);
    log_start();
    struct server *server = server_new(&admin_listener, &err);
    if (!server) {
        log_error("no server: %s", uv_strerror(err));
        log_stop();
        return 1;
    }
    process.server = server;
    server_before_serving(server, take_place, &process);
    say_bounds();
    log_info("farmstead-node %s: node \"%s\" (%s) of %s", FARMSTEAD_VERSION,
             identity->enrolled.name, identity->enrolled.node_id, identity->control_plane_url);
    struct agent *agent = agent_start(server, state, identity, past, why);
    if (agent) {
        supervised_ready();
        supervised_beat_start(server);
        start_watching_folders();
        wait_for_end(&set, server, agent);
        supervised_end_with_parent(); /* for this thread, as the one that asked before may end */
        agent_stop(agent);
        /* Not earlier, or an agent that hangs would look like a loop that does. */
        supervised_beat_stop();
    } else {
        log_error("%s", why);
    }
    bool is_stopped = server_stop(server, DRAIN_MS);
    pid_file_remove(process.pid_file);
    log_stop();
    if (!is_stopped) /* there are threads left that wait for a disk */
        _exit(1);
    if (!agent || process.is_broken)
        return 1;
    return atomic_load(&is_outdated) ? START_AGAIN : 0;
}

/* 0, or -1 with the reason in the log, which does not wait for a full pipe. */
static int take_bounds(const struct run *run)
{
    struct buf why;

    buf_init(&why);
    int err = owner_file_set_bounds(run->policy, run->state_dir, &why);
    if (err != 0)
        log_error("farmstead-node run: %s", why.data);
    buf_fini(&why);
    return err == 0 ? confinement_enter(NULL) : -1;
}

static int run_child(const struct run *run)
{
    const char *state_dir = run->state_dir;
    struct agent_identity identity;
    struct supervised_past past;
    char why[AGENT_WHY_LEN];
    int lock_fd, code;
    if (supervised_start(run->child, &past, &lock_fd) != 0)
        return bad_usage("--child is for farmstead-node itself");
    struct agent_state *state = agent_state_open_locked(state_dir, lock_fd, why);
    if (!state || take_bounds(run) != 0) {
        if (!state)
            log_error("farmstead-node run: %s", why);
        supervised_past_fini(&past);
        agent_state_close(state);
        return 1;
    }
    enum agent_file what = agent_state_read_identity(state, &identity, why);
    if (what == AGENT_FILE_OK) {
        code = serve(state, &identity, &past);
        agent_identity_fini(&identity);
    } else {
        code = 1;
        if (what == AGENT_FILE_MISSING)
            log_error("farmstead-node run: %s is no node yet: run farmstead-node join URL --token "
                      "TOKEN --state %s first",
                      state_dir, state_dir);
        else
            log_error("farmstead-node run: %s: join again with --rejoin", why);
    }
    supervised_past_fini(&past);
    agent_state_close(state);
    return code;
}

int cmd_run(int argc, char **argv)
{
    struct run run = {0};
    int code = parse(argc, argv, &run);
    if (code != 0)
        return code;
    return run.child ? run_child(&run) : supervisor_run(run.state_dir, run.policy);
}
