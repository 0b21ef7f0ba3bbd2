/* SPDX-License-Identifier: MIT */
/* agent_speak.c — starts the requests that are due, in the slots that are free. */
#include "agent/agent_parts.h"

#include "agent/agent_logs.h"
#include "agent/agent_versions.h"
#include "base/buf.h"
#include "base/mem.h"
#include "owner/bounds.h"

#include <stdlib.h>
#include <string.h>

#define TALK_TIMEOUT_MS 15000
#define REPORT_TIMEOUT_MS 30000
#define DESIRED_GRACE_MS 15000 /* added to the time that the poll is asked to wait */

/* Hello waits for nobody: what is under way is of a session that has ended. */
static bool is_free(const struct agent *agent, enum agent_slot slot, uint64_t now)
{
    return !agent_http_busy(agent->http, slot) && now >= agent->clocks[slot].due_ms &&
           (!agent->in_session || agent_turns_is_free(&agent->turns, now));
}

static void say(struct agent *agent, enum agent_saying saying, const char *message, char *body)
{
    agent->saying = saying;
    agent_turns_begin(&agent->turns, AGENT_SLOT_TALK, agent_now_ms(), 0);
    agent_http_post(agent->http, AGENT_SLOT_TALK, message, body, TALK_TIMEOUT_MS);
}

/* 0 means that nobody knows of it. Whether the change is served or not counts as a change, too. */
static uint64_t drift_version(const struct agent *agent, const struct agent_change *change)
{
    return ((uint64_t)agent->apply.local.drift.version << 1 | change->is_served) + 1;
}

/* Is it not what the control plane knows? */
static bool is_shown_news(struct agent *agent, const struct certificates_shown *shown)
{
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < shown->host_count; i++)
        buf_printf(&text, "%s %s\n", shown->hosts[i].host,
                   shown->loaded[shown->hosts[i].certificate].fingerprint);
    digest_sha256(agent->shown_said, text.data ? text.data : "", text.len);
    buf_fini(&text);
    return strcmp(agent->shown_said, agent->shown_known) != 0;
}

static void say_hello(struct agent *agent)
{
    struct server_effective effective;
    struct certificates_shown shown;
    struct agent_certificates certificates;
    struct agent_releases releases;
    struct agent_change change;
    agent_drift_look(&agent->apply.local.drift, agent->apply.confirmed);
    server_effective(agent->server, &effective);
    server_certificates(agent->server, &shown);
    agent_apply_loaded(&agent->apply, &shown, &certificates);
    agent_apply_served(&agent->apply, &releases);
    certificates_shown_fini(&shown);
    agent_local_change(&agent->apply.local, &effective, &change);
    agent->drift_said = drift_version(agent, &change);
    struct agent_hello hello = {
        .node_id = agent->identity.enrolled.node_id,
        .boot_id = agent->boot_id,
        .incarnation = agent->incarnation,
        .schema_digest = agent->schema_digest,
        .host = &agent->host,
        .effective = &effective,
        .certificates = &certificates,
        .releases = &releases,
        .last_known_good = &agent->apply.kept.offer.version,
        .fences = &agent->apply.fences,
        .last_result = agent->apply.has_result ? &agent->apply.result : NULL,
        .is_local = agent_local_is_effective(&agent->apply.local, &effective),
        .change = &change,
        .policy = bounds_policy(),
        .policy_path = bounds_policy_path(),
    };
    say(agent, AGENT_SAYING_HELLO, "hello", agent_build_hello(&hello));
    agent_certificates_fini(&certificates);
    agent_releases_fini(&releases);
}

static void say_renew(struct agent *agent, uint64_t now)
{
    char why[AGENT_WHY_LEN];
    char *body = agent_renewal_ask(&agent->renewal, agent->incarnation, why);
    if (body) {
        say(agent, AGENT_SAYING_RENEW, "renew", body);
        return;
    }
    log_error("agent: renewing the certificate: %s", why);
    agent_renewal_put_off(&agent->renewal, now);
}

static void say_logs(struct agent *agent)
{
    uint64_t lines = 0;
    char *text = log_kept(&lines);
    say(agent, AGENT_SAYING_LOGS, "logs",
        agent_build_logs(agent->incarnation, &agent->log_requests.waiting[0], text, lines));
    free(text);
}

static void say_check(struct agent *agent)
{
    struct agent_room room = {0};
    if (agent->preflight.has_releases)
        agent_pull_room(agent->pull, &room);
    say(agent, AGENT_SAYING_CHECK, "check",
        agent_preflight_answer(&agent->preflight, agent->incarnation, &room, agent->server));
}

