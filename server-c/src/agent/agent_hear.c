/* SPDX-License-Identifier: MIT */
/* agent_hear.c — what the answers of the control plane change. Failures and refusals that concern
 * the session are handled in agent_session.c. */
#include "agent/agent_parts.h"

#include "agent/agent_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REPORT_EVERY_MIN_MS 100
#define REPORT_EVERY_MAX_MS 600000
#define DESIRED_WAIT_MAX_MS 300000

static uint32_t clamp(uint32_t value, uint32_t min, uint32_t max)
{
    return value < min ? min : value > max ? max : value;
}

/* --- hello --- */

static void use_identity(struct agent *agent)
{
    const struct agent_identity *identity = &agent->identity;
    agent_http_use(agent->http, identity->ca_certificates, identity->certificate, identity->key);
    agent_give_use_identity(agent);
}

static void on_session_trust(struct agent *agent, const struct agent_session *session, uint64_t now)
{
    char why[AGENT_WHY_LEN];
    int changed =
        agent_renewal_trust(&agent->identity, session->ca_certificates, agent->state, why);
    if (changed < 0)
        log_error("agent: the control plane's new CA is not taken: %s", why);
    if (changed > 0) {
        use_identity(agent);
        log_info("agent: the control plane's CA has changed");
    }
    if (agent->identity.key && session->has_renewal)
        agent_renewal_plan(&agent->renewal, session->renew_after_ms, now);
}

/* Windows are as long: a control plane that can't keep up gets longer ones, and nothing is lost. */
static void report_each(struct agent *agent, uint32_t every_ms, uint64_t now)
{
    agent->report_every_ms = clamp(every_ms, REPORT_EVERY_MIN_MS, REPORT_EVERY_MAX_MS);
    if (agent->window_due_ms > now + agent->report_every_ms)
        agent->window_due_ms = now + agent->report_every_ms;
}

static void take_session(struct agent *agent, const struct agent_session *session, uint64_t now)
{
    if (session->epoch < agent->apply.fences.max_epoch)
        log_warn("agent: the control plane's epoch is %" PRIu64 ", this node has seen %" PRIu64
                 ": its assignments will be refused",
                 session->epoch, agent->apply.fences.max_epoch);
    agent->told_every_ms = session->report_every_ms;
    report_each(agent, session->report_every_ms, now);
    agent->desired_wait_ms =
        clamp(session->desired_wait_ms, AGENT_DESIRED_WAIT_MIN_MS, DESIRED_WAIT_MAX_MS);
    agent_begin_session(agent, now);
    agent->drift_known = agent->drift_said;
    agent->shown_known[0] = '\0';
    agent_give_rule(agent, &session->neighbours.rules, true);
    agent_apply_on_hello(&agent->apply);
    on_session_trust(agent, session, now);
    log_info("agent: connected to %s", agent->identity.control_plane_url);
}

static void on_hello(struct agent *agent, const struct agent_reply *reply)
{
    struct agent_session session;
    char why[AGENT_WHY_LEN];
    if (agent_read_session(reply->body, reply->len, &session, why) != 0) {
        agent_lose_session(agent, AGENT_TROUBLE_BAD_ANSWER, why);
        return;
    }
    if (strcmp(session.control_plane_id, agent->identity.enrolled.control_plane_id) != 0) {
        agent_lose_session(agent, AGENT_TROUBLE_STRANGER,
                           "it is another control plane than the one this node joined");
    } else if (session.protocol != AGENT_PROTOCOL) {
        snprintf(why, sizeof(why), "the control plane speaks protocol %" PRIu32 ", this node %d",
                 session.protocol, AGENT_PROTOCOL);
        agent_needs_upgrade(agent, why);
    } else {
        take_session(agent, &session, agent_now_ms());
    }
    agent_session_fini(&session);
}

/* --- other messages -------------------------------------------------------------------------- */

static void on_renewed(struct agent *agent, const struct agent_reply *reply)
{
    char why[AGENT_WHY_LEN] = "";
    uint64_t now = agent_now_ms();
    agent->clocks[AGENT_SLOT_TALK].failures = 0;
    if (agent_renewal_take(&agent->renewal, reply->body, reply->len, &agent->identity, agent->state,
                           now, why) == 0) {
        use_identity(agent);
        log_info("agent: the node's certificate is renewed");
        return;
    }
    log_error("agent: the node's certificate is not renewed: %s; trying again", why);
    agent_renewal_put_off(&agent->renewal, now);
}

/* Asks again: at once, or after a pause if the answer was `hasty`. A control plane that gives the
 * same answer again and again must not be asked in a tight loop. */
