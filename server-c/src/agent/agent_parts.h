/* SPDX-License-Identifier: MIT */
/* agent_parts.h — what the files of the agent's thread share: agent.c (the loop), agent_session.c
 * (whom to ask when, and how long to wait after a failure), agent_speak.c and agent_hear.c.
 *
 * There are four slots for requests. TALK is for hello, renew and the messages about an
 * assignment, DESIRED for the long poll, REPORT for measurements, FETCH for certificates
 * and the keys of tickets. A session begins when hello has
 * been answered, and in it each slot has its own timing. If hello or DESIRED get no answer the
 * session ends, and the next hello follows after a pause. Agent's thread only.
 *
 * All share one connection, so the slots take turns: agent_turns.h. Releases come over another one, by a
 * thread of their own: agent_pull.h. */
#ifndef FARMSTEAD_AGENT_PARTS_H
#define FARMSTEAD_AGENT_PARTS_H

#include "agent/agent_apply.h"
#include "agent/agent_fetch.h"
#include "agent/agent_http.h"
#include "agent/agent_identity.h"
#include "agent/agent_logs.h"
#include "agent/agent_neighbours.h"
#include "agent/agent_preflight.h"
#include "agent/agent_probes.h"
#include "agent/agent_renewal.h"
#include "agent/agent_pull.h"
#include "agent/agent_report.h"
#include "agent/agent_samples.h"
#include "agent/agent_watch.h"
#include "agent/agent_scrub.h"
#include "agent/agent_tickets.h"
#include "agent/agent_turns.h"
#include "base/digest.h"
#include "log/log.h"
#include "server/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define AGENT_DESIRED_WAIT_MIN_MS 1000

/* The kind of message that TALK is sending. */
enum agent_saying {
    AGENT_SAYING_HELLO,
    AGENT_SAYING_ASSIGNMENT,
    AGENT_SAYING_RENEW,
    AGENT_SAYING_LOGS,
    AGENT_SAYING_CHECK,
    AGENT_SAYING_SAMPLES
};

/* What went wrong last: an HTTP status, or one of these. */
enum agent_trouble {
    AGENT_TROUBLE_NONE = -1,
    AGENT_TROUBLE_BAD_ANSWER = -2,
    AGENT_TROUBLE_STRANGER = -3,
    AGENT_TROUBLE_UNKNOWN = -4,
    AGENT_TROUBLE_EXPIRED = -5,
    AGENT_TROUBLE_REVOKED = -6,
    AGENT_TROUBLE_CLONE = -7,
    AGENT_TROUBLE_UNTRUSTED = -8
};

struct agent_clock {
    uint64_t due_ms;
    unsigned failures; /* in a row */
};

/* What was asked, to be answered by then. */
struct agent_asked {
    uint64_t at_ms;
    uint32_t wait_ms;
};

/* The content with wrong bytes that was tried last. */
struct agent_mending {
    bool is_under_way;
    char sha256[RELEASE_SHA256_LEN + 1];
    uint64_t due_ms;
    unsigned failures;          /* in a row */
    char said[RELEASE_WHY_LEN]; /* in the log, of the last failure */
};

/* To other nodes of the farm. */
struct agent_giving {
    struct neighbour_giver *giver; /* NULL: the machine's owner has not said where */
    struct neighbour_rules rules;  /* without keys: off */
    /* Of what is given: what the control plane knows, and what is being sent; "": nothing, "?": it has forgotten. */
    char known[DIGEST_LEN + 1], said[DIGEST_LEN + 1];
};

struct agent {
    struct server *server;
    struct agent_state *state;
    struct agent_identity identity;
    struct agent_host host;
    char incarnation[33];
    char boot_id[33];
    char schema_digest[CONFIG_DIGEST_LEN + 1];

    struct agent_http *http;
    struct agent_apply apply;
    struct agent_renewal renewal;
    struct agent_report_ring ring;
    struct server_metrics *snapshot;
    struct agent_facts facts;
    struct agent_disks *disks;
    struct agent_probes *probes;
    struct agent_pull *pull;
    struct agent_scrub *scrub;
    struct agent_mending mending;
    struct agent_giving giving;
    struct agent_ahead ahead;
    char ahead_coming[AGENT_SHA256_LEN + 1]; /* the one of them that the thread brings; "": none */
    bool has_spared; /* contents that nobody needs, for the sake of what is coming */

