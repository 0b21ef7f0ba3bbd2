/* SPDX-License-Identifier: MIT */
/* agent_session.c — how long to wait after a failure, and what ends a session. None of this affects
 * what is served: a node without a control plane, or one that is refused, goes on serving. */
#include "agent/agent_parts.h"

#include "base/util.h"

#include <string.h>
#include <sys/random.h>

#define BACKOFF_FIRST_MS 500
#define BACKOFF_MAX_MS 5000
#define BACKOFF_URGENT_MS 2000 /* the limit while an unconfirmed config's timer runs */
#define REFUSED_MS 60000       /* after the identity was refused */
#define CLONE_MS 5000
#define NEEDS_UPGRADE_MS 600000
#define HELLOS_IN_VAIN 4 /* in a row before this is logged */

static uint32_t backoff_ms(const struct agent *agent, unsigned failures)
{
    uint32_t bound = BACKOFF_MAX_MS;
    uint32_t random = 0;
    if (failures < 7 && (BACKOFF_FIRST_MS << failures) < BACKOFF_MAX_MS)
        bound = BACKOFF_FIRST_MS << failures;
    if (agent_apply_is_urgent(&agent->apply) && bound > BACKOFF_URGENT_MS)
        bound = BACKOFF_URGENT_MS;
    CHECK(getrandom(&random, sizeof(random), 0) == (ssize_t)sizeof(random));
    return bound / 10 + random % (bound - bound / 10);
}

/* The pause grows exponentially and is random, so that nodes that have lost their control plane do
 * not all come back to it at the same time. It is at least a tenth of the bound, so that no node
 * asks too often. */
void agent_back_off(struct agent *agent, enum agent_slot slot)
{
    struct agent_clock *clock = &agent->clocks[slot];
    clock->due_ms = agent_now_ms() + backoff_ms(agent, clock->failures);
    clock->failures++;
}

void agent_log_failure(const struct agent *agent, enum agent_slot slot, const char *what,
                       const char *why)
{
    enum config_log_level level =
        agent->clocks[slot].failures == 0 ? LOG_LEVEL_WARN : LOG_LEVEL_DEBUG;
    log_write(level, "agent: %s: %s", what, why);
}

void agent_begin_session(struct agent *agent, uint64_t now)
{
    agent->in_session = true;
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++)
        agent->clocks[i].due_ms = now;
    agent->tickets.due_ms = now;
    /* Before the windows of an outage, which may be many. */
    agent->turns.is_poll_owed = true;
}

void agent_end_session(struct agent *agent, uint32_t wait_ms)
{
    agent->in_session = false;
    agent_assignment_fini(&agent->held);
    if (!agent->fetch.is_pulling) /* what comes is of use whoever the session was with */
        agent_fetch_end(&agent->fetch);
    agent_probes_end(agent->probes);
    agent->clocks[AGENT_SLOT_TALK].due_ms = agent_now_ms() + wait_ms;
}

/* Is this the first time? */
static bool is_news(struct agent *agent, int trouble)
{
    bool news = agent->in_session || trouble != agent->trouble;
    agent->trouble = trouble;
    return news;
}

void agent_lose_session(struct agent *agent, int trouble, const char *why)
{
    if (is_news(agent, trouble))
        log_warn("agent: no control plane at %s: %s: serving on, asking again",
                 agent->identity.control_plane_url, why);
    agent_end_session(agent, 0);
    agent_back_off(agent, AGENT_SLOT_TALK);
}

void agent_needs_upgrade(struct agent *agent, const char *why)
{
    log_error("agent: the control plane needs a newer farmstead-node (%s): serving on", why);
    agent_end_session(agent, NEEDS_UPGRADE_MS);
}

/* The first time at once, then with growing pauses, because hello may not be enough: another
 * machine may run with a copy of this state folder, and each one's hello makes the other
 * unknown. */
static void say_hello_again(struct agent *agent)
{
    if (!agent->in_session)
        return; /* a hello is under way already */
    if (agent->clocks[AGENT_SLOT_TALK].failures == 0) {
        agent->clocks[AGENT_SLOT_TALK].failures = 1;
        agent_end_session(agent, 0);
        return;
    }
    if (agent->clocks[AGENT_SLOT_TALK].failures == HELLOS_IN_VAIN)
        log_warn("agent: the control plane asks for hello again and again: does another machine "
                 "run with a copy of this state folder? serving on");
    agent_end_session(agent, 0);
    agent_back_off(agent, AGENT_SLOT_TALK);
}