static void ask_again(struct agent *agent, bool hasty)
{
    if (hasty) {
        agent_back_off(agent, AGENT_SLOT_DESIRED);
        return;
    }
    agent->clocks[AGENT_SLOT_TALK].failures = 0;
    agent->clocks[AGENT_SLOT_DESIRED].failures = 0;
    agent->clocks[AGENT_SLOT_DESIRED].due_ms = agent_now_ms();
}

/* True if it is newer than what this node had. Empties `assignment` if it has to wait. */
static bool take_assignment(struct agent *agent, struct agent_assignment *assignment)
{
    uint64_t have = agent->apply.have.generation;
    if (agent_apply_take(&agent->apply, assignment))
        return agent->apply.have.generation > have;
    bool lacks_keys =
        agent_apply_lacks(&agent->apply, assignment, 0) < assignment->certificates.count;
    if (lacks_keys && !agent->identity.key) {
        agent_apply_refuse(&agent->apply, assignment, "tls_material",
                           "keys of certificates are not given over plain HTTP");
        return true;
    }
    agent_fetch_begin(&agent->fetch, &agent->apply, assignment, agent_now_ms());
    if (!lacks_keys)
        agent_release_begin(agent);
    return true;
}

/* Answers these from now on. True if they are others than before: the control plane is then told at
 * once. */
static bool take_challenges(struct agent *agent, struct agent_challenges *challenges)
{
    uint64_t now = agent_now_ms();
    struct agent_challenges held = agent_challenges_held(agent->server, now);
    bool is_news = challenges->is_said && !agent_challenges_equal(challenges, &held);
    for (size_t i = 0; i < challenges->count; i++)
        challenges->items[i].ends_ms += now;
    if (challenges->is_said)
        server_use_challenges(agent->server, challenges->items, challenges->count);
    agent_challenges_fini(&held);
    return is_news;
}

/* As with challenges. */
static bool take_previews(struct agent *agent, const struct agent_previews_told *told)
{
    if (!told->is_told || !agent_previews_take(&agent->apply.previews, &told->list, agent_now_ms()))
        return false;
    agent_apply_tell_versions(&agent->apply);
    return true;
}

/* What is being fetched is not wanted any more. A control plane that offers the same again and again must not have it
 * begun anew each time. */
static void take_while_fetching(struct agent *agent, struct agent_assignment *desired)
{
    if (desired->offer.version.generation <= agent->fetch.waiting.offer.version.generation) {
        agent_assignment_fini(desired);
        ask_again(agent, true);
        return;
    }
    log_info("agent: generation %" PRIu64 " is not fetched any further: there is %" PRIu64,
             agent->fetch.waiting.offer.version.generation, desired->offer.version.generation);
    agent->held = *desired;
    agent_pull_drop(agent->pull);
}

/* Takes over `desired`, which came with the answer to what was `asked`. */
static void take_desired(struct agent *agent, struct agent_assignment *desired,
                         const struct agent_asked *asked)
{
    /* It will be offered again: after the next hello when the session has ended meanwhile, and
     * else, when a poll beside a slow report was answered first, by the next answer. */
    if (!agent_may_take(agent)) {
        agent_assignment_fini(desired);
        return;
    }
    agent->trouble = AGENT_TROUBLE_NONE;
    bool news = agent_log_requests_take(&agent->log_requests, &desired->request);
    if (agent_preflight_take(&agent->preflight, agent->answered_check_id, &desired->preflight))
        news = true;
    if (take_challenges(agent, &desired->challenges))
        news = true;
    if (agent_bring_ahead_take(agent, &desired->ahead))
        news = true;
    if (take_previews(agent, &desired->previews))
        news = true;
    if (desired->looks.is_said) {
        agent_samples_watch(&agent->samples, agent->server, &desired->looks, agent_now_ms());
        news = true;
    }
    if (agent_watch_take(&agent->watch, agent->server, &desired->watch, agent_now_ms()))
        news = true;
    if (desired->text)
        /* Another config will soon be in force, so the measurement ends. */
        agent_probes_end(agent->probes);
    if (agent_probes_begin(agent->probes, &desired->probes))
        news = true;
    if (desired->text && agent->fetch.waiting.text) {
        take_while_fetching(agent, desired);
        return;
    }
    if (desired->text && agent_apply_is_confirming(&agent->apply)) {
        agent->held = *desired;
        return;
    }
    /* To have nothing for a poll that does not wait is neither hasty nor a sign that the session
     * lasts. */
    if (!desired->text && !news && asked->wait_ms == 0) {
        agent_assignment_fini(desired);
        agent->clocks[AGENT_SLOT_DESIRED].due_ms = agent_now_ms();
        return;
    }
    /* An empty answer before half of the waiting time is hasty, too. */
    bool hasty = agent_now_ms() - asked->at_ms < asked->wait_ms / 2;
    if (desired->text)
        hasty = !take_assignment(agent, desired);
    agent_assignment_fini(desired);
    ask_again(agent, hasty && !news);
}

