/* SPDX-License-Identifier: MIT */
/* cmd_join.c — farmstead-node join: makes this machine a node, once. Everything that can go wrong
 * on this machine is tried before the token, which may work only once, is spent. */
#include "commands.h"

#include "agent.h"
#include "agent_http.h"
#include "agent_messages.h"
#include "agent_state.h"
#include "mem.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE                                                                                      \
    "usage: farmstead-node join URL --token TOKEN --state DIR [--name NAME] [--rejoin] "           \
    "[--insecure-http]\n"
#define ENROL_TIMEOUT_MS 30000

struct join {
    const char *url;
    const char *token;
    const char *state_dir;
    const char *name;
    bool rejoin;
    bool insecure_http;
};

static int bad_usage(const char *what)
{
    fprintf(stderr, "farmstead-node join: %s; %s", what, USAGE);
    return 2;
}

static int failed(const char *why)
{
    fprintf(stderr, "farmstead-node join: %s\n", why);
    return 1;
}

/* The protocol's pattern: ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$, at most 63 characters. */
static bool is_name(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len > AGENT_NAME_LEN ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") != len)
        return false;
    return isalnum((unsigned char)name[0]) && isalnum((unsigned char)name[len - 1]);
}

/* The host's own name up to its first dot, made to fit. */
static void name_from_host(const char *hostname, char out[AGENT_NAME_LEN + 1])
{
    size_t len = 0;
    for (const char *p = hostname; *p && *p != '.' && len < AGENT_NAME_LEN; p++) {
        unsigned char c = (unsigned char)*p;
        out[len++] = (char)(c < 0x80 && isalnum(c) ? tolower(c) : '-');
    }
    while (len > 0 && out[len - 1] == '-')
        len--;
    out[len] = '\0';
    size_t dashes = strspn(out, "-");
    memmove(out, out + dashes, len - dashes + 1);
    if (!out[0])
        snprintf(out, AGENT_NAME_LEN + 1, "node");
}

