/* SPDX-License-Identifier: MIT */
/* agent_give.c — what this node gives to its neighbours: if its machine's owner has said where, and as long as the
 * control plane has told the rules. */
#include "agent/agent_parts.h"

#include "owner/bounds.h"
#include "release/release_store.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Loops answer in less, unless they have more to do than they can. */
#define LATE_NS (200 * NS_PER_MS)

static bool are_loops_late(void *arg)
{
    return server_lag_ns(arg) > LATE_NS;
}

void agent_give_use_identity(struct agent *agent)
{
    const struct agent_identity *identity = &agent->identity;
    if (agent->giving.giver && !neighbour_giver_identify(agent->giving.giver, identity->certificate,
                                                         identity->key, identity->ca_certificates))
        log_error(
            "agent: nothing is given to neighbours: OpenSSL cannot use the node's certificate "
            "for that");
}

void agent_give_start(struct agent *agent)
{
    const struct owner_policy *policy = bounds_policy();
    if (!policy || !policy->neighbours_listen.text || !agent->identity.key)
        return;
    agent->giving.giver =
        neighbour_giver_start(agent_state_folder(agent->state), policy->neighbours_listen.address,
                              policy->neighbours_listen.first_port, are_loops_late, agent->server);
    if (!agent->giving.giver)
        log_error("agent: nothing is given to neighbours: no thread is to be had");
    agent_give_use_identity(agent);
}

/* Who tells the rules wants to be told what is given; in a new session that is nothing until it is said. */
void agent_give_rule(struct agent *agent, const struct neighbour_rules *rules, bool is_hello)
{
    agent->giving.rules = *rules;
    snprintf(agent->giving.known, sizeof(agent->giving.known), "%s", is_hello ? "" : "?");
    if (agent->giving.giver)
        neighbour_giver_rule(agent->giving.giver, rules);
}

struct agent_http *agent_neighbour_client(const struct agent *agent)
{
    const struct agent_identity *identity = &agent->identity;
    struct agent_http_peer peer = {
        .base_url = "https://neighbour",
        .ca_certificates = identity->ca_certificates,
        .certificate = identity->certificate,
        .key = identity->key,
        .is_neighbour = true,
    };
    return agent->giving.rules.keys.count > 0 && identity->key ? agent_http_new(&peer) : NULL;
}

/* --- what is said of it --- */

static const char *address_given(const struct agent *agent)
{
    const struct owner_policy *policy = bounds_policy();
    const struct agent_giving *giving = &agent->giving;
    if (!giving->giver || giving->rules.keys.count == 0 || !neighbour_giver_listens(giving->giver))
        return NULL;
    return policy->neighbours_announce.text ? policy->neighbours_announce.text
                                            : policy->neighbours_listen.text;
}

static bool is_listed(const struct agent_holds *holds, const char *manifest)
{
    for (size_t i = 0; i < holds->count; i++)
        if (strcmp(holds->items[i], manifest) == 0)
            return true;
    return false;
}

static void add_whole(const struct agent *agent, const struct agent_releases *list,
                      struct agent_holds *out)
{
    char folder[sizeof(RELEASE_TREES "/") + RELEASE_SHA256_LEN];
    for (size_t i = 0; i < list->count && out->count < AGENT_HOLDS_MAX; i++) {
        const char *manifest = list->items[i].manifest;
        snprintf(folder, sizeof(folder), RELEASE_TREES "/%s", manifest);
        if (!is_listed(out, manifest) &&
            faccessat(agent_state_folder(agent->state), folder, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            memcpy(out->items[out->count++], manifest, sizeof(out->items[0]));
    }
}

/* The newest first: those are wanted. */
static void list_holds(const struct agent *agent, struct agent_holds *out)
{
    const struct agent_apply *apply = &agent->apply;
    struct agent_releases ahead;
    out->count = 0;
    agent_ahead_list(&agent->ahead, true, &ahead);
    add_whole(agent, &agent->fetch.waiting.releases, out);
    add_whole(agent, &apply->offered.releases, out);
    add_whole(agent, &ahead, out);
    add_whole(agent, &apply->kept.releases, out);
    add_whole(agent, &apply->history, out);
    agent_releases_fini(&ahead);
}

json_t *agent_give_report(struct agent *agent)
{
    struct agent_giving *giving = &agent->giving;
    const char *address = address_given(agent);
    struct agent_holds holds = {.count = 0};
    giving->said[0] = '\0';
    if (address) {
        struct buf text;
        list_holds(agent, &holds);
        buf_init(&text);
        buf_append_str(&text, address);
        for (size_t i = 0; i < holds.count; i++)
            buf_append_str(&text, holds.items[i]);
        digest_sha256(giving->said, text.data, text.len);
        buf_fini(&text);
    }
    return !giving->giver || strcmp(giving->said, giving->known) == 0
               ? NULL
               : agent_neighbours_giving(address, &holds);
}

void agent_give_count(struct agent *agent)
{
    struct server_neighbours counts = {0};
    agent_pull_neighbours(agent->pull, &counts.taken_bytes, &counts.wrong_bytes);
    if (agent->giving.giver) {
        struct neighbour_given given;
        neighbour_giver_count(agent->giving.giver, &given);
        counts.given_bytes = given.bytes;
        counts.refusals = given.refusals;
    }
    server_tell_neighbours(agent->server, &counts);
}
