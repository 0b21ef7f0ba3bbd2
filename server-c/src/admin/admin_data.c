/* SPDX-License-Identifier: MIT */
/* admin_data.c — /status, /samples and /metrics: what the server reports about itself, in each of
 * the forms. */
#include "admin/admin_data.h"

#include "base/mem.h"
#include "measure/sample_query.h"
#include "server/server.h"
#include "text/json_text.h"

#include <inttypes.h>
#include <string.h>

static void append_samples_state(struct buf *out, struct server *server)
{
    struct server_samples_state state;

    server_samples_state(server, &state);
    buf_printf(out,
               ",\"samples\":{\"everyRequests\":%" PRIu32 ",\"slowerThanMillis\":%" PRIu32
               ",\"keep\":%" PRIu32 ",\"kept\":{\"regular\":%zu,\"slow\":%zu}"
               ",\"taken\":{\"regular\":%" PRIu64 ",\"slow\":%" PRIu64 "}}",
               state.every_requests, state.slower_than_millis, state.keep,
               state.kept[SAMPLES_REGULAR], state.kept[SAMPLES_SLOW], state.taken[SAMPLES_REGULAR],
               state.taken[SAMPLES_SLOW]);
}

static void append_certificates(struct buf *out, struct server *server)
{
    struct certificates_shown shown;

    server_certificates(server, &shown);
    buf_append_str(out, ",\"certificates\":[");
    for (size_t i = 0; i < shown.loaded_count; i++) {
        const struct loaded_certificate *loaded = &shown.loaded[i];
        buf_printf(out, "%s{\"%s\":", i ? "," : "", loaded->has_name ? "name" : "chainFile");
        json_append_quoted(out, loaded->label, strlen(loaded->label));
        buf_printf(out, ",\"fingerprintSha256\":\"%s\",\"notAfterUnixSeconds\":%" PRId64 "}",
                   loaded->fingerprint, loaded->ends);
    }
    buf_append_char(out, ']');
    certificates_shown_fini(&shown);
}

void admin_append_status(struct buf *out, struct server *server)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));
    struct server_effective effective;

    server_effective(server, &effective);
    server_metrics(server, metrics);
    buf_printf(out,
               "{\"version\":\"%s\",\"bootId\":\"%s\",\"uptimeSeconds\":%.3f,\"serving\":%s,"
               "\"reloads\":%" PRIu64 ",\"effective\":{\"generation\":%" PRIu64
               ",\"digest\":\"%s\"},",
               FARMSTEAD_VERSION, effective.boot_id, (double)metrics->monotonic_ms / 1e3,
               effective.serving ? "true" : "false", effective.reloads, effective.generation,
               effective.digest);
    metrics_append_json(out, metrics);
    append_certificates(out, server);
    append_samples_state(out, server);
    buf_append_str(out, "}\n");
    free(metrics);
}

void admin_append_metrics(struct buf *out, struct server *server, enum admin_metrics_form form)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));
    struct certificates_shown shown;

    server_metrics(server, metrics);
    server_certificates(server, &shown);
    metrics->certificates = &shown;
    switch (form) {
    case ADMIN_METRICS_PROTOBUF:
        metrics_append_protobuf(out, metrics);
        break;
    case ADMIN_METRICS_OPENMETRICS:
        metrics_append_openmetrics(out, metrics);
        break;
    case ADMIN_METRICS_TEXT:
        metrics_append_prometheus(out, metrics);
        break;
    }
    certificates_shown_fini(&shown);
    free(metrics);
}

static void append_samples(struct buf *out, const struct server_samples *samples)
{
    buf_printf(out, "{\"bootId\":\"%s\",\"next\":%" PRIu64 ",\"matched\":%" PRIu64 ",\"samples\":[",
               samples->boot_id, samples->next_us, samples->matched);
    for (size_t i = 0; i < samples->count; i++) {
        buf_append_str(out, i ? ",\n" : "\n");
        sample_append_json(out, &samples->items[i]);
    }
    buf_append_str(out, "]}\n");
}

bool admin_append_samples(struct buf *out, struct server *server, struct span query,
                          const char **reason)
{
    struct server_samples samples;
    struct sample_query asked;

    if (!sample_query_parse(&asked, query, reason))
        return false;
    if (server_samples(server, &samples, asked.since_us, asked.limit, asked.wants_regular,
                       asked.wants_slow) != 0) {
        *reason = "since is still to come: the node was started anew (see bootId), so ask without.";
        return false;
    }
    append_samples(out, &samples);
    server_samples_fini(&samples);
    return true;
}