static void on_desired(struct agent *agent, const struct agent_reply *reply)
{
    struct agent_assignment desired;
    char why[AGENT_WHY_LEN];
    if (agent_read_assignment(reply->body, reply->len, &desired, why) == 0) {
        take_desired(agent, &desired, &agent->poll);
        return;
    }
    agent_log_failure(agent, AGENT_SLOT_DESIRED, "answer to desired", why);
    agent_back_off(agent, AGENT_SLOT_DESIRED);
}

void agent_take_held(struct agent *agent)
{
    if (!agent->held.text || agent_apply_is_confirming(&agent->apply) || agent->fetch.waiting.text)
        return;
    bool news = take_assignment(agent, &agent->held);
    agent_assignment_fini(&agent->held);
    ask_again(agent, !news);
}

/* Everything that was lacking is there. If it is not after all, the disk does not keep what was
 * written. */
void agent_release_fetched(struct agent *agent)
{
    struct agent_assignment *assignment = &agent->fetch.waiting;
    uint64_t have = agent->apply.have.generation;
    if (assignment->text && !agent_apply_take(&agent->apply, assignment)) {
        if (!agent->fetch.is_pulling) {
            agent_release_begin(agent);
            return;
        }
        agent_apply_refuse(&agent->apply, assignment, "content_missing",
                           "what was fetched is not on the disk any more");
    }
    agent_fetch_end(&agent->fetch);
    ask_again(agent, agent->apply.have.generation == have);
}

static void on_fetched(struct agent *agent, const struct agent_reply *reply)
{
    if (agent_fetch_hear(&agent->fetch, &agent->apply, reply))
        agent_release_fetched(agent);
}

static void on_report(struct agent *agent, const struct agent_reply *reply)
{
    struct agent_taken taken;
    char why[AGENT_WHY_LEN];
    struct agent_clock *clock = &agent->clocks[AGENT_SLOT_REPORT];
    bool ok = agent_read_taken(reply->body, reply->len, &taken, why) == 0;
    if (ok && taken.seq < agent->reported_seq)
        snprintf(why, sizeof(why), "windows up to %" PRIu64 " were sent, %" PRIu64 " were taken",
                 agent->reported_seq, taken.seq);
    agent_report_acknowledge(&agent->ring, taken.seq);
    if (ok) {
        agent->drift_known = agent->drift_said;
        memcpy(agent->shown_known, agent->shown_said, sizeof(agent->shown_known));
        memcpy(agent->giving.known, agent->giving.said, sizeof(agent->giving.known));
        if (taken.neighbours.is_told)
            agent_give_rule(agent, &taken.neighbours.rules, false);
        report_each(agent, taken.report_every_ms ? taken.report_every_ms : agent->told_every_ms,
                    agent_now_ms());
    }
    if (!ok || taken.seq < agent->reported_seq) {
        agent_log_failure(agent, AGENT_SLOT_REPORT, "answer to report", why);
        agent_back_off(agent, AGENT_SLOT_REPORT);
        agent_assignment_fini(&taken.desired);
        return;
    }
    clock->failures = 0;
    clock->due_ms = agent_now_ms();
    /* An older control plane answers without, and is asked for it. */
    if (taken.has_desired && agent->held_report.wait_ms > 0) {
        agent->turns.is_poll_owed = false;
        take_desired(agent, &taken.desired, &agent->held_report);
    } else {
        agent_assignment_fini(&taken.desired);
    }
}

/* Is it an answer of the control plane to a message about an assignment? Mostly that is an empty
 * object, and the page of a proxy must not be taken for it. */
static bool is_answer(const struct agent_reply *reply)
{
    char why[AGENT_WHY_LEN];
    json_t *document = agent_json_load(reply->body, reply->len, why, sizeof(why));
    json_decref(document);
    return document != NULL;
}

/* Ends the request for a check, whatever came of it: each gets one answer. */
static void end_check(struct agent *agent)
{
    memcpy(agent->answered_check_id, agent->preflight.id, sizeof(agent->answered_check_id));
    agent_preflight_fini(&agent->preflight);
}

/* Without an answer that can be read it ends when it would have ended anyway. */
static void on_samples(struct agent *agent, const struct agent_reply *reply)
{
    char why[AGENT_WHY_LEN];
    struct agent_looks looks;
    agent->clocks[AGENT_SLOT_TALK].failures = 0;
    if (agent_samples_read(reply->body, reply->len, &looks, why) == 0)
        agent_samples_watch(&agent->samples, agent->server, &looks, agent_now_ms());
    else
        agent_log_failure(agent, AGENT_SLOT_TALK, "answer to samples", why);
}

