/* SPDX-License-Identifier: MIT */
/* cmd_run.c — farmstead-node run: serves what the control plane assigns, from a state folder that
 * `join` has made. Signals: TERM and INT drain and stop, USR1 reopens the log files, HUP has nothing
 * to reload. */
#include "commands.h"

#include "agent.h"
#include "agent_state.h"
#include "log.h"
#include "server.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#define USAGE "usage: farmstead-node run --state DIR\n"
#define DRAIN_MS 1000

static int bad_usage(const char *what)
{
    fprintf(stderr, "farmstead-node run: %s; %s", what, USAGE);
    return 2;
}

static int parse(int argc, char **argv, const char **state_dir)
{
    static const struct option options[] = {{"state", required_argument, NULL, 's'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 1;
    for (int c = getopt_long(argc, argv, "", options, NULL); c != -1;
         c = getopt_long(argc, argv, "", options, NULL)) {
        if (c != 's')
            return bad_usage("an option is unknown or has no value");
        *state_dir = optarg;
    }
    if (optind != argc)
        return bad_usage("there is an argument too many");
    if (!*state_dir)
        return bad_usage("--state is needed");
    return 0;
}

/* Every thread started later inherits the mask, so that only wait_for_end() sees these. */
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

static void wait_for_end(const sigset_t *set, struct server *server)
{
    for (;;) {
        int number = 0;
        if (sigwait(set, &number) != 0)
            continue;
        if (number == SIGUSR1) {
            server_reopen_logs(server);
        } else if (number == SIGHUP) {
            log_info("SIGHUP: nothing to reload, the config comes from the control plane");
        } else {
            log_info("stopping (%s)", number == SIGTERM ? "SIGTERM" : "SIGINT");
            return;
        }
    }
}

static int serve(struct agent_state *state, const struct agent_identity *identity)
{
    sigset_t set;
    char why[AGENT_WHY_LEN];
    int err = 0;
    block_signals(&set);
    log_start();
    struct server *server = server_new(&err);
    if (!server) {
        log_error("no server: %s", uv_strerror(err));
        log_stop();
        return 1;
    }
    log_info("farmstead-node %s: node \"%s\" (%s) of %s", FARMSTEAD_VERSION,
             identity->enrolled.name, identity->enrolled.node_id, identity->control_plane_url);
    struct agent *agent = agent_start(server, state, identity, why);
    if (agent) {
        wait_for_end(&set, server);
        agent_stop(agent);
    } else {
        log_error("%s", why);
    }
    server_stop(server, DRAIN_MS);
    log_stop();
    return agent ? 0 : 1;
}

int cmd_run(int argc, char **argv)
{
    const char *state_dir = NULL;
    struct agent_identity identity;
    char why[AGENT_WHY_LEN];
    int code = parse(argc, argv, &state_dir);
    if (code != 0)
        return code;
    struct agent_state *state = agent_state_open(state_dir, false, why);
    if (!state) {
        fprintf(stderr, "farmstead-node run: %s\n", why);
        return 1;
    }
    enum agent_file what = agent_state_read_identity(state, &identity, why);
    if (what == AGENT_FILE_OK) {
        code = serve(state, &identity);
    } else {
        code = 1;
        if (what == AGENT_FILE_MISSING)
            fprintf(stderr,
                    "farmstead-node run: %s is no node yet: run farmstead-node join URL --token "
                    "TOKEN --state %s first\n",
                    state_dir, state_dir);
        else
            fprintf(stderr, "farmstead-node run: %s: join again with --rejoin\n", why);
    }
    agent_state_close(state);
    return code;
}
