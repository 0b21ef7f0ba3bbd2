/* SPDX-License-Identifier: MIT */
/* cmd_join.c — farmstead-node join: makes this machine a node, once. Everything that can fail on
 * this machine is tried before the token is used, as it may work only once. It is sent only to the
 * control plane whose fingerprint it contains (agent_enrol.c). */
#include "cmd/commands.h"

#include "agent/agent_enrol.h"
#include "agent/agent_http.h"
#include "agent/agent_keys.h"
#include "agent/agent_state.h"
#include "owner/join_policy.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE                                                                                      \
    "usage: farmstead-node join URL --token TOKEN --state DIR [--name NAME] [--proxy URL] "        \
    "[--rejoin] [--insecure-http] [--policy FILE] [--serve DIR] [--secrets DIR] [--logs DIR] "     \
    "[--runtime DIR] [--listen ADDRESS:PORTS] [--user NAME] [--group NAME] "                       \
    "[--admin-beyond-loopback] [--symlinks-any]\n"

struct join {
    const char *url;
    const char *token;
    const char *state_dir;
    const char *name;
    const char *proxy;
    bool rejoin;
    bool insecure_http;
    struct agent_token parts;  /* of the token */
    struct join_policy *owner; /* the machine's policy, from the flags */
};

static int bad_usage(const char *what)
{
    fprintf(stderr, "farmstead-node join: %s; %s", what, USAGE);
    return 2;
}

static int failed(const char *why)
{
    cmd_say("farmstead-node join: %s", why);
    return 1;
}

/* Does it match the protocol's pattern ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$, with at most 63
 * characters? */
static bool is_name(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len > AGENT_NAME_LEN ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") != len)
        return false;
    return isalnum((unsigned char)name[0]) && isalnum((unsigned char)name[len - 1]);
}

/* 0, or the exit code. */
static int parse(int argc, char **argv, struct join *join)
{
    static const struct option options[] = {
        {"token", required_argument, NULL, 't'},
        {"state", required_argument, NULL, 's'},
        {"name", required_argument, NULL, 'n'},
        {"proxy", required_argument, NULL, 'p'},
        {"rejoin", no_argument, NULL, 'r'},
        {"insecure-http", no_argument, NULL, 'i'},
        {"policy", required_argument, NULL, JOIN_POLICY_FILE},
        {"serve", required_argument, NULL, JOIN_SERVE},
        {"secrets", required_argument, NULL, JOIN_SECRETS},
        {"logs", required_argument, NULL, JOIN_LOGS},
        {"runtime", required_argument, NULL, JOIN_RUNTIME},
        {"user", required_argument, NULL, JOIN_USER},
        {"group", required_argument, NULL, JOIN_GROUP},
        {"listen", required_argument, NULL, JOIN_LISTEN},
        {"admin-beyond-loopback", no_argument, NULL, JOIN_ADMIN_BEYOND_LOOPBACK},
        {"symlinks-any", no_argument, NULL, JOIN_SYMLINKS_ANY},
        {NULL, 0, NULL, 0}};
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
        else if (c == 'p')
            join->proxy = optarg;
        else if (c == 'r')
            join->rejoin = true;
        else if (c == 'i')
            join->insecure_http = true;
        else if (!join_policy_take(join->owner, c, optarg))
            return bad_usage("an option is unknown or has no value");
    }
    if (optind != argc - 1)
        return bad_usage("give the control plane's agent address, and only that");
    join->url = argv[optind];
    if (!join->token || !join->state_dir)
        return bad_usage("--token and --state are needed");
    if (!agent_token_read(join->token, &join->parts))
        return bad_usage("that is no enrolment token: copy it whole, with what follows its dot");
    if (join->name && !is_name(join->name))
        return bad_usage("--name takes at most 63 of a-z, 0-9, \"-\" and \".\", a letter or digit "
                         "at both ends");
    return 0;
}

static int check_addresses(const struct join *join, struct agent_identity *identity)
{
    char why[AGENT_WHY_LEN];
    bool is_plain = false;
    if (agent_http_check_url(join->url, identity->control_plane_url,
                             sizeof(identity->control_plane_url), &is_plain, why, sizeof(why)) != 0)
        return bad_usage(why);
    if (join->proxy && strlen(join->proxy) > AGENT_URL_LEN)
        return bad_usage("--proxy takes an address of at most 1024 bytes");
    if (join->proxy && agent_http_check_proxy(join->proxy, why, sizeof(why)) != 0)
        return bad_usage(why);
    if (join->proxy)
        snprintf(identity->proxy, sizeof(identity->proxy), "%s", join->proxy);
    if (is_plain && !join->insecure_http)
        return failed("http:// sends the token and this node's credential unprotected: use an "
                      "https:// address, or add --insecure-http where the network is trusted");
    if (!is_plain && !join->parts.fingerprint[0])
        return failed("the token carries no fingerprint of the control plane's CA (a dot and 43 "
                      "characters at its end), so that nobody at an https:// address can be "
                      "believed: copy it whole, or make one at a control plane that speaks TLS");
    identity->insecure_http = is_plain;
    return 0;
}