/* --- an identity that is refused ------------------------------------------------------------- */

static const struct refusal {
    const char *code;
    int trouble;
    const char *sentence;
} refusals[] = {
    /* The last row is for all codes that this version does not know. */
    {"identity_expired", AGENT_TROUBLE_EXPIRED, "this node's certificate has expired"},
    {"identity_revoked", AGENT_TROUBLE_REVOKED, "this node's identity was revoked"},
    {"unknown_credential", AGENT_TROUBLE_UNKNOWN,
     "the control plane does not know this node's credential"},
};

static void on_refused_identity(struct agent *agent, const struct agent_problem *problem,
                                const char *why)
{
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(refusals) && strcmp(refusals[i].code, problem->code) != 0)
        i++;
    if (is_news(agent, refusals[i].trouble))
        log_error("agent: %s (%s): serving on, asking again each %d s; the way back: make an "
                  "enrolment token, stop the node, run farmstead-node join with it and --rejoin, "
                  "and start it",
                  refusals[i].sentence, why, REFUSED_MS / 1000);
    agent_end_session(agent, REFUSED_MS);
}

/* Two processes use the same key. A person has to decide which one is the node. Until then neither
 * changes anything, and a config that waits for its confirmation is reverted when its time is
 * up. */
static void on_clone(struct agent *agent, const char *why)
{
    if (is_news(agent, AGENT_TROUBLE_CLONE))
        log_error("agent: another machine or process runs with a copy of this node's state folder "
                  "(%s): serving on, taking no config until an operator says at the control plane "
                  "which is to be kept",
                  why);
    agent_end_session(agent, CLONE_MS);
}

/* --- problems --- */

/* Was the message not taken by anybody? A redirect, and a problem without a code, do not come from
 * the control plane but from a proxy in between, and say nothing about an assignment. Only a report
 * is given up then: one that is too large for a proxy (413) must not be sent for ever. */
static bool is_away(const struct agent_reply *reply, const struct agent_problem *problem)
{
    bool is_redirect = reply->status >= 300 && reply->status <= 399;
    return reply->status == 0 || reply->status == 429 || reply->status >= 500 || is_redirect ||
           (!problem->code[0] && reply->slot != AGENT_SLOT_REPORT && reply->status != 401);
}

static void on_away(struct agent *agent, const struct agent_reply *reply, bool hello,
                    const char *why)
{
    if (hello || reply->slot == AGENT_SLOT_DESIRED) {
        agent_lose_session(agent, reply->untrusted ? AGENT_TROUBLE_UNTRUSTED : reply->status, why);
        return;
    }
    if (reply->slot == AGENT_SLOT_FETCH) {
        agent_fetch_fail(&agent->fetch, &agent->apply, "content_missing", why);
        return;
    }
    agent_log_failure(agent, reply->slot, reply->slot == AGENT_SLOT_TALK ? "answer" : "report",
                      why);
    agent_back_off(agent, reply->slot);
}

bool agent_on_trouble(struct agent *agent, const struct agent_reply *reply,
                      const struct agent_problem *problem, const char *why)
{
    bool hello = reply->slot == AGENT_SLOT_TALK && agent->saying == AGENT_SAYING_HELLO;
    bool is_conflict = reply->status == 409;
    if (reply->status == 401 && reply->stale) {
        /* The certificate it was sent with has been replaced meanwhile: send it again at once. */
    } else if (reply->status == 401) {
        on_refused_identity(agent, problem, why);
    } else if (reply->status == 426) {
        agent_needs_upgrade(agent, why);
    } else if (is_conflict && strcmp(problem->code, "clone_detected") == 0) {
        on_clone(agent, why);
    } else if (is_conflict && strcmp(problem->code, "say_hello") == 0 && !hello) {
        say_hello_again(agent);
    } else if (is_away(reply, problem)) {
        on_away(agent, reply, hello, why);
    } else {
        return false;
    }
    return true;
}
