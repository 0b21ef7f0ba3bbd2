/* SPDX-License-Identifier: MIT */
/* agent_messages.c — builds what the node sends. The windows of a report are already text
 * (agent_report.c), because 15 minutes of them are kept in that form. */
#include "agent/agent_messages.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FINDINGS 100
#define MAX_CHANGE_BYTES (1u << 20)
#define POLICY_PATH_BYTES 4096
#define MAX_EVIDENCE 50
#define EVIDENCE_LEN 1024
#define MAX_SHOWN 4096
#define HOST_LEN 255

static const char *const outcome_names[] = {
    [AGENT_APPLIED] = "applied", [AGENT_REVERTED] = "reverted", [AGENT_STUCK] = "stuck"};

static const char *const reason_names[] = {[AGENT_REASON_NONE] = NULL,
                                           [AGENT_REASON_UNCONFIRMED] = "unconfirmed",
                                           [AGENT_REASON_CRASH_LOOP] = "crash_loop",
                                           [AGENT_REASON_APPLY_FAILED] = "apply_failed",
                                           [AGENT_REASON_RESTART] = "restart"};

static const char *const nack_codes[] = {
    "schema",          "semantic",         "unsupported_version", "missing_file",
    "port_in_use",     "permission",       "tls_material",        "resource_limit",
    "content_missing", "stale_generation", "epoch_fenced",        "busy",
    "internal",        "digest_mismatch",  "local_change",        "policy",
    "release_content"};

bool agent_nack_code_known(const char *code)
{
    for (size_t i = 0; i < sizeof(nack_codes) / sizeof(nack_codes[0]); i++)
        if (strcmp(nack_codes[i], code) == 0)
            return true;
    return false;
}

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *member, json_t *value)
{
    /* Fails only without memory: an incomplete message must not be sent. */
    if (json_object_set_new(object, member, value) != 0)
        abort();
}

/* Returns `object` as text and frees it. */
static char *dump(json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (!text)
        abort();
    return text;
}

static json_t *effective_json(const struct server_effective *effective, bool is_local,
                              const struct agent_certificates *certificates,
                              const struct agent_releases *releases)
{
    if (!effective->serving)
        return json_null();
    json_t *object = json_object();
    set(object, "generation", integer(effective->generation));
    set(object, "digest", json_string(effective->digest));
    set(object, "bootId", json_string(effective->boot_id));
    set(object, "reloads", integer(effective->reloads));
    if (is_local)
        set(object, "source", json_string("local"));
    if (certificates && certificates->count > 0)
        set(object, "certificates", agent_certificates_json(certificates));
    if (releases && releases->count > 0)
        set(object, "releases", agent_releases_json(releases));
    return object;
}

static json_t *version_json(const struct agent_version *version)
{
    if (version->generation == 0)
        return json_null();
    json_t *object = json_object();
    set(object, "generation", integer(version->generation));
    set(object, "digest", json_string(version->digest));
    return object;
}

static json_t *offer_json(const struct agent_offer *offer)
{
    json_t *object = json_object();
    set(object, "generation", integer(offer->version.generation));
    set(object, "offerId", json_string(offer->id));
    set(object, "digest", json_string(offer->version.digest));
    return object;
}

static void set_protocol(json_t *object)
{
    json_t *range = json_object();
    set(range, "min", json_integer(AGENT_PROTOCOL));
    set(range, "max", json_integer(AGENT_PROTOCOL));
    set(object, "protocol", range);
}

static void set_host(json_t *object, const struct agent_host *host)
{
    set(object, "hostname", agent_text_json(host->hostname, 255));
    set(object, "version", json_string(FARMSTEAD_VERSION));
    set(object, "os", agent_text_json(host->os, 128));
    set(object, "arch", agent_text_json(host->arch, 32));
}

char *agent_build_enrol(const struct agent_enrolment *enrolment)
{
    json_t *object = json_object();
    set(object, "token", agent_text_json(enrolment->token, AGENT_SECRET_LEN));
    set_protocol(object);
    set(object, "name", agent_text_json(enrolment->name, AGENT_NAME_LEN));
    set_host(object, enrolment->host);
    set(object, "incarnation", json_string(enrolment->incarnation));
    if (enrolment->csr)
        set(object, "csr", json_string(enrolment->csr));
    return dump(object);
}

