/* SPDX-License-Identifier: MIT */
/* agent_answers.c — reads what the control plane answers. The other side may be newer, broken, or
 * not our control plane at all: nothing is used before its type and range have been checked. */
#include "agent/agent_json.h"
#include "agent/agent_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest text of a config: 1 Mi characters of at most four bytes, as much as an answer may
 * have. */
#define MAX_TEXT_BYTES (4u << 20)
#define MAX_DURATION_MS 86400000u
#define MAX_RENEWAL_MS 2147483647u
#define MAX_LOG_LINES 500
#define MAX_PEM_BYTES (64u << 10)

static uint32_t read_duration(struct agent_reader *reader, const char *member)
{
    return (uint32_t)agent_read_integer(reader, member, 0, MAX_DURATION_MS);
}

/* The credential is sent in a header line, so it may only have characters allowed there. */
static void check_printable(struct agent_reader *reader, const char *member, const char *text)
{
    for (const char *p = text; *p && !reader->failed; p++)
        if (*p <= ' ' || *p > '~')
            agent_reader_fail(reader, member, "must hold only visible ASCII characters");
}

/* Reads text without a NUL: what follows a NUL would be kept but not checked. */
static char *read_pem(struct agent_reader *reader, const char *member)
{
    size_t len = 0;
    char *text = agent_read_text(reader, member, MAX_PEM_BYTES, &len);
    if (!text || strlen(text) == len)
        return text;
    agent_reader_fail(reader, member, "must be PEM text");
    free(text);
    return NULL;
}

void agent_issued_fini(struct agent_issued *issued)
{
    free(issued->certificate);
    free(issued->ca_certificates);
    memset(issued, 0, sizeof(*issued));
}

static void read_issued(struct agent_reader *reader, struct agent_issued *out)
{
    out->certificate = read_pem(reader, "certificate");
    out->ca_certificates = read_pem(reader, "caCertificates");
    out->renew_after_ms = agent_read_integer(reader, "renewAfterMs", 0, MAX_RENEWAL_MS);
    if (reader->failed)
        agent_issued_fini(out);
}