/* 0, or the exit code. */
static int parse(int argc, char **argv, struct join *join)
{
    static const struct option options[] = {
        {"token", required_argument, NULL, 't'},   {"state", required_argument, NULL, 's'},
        {"name", required_argument, NULL, 'n'},    {"rejoin", no_argument, NULL, 'r'},
        {"insecure-http", no_argument, NULL, 'i'}, {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 1;
    for (int c = getopt_long(argc, argv, "", options, NULL); c != -1;
         c = getopt_long(argc, argv, "", options, NULL)) {
        if (c == 't')
            join->token = optarg;
        else if (c == 's')
            join->state_dir = optarg;
        else if (c == 'n')
            join->name = optarg;
        else if (c == 'r')
            join->rejoin = true;
        else if (c == 'i')
            join->insecure_http = true;
        else
            return bad_usage("an option is unknown or has no value");
    }
    if (optind != argc - 1)
        return bad_usage("give the control plane's agent address, and only that");
    join->url = argv[optind];
    if (!join->token || !join->state_dir)
        return bad_usage("--token and --state are needed");
    if (strlen(join->token) < 16 || strlen(join->token) > AGENT_SECRET_LEN)
        return bad_usage("that is no enrolment token (16 to 128 characters)");
    if (join->name && !is_name(join->name))
        return bad_usage("--name takes at most 63 of a-z, 0-9, \"-\" and \".\", a letter or digit "
                         "at both ends");
    return 0;
}

static int check_url(const struct join *join, struct agent_identity *identity)
{
    char why[AGENT_WHY_LEN];
    bool is_plain = false;
    if (agent_http_check_url(join->url, identity->control_plane_url,
                             sizeof(identity->control_plane_url), &is_plain, why, sizeof(why)) != 0)
        return bad_usage(why);
    if (is_plain && !join->insecure_http)
        return failed("http:// sends the token and this node's credential unprotected: use an "
                      "https:// address, or add --insecure-http where the network is trusted");
    identity->insecure_http = is_plain;
    return 0;
}

static int check_not_joined(const struct join *join, struct agent_state *state)
{
    struct agent_identity old;
    char why[AGENT_WHY_LEN];
    enum agent_file what = agent_state_read_identity(state, &old, why);
    /* One that is not in its place yet was left by a join that was killed. */
    if (what == AGENT_FILE_MISSING || join->rejoin || agent_state_is_new(state))
        return 0;
    if (what == AGENT_FILE_OK)
        fprintf(stderr,
                "farmstead-node join: %s is node \"%s\" of %s already: start it with "
                "farmstead-node run --state %s, or add --rejoin to make it a new node\n",
                join->state_dir, old.enrolled.name, old.control_plane_url, join->state_dir);
    else
        fprintf(stderr,
                "farmstead-node join: %s holds a damaged identity (%s): add --rejoin to replace "
                "it\n",
                join->state_dir, why);
    return 1;
}

static int explain(const struct agent_identity *identity, const struct agent_reply *reply)
{
    struct agent_problem problem;
    if (reply->status == 0) {
        fprintf(stderr, "farmstead-node join: no control plane at %s: %s\n",
                identity->control_plane_url, reply->error);
        return 1;
    }
    agent_read_problem(reply->body, reply->len, &problem);
    if (problem.code[0])
        fprintf(stderr, "farmstead-node join: the control plane refuses (%s): %s\n", problem.code,
                problem.detail);
    else
        fprintf(stderr,
                "farmstead-node join: %s answers HTTP %d and speaks no agent protocol: is it the "
                "agent listener's address, and not the console's?\n",
                identity->control_plane_url, reply->status);
    return 1;
}

static int enrol(const struct join *join, struct agent_identity *identity)
{
    char name[AGENT_NAME_LEN + 1], incarnation[33], why[AGENT_WHY_LEN];
    struct agent_host host;
    struct agent_reply reply;
    agent_host_read(&host);
    agent_random_id(incarnation);
    name_from_host(host.hostname, name);
    struct agent_http *http = agent_http_new(identity->control_plane_url, NULL);
    if (!http)
        return failed("libcurl cannot start");
    agent_http_post(
        http, AGENT_SLOT_TALK, "enrol",
        agent_build_enrol(join->token, join->name ? join->name : name, incarnation, &host),
        ENROL_TIMEOUT_MS);
    while (!agent_http_next(http, ENROL_TIMEOUT_MS, &reply))
        continue;
    int code = 0;
    if (reply.status < 200 || reply.status > 299)
        code = explain(identity, &reply);
    else if (agent_read_enrolled(reply.body, reply.len, &identity->enrolled, why) != 0)
        code = failed(why);
    agent_http_free(http);
    return code;
}

static int join_in(const struct join *join, struct agent_identity *identity,
                   struct agent_state *state)
{
    char why[AGENT_WHY_LEN];
    int code = check_not_joined(join, state);
    if (code == 0 && agent_state_try_write(state, why) != 0)
        code = failed(why);
    if (code == 0)
        code = enrol(join, identity);
    if (code != 0)
        return code;
    if (agent_state_write_identity(state, identity, why) != 0 ||
        agent_state_publish(state, why) != 0) {
        fprintf(stderr,
                "farmstead-node join: %s; the token is spent: make a new one and join again\n",
                why);
        return 1;
    }
    printf("joined %s as \"%s\" (%s); next: farmstead-node run --state %s\n",
           identity->control_plane_url, identity->enrolled.name, identity->enrolled.node_id,
           join->state_dir);
    return 0;
}

int cmd_join(int argc, char **argv)
{
    struct join join = {0};
    struct agent_identity identity = {0};
    char why[AGENT_WHY_LEN];
    int code = parse(argc, argv, &join);
    if (code == 0)
        code = check_url(&join, &identity);
    if (code != 0)
        return code;
    struct agent_state *state = agent_state_open(join.state_dir, true, why);
    if (!state)
        return failed(why);
    code = join_in(&join, &identity, state);
    agent_state_close(state);
    return code;
}