static void on_talk(struct agent *agent, const struct agent_reply *reply)
{
    if (agent->saying == AGENT_SAYING_HELLO) {
        on_hello(agent, reply);
    } else if (agent->saying == AGENT_SAYING_RENEW) {
        on_renewed(agent, reply);
    } else if (agent->saying == AGENT_SAYING_LOGS) {
        agent->clocks[AGENT_SLOT_TALK].failures = 0;
        agent_log_requests_end(&agent->log_requests);
    } else if (agent->saying == AGENT_SAYING_CHECK) {
        agent->clocks[AGENT_SLOT_TALK].failures = 0;
        end_check(agent);
    } else if (agent->saying == AGENT_SAYING_SAMPLES) {
        on_samples(agent, reply);
    } else if (is_answer(reply)) {
        agent->clocks[AGENT_SLOT_TALK].failures = 0;
        agent_apply_on_taken(&agent->apply, reply->body, reply->len, agent_now_ms());
    } else {
        agent_log_failure(agent, AGENT_SLOT_TALK, "answer", "it is no JSON object");
        agent_back_off(agent, AGENT_SLOT_TALK);
    }
}

/* --- refusals --- */

/* Handles a refusal of a message that is not worth repeating. */
static void on_refused(struct agent *agent, enum agent_slot slot, int status, const char *why)
{
    static const char *const names[] = {
        [AGENT_SAYING_HELLO] = "hello", [AGENT_SAYING_ASSIGNMENT] = "message",
        [AGENT_SAYING_RENEW] = "renew", [AGENT_SAYING_LOGS] = "logs",
        [AGENT_SAYING_CHECK] = "check", [AGENT_SAYING_SAMPLES] = "samples"};
    enum agent_saying saying = agent->saying;
    bool is_talk = slot == AGENT_SLOT_TALK;
    agent_log_failure(agent, slot, is_talk ? names[saying] : "message", why);
    if (is_talk && saying == AGENT_SAYING_ASSIGNMENT)
        agent_apply_on_refused(&agent->apply, why);
    else if (is_talk && saying == AGENT_SAYING_RENEW)
        agent_renewal_put_off(&agent->renewal, agent_now_ms());
    else if (is_talk && saying == AGENT_SAYING_LOGS)
        agent_log_requests_end(&agent->log_requests);
    else if (is_talk && saying == AGENT_SAYING_CHECK)
        end_check(agent);
    else if (is_talk && saying == AGENT_SAYING_SAMPLES)
        agent_samples_watch(&agent->samples, agent->server, &(struct agent_looks){0},
                            agent_now_ms());
    else if (slot == AGENT_SLOT_FETCH)
        agent_fetch_fail(&agent->fetch, &agent->apply,
                         status == 404 ? "content_missing" : "tls_material", why);
    else if (slot == AGENT_SLOT_REPORT)
        /* The same bytes would be refused again, and all later windows would have to wait. */
        agent_report_lose(&agent->ring, agent->reported_seq);
    else
        agent_back_off(agent, slot);
}

static void on_problem(struct agent *agent, const struct agent_reply *reply)
{
    struct agent_problem problem = {0};
    char why[AGENT_WHY_LEN];
    if (reply->status == 0) {
        snprintf(why, sizeof(why), "%s", reply->error);
    } else {
        agent_read_problem(reply->body, reply->len, &problem);
        snprintf(why, sizeof(why), "HTTP %d %s: %.160s", reply->status, problem.code,
                 problem.detail);
    }
    if (!agent_on_trouble(agent, reply, &problem, why))
        on_refused(agent, reply->slot, reply->status, why);
}

void agent_hear(struct agent *agent, const struct agent_reply *reply)
{
    agent_turns_end(&agent->turns, reply->slot);
    if (reply->slot == AGENT_SLOT_FETCH && agent->tickets.is_asked) {
        agent_tickets_hear(&agent->tickets, reply, agent->server, agent_now_ms());
        return;
    }
    if (reply->slot == AGENT_SLOT_FETCH && !agent_fetch_is_awaited(&agent->fetch))
        return; /* the session in which it was asked for has ended */
    if (reply->status < 200 || reply->status > 299)
        on_problem(agent, reply);
    else if (reply->slot == AGENT_SLOT_TALK)
        on_talk(agent, reply);
    else if (reply->slot == AGENT_SLOT_DESIRED)
        on_desired(agent, reply);
    else if (reply->slot == AGENT_SLOT_FETCH)
        on_fetched(agent, reply);
    else
        on_report(agent, reply);
    if (reply->slot == AGENT_SLOT_TALK)
        agent_take_held(agent);
}
