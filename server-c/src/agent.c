/* SPDX-License-Identifier: MIT */
/* agent.c — the agent's thread: who is asked what, when, and how long to wait after a failure.
 *
 * Three slots run side by side. TALK carries hello and the messages about an assignment, DESIRED
 * the long poll, REPORT the measurements. In a session (hello was answered) each slot keeps its own
 * time; an outage of TALK's hello or of DESIRED ends the session, and the next hello is said after
 * a back-off. */
#include "agent.h"

#include "agent_apply.h"
#include "agent_http.h"
#include "agent_json.h"
#include "agent_report.h"
#include "config_schema.h"
#include "log.h"
#include "mem.h"
#include "util.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BACKOFF_FIRST_MS 500
#define BACKOFF_MAX_MS 30000
#define BACKOFF_URGENT_MS 2000 /* at most, while a confirm timer runs */
#define UNKNOWN_CREDENTIAL_MS 60000
#define NEEDS_UPGRADE_MS 600000

#define TALK_TIMEOUT_MS 15000
#define REPORT_TIMEOUT_MS 30000
#define DESIRED_GRACE_MS 15000 /* on top of the wait that was asked for */

#define REPORT_EVERY_DEFAULT_MS 5000
#define REPORT_EVERY_MIN_MS 100
#define REPORT_EVERY_MAX_MS 600000
#define HELLOS_IN_VAIN 4 /* in a row, until it is worth a line */
#define DESIRED_WAIT_MIN_MS 1000
#define DESIRED_WAIT_MAX_MS 300000

#define TROUBLE_NONE (-1)
#define TROUBLE_BAD_ANSWER (-2)
#define TROUBLE_STRANGER (-3)

struct slot_clock {
    uint64_t due_ms;
    unsigned failures; /* in a row */
};

struct agent {
    struct server *server;
    const struct agent_identity *identity;
    struct agent_host host;
    char incarnation[33];
    char boot_id[33];
    char schema_digest[CONFIG_DIGEST_LEN + 1];

    struct agent_http *http;
    struct agent_apply apply;
    struct agent_report_ring ring;
    struct server_metrics *snapshot;

    bool in_session;
    int trouble;       /* what the last outage was, so that it is logged once */
    bool saying_hello; /* TALK is busy with a hello */
    struct slot_clock clocks[AGENT_SLOT_COUNT];
    uint32_t report_every_ms;
    uint32_t desired_wait_ms;
    uint64_t desired_asked_ms;
    uint64_t window_due_ms;
    uint64_t reported_seq; /* last of the request under way */

    pthread_t thread;
    atomic_bool stopping;
};

static uint64_t now_ms(void)
{
    return monotonic_ns() / NS_PER_MS;
}

