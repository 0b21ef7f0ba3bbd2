/* SPDX-License-Identifier: MIT */
/* agent_samples.c — the text is made by hand, as that of windows is (agent_report.c): seconds are
 * written from whole nanoseconds. */
#include "agent/agent_samples.h"

#include "agent/agent_json.h"
#include "base/buf.h"
#include "base/util.h"

#include <arpa/inet.h>
#include <inttypes.h>

static void tell(const struct agent_samples *samples, struct server *server)
{
    server_look_at_requests(
        server,
        &(struct request_looks){samples->until_ms > 0, samples->searches, samples->search_count});
}

static bool is_looked_at(const struct agent_samples *samples)
{
    return samples->until_ms > 0 || samples->search_count > 0;
}

static uint64_t end_of(uint32_t for_ms, uint64_t now_ms)
{
    return now_ms + smaller_of(for_ms, AGENT_SAMPLES_FOR_MAX_MS);
}

void agent_samples_watch(struct agent_samples *samples, struct server *server,
                         const struct agent_looks *looks, uint64_t now_ms)
{
    bool was_looked_at = is_looked_at(samples);

    samples->until_ms = looks->for_ms > 0 ? end_of(looks->for_ms, now_ms) : 0;
    samples->search_count = 0;
    for (size_t i = 0; i < looks->search_count; i++) {
        size_t at = samples->search_count;
        if (looks->searches_for_ms[i] == 0)
            continue;
        samples->searches[at] = looks->searches[i];
        samples->searches_until_ms[at] = end_of(looks->searches_for_ms[i], now_ms);
        samples->search_count++;
    }
    if (!was_looked_at && is_looked_at(samples))
        samples->due_ms = now_ms + AGENT_SAMPLES_EVERY_MS;
    if (was_looked_at || is_looked_at(samples))
        /* Said each time: there may be more loops than the last time. */
        tell(samples, server);
}

void agent_samples_on_time(struct agent_samples *samples, struct server *server, uint64_t now_ms)
{
    bool ends_one = samples->until_ms > 0 && now_ms >= samples->until_ms;
    size_t left = 0;

    if (ends_one)
        samples->until_ms = 0;
    for (size_t i = 0; i < samples->search_count; i++) {
        if (now_ms >= samples->searches_until_ms[i])
            continue;
        samples->searches_until_ms[left] = samples->searches_until_ms[i];
        samples->searches[left++] = samples->searches[i];
    }
    if (left < samples->search_count)
        ends_one = true;
    samples->search_count = left;
    if (ends_one)
        tell(samples, server);
}

uint64_t agent_samples_due_ms(const struct agent_samples *samples)
{
    return is_looked_at(samples) ? samples->due_ms : UINT64_MAX;
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

static void append_client(struct buf *out, const struct request_sample *request)
{
    char text[INET6_ADDRSTRLEN];
    const uint8_t *v4 = address_v4(request->client);

    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? v4 : request->client, text, sizeof(text));
    buf_printf(out, ",\"client\":\"%s\"", text);
}

/* What is said of those that a search found, besides. */
static void append_who(struct buf *out, const struct request_sample *request)
{
    buf_printf(out, ",\"host\":\"%s\",\"method\":\"%s\"", request->host, request->method);
    if (request->has_client)
        append_client(out, request);
}

static void append_request(struct buf *out, const struct request_sample *request, bool is_found)
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
    if (is_found)
        append_who(out, request);
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

void agent_samples_append_json(struct buf *out, const struct taken_requests *taken, bool is_found)
{
    for (size_t i = 0; i < taken->count; i++) {
        if (i > 0)
            buf_append_char(out, ',');
        append_request(out, &taken->items[i], is_found);
    }
}

static void append_search(struct buf *out, struct server *server, const char *id)
{
    struct taken_requests taken;

    server_take_found_requests(server, id, &taken);
    buf_printf(out, "{\"id\":\"%s\",\"seen\":%" PRIu64 ",\"matched\":%" PRIu64 ",\"requests\":[",
               id, taken.looked_at, taken.seen);
    agent_samples_append_json(out, &taken, true);
    buf_append_str(out, "]}");
    taken_requests_fini(&taken);
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
    agent_samples_append_json(&out, &taken, false);
    taken_requests_fini(&taken);
    buf_append_str(&out, "],\"searches\":[");
    for (size_t i = 0; i < samples->search_count; i++) {
        if (i > 0)
            buf_append_char(&out, ',');
        append_search(&out, server, samples->searches[i].id);
    }
    buf_append_str(&out, "]}");
    return buf_take(&out);
}

int agent_samples_read(const char *body, size_t len, struct agent_looks *looks,
                       char why[AGENT_WHY_LEN])
{
    json_t *document = agent_json_load(body, len, why, AGENT_WHY_LEN);
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, AGENT_WHY_LEN, false};
    agent_looks_read(&reader, looks);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

char *agent_samples_slow(struct server *server)
{
    struct taken_requests taken;
    struct buf out;

    server_take_worst_requests(server, &taken);
    buf_init(&out);
    agent_samples_append_json(&out, &taken, false);
    taken_requests_fini(&taken);
    return buf_take(&out);
}