char *agent_build_renew(const char *incarnation, const char *csr)
{
    json_t *object = json_object();
    set(object, "incarnation", json_string(incarnation));
    set(object, "csr", json_string(csr));
    return dump(object);
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* Takes the newest lines, no more and no longer than the schema allows. */
static json_t *evidence_json(const char *lines)
{
    json_t *array = json_array();
    size_t count = 0;
    for (const char *at = lines ? lines : ""; *at; at = next_line(at))
        count++;
    for (const char *at = lines ? lines : ""; *at; at = next_line(at)) {
        char line[EVIDENCE_LEN + 1];
        if (count-- > MAX_EVIDENCE)
            continue;
        snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
        if (json_array_append_new(array, agent_text_json(line, EVIDENCE_LEN)) != 0)
            abort();
    }
    return array;
}

static json_t *result_json(const struct agent_result *result)
{
    const char *reason = reason_names[result->reason];
    json_t *object = offer_json(&result->offer);
    set(object, "outcome", json_string(outcome_names[result->outcome]));
    set(object, "effective",
        effective_json(&result->effective, result->is_local, &result->certificates,
                       &result->releases));
    set(object, "reason", reason ? json_string(reason) : json_null());
    set(object, "message", agent_text_json(result->message, AGENT_TEXT_LEN));
    set(object, "evidence", evidence_json(result->evidence));
    return object;
}

static json_t *finding_json(const struct config_error *error)
{
    json_t *object = json_object();
    set(object, "pointer", agent_text_json(error->pointer, 2048));
    set(object, "line", integer(error->line));
    set(object, "column", integer(error->column));
    set(object, "endLine", integer(error->end_line));
    set(object, "endColumn", integer(error->end_column));
    set(object, "code", json_string(error->code));
    set(object, "message", agent_text_json(error->message, AGENT_TEXT_LEN));
    if (error->hint && error->hint[0])
        set(object, "hint", agent_text_json(error->hint, AGENT_TEXT_LEN));
    return object;
}

static json_t *findings_json(const struct config_errors *errors)
{
    json_t *array = json_array();
    for (size_t i = 0; i < errors->count && i < MAX_FINDINGS; i++)
        if (json_array_append_new(array, finding_json(&errors->items[i])) != 0)
            abort();
    return array;
}

static json_t *change_json(const struct agent_change *change)
{
    if (!change->digest[0])
        return json_null();
    json_t *object = json_object();
    set(object, "digest", json_string(change->digest));
    if (change->is_known)
        return object;
    set(object, "text", agent_text_json(change->text, MAX_CHANGE_BYTES));
    set(object, "isServed", json_boolean(change->is_served));
    if (change->errors->count > 0)
        set(object, "errors", findings_json(change->errors));
    return object;
}

static json_t *policy_json(const struct agent_hello *hello)
{
    bool is_built_in = !hello->policy_path[0];
    json_t *object = json_object();
    set(object, "source", json_string(is_built_in ? "builtIn" : "file"));
    set(object, "path",
        is_built_in ? json_null() : agent_text_json(hello->policy_path, POLICY_PATH_BYTES));
    set(object, "digest", json_string(hello->policy->digest));
    set(object, "rules", owner_policy_json(hello->policy));
    return object;
}

char *agent_build_hello(const struct agent_hello *hello)
{
    json_t *object = json_object();
    set_protocol(object);
    set(object, "nodeId", json_string(hello->node_id));
    set(object, "bootId", json_string(hello->boot_id));
    set(object, "incarnation", json_string(hello->incarnation));
    set_host(object, hello->host);
    set(object, "capabilities",
        json_pack("[ssssssssss]", "confirm", "probes", "check", "samples", "requestSearch",
                  "releases", "releasesAhead", "probeAnswers", "pathWatch", "neighbours"));
    set(object, "schemaDigest", json_string(hello->schema_digest));
    set(object, "effective",
        effective_json(hello->effective, hello->is_local, hello->certificates, hello->releases));
    set(object, "lastKnownGood", version_json(hello->last_known_good));
    json_t *fences = json_object();
    set(fences, "maxEpoch", integer(hello->fences->max_epoch));
    set(fences, "maxGeneration", integer(hello->fences->max_taken.generation));
    set(object, "fences", fences);
    set(object, "lastResult", hello->last_result ? result_json(hello->last_result) : json_null());
    if (hello->change)
        set(object, "drift", change_json(hello->change));
    if (hello->policy)
        set(object, "policy", policy_json(hello));
    return dump(object);
}

static json_t *wish_json(const struct agent_wish *wish)
{
    json_t *object = json_object();
    set(object, "have", version_json(wish->have));
    set(object, "waitMs", integer(wish->wait_ms));
    if (wish->challenges)
        set(object, "challenges", agent_challenges_tokens(wish->challenges));
    if (wish->ahead)
        set(object, "ahead", agent_ahead_json(wish->ahead));
    if (wish->previews)
        set(object, "previews", agent_previews_json(wish->previews));
    return object;
}

char *agent_build_desired(const char *boot_id, const char *incarnation,
                          const struct agent_wish *wish)
{
    json_t *object = wish_json(wish);
    set(object, "bootId", json_string(boot_id));
    set(object, "incarnation", json_string(incarnation));
    return dump(object);
}

char *agent_build_ack(const struct agent_offer *offer)
{
    json_t *object = offer_json(offer);
    set(object, "warnings", json_array());
    return dump(object);
}

char *agent_build_nack(const struct agent_nack *nack)
{
    json_t *object = offer_json(&nack->offer);
    set(object, "code", json_string(nack->code));
    set(object, "message", agent_text_json(nack->message, AGENT_TEXT_LEN));
    set(object, "errors", findings_json(&nack->errors));
    if (nack->fenced) {
        set(object, "maxEpoch", integer(nack->max_epoch));
        set(object, "maxGeneration", integer(nack->max_generation));
    }
    return dump(object);
}

static json_t *statuses_json(const struct agent_checked *checked)
{
    json_t *array = json_array();
    for (size_t i = 0; i < checked->path_count; i++) {
        int running = checked->running[i], offered = checked->offered[i];
        json_t *object = json_object();
        set(object, "running", running ? json_integer(running) : json_null());
        set(object, "offered", offered ? json_integer(offered) : json_null());
        if (json_array_append_new(array, object) != 0)
            abort();
    }
    return array;
}

char *agent_build_check(const struct agent_checked *checked)
{
    const struct agent_nack *refusal = checked->refusal;
    static const struct config_errors none;
    json_t *object = json_object();
    set(object, "incarnation", json_string(checked->incarnation));
    set(object, "requestId", json_string(checked->request_id));
    set(object, "code", refusal ? json_string(refusal->code) : json_null());
    set(object, "message", agent_text_json(refusal ? refusal->message : "", AGENT_TEXT_LEN));
    set(object, "errors", findings_json(refusal ? &refusal->errors : &none));
    set(object, "paths", statuses_json(checked));
    return dump(object);
}

char *agent_build_result(const struct agent_result *result)
{
    return dump(result_json(result));
}

char *agent_build_confirm(const struct agent_offer *offer, const struct server_effective *effective,
                          const struct agent_certificates *certificates,
                          const struct agent_releases *releases)
{
    json_t *object = offer_json(offer);
    set(object, "effective", effective_json(effective, false, certificates, releases));
    return dump(object);
}

static json_t *shown_json(const struct certificates_shown *shown)
{
    json_t *array = json_array();
    for (size_t i = 0; i < shown->host_count && i < MAX_SHOWN; i++) {
        const struct loaded_certificate *loaded = &shown->loaded[shown->hosts[i].certificate];
        json_t *object = json_object();
        set(object, "host", agent_text_json(shown->hosts[i].host, HOST_LEN));
        set(object, "fingerprintSha256", json_string(loaded->fingerprint));
        set(object, "notAfterUnixMs",
            integer(loaded->ends > 0 ? (uint64_t)loaded->ends * 1000 : 0));
        if (json_array_append_new(array, object) != 0)
            abort();
    }
    return array;
}

char *agent_build_report(const struct agent_report *report)
{
    json_t *object = json_object();
    json_t *gauges = json_object();
    for (size_t i = 0; i < GAUGE_COUNT; i++) {
        double value = report->gauges[i];
        /* Whole numbers are written as such: "3", not "3.0". */
        bool whole = value >= -1e15 && value <= 1e15 && value == (double)(json_int_t)value;
        set(gauges, gauge_name((enum gauge)i),
            whole ? json_integer((json_int_t)value) : json_real(value));
    }
    set(object, "bootId", json_string(report->boot_id));
    set(object, "incarnation", json_string(report->incarnation));
    set(object, "uptimeMs", integer(report->uptime_ms));
    set(object, "effective",
        effective_json(report->effective, report->is_local, report->certificates,
                       report->releases));
    set(object, "lostWindows", integer(report->lost_windows));
    if (report->shown)
        set(object, "certificates", shown_json(report->shown));
    set(object, "gauges", gauges);
    if (report->change)
        set(object, "drift", change_json(report->change));
    if (report->facts)
        set(object, "host", agent_facts_json(report->facts));
    if (report->fetching)
        set(object, "fetching", agent_fetching_json(report->fetching));
    if (report->probed)
        set(object, "probed", agent_probed_json(report->probed));
    if (report->kept_releases)
        set(object, "keptReleases", report->kept_releases);
    if (report->neighbours)
        set(object, "neighbours", report->neighbours);
    if (report->wish)
        set(object, "desired", wish_json(report->wish));
    char *head = dump(object);

    /* The windows are text: they are inserted before the object's closing brace. */
    size_t head_len = strlen(head), windows_len = strlen(report->windows);
    struct buf body;
    buf_init(&body);
    buf_reserve(&body, head_len + windows_len + 16);
    buf_append(&body, head, head_len - 1);
    buf_append_str(&body, ",\"windows\":[");
    buf_append(&body, report->windows, windows_len);
    buf_append_str(&body, "]}");
    free(head);
    return buf_take(&body);
}
