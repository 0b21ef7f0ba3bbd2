/* SPDX-License-Identifier: MIT */
/* agent_messages.h — the messages of the agent protocol as C structs. agent_messages.c builds what
 * the node sends, agent_answers.c reads and checks what the control plane answers.
 *
 * Pure: no I/O, no clock. agent-protocol/README.md explains the terms, and each function is tested
 * against the examples there. Any thread. */
#ifndef FARMSTEAD_AGENT_MESSAGES_H
#define FARMSTEAD_AGENT_MESSAGES_H

#include "agent/agent_certificates.h"
#include "agent/agent_ahead.h"
#include "agent/agent_challenges.h"
#include "agent/agent_facts.h"
#include "agent/agent_host.h"
#include "agent/agent_looks.h"
#include "agent/agent_neighbours.h"
#include "agent/agent_preflight.h"
#include "agent/agent_previews.h"
#include "agent/agent_probe_order.h"
#include "agent/agent_probed.h"
#include "agent/agent_watch_order.h"
#include "agent/agent_releases.h"
#include "config/config.h"
#include "owner/owner_policy.h"
#include "server/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_PROTOCOL 1
#define AGENT_ID_LEN 34 /* of the longest id: "rollout_" and 26 characters */
#define AGENT_NAME_LEN 63
#define AGENT_SECRET_LEN 128
#define AGENT_TEXT_LEN 2048 /* of a sentence in a message */
#define AGENT_CONTROL_PLANE_ID_LEN 64
#define AGENT_WHY_LEN 256

struct agent_version {
    uint64_t generation; /* 0: none, sent as null */
    char digest[CONFIG_DIGEST_LEN + 1];
};

/* Identifies an assignment; every message about it has this. */
struct agent_offer {
    struct agent_version version;
    char id[AGENT_ID_LEN + 1];
};

struct agent_fences {
    uint64_t max_epoch;             /* 0: none seen yet */
    struct agent_version max_taken; /* highest generation accepted, with its digest */
};

enum agent_outcome { AGENT_APPLIED, AGENT_REVERTED, AGENT_STUCK };
enum agent_reason {
    AGENT_REASON_NONE,
    AGENT_REASON_UNCONFIRMED,
    AGENT_REASON_CRASH_LOOP,
    AGENT_REASON_APPLY_FAILED,
    AGENT_REASON_RESTART
};

struct agent_result {
    struct agent_offer offer;
    enum agent_outcome outcome;
    enum agent_reason reason;
    struct server_effective effective;
    struct agent_certificates certificates; /* loaded then */
    struct agent_releases releases;         /* served then */
    bool is_local;                          /* the effective config was changed on this node */
    char message[AGENT_TEXT_LEN + 1];
    const char *evidence; /* lines of the error log, each with its "\n"; NULL: none */
};

/* A change that somebody made to config.jsonc. */
struct agent_change {
    const char *digest; /* "": no change */
    const char *text;
    bool is_served;
    bool is_known; /* it was reported before: its digest is enough */
    const struct config_errors *errors;
};

struct agent_hello {
    const char *node_id;
    const char *incarnation;
    const char *schema_digest;
    const struct agent_host *host;
    const struct server_effective *effective;
    const struct agent_certificates *certificates; /* loaded; NULL: none */
    const struct agent_releases *releases;         /* served; NULL: none */
    const struct agent_version *last_known_good;
    const struct agent_fences *fences;
    const struct agent_result *last_result; /* NULL: there is none */
    const char *boot_id;
    bool is_local;
    const struct agent_change *change;
    const struct owner_policy *policy; /* NULL: not reported */
    const char *policy_path;           /* "": the built-in policy */
};

struct agent_nack {
    struct agent_offer offer;
    char code[32]; /* one of the protocol's codes for nack */
    char message[AGENT_TEXT_LEN + 1];
    struct config_errors errors;
    bool fenced; /* report which epoch and generation were seen */
    uint64_t max_epoch, max_generation;
};

/* What the node asks for, and how long it waits. */
struct agent_wish {
    const struct agent_version *have;
    uint32_t wait_ms;
    const struct agent_challenges *challenges; /* NULL: not said */
    const struct agent_ahead *ahead;           /* NULL: not said */
    const struct agent_previews *previews;     /* NULL: not said */
};

struct agent_report {
    const char *boot_id;
    const char *incarnation;
    uint64_t uptime_ms;
    const struct server_effective *effective;
    const struct agent_certificates *certificates; /* loaded; NULL: none */
    const struct agent_releases *releases;         /* served; NULL: none */
    const struct agent_fetching *fetching;         /* NULL: nothing is */
    const struct agent_probed *probed;             /* NULL: nothing was asked that is to be said */
    json_t *kept_releases;                         /* agent_versions_json(), which is taken over */
    json_t *neighbours;                            /* agent_neighbours_giving(), too */
    const struct certificates_shown *shown;        /* to whom; NULL: as it was said before */
    bool is_local;
    const struct agent_change *change;
    uint64_t lost_windows;
    const struct agent_facts *facts;
    const double *gauges;          /* an array of GAUGE_COUNT */
    const char *windows;           /* the windows as JSON, separated by commas; "": none */
    const struct agent_wish *wish; /* the answer waits for it; NULL: for nothing */
};

/* These functions return JSON text that the caller frees. Text from elsewhere is cut to the
 * schema's length and made valid UTF-8, so that building never fails. */
