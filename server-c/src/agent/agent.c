/* SPDX-License-Identifier: MIT */
/* agent.c — the agent's thread: its loop, and how it begins and ends. */
#include "agent/agent.h"

#include "agent/agent_parts.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/util.h"
#include "config/config_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define REPORT_EVERY_DEFAULT_MS 5000

uint64_t agent_now_ms(void)
{
    return monotonic_ns() / NS_PER_MS;
}

void agent_random_id(char out[33])
{
    unsigned char bytes[16];
    /* For 16 bytes getrandom() returns all of them, after a wait if the kernel has no randomness
     * yet. */
    CHECK(getrandom(bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes));
    digest_hex(out, bytes, sizeof(bytes));
}

/* --- the loop --- */

static void read_facts(struct agent *agent)
{
    struct config *cfg = server_config(agent->server);
    agent_facts_read(&agent->facts);
    agent->facts.open_connections = (uint64_t)agent->snapshot->gauges[GAUGE_OPEN_CONNECTIONS];
    agent_disks_ask(agent->disks, cfg, &agent->facts.roots);
    config_put(cfg);
}

/* Closes a window of measurements when it is due, even if no control plane is there to take it. */
static void close_window(struct agent *agent, uint64_t now)
{
    if (now < agent->window_due_ms)
        return;
    agent_give_count(agent);
    server_metrics(agent->server, agent->snapshot);
    agent_report_slow(&agent->ring, agent_samples_slow(agent->server));
    agent_report_add(&agent->ring, agent->snapshot);
    agent_drift_look(&agent->apply.local.drift, agent->apply.confirmed);
    read_facts(agent);
    agent->window_due_ms += agent->report_every_ms;
    /* After a stall there is one late window, and not a series of empty ones. */
    if (agent->window_due_ms <= now)
        agent->window_due_ms = now + agent->report_every_ms;
}

/* Returns the time to the next thing that is due. What is due already has begun or has nothing to
 * say. */
static uint32_t wait_ms(const struct agent *agent, uint64_t now)
{
    uint64_t due = now + SUPERVISOR_BEAT_MS; /* the parent process expects a sign of life */
    uint64_t apply_due = agent_apply_due_ms(&agent->apply);
    if (agent->window_due_ms < due)
        due = agent->window_due_ms;
    if (apply_due < due)
        due = apply_due;
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++) {
        enum agent_slot slot = (enum agent_slot)i;
        bool is_busy = agent_http_busy(agent->http, slot);
        uint64_t slot_due = is_busy ? agent->turns.over_ms[i] : agent_slot_due_ms(agent, slot);
        if (slot_due > now && slot_due < due)
            due = slot_due;
    }
    return due > now ? (uint32_t)(due - now) : 0;
}

static void *agent_run(void *arg)
{
    struct agent *agent = arg;
    pthread_setname_np(pthread_self(), "agent");
    while (!atomic_load(&agent->stopping)) {
        struct agent_reply reply;
        uint64_t now = agent_now_ms();
        supervised_agent_turns();
        if (atomic_exchange(&agent->reload_wanted, false)) {
            /* The node may have another address after the reload. */
            agent_probes_end(agent->probes);
            agent_apply_reload(&agent->apply, now);
            supervised_ready(); /* the reload has ended, well or badly */
        }
        agent_apply_on_time(&agent->apply, now);
        agent_samples_on_time(&agent->samples, agent->server, now);
        agent_watch_on_time(&agent->watch, agent->server, now);
        agent_tickets_on_time(&agent->tickets, agent->server, now);
        agent_release_on_time(agent, now);
        agent_mend_on_time(agent, now);
        close_window(agent, now);
        agent_speak(agent, now);
        if (agent_http_next(agent->http, wait_ms(agent, now), &reply))
            agent_hear(agent, &reply);
    }
    return NULL;
}

/* --- begin and end --- */

struct agent_http *agent_open_http(const struct agent_identity *identity)
{
    const char *credential = identity->enrolled.credential;
    struct agent_http_peer peer = {
        .base_url = identity->control_plane_url,
        .proxy = identity->proxy[0] ? identity->proxy : NULL,
        .credential = credential[0] ? credential : NULL,
        .ca_certificates = identity->ca_certificates,
        .certificate = identity->certificate,
        .key = identity->key,
    };
    return agent_http_new(&peer);
}

static void agent_free(struct agent *agent)
{
    neighbour_giver_stop(agent->giving.giver);
    agent_scrub_stop(agent->scrub);
    agent_pull_stop(agent->pull);
    agent_probes_free(agent->probes);
    agent_apply_fini(&agent->apply);
    agent_assignment_fini(&agent->held);
    agent_fetch_end(&agent->fetch);
    agent_preflight_fini(&agent->preflight);
    agent_report_fini(&agent->ring);
    agent_renewal_fini(&agent->renewal);
    agent_http_free(agent->http);
    agent_disks_stop(agent->disks);
    agent_roots_fini(&agent->facts.roots);
    agent_identity_fini(&agent->identity);
    free(agent->snapshot);
    free(agent);
}

static void agent_init(struct agent *agent, const struct supervised_past *past)
{
    struct server_effective effective;
    agent_host_read(&agent->host);
    agent_random_id(agent->incarnation);
    config_schema_digest(agent->schema_digest);
    agent->report_every_ms = REPORT_EVERY_DEFAULT_MS;
    agent->desired_wait_ms = AGENT_DESIRED_WAIT_MIN_MS;
    agent->trouble = AGENT_TROUBLE_NONE;
    agent->snapshot = xcalloc(1, sizeof(*agent->snapshot));
    agent_report_init(&agent->ring);
    agent_renewal_init(&agent->renewal);
    agent_apply_init(&agent->apply, agent->server, agent->state, &agent->identity.enrolled, past,
                     agent_now_ms());
    server_effective(agent->server, &effective);
    memcpy(agent->boot_id, effective.boot_id, sizeof(agent->boot_id));
    agent->window_due_ms = agent_now_ms() + agent->report_every_ms;
    read_facts(agent);
}

struct agent *agent_start(struct server *server, struct agent_state *state,
                          const struct agent_identity *identity, const struct supervised_past *past,
                          char why[AGENT_WHY_LEN])
{
    struct agent_http *http = agent_open_http(identity);
    if (!http) {
        snprintf(why, AGENT_WHY_LEN, "libcurl cannot start");
        return NULL;
    }
    struct agent *agent = xcalloc(1, sizeof(*agent));
    agent->disks = agent_disks_start();
    agent->probes = agent_probes_new(server);
    agent->server = server;
    agent->state = state;
    agent->http = http;
    agent_identity_copy(&agent->identity, identity);
    if (agent->disks)
        agent_init(agent, past);
    agent->pull = agent_pull_start(agent_state_folder(state), agent->incarnation, http);
    agent->scrub = agent_scrub_start(agent_state_folder(state), server, http);
    agent_give_start(agent);
    if (agent->disks && agent->pull && agent->scrub &&
        pthread_create(&agent->thread, NULL, agent_run, agent) == 0)
        return agent;
    snprintf(why, AGENT_WHY_LEN, "no thread for the agent is to be had");
    agent_free(agent);
    return NULL;
}

void agent_reload(struct agent *agent)
{
    atomic_store(&agent->reload_wanted, true);
    agent_http_wake(agent->http);
}

void agent_stop(struct agent *agent)
{
    atomic_store(&agent->stopping, true);
    agent_http_wake(agent->http);
    pthread_join(agent->thread, NULL);
    agent_free(agent);
}