int agent_read_issued(const char *body, size_t len, struct agent_issued *out,
                      char why[AGENT_WHY_LEN])
{
    memset(out, 0, sizeof(*out));
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    read_issued(&reader, out);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

static void read_credential(struct agent_reader *reader, struct agent_enrolled *out)
{
    agent_read_string(reader, "credential", out->credential, sizeof(out->credential), 32);
    check_printable(reader, "credential", out->credential);
}

int agent_read_enrolled(const char *body, size_t len, struct agent_enrolled *out,
                        struct agent_issued *issued, char why[AGENT_WHY_LEN])
{
    memset(out, 0, sizeof(*out));
    memset(issued, 0, sizeof(*issued));
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    agent_read_id(&reader, "nodeId", "node_", out->node_id, sizeof(out->node_id));
    agent_read_string(&reader, "name", out->name, sizeof(out->name), 1);
    agent_read_string(&reader, "controlPlaneId", out->control_plane_id,
                      sizeof(out->control_plane_id), 1);
    if (!agent_reader_has(&reader, "certificate"))
        read_credential(&reader, out);
    else if (agent_reader_has(&reader, "credential"))
        agent_reader_fail(&reader, "credential", "and a certificate came, where one was to");
    else
        read_issued(&reader, issued);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

int agent_read_ca(const char *body, size_t len, char **ca_certificates, char why[AGENT_WHY_LEN])
{
    *ca_certificates = NULL;
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    *ca_certificates = read_pem(&reader, "caCertificates");
    json_decref(document);
    return reader.failed ? -1 : 0;
}

void agent_session_fini(struct agent_session *session)
{
    free(session->ca_certificates);
    memset(session, 0, sizeof(*session));
}

static void read_renewal(struct agent_reader *reader, struct agent_session *out)
{
    out->has_renewal = agent_reader_has(reader, "renewAfterMs");
    if (out->has_renewal)
        out->renew_after_ms = agent_read_integer(reader, "renewAfterMs", 0, MAX_RENEWAL_MS);
    if (agent_reader_has(reader, "caCertificates"))
        out->ca_certificates = read_pem(reader, "caCertificates");
}

int agent_read_session(const char *body, size_t len, struct agent_session *out,
                       char why[AGENT_WHY_LEN])
{
    memset(out, 0, sizeof(*out));
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    out->protocol = (uint32_t)agent_read_integer(&reader, "protocol", 1, 1000);
    agent_read_string(&reader, "controlPlaneId", out->control_plane_id,
                      sizeof(out->control_plane_id), 1);
    out->epoch = agent_read_integer(&reader, "epoch", 1, AGENT_JSON_MAX_INTEGER);
    out->report_every_ms = read_duration(&reader, "reportEveryMs");
    out->desired_wait_ms = read_duration(&reader, "desiredWaitMs");
    read_renewal(&reader, out);
    agent_neighbours_read_rules(&reader, &out->neighbours);
    json_decref(document);
    if (reader.failed)
        agent_session_fini(out);
    return reader.failed ? -1 : 0;
}

static void read_release(struct agent_reader *outer, struct agent_assignment *out)
{
    if (outer->failed)
        return;
    json_t *release = json_object_get(outer->object, "release");
    if (!json_is_object(release)) {
        agent_reader_fail(outer, "release", "must be an object");
        return;
    }
    struct agent_reader reader = {release, outer->why, outer->why_len, false};
    agent_read_digest(&reader, "configDigest", out->offer.version.digest,
                      sizeof(out->offer.version.digest));
    out->text = agent_read_text(&reader, "configText", MAX_TEXT_BYTES, &out->text_len);
    agent_certificates_read(&reader, &out->certificates);
    agent_releases_read(&reader, &out->releases);
    outer->failed = reader.failed;
}

static void read_assignment(struct agent_reader *reader, struct agent_assignment *out)
{
    out->offer.version.generation =
        agent_read_integer(reader, "generation", 1, AGENT_JSON_MAX_INTEGER);
    out->epoch = agent_read_integer(reader, "epoch", 1, AGENT_JSON_MAX_INTEGER);
    agent_read_id(reader, "offerId", "offer_", out->offer.id, sizeof(out->offer.id));
    /* How long the control plane waits for ack and apply is not used here, but both must be
     * there. */
    read_duration(reader, "ackWithinMs");
    read_duration(reader, "applyWithinMs");
    out->confirm_within_ms = read_duration(reader, "confirmWithinMs");
    if (agent_reader_has(reader, "replacesDrift"))
        agent_read_digest(reader, "replacesDrift", out->replaces_drift,
                          sizeof(out->replaces_drift));
    read_release(reader, out);
}

static void read_request(struct agent_reader *outer, struct agent_assignment *out)
{
    json_t *request = json_object_get(outer->object, "request");
    if (!request || json_is_null(request))
        return;
    const char *kind = json_string_value(json_object_get(request, "kind"));
    bool is_check = kind && strcmp(kind, "check") == 0;
    /* A newer control plane may know other kinds: ignored. */
    if (json_is_object(request) && kind && !is_check && strcmp(kind, "errorLog") != 0)
        return;
    struct agent_reader reader = {request, outer->why, outer->why_len, false};
    if (is_check) {
        agent_preflight_read(&reader, &out->preflight);
    } else {
        agent_read_id(&reader, "requestId", "request_", out->request.id, sizeof(out->request.id));
        out->request.lines = (uint32_t)agent_read_integer(&reader, "lines", 1, MAX_LOG_LINES);
    }
    outer->failed = reader.failed;
}

static void read_samples(struct agent_reader *outer, struct agent_assignment *out)
{
    json_t *samples = json_object_get(outer->object, "samples");
    if (!samples || json_is_null(samples) || outer->failed)
        return;
    struct agent_reader reader = {samples, outer->why, outer->why_len, false};
    agent_looks_read(&reader, &out->looks);
    outer->failed = reader.failed;
}

/* `desired` is the whole answer to desired, or a member of the one to report. */
static int read_desired(json_t *desired, struct agent_assignment *out, char why[AGENT_WHY_LEN])
{
    json_t *assignment = json_object_get(desired, "assignment");
    struct agent_reader reader = {assignment, why, AGENT_WHY_LEN, false};
    if (json_is_object(assignment))
        read_assignment(&reader, out);
    else if (!json_is_null(assignment))
        agent_reader_fail(&reader, "assignment", "must be an object or null");
    reader.object = desired;
    if (!reader.failed)
        read_request(&reader, out);
    agent_probe_order_read(&reader, &out->probes);
    agent_watch_read(&reader, &out->watch);
    agent_challenges_read(&reader, &out->challenges);
    agent_ahead_read(&reader, &out->ahead);
    agent_previews_read(&reader, &out->previews);
    read_samples(&reader, out);
    if (reader.failed)
        agent_assignment_fini(out);
    return reader.failed ? -1 : 0;
}

int agent_read_assignment(const char *body, size_t len, struct agent_assignment *out,
                          char why[AGENT_WHY_LEN])
{
    memset(out, 0, sizeof(*out));
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    int result = read_desired(document, out, why);
    json_decref(document);
    return result;
}

void agent_assignment_fini(struct agent_assignment *assignment)
{
    free(assignment->text);
    agent_certificates_fini(&assignment->certificates);
    agent_releases_fini(&assignment->releases);
    agent_challenges_fini(&assignment->challenges);
    agent_releases_fini(&assignment->ahead.list);
    agent_probe_order_fini(&assignment->probes);
    agent_preflight_fini(&assignment->preflight);
    memset(assignment, 0, sizeof(*assignment));
}

int agent_read_confirmation(const char *body, size_t len, struct agent_confirmation *out,
                            char why[AGENT_WHY_LEN])
{
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    out->confirmed = agent_read_boolean(&reader, "confirmed");
    out->retry_after_ms = read_duration(&reader, "retryAfterMs");
    json_decref(document);
    return reader.failed ? -1 : 0;
}

int agent_read_taken(const char *body, size_t len, struct agent_taken *out, char why[AGENT_WHY_LEN])
{
    memset(out, 0, sizeof(*out));
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    out->seq = agent_read_integer(&reader, "acknowledgedSeq", 0, AGENT_JSON_MAX_INTEGER);
    if (agent_reader_has(&reader, "reportEveryMs"))
        out->report_every_ms = read_duration(&reader, "reportEveryMs");
    agent_neighbours_read_rules(&reader, &out->neighbours);
    json_t *desired = json_object_get(document, "desired");
    out->has_desired = desired != NULL;
    if (!reader.failed && desired && read_desired(desired, &out->desired, why) != 0)
        reader.failed = true;
    json_decref(document);
    return reader.failed ? -1 : 0;
}

void agent_read_problem(const char *body, size_t len, struct agent_problem *out)
{
    char why[AGENT_WHY_LEN];
    memset(out, 0, sizeof(*out));
    json_t *document = agent_json_load(body, len, why, sizeof(why));
    if (!document)
        return;
    const char *code = json_string_value(json_object_get(document, "code"));
    const char *detail = json_string_value(json_object_get(document, "detail"));
    const char *title = json_string_value(json_object_get(document, "title"));
    if (code)
        snprintf(out->code, sizeof(out->code), "%s", code);
    if (detail || title)
        snprintf(out->detail, sizeof(out->detail), "%s", detail ? detail : title);
    /* The text is written to a log line or a terminal. */
    for (char *p = out->detail; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    json_decref(document);
}