static int check_not_joined(const struct join *join, struct agent_state *state)
{
    struct agent_identity old;
    char why[AGENT_WHY_LEN];
    /* A folder that is not at its place yet was left by a join that was killed. */
    if (join->rejoin || agent_state_is_new(state))
        return 0;
    enum agent_file what = agent_state_read_identity(state, &old, why);
    if (what == AGENT_FILE_MISSING)
        return 0;
    if (what == AGENT_FILE_OK)
        cmd_say("farmstead-node join: %s is node \"%s\" of %s already: start it with "
                "farmstead-node run --state %s, or add --rejoin to make it a new node",
                join->state_dir, old.enrolled.name, old.control_plane_url, join->state_dir);
    else
        cmd_say("farmstead-node join: %s holds a damaged identity (%s): add --rejoin to replace "
                "it",
                join->state_dir, why);
    agent_identity_fini(&old);
    return 1;
}

/* Returns the key for the request: that of an earlier attempt with this token, whose answer was
 * lost, or a new one. It is on disk before it is used. NULL with a sentence. */
static char *prepare_key(const struct join *join, struct agent_state *state,
                         char why[AGENT_WHY_LEN])
{
    char *key = agent_state_find_request(state, join->parts.secret);
    if (!key)
        key = agent_key_new();
    if (!key) {
        snprintf(why, AGENT_WHY_LEN, "OpenSSL cannot make a P-256 key here");
    } else if (agent_state_keep_request(state, join->parts.secret, key, why) != 0) {
        agent_secret_free(key);
        key = NULL;
    }
    return key;
}

static int enrol(const struct join *join, struct agent_identity *identity,
                 struct agent_state *state)
{
    char why[AGENT_WHY_LEN], sentence[AGENT_ENROL_WHY_LEN];
    char *key = NULL;
    if (!identity->insecure_http) {
        key = prepare_key(join, state, why);
        if (!key)
            return failed(why);
    }
    enum agent_enrol_outcome outcome =
        agent_enrol(&join->parts, join->name, key, identity, sentence);
    bool can_repeat = key && outcome == AGENT_ENROL_UNANSWERED;
    agent_secret_free(key);
    if (outcome == AGENT_ENROLLED)
        return 0;
    if (!can_repeat)
        agent_state_drop_request(state);
    cmd_say("farmstead-node join: %s%s", sentence,
            can_repeat ? "; the token is not lost: run the same command again" : "");
    return 1;
}

static int keep(const struct agent_identity *identity, struct agent_state *state)
{
    char why[AGENT_WHY_LEN];
    int err = agent_state_write_identity(state, identity, why);
    if (!err)
        err = agent_state_publish(state, why);
    if (!err)
        agent_state_drop_request(state);
    else
        cmd_say("farmstead-node join: %s; %s", why,
                identity->insecure_http ? "the token is spent: make a new one and join again"
                                        : "the token is not lost: run the same command again");
    return err ? 1 : 0;
}

/* Done before the token is used: a machine must not become a node without the policy that its owner
 * asked for. */
static int write_policy(const struct join *join)
{
    struct buf said;
    buf_init(&said);
    int err = join_policy_write(join->owner, &said);
    if (said.len > 0)
        fprintf(err ? stderr : stdout, "%s%s\n", err ? "farmstead-node join: " : "", said.data);
    buf_fini(&said);
    return err ? 1 : 0;
}

static int join_in(const struct join *join, struct agent_identity *identity,
                   struct agent_state *state)
{
    char why[AGENT_WHY_LEN];
    int code = check_not_joined(join, state);
    if (code == 0 && agent_state_try_write(state, why) != 0)
        code = failed(why);
    if (code == 0)
        code = write_policy(join);
    if (code == 0)
        code = enrol(join, identity, state);
    if (code == 0)
        code = keep(identity, state);
    if (code != 0)
        return code;
    printf("joined %s as \"%s\" (%s); next: farmstead-node run --state %s\n",
           identity->control_plane_url, identity->enrolled.name, identity->enrolled.node_id,
           join->state_dir);
    return 0;
}

static int join_with(struct join *join, int argc, char **argv)
{
    struct agent_identity identity = {0};
    char why[AGENT_WHY_LEN];
    int code = parse(argc, argv, join);
    if (code == 0)
        code = check_addresses(join, &identity);
    if (code != 0)
        return code;
    struct agent_state *state = agent_state_open(join->state_dir, true, why);
    if (!state)
        return failed(why);
    code = join_in(join, &identity, state);
    agent_identity_fini(&identity);
    agent_state_close(state);
    return code;
}

int cmd_join(int argc, char **argv)
{
    struct join join = {.owner = join_policy_new()};
    int code = join_with(&join, argc, argv);
    join_policy_free(join.owner);
    return code;
}