    bool in_session;
    int trouble; /* an enum agent_trouble or a status; logged when it changes */
    enum agent_saying saying;
    struct agent_clock clocks[AGENT_SLOT_COUNT];
    uint32_t report_every_ms, told_every_ms; /* now, and by hello */
    uint32_t desired_wait_ms;                /* the most that a poll waits */
    struct agent_asked poll, held_report;    /* the last of each */
    struct agent_turns turns;
    /* Came before the answer to a confirm, or while another one is fetched; no text: none. */
    struct agent_assignment held;
    struct agent_fetch fetch;
    struct agent_tickets tickets;
    struct agent_samples samples;
    struct agent_watch watch;
    /* Of what is shown to whom: what the control plane knows, and what is being sent. */
    char shown_known[DIGEST_LEN + 1], shown_said[DIGEST_LEN + 1];
    uint64_t window_due_ms;
    uint64_t reported_seq; /* last window in the report under way */
    struct agent_log_requests log_requests;
    struct agent_preflight preflight; /* waits to be answered */
    char answered_check_id[AGENT_PREFLIGHT_ID_LEN + 1];
    /* Versions of the drift, growing from 0: the one that the control plane knows, and the one
     * being sent. */
    uint64_t drift_known, drift_said;

    pthread_t thread;
    atomic_bool stopping;
    atomic_bool reload_wanted;
};

uint64_t agent_now_ms(void);

/* --- agent_session.c --- */
void agent_back_off(struct agent *agent, enum agent_slot slot);
/* Logs the first failure in a row as a warning; the others would repeat it. */
void agent_log_failure(const struct agent *agent, enum agent_slot slot, const char *what,
                       const char *why);
void agent_begin_session(struct agent *agent, uint64_t now);
void agent_end_session(struct agent *agent, uint32_t wait_ms);
/* The control plane does not answer: say hello again, with growing pauses. Logged when this begins,
 * and when the reason changes. */
void agent_lose_session(struct agent *agent, int trouble, const char *why);
void agent_needs_upgrade(struct agent *agent, const char *why);
/* Handles a reply that ends or endangers the session, whatever the message was. False if `reply` is
 * not of that kind. */
bool agent_on_trouble(struct agent *agent, const struct agent_reply *reply,
                      const struct agent_problem *problem, const char *why);

/* --- agent_speak.c: starts the requests that are due ----------------------------------------- */
void agent_speak(struct agent *agent, uint64_t now);
/* When the slot may speak again. */
uint64_t agent_slot_due_ms(const struct agent *agent, enum agent_slot slot);
/* May it be asked what to run, and the answer be taken? */
bool agent_may_take(const struct agent *agent);
/* Those that the node answers now. The caller ends them. */
struct agent_challenges agent_challenges_held(struct server *server, uint64_t now);

/* --- agent_release.c: brings the releases of the assignment that waits --- */
/* A client for somebody else's thread; NULL: libcurl can't start. */
struct agent_http *agent_open_http(const struct agent_identity *identity);
void agent_release_begin(struct agent *agent);
/* Takes what has come, and has removed what is not needed any more. */
void agent_release_on_time(struct agent *agent, uint64_t now);

/* --- agent_bring_ahead.c: brings those that are not assigned yet, when nothing else is to be brought --- */
/* Takes over what an answer says of them. True: it is another list than before. */
bool agent_bring_ahead_take(struct agent *agent, const struct agent_ahead_told *told);
void agent_bring_ahead_on_time(struct agent *agent, uint64_t now);
/* The thread has ended, which brought one of them. */
void agent_bring_ahead_hear(struct agent *agent, const struct agent_pulled *pulled);
static inline bool agent_is_bringing_ahead(const struct agent *agent)
{
    return agent->ahead_coming[0] != '\0';
}
/* Versions that are confirmed, kept, on their way or ahead. The caller ends them. */
void agent_release_known(struct agent *agent, struct agent_releases *out);
/* Begins to fetch and build them, by `http`, which it takes over, and from neighbours as `cfg` lets it. */
void agent_release_pull(struct agent *agent, const struct agent_releases *list,
                        struct agent_http *http, const struct config *cfg);
/* Has removed what nobody needs: what is not confirmed, not on its way and not ahead. `makes_room`: what has come of
 * those that are not whole goes, too. */
void agent_release_sweep(struct agent *agent, bool makes_room);

/* --- agent_mend.c: gets contents anew that were found to be wrong --- */
void agent_mend_on_time(struct agent *agent, uint64_t now);

/* --- agent_give.c: contents of releases, from and for neighbours --- */
void agent_give_start(struct agent *agent);
/* The node's certificate, or the CA's, has been replaced. */
void agent_give_use_identity(struct agent *agent);
void agent_give_rule(struct agent *agent, const struct neighbour_rules *rules, bool is_hello);
/* A client for the thread that brings releases; NULL: neighbours are not asked. */
struct agent_http *agent_neighbour_client(const struct agent *agent);
/* For `report`, which takes it over; NULL: it is as it was said. */
json_t *agent_give_report(struct agent *agent);
/* Tells the server, for the gauges. */
void agent_give_count(struct agent *agent);

/* --- agent_hear.c --- */
/* When nothing is confirmed or fetched any more, takes the assignment that came meanwhile. */
void agent_take_held(struct agent *agent);
/* All that the waiting assignment lacked is there, or it was refused. */
void agent_release_fetched(struct agent *agent);
void agent_hear(struct agent *agent, const struct agent_reply *reply);

#endif