static void say_samples(struct agent *agent, uint64_t now)
{
    say(agent, AGENT_SAYING_SAMPLES, "samples",
        agent_samples_say(&agent->samples, agent->server, agent->boot_id, agent->incarnation, now));
}

static void start_talk(struct agent *agent, uint64_t now)
{
    if (!is_free(agent, AGENT_SLOT_TALK, now))
        return;
    if (!agent->in_session) {
        say_hello(agent);
        return;
    }
    char *body = NULL;
    const char *message = agent_apply_next(&agent->apply, now, &body);
    if (message)
        say(agent, AGENT_SAYING_ASSIGNMENT, message, body);
    else if (agent->log_requests.count > 0)
        say_logs(agent);
    else if (agent->preflight.id[0])
        say_check(agent);
    else if (now >= agent->renewal.due_ms)
        say_renew(agent, now);
    else if (now >= agent_samples_due_ms(&agent->samples))
        say_samples(agent, now);
}

struct agent_challenges agent_challenges_held(struct server *server, uint64_t now)
{
    struct agent_challenges held = {.is_said = true,
                                    .items = xcalloc(ACME_CHALLENGES_MAX, sizeof(*held.items))};
    held.count = server_challenges(server, held.items, now);
    return held;
}

uint64_t agent_slot_due_ms(const struct agent *agent, enum agent_slot slot)
{
    uint64_t due = agent->clocks[slot].due_ms;
    if (slot != AGENT_SLOT_TALK || !agent->in_session)
        return due;
    uint64_t speak = agent_apply_speak_ms(&agent->apply);
    uint64_t samples = agent_samples_due_ms(&agent->samples);
    if (agent->renewal.due_ms < speak)
        speak = agent->renewal.due_ms;
    if (samples < speak)
        speak = samples;
    return speak > due ? speak : due;
}

/* Releases may take hours to come, and something newer may be wanted meanwhile; certificates are soon here. */
bool agent_may_take(const struct agent *agent)
{
    return agent->in_session && !agent->held.text &&
           (!agent->fetch.waiting.text || agent->fetch.is_pulling) &&
           !agent_apply_owes_answer(&agent->apply);
}

/* What is asked for is newer than this. */
static const struct agent_version *known_version(const struct agent *agent)
{
    return agent->fetch.waiting.text ? &agent->fetch.waiting.offer.version : &agent->apply.have;
}

/* When something else than what waits is to be said. What is due already has begun, or has nothing
 * to say. Releases that come are to be answered for when they are here, which may be any time. */
static uint64_t next_word_ms(const struct agent *agent, uint64_t now)
{
    const struct agent_clock *clocks = agent->clocks;
    const uint64_t later[] = {
        clocks[AGENT_SLOT_TALK].due_ms, agent_slot_due_ms(agent, AGENT_SLOT_TALK),
        agent_apply_due_ms(&agent->apply), clocks[AGENT_SLOT_REPORT].due_ms, agent->tickets.due_ms};
    uint64_t next = agent->window_due_ms;
    for (size_t i = 0; i < ARRAY_LEN(later); i++)
        if (later[i] > now && later[i] < next)
            next = later[i];
    if (agent->fetch.is_pulling) {
        uint64_t patience_ms = agent_turns_patience(agent->fetch.since_ms, now);
        next = patience_ms < next ? patience_ms : next;
    }
    return next;
}

/* Without a report: when there is none to be said yet. */
static void start_desired(struct agent *agent, uint64_t now)
{
    uint32_t wait_ms;
    if (!agent_may_take(agent) || !is_free(agent, AGENT_SLOT_DESIRED, now))
        return;
    bool is_report_due = agent->ring.first && is_free(agent, AGENT_SLOT_REPORT, now);
    uint64_t next_ms = is_report_due ? now : next_word_ms(agent, now);
    if (!agent_turns_poll(&agent->turns, now, next_ms, agent->desired_wait_ms, &wait_ms))
        return;
    struct agent_challenges challenges = agent_challenges_held(agent->server, now);
    struct agent_wish wish = {known_version(agent), wait_ms, &challenges, &agent->ahead,
                              &agent->apply.previews};
    agent->poll = (struct agent_asked){now, wait_ms};
    agent_turns_begin(&agent->turns, AGENT_SLOT_DESIRED, now, wait_ms);
    agent_http_post(agent->http, AGENT_SLOT_DESIRED, "desired",
                    agent_build_desired(agent->boot_id, agent->incarnation, &wish),
                    wait_ms + DESIRED_GRACE_MS);
    agent_challenges_fini(&challenges);
}

