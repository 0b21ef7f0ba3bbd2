/* SPDX-License-Identifier: MIT */
/* agent_samples.c — the text is made by hand, as that of windows is (agent_report.c): seconds are
 * written from whole nanoseconds. */
#include "agent/agent_samples.h"

#include "agent/agent_json.h"
#include "base/buf.h"
#include "base/util.h"

#include <inttypes.h>

void agent_samples_watch(struct agent_samples *samples, struct server *server, uint32_t for_ms,
                         uint64_t now_ms)
{
    uint32_t most_ms = for_ms < AGENT_SAMPLES_FOR_MAX_MS ? for_ms : AGENT_SAMPLES_FOR_MAX_MS;

    if (for_ms > 0 && samples->until_ms == 0)
        samples->due_ms = now_ms + AGENT_SAMPLES_EVERY_MS;
    if (for_ms > 0 || samples->until_ms > 0)
        /* Said each time: there may be more loops than the last time. */
        server_watch_requests(server, for_ms > 0);
    samples->until_ms = for_ms > 0 ? now_ms + most_ms : 0;
}

void agent_samples_on_time(struct agent_samples *samples, struct server *server, uint64_t now_ms)
{
    if (samples->until_ms > 0 && now_ms >= samples->until_ms)
        agent_samples_watch(samples, server, 0, now_ms);
}

uint64_t agent_samples_due_ms(const struct agent_samples *samples)
{
    return samples->until_ms > 0 ? samples->due_ms : UINT64_MAX;
}

/* --- messages --- */

/* The path is readable text already (path_mask.h): only two characters are to be escaped. */
static void append_path(struct buf *out, const struct request_sample *request)
{
    buf_append_char(out, '"');
    for (size_t i = 0; i < request->path_len; i++) {
        if (request->path[i] == '"' || request->path[i] == '\\')
            buf_append_char(out, '\\');
        buf_append_char(out, request->path[i]);
    }
    buf_append_char(out, '"');
}

static void append_request(struct buf *out, const struct request_sample *request)
{
    const struct sample *sample = &request->sample;
    const char *comma = "";

    buf_printf(out, "{\"startedUs\":%" PRIu64 ",\"generation\":%" PRIu64 ",\"status\":",
               sample->start_us, sample->generation);
    if (sample->status)
        buf_printf(out, "%u", (unsigned)sample->status);
    else
        buf_append_str(out, "null");
    buf_printf(out, ",\"bytes\":%" PRIu64 ",\"protocol\":\"%s\",\"reason\":", sample->bytes,
               request->protocol);
    if (sample->aborted_for)
        buf_printf(out, "\"%s\"", end_reason_name(sample->aborted_for));
    else
        buf_append_str(out, "null");
    buf_append_str(out, ",\"path\":");
    append_path(out, request);
    buf_append_str(out, ",\"stageSeconds\":{");
    for (int i = STAGE_FIRST; i < STAGE_COUNT; i++) {
        if (sample->stage_ns[i] == STAGE_ABSENT)
            continue;
        buf_printf(out, "%s\"%s\":", comma, stage_name((enum stage)i));
        stage_append_seconds(out, sample->stage_ns[i]);
        comma = ",";
    }
    buf_append_str(out, "}}");
}

void agent_samples_append_json(struct buf *out, const struct taken_requests *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        if (i > 0)
            buf_append_char(out, ',');
        append_request(out, &taken->items[i]);
    }
}

char *agent_samples_say(struct agent_samples *samples, struct server *server, const char *boot_id,
                        const char *incarnation, uint64_t now_ms)
{
    struct taken_requests taken;
    struct buf out;

    samples->due_ms = now_ms + AGENT_SAMPLES_EVERY_MS;
    server_take_live_requests(server, &taken);
    buf_init(&out);
    buf_printf(&out,
               "{\"bootId\":\"%s\",\"incarnation\":\"%s\",\"uptimeUs\":%" PRIu64
               ",\"seen\":%" PRIu64 ",\"samples\":[",
               boot_id, incarnation, server_uptime_us(server), taken.seen);
    agent_samples_append_json(&out, &taken);
    buf_append_str(&out, "]}");
    taken_requests_fini(&taken);
    return buf_take(&out);
}

int agent_samples_read(const char *body, size_t len, uint32_t *for_ms, char why[AGENT_WHY_LEN])
{
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    *for_ms = (uint32_t)agent_read_integer(&reader, "forMs", 0, UINT32_MAX);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

char *agent_samples_slow(struct server *server)
{
    struct taken_requests taken;
    struct buf out;

    server_take_worst_requests(server, &taken);
    buf_init(&out);
    agent_samples_append_json(&out, &taken);
    taken_requests_fini(&taken);
    return buf_take(&out);
}