void agent_random_id(char out[33])
{
    unsigned char bytes[16];
    /* 16 bytes come at once or, before the kernel's pool is ready, after a wait; never partly. */
    CHECK(getrandom(bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static uint32_t clamp(uint32_t value, uint32_t min, uint32_t max)
{
    return value < min ? min : value > max ? max : value;
}

/* --- waiting after failures --- */

/* Exponential with full jitter, so that a farm that lost its control plane does not come back to
 * it all at once; a tenth of the bound at least, so that no node hammers by luck. */
static uint32_t backoff_ms(const struct agent *agent, unsigned failures)
{
    uint32_t bound = BACKOFF_MAX_MS;
    uint32_t random = 0;
    if (failures < 7)
        bound = clamp(BACKOFF_FIRST_MS << failures, BACKOFF_FIRST_MS, BACKOFF_MAX_MS);
    if (agent_apply_is_urgent(&agent->apply) && bound > BACKOFF_URGENT_MS)
        bound = BACKOFF_URGENT_MS;
    CHECK(getrandom(&random, sizeof(random), 0) == (ssize_t)sizeof(random));
    return bound / 10 + random % (bound - bound / 10);
}

static void back_off(struct agent *agent, enum agent_slot slot)
{
    struct slot_clock *clock = &agent->clocks[slot];
    clock->due_ms = now_ms() + backoff_ms(agent, clock->failures);
    clock->failures++;
}

/* The first failure in a row is worth a line; the rest say the same. */
static void log_failure(const struct agent *agent, enum agent_slot slot, const char *what,
                        const char *why)
{
    enum config_log_level level =
        agent->clocks[slot].failures == 0 ? LOG_LEVEL_WARN : LOG_LEVEL_DEBUG;
    log_write(level, "agent: %s: %s", what, why);
}

static void end_session(struct agent *agent, uint32_t wait_ms)
{
    agent->in_session = false;
    agent->clocks[AGENT_SLOT_TALK].due_ms = now_ms() + wait_ms;
}

/* The control plane is away: hello again, later each time. An outage is worth a line when it begins
 * and when it turns into another: `status` is HTTP's, 0 for none, else TROUBLE_*. */
static void lose_session(struct agent *agent, int status, const char *why)
{
    if (agent->in_session || status != agent->trouble)
        log_warn("agent: no control plane at %s: %s: serving on, asking again",
                 agent->identity->control_plane_url, why);
    agent->trouble = status;
    end_session(agent, 0);
    back_off(agent, AGENT_SLOT_TALK);
}

/* At once the first time; later each time when a hello is not enough, as when another machine runs
 * with a copy of this state folder and each one's hello makes the other a stranger. */
static void say_hello_again(struct agent *agent)
{
    if (!agent->in_session)
        return; /* one is on its way */
    if (agent->clocks[AGENT_SLOT_TALK].failures == 0) {
        agent->clocks[AGENT_SLOT_TALK].failures = 1;
        end_session(agent, 0);
        return;
    }
    if (agent->clocks[AGENT_SLOT_TALK].failures == HELLOS_IN_VAIN)
        log_warn("agent: the control plane asks for hello again and again: does another machine "
                 "run with a copy of this state folder? serving on");
    end_session(agent, 0);
    back_off(agent, AGENT_SLOT_TALK);
}

/* --- what is said --- */

static void say_hello(struct agent *agent)
{
    struct server_effective effective;
    server_effective(agent->server, &effective);
    struct agent_hello hello = {
        .node_id = agent->identity->enrolled.node_id,
        .boot_id = agent->boot_id,
        .incarnation = agent->incarnation,
        .schema_digest = agent->schema_digest,
        .host = &agent->host,
        .effective = &effective,
        .last_known_good = &agent->apply.kept.offer.version,
        .fences = &agent->apply.fences,
        .last_result = agent->apply.has_result ? &agent->apply.result : NULL,
    };
    agent->saying_hello = true;
    agent_http_post(agent->http, AGENT_SLOT_TALK, "hello", agent_build_hello(&hello),
                    TALK_TIMEOUT_MS);
}

static void start_talk(struct agent *agent, uint64_t now)
{
    if (agent_http_busy(agent->http, AGENT_SLOT_TALK) ||
        now < agent->clocks[AGENT_SLOT_TALK].due_ms)
        return;
    if (!agent->in_session) {
        say_hello(agent);
        return;
    }
    char *body = NULL;
    const char *message = agent_apply_next(&agent->apply, now, &body);
    if (message)
        agent_http_post(agent->http, AGENT_SLOT_TALK, message, body, TALK_TIMEOUT_MS);
}

static void start_desired(struct agent *agent, uint64_t now)
{
    if (!agent->in_session || agent_http_busy(agent->http, AGENT_SLOT_DESIRED) ||
        now < agent->clocks[AGENT_SLOT_DESIRED].due_ms || agent_apply_owes_answer(&agent->apply))
        return;
    agent->desired_asked_ms = now;
    agent_http_post(agent->http, AGENT_SLOT_DESIRED, "desired",
                    agent_build_desired(agent->boot_id, agent->incarnation, &agent->apply.have,
                                        agent->desired_wait_ms),
                    agent->desired_wait_ms + DESIRED_GRACE_MS);
}

static void start_report(struct agent *agent, uint64_t now)
{
    if (!agent->in_session || agent_http_busy(agent->http, AGENT_SLOT_REPORT) ||
        now < agent->clocks[AGENT_SLOT_REPORT].due_ms || !agent->ring.first)
        return;
    struct buf windows;
    struct server_effective effective;
    buf_init(&windows);
    agent->reported_seq = agent_report_batch(&agent->ring, &windows);
    server_effective(agent->server, &effective);
    struct agent_report report = {
        .boot_id = agent->boot_id,
        .incarnation = agent->incarnation,
        .uptime_ms = agent->snapshot->monotonic_ms,
        .effective = &effective,
        .lost_windows = agent->ring.lost_windows,
        .gauges = agent->snapshot->gauges,
        .windows = windows.data,
    };
    agent_http_post(agent->http, AGENT_SLOT_REPORT, "report", agent_build_report(&report),
                    REPORT_TIMEOUT_MS);
    buf_fini(&windows);
}

/* A window is closed on time whether or not anybody is there to take it. */
static void close_window(struct agent *agent, uint64_t now)
{
    if (now < agent->window_due_ms)
        return;
    server_metrics(agent->server, agent->snapshot);
    agent_report_add(&agent->ring, agent->snapshot);
    agent->window_due_ms += agent->report_every_ms;
    /* After a stall, one late window, not a row of empty ones. */
    if (agent->window_due_ms <= now)
        agent->window_due_ms = now + agent->report_every_ms;
}

/* --- what is answered --- */

static void on_hello(struct agent *agent, const struct agent_reply *reply)
{
    struct agent_session session;
    char why[AGENT_WHY_LEN];
    const char *joined = agent->identity->enrolled.control_plane_id;
    if (agent_read_session(reply->body, reply->len, &session, why) != 0) {
        lose_session(agent, TROUBLE_BAD_ANSWER, why);
        return;
    }
    if (strcmp(session.control_plane_id, joined) != 0) {
        lose_session(agent, TROUBLE_STRANGER,
                     "it is another control plane than the one this node joined");
        return;
    }
    if (session.protocol != AGENT_PROTOCOL) {
        log_error("agent: the control plane speaks protocol %" PRIu32 ", this node %d: upgrade "
                  "farmstead-node; serving on",
                  session.protocol, AGENT_PROTOCOL);
        end_session(agent, NEEDS_UPGRADE_MS);
        return;
    }
    if (session.epoch < agent->apply.fences.max_epoch)
        log_warn("agent: the control plane's epoch is %" PRIu64 ", this node has seen %" PRIu64
                 ": its assignments will be refused",
                 session.epoch, agent->apply.fences.max_epoch);
    agent->in_session = true;
    agent->report_every_ms =
        clamp(session.report_every_ms, REPORT_EVERY_MIN_MS, REPORT_EVERY_MAX_MS);
    agent->desired_wait_ms =
        clamp(session.desired_wait_ms, DESIRED_WAIT_MIN_MS, DESIRED_WAIT_MAX_MS);
    uint64_t now = now_ms();
    if (agent->window_due_ms > now + agent->report_every_ms)
        agent->window_due_ms = now + agent->report_every_ms;
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++)
        agent->clocks[i].due_ms = now;
    agent_apply_on_hello(&agent->apply);
    log_info("agent: connected to %s", agent->identity->control_plane_url);
}

static void on_desired(struct agent *agent, const struct agent_reply *reply)
{
    struct agent_assignment assignment;
    struct slot_clock *clock = &agent->clocks[AGENT_SLOT_DESIRED];
    char why[AGENT_WHY_LEN];
    uint64_t now = now_ms();
    uint64_t have = agent->apply.have.generation;
    if (agent_read_assignment(reply->body, reply->len, &assignment, why) != 0) {
        log_failure(agent, AGENT_SLOT_DESIRED, "answer to desired", why);
        back_off(agent, AGENT_SLOT_DESIRED);
        return;
    }
    /* An answer of nothing before half of the wait, or one that brings this node no further: a
     * control plane that gives it again and again must not be asked in a tight loop. */
    bool hasty = now - agent->desired_asked_ms < agent->desired_wait_ms / 2;
    if (assignment.text) {
        agent_apply_take(&agent->apply, &assignment);
        hasty = agent->apply.have.generation <= have;
    }
    agent_assignment_fini(&assignment);
    agent->trouble = TROUBLE_NONE;
    if (hasty) {
        back_off(agent, AGENT_SLOT_DESIRED);
    } else {
        agent->clocks[AGENT_SLOT_TALK].failures = 0;
        clock->failures = 0;
        clock->due_ms = now;
    }
}

static void on_report(struct agent *agent, const struct agent_reply *reply)
{
    uint64_t seq = 0;
    char why[AGENT_WHY_LEN];
    struct slot_clock *clock = &agent->clocks[AGENT_SLOT_REPORT];
    bool ok = agent_read_acknowledged(reply->body, reply->len, &seq, why) == 0;
    if (ok && seq < agent->reported_seq)
        snprintf(why, sizeof(why), "windows up to %" PRIu64 " were sent, %" PRIu64 " were taken",
                 agent->reported_seq, seq);
    agent_report_acknowledge(&agent->ring, seq);
    if (!ok || seq < agent->reported_seq) {
        log_failure(agent, AGENT_SLOT_REPORT, "answer to report", why);
        back_off(agent, AGENT_SLOT_REPORT);
        return;
    }
    clock->failures = 0;
    clock->due_ms = now_ms();
}

/* No success and nothing more to be done about this message: it is let go. */
static void on_refused(struct agent *agent, enum agent_slot slot, const char *message,
                       const char *why)
{
    log_failure(agent, slot, message, why);
    if (slot == AGENT_SLOT_TALK && !agent->saying_hello)
        agent_apply_on_refused(&agent->apply, why);
    else if (slot == AGENT_SLOT_REPORT)
        /* The same bytes would be refused again, and hold up every later window. */
        agent_report_lose(&agent->ring, agent->reported_seq);
    else
        back_off(agent, slot);
}

/* Nobody took the message. A redirect, and a problem without a code, are not the control plane's: a
 * proxy between us said it, and what it says of an assignment means nothing. Only a report is let go
 * then: one that is too large for a proxy (413) must not be sent for ever. */
static bool is_away(const struct agent_reply *reply, const struct agent_problem *problem)
{
    bool is_redirect = reply->status >= 300 && reply->status <= 399;
    return reply->status == 0 || reply->status == 429 || reply->status >= 500 || is_redirect ||
           (!problem->code[0] && reply->slot != AGENT_SLOT_REPORT && reply->status != 401);
}

/* What ends or shakes the session, whatever was said. True when `reply` was such a one. */
static bool on_trouble(struct agent *agent, const struct agent_reply *reply,
                       const struct agent_problem *problem, const char *why)
{
    bool away = is_away(reply, problem);
    bool hello = reply->slot == AGENT_SLOT_TALK && agent->saying_hello;
    if (reply->status == 401) {
        log_error("agent: the control plane does not know this node's credential (%s): serving on; "
                  "to come back, make an enrolment token and run farmstead-node join with --rejoin",
                  why);
        end_session(agent, UNKNOWN_CREDENTIAL_MS);
    } else if (reply->status == 426) {
        log_error("agent: the control plane needs a newer farmstead-node (%s): serving on", why);
        end_session(agent, NEEDS_UPGRADE_MS);
    } else if (reply->status == 409 && strcmp(problem->code, "say_hello") == 0 && !hello) {
        say_hello_again(agent);
    } else if (away && (hello || reply->slot == AGENT_SLOT_DESIRED)) {
        lose_session(agent, reply->status, why);
    } else if (away) {
        log_failure(agent, reply->slot, reply->slot == AGENT_SLOT_TALK ? "answer" : "report", why);
        back_off(agent, reply->slot);
    } else {
        return false;
    }
    return true;
}

/* Of the messages about an assignment, which are mostly answered with an empty object: the page of
 * a proxy must not pass for one. */
static bool is_answer(const struct agent_reply *reply)
{
    char why[AGENT_WHY_LEN];
    json_t *document = agent_json_load(reply->body, reply->len, why, sizeof(why));
    json_decref(document);
    return document != NULL;
}

static void on_reply(struct agent *agent, const struct agent_reply *reply)
{
    bool hello = reply->slot == AGENT_SLOT_TALK && agent->saying_hello;
    if (reply->status < 200 || reply->status > 299) {
        struct agent_problem problem = {0};
        char why[AGENT_WHY_LEN];
        if (reply->status != 0)
            agent_read_problem(reply->body, reply->len, &problem);
        if (reply->status == 0)
            snprintf(why, sizeof(why), "%s", reply->error);
        else
            snprintf(why, sizeof(why), "HTTP %d %s: %.160s", reply->status, problem.code,
                     problem.detail);
        if (!on_trouble(agent, reply, &problem, why))
            on_refused(agent, reply->slot, hello ? "hello" : "message", why);
    } else if (hello) {
        on_hello(agent, reply);
    } else if (reply->slot == AGENT_SLOT_TALK && !is_answer(reply)) {
        log_failure(agent, AGENT_SLOT_TALK, "answer", "it is no JSON object");
        back_off(agent, AGENT_SLOT_TALK);
    } else if (reply->slot == AGENT_SLOT_TALK) {
        agent->clocks[AGENT_SLOT_TALK].failures = 0;
        agent_apply_on_taken(&agent->apply, reply->body, reply->len, now_ms());
    } else if (reply->slot == AGENT_SLOT_DESIRED) {
        on_desired(agent, reply);
    } else {
        on_report(agent, reply);
    }
    if (reply->slot == AGENT_SLOT_TALK)
        agent->saying_hello = false;
}

/* --- the loop --- */

/* Only times to come: what is due already has begun, or has nothing to say. */
static uint32_t wait_ms(const struct agent *agent, uint64_t now)
{
    uint64_t due = agent->window_due_ms;
    uint64_t apply_due = agent_apply_due_ms(&agent->apply);
    if (apply_due < due)
        due = apply_due;
    for (size_t i = 0; i < AGENT_SLOT_COUNT; i++) {
        uint64_t slot_due = agent->clocks[i].due_ms;
        if (i == AGENT_SLOT_TALK && agent->in_session &&
            agent_apply_speak_ms(&agent->apply) > slot_due)
            slot_due = agent_apply_speak_ms(&agent->apply);
        if (!agent_http_busy(agent->http, (enum agent_slot)i) && slot_due > now && slot_due < due)
            due = slot_due;
    }
    return due > now ? (uint32_t)(due - now) : 0;
}

static void *agent_run(void *arg)
{
    struct agent *agent = arg;
    while (!atomic_load(&agent->stopping)) {
        struct agent_reply reply;
        uint64_t now = now_ms();
        agent_apply_on_time(&agent->apply, now);
        close_window(agent, now);
        start_talk(agent, now);
        start_desired(agent, now);
        start_report(agent, now);
        if (agent_http_next(agent->http, wait_ms(agent, now), &reply))
            on_reply(agent, &reply);
    }
    return NULL;
}

static void agent_free(struct agent *agent)
{
    agent_apply_fini(&agent->apply);
    agent_report_fini(&agent->ring);
    agent_http_free(agent->http);
    free(agent->snapshot);
    free(agent);
}

struct agent *agent_start(struct server *server, struct agent_state *state,
                          const struct agent_identity *identity, char why[AGENT_WHY_LEN])
{
    struct server_effective effective;
    struct agent *agent = xcalloc(1, sizeof(*agent));
    agent->server = server;
    agent->identity = identity;
    agent->http = agent_http_new(identity->control_plane_url, identity->enrolled.credential);
    if (!agent->http) {
        snprintf(why, AGENT_WHY_LEN, "libcurl cannot start");
        free(agent);
        return NULL;
    }
    agent_host_read(&agent->host);
    agent_random_id(agent->incarnation);
    config_schema_digest(agent->schema_digest);
    agent->report_every_ms = REPORT_EVERY_DEFAULT_MS;
    agent->desired_wait_ms = DESIRED_WAIT_MIN_MS;
    agent->trouble = TROUBLE_NONE;
    agent->snapshot = xcalloc(1, sizeof(*agent->snapshot));
    agent_report_init(&agent->ring);
    agent_apply_init(&agent->apply, server, state, &identity->enrolled, now_ms());
    server_effective(server, &effective);
    memcpy(agent->boot_id, effective.boot_id, sizeof(agent->boot_id));
    agent->window_due_ms = now_ms() + agent->report_every_ms;
    if (pthread_create(&agent->thread, NULL, agent_run, agent) == 0)
        return agent;
    snprintf(why, AGENT_WHY_LEN, "no thread for the agent is to be had");
    agent_free(agent);
    return NULL;
}

void agent_stop(struct agent *agent)
{
    atomic_store(&agent->stopping, true);
    agent_http_wake(agent->http);
    pthread_join(agent->thread, NULL);
    agent_free(agent);
}