/* How long the answer to a report may wait for what is to be run: until the next thing is to be
 * said. 0: not at all, as when more windows wait to be sent. */
static uint32_t report_wait_ms(const struct agent *agent, uint64_t now)
{
    uint32_t wait_ms;
    bool is_all = agent->reported_seq + 1 == agent->ring.next_seq;
    if (!is_all || !agent_may_take(agent) || now < agent->clocks[AGENT_SLOT_DESIRED].due_ms ||
        agent_http_busy(agent->http, AGENT_SLOT_DESIRED))
        return 0;
    agent_turns_poll(&agent->turns, now, next_word_ms(agent, now), agent->desired_wait_ms,
                     &wait_ms);
    return wait_ms >= AGENT_POLL_LEAST_MS ? wait_ms : 0;
}

static void start_report(struct agent *agent, uint64_t now)
{
    if (!agent->in_session || !is_free(agent, AGENT_SLOT_REPORT, now) || !agent->ring.first)
        return;
    struct buf windows;
    struct server_effective effective;
    struct certificates_shown shown;
    struct agent_certificates certificates;
    struct agent_releases releases;
    struct agent_change change;
    buf_init(&windows);
    agent->reported_seq = agent_report_batch(&agent->ring, &windows);
    server_effective(agent->server, &effective);
    server_certificates(agent->server, &shown);
    agent_apply_loaded(&agent->apply, &shown, &certificates);
    agent_apply_served(&agent->apply, &releases);
    agent_local_change(&agent->apply.local, &effective, &change);
    agent->drift_said = drift_version(agent, &change);
    change.is_known = agent->drift_said == agent->drift_known;
    uint32_t wait_ms = report_wait_ms(agent, now);
    struct agent_challenges challenges = agent_challenges_held(agent->server, now);
    struct agent_wish wish = {known_version(agent), wait_ms, &challenges, &agent->ahead,
                              &agent->apply.previews};
    struct agent_fetching fetching;
    agent_pull_progress(agent->pull, &fetching);
    struct agent_probed probed;
    struct agent_report report = {
        .boot_id = agent->boot_id,
        .incarnation = agent->incarnation,
        .uptime_ms = agent->snapshot->monotonic_ms,
        .effective = &effective,
        .certificates = &certificates,
        .releases = &releases,
        .fetching = fetching.manifest[0] ? &fetching : NULL,
        .probed = agent_probes_take(agent->probes, &probed) ? &probed : NULL,
        .kept_releases = agent_versions_json(agent->server),
        .neighbours = agent_give_report(agent),
        .shown = is_shown_news(agent, &shown) ? &shown : NULL,
        .is_local = agent_local_is_effective(&agent->apply.local, &effective),
        .change = &change,
        .lost_windows = agent->ring.lost_windows,
        .facts = &agent->facts,
        .gauges = agent->snapshot->gauges,
        .windows = windows.data,
        .wish = wait_ms > 0 ? &wish : NULL,
    };
    agent->held_report = (struct agent_asked){now, wait_ms};
    agent_turns_begin(&agent->turns, AGENT_SLOT_REPORT, now, wait_ms);
    agent_http_post(agent->http, AGENT_SLOT_REPORT, "report", agent_build_report(&report),
                    wait_ms + REPORT_TIMEOUT_MS);
    buf_fini(&windows);
    agent_challenges_fini(&challenges);
    certificates_shown_fini(&shown);
    agent_certificates_fini(&certificates);
    agent_releases_fini(&releases);
}

static void start_fetch(struct agent *agent, uint64_t now)
{
    if (!agent->in_session || !is_free(agent, AGENT_SLOT_FETCH, now))
        return;
    agent_fetch_speak(&agent->fetch, agent->http);
    if (agent->identity.key)
        agent_tickets_speak(&agent->tickets, agent->http, agent->server, now);
    if (agent_http_busy(agent->http, AGENT_SLOT_FETCH))
        agent_turns_begin(&agent->turns, AGENT_SLOT_FETCH, now, 0);
}

void agent_speak(struct agent *agent, uint64_t now)
{
    start_talk(agent, now);
    start_fetch(agent, now);
    if (agent->turns.is_poll_owed)
        start_desired(agent, now);
    start_report(agent, now);
    start_desired(agent, now);
}