struct agent_enrolment {
    const char *token, *name, *incarnation;
    const struct agent_host *host;
    const char *csr; /* NULL: over plain http */
};
char *agent_build_enrol(const struct agent_enrolment *enrolment);
char *agent_build_renew(const char *incarnation, const char *csr);
char *agent_build_hello(const struct agent_hello *hello);
char *agent_build_desired(const char *boot_id, const char *incarnation,
                          const struct agent_wish *wish);
char *agent_build_ack(const struct agent_offer *offer);
char *agent_build_nack(const struct agent_nack *nack);
char *agent_build_result(const struct agent_result *result);
char *agent_build_confirm(const struct agent_offer *offer, const struct server_effective *effective,
                          const struct agent_certificates *certificates,
                          const struct agent_releases *releases);
char *agent_build_report(const struct agent_report *report);

/* What a config text would do on this node (agent_preflight.h). */
struct agent_checked {
    const char *incarnation, *request_id;
    const struct agent_nack *refusal; /* NULL: it would be accepted */
    size_t path_count;
    int running[AGENT_PROBE_PATHS_MAX], offered[AGENT_PROBE_PATHS_MAX]; /* statuses; 0: none */
};
char *agent_build_check(const struct agent_checked *checked);

bool agent_nack_code_known(const char *code);

/* --- what the control plane answers ---
 * Each returns 0, or -1 with a sentence in `why` that names the member. Unknown members are
 * ignored; a known one that is missing, of another type or out of range is an error. */
struct agent_enrolled {
    char node_id[AGENT_ID_LEN + 1];
    char name[AGENT_NAME_LEN + 1];
    char credential[AGENT_SECRET_LEN + 1]; /* "": there is a certificate instead */
    char control_plane_id[AGENT_CONTROL_PLANE_ID_LEN + 1];
};

/* What the control plane issues for a CSR. Both NULL: nothing. */
struct agent_issued {
    char *certificate, *ca_certificates; /* PEM */
    uint64_t renew_after_ms;
};
void agent_issued_fini(struct agent_issued *issued);

struct agent_session {
    uint32_t protocol;
    char control_plane_id[AGENT_CONTROL_PLANE_ID_LEN + 1];
    uint64_t epoch;
    uint32_t report_every_ms;
    uint32_t desired_wait_ms;
    bool has_renewal; /* renew_after_ms is set */
    uint64_t renew_after_ms;
    char *ca_certificates; /* NULL: not sent */
    struct agent_neighbours_told neighbours;
};
void agent_session_fini(struct agent_session *session);

/* A request of the control plane for lines of the error log. */
struct agent_request {
    char id[AGENT_ID_LEN + 1]; /* "": no request */
    uint32_t lines;
};

struct agent_assignment {
    struct agent_request request;
    struct agent_probe_order probes;
    struct agent_watch_order watch;
    struct agent_preflight preflight;
    struct agent_offer offer;
    uint64_t epoch;
    uint32_t confirm_within_ms;
    char replaces_drift[CONFIG_DIGEST_LEN + 1]; /* "": none */
    char *text;                                 /* NULL: nothing new */
    size_t text_len;
    struct agent_certificates certificates;
    struct agent_releases releases;
    bool has_releases; /* they were brought, so that nothing removes them any more */
    struct agent_challenges challenges;
    struct agent_ahead_told ahead;
    struct agent_previews_told previews;
    struct agent_looks looks; /* at single requests */
};

struct agent_confirmation {
    bool confirmed;
    uint32_t retry_after_ms;
};

struct agent_problem {
    char code[65];
    char detail[AGENT_TEXT_LEN + 1]; /* the title if there is no detail */
};

/* Gets a credential or what was issued, never both. The next three functions leave nothing to free
 * when they fail. */
int agent_read_enrolled(const char *body, size_t len, struct agent_enrolled *out,
                        struct agent_issued *issued, char why[AGENT_WHY_LEN]);
int agent_read_issued(const char *body, size_t len, struct agent_issued *out,
                      char why[AGENT_WHY_LEN]);
/* Reads the answer to `ca`, which the caller frees. */
int agent_read_ca(const char *body, size_t len, char **ca_certificates, char why[AGENT_WHY_LEN]);
int agent_read_session(const char *body, size_t len, struct agent_session *out,
                       char why[AGENT_WHY_LEN]);
/* `out` is empty after a failure; else end it with agent_assignment_fini(). */
int agent_read_assignment(const char *body, size_t len, struct agent_assignment *out,
                          char why[AGENT_WHY_LEN]);
void agent_assignment_fini(struct agent_assignment *assignment);
int agent_read_confirmation(const char *body, size_t len, struct agent_confirmation *out,
                            char why[AGENT_WHY_LEN]);
/* What was taken of a report. */
struct agent_taken {
    uint64_t seq; /* of its windows, the last; 0: none */
    uint32_t
        report_every_ms; /* from now on, for a control plane that can't keep up; 0: as hello said */
    bool has_desired;    /* the wish in the report was heard */
    struct agent_neighbours_told neighbours;
    struct agent_assignment desired;
};
/* End `out` with agent_assignment_fini(&out->desired), also after a failure. */
int agent_read_taken(const char *body, size_t len, struct agent_taken *out,
                     char why[AGENT_WHY_LEN]);
/* Never fails: for anything but problem+json (RFC 9457) the code is "". */
void agent_read_problem(const char *body, size_t len, struct agent_problem *out);

#endif
