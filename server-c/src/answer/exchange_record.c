/* SPDX-License-Identifier: MIT */
/* exchange_record.c — what is recorded when an exchange ends: counters, stages, a sample, a line of
 * the access log. */
#include "answer/exchange.h"
#include "http/url_path.h"
#include "match/path_mask.h"

/* The path as it was asked for, decoded. False: it can't be. */
static bool decode_path(struct exchange *ex, struct span *path)
{
    struct loop *loop = ex->loop;
    struct url_path decoded;

    if (url_path_resolve_as(&decoded, loop->path, loop->path_cap, exchange_slice(ex, ex->req.path),
                            ex->site ? ex->site->cfg->encoded_slash : URL_SLASH_REFUSE) != HTTP_OK)
        return false;
    *path = (struct span){loop->path, decoded.len};
    return true;
}

/* "HTTP/1.1", from the end of the request line; empty if that has none. */
static struct span spoken_protocol(const struct exchange *ex)
{
    struct span line = exchange_slice(ex, ex->req.request_line);
    const char *space = line.len > 0 ? memrchr(line.ptr, ' ', line.len) : NULL;
    struct span word = {line.ptr, 0};

    if (space)
        word = (struct span){space + 1, (size_t)(line.ptr + line.len - space - 1)};
    if (word.len > REQUEST_PROTOCOL_LEN || word.len < 5 || memcmp(word.ptr, "HTTP/", 5) != 0)
        word.len = 0;
    return word;
}

/* A path that can't be decoded is not kept: no mask would be for it. Nor is a query ever. */
static void describe(struct exchange *ex, const struct sample *sample, struct request_sample *out)
{
    const struct config *cfg = ex->live->sites->cfg;
    struct span path, protocol = spoken_protocol(ex);

    out->sample = *sample;
    out->sample.loop = ex->loop->index;
    out->path_len = 0;
    if (decode_path(ex, &path))
        out->path_len = (uint16_t)path_mask(out->path, REQUEST_PATH_LEN, path,
                                            cfg->samples.mask_paths, cfg->samples.mask_path_count);
    memcpy(out->protocol, protocol.ptr, protocol.len);
    out->protocol[protocol.len] = '\0';
}

static void take_sample(struct exchange *ex, uint64_t end_ns, uint64_t sent,
                        enum end_reason aborted_for)
{
    struct sample sample = {
        .ended_ns = end_ns,
        .generation = ex->live->series->data.generation,
        .bytes = sent,
        .status = sent > 0 ? (uint16_t)ex->status : 0,
        .aborted_for = aborted_for,
    };

    sample.start_us = wall_clock_us() - (monotonic_ns() - ex->clock.head_ns) / 1000;
    stages_split(sample.stage_ns, &ex->clock, end_ns);
    bool is_slow = samples_add(&ex->loop->samples, &sample);
    struct request_samples *requests = &ex->loop->request_samples;
    struct request_sample *live = request_samples_live_place(requests);
    struct request_sample *worst =
        is_slow ? request_samples_worst_place(requests, sample.stage_ns[STAGE_TOTAL]) : NULL;
    if (live)
        describe(ex, &sample, live);
    if (worst)
        describe(ex, &sample, worst);
}

/* The path as it was asked for, decoded; where it can't be, as it was sent. */
static struct span asked_path(struct exchange *ex)
{
    struct span path;

    return decode_path(ex, &path) ? path : exchange_slice(ex, ex->req.path);
}

static void write_access_log(struct exchange *ex, uint64_t end_ns, uint64_t sent,
                             enum end_reason aborted_for)
{
    const struct site_log *log = ex->site ? ex->site->log : &ex->live->sites->log;
    struct access_record record;

    if (!log->log || (log->filters && !site_log_takes(log, asked_path(ex), ex->status)))
        return;
    record = (struct access_record){
        .peer = ex->peer,
        .request_line = exchange_slice(ex, ex->req.request_line),
        .host = exchange_slice(ex, ex->req.host),
        .referer = http_request_field(&ex->req, ex->head, FIELD_REFERER),
        .user_agent = http_request_field(&ex->req, ex->head, FIELD_USER_AGENT),
        .user = ex->user,
        .path = exchange_slice(ex, ex->req.path),
        .query = exchange_slice(ex, ex->req.query),
        .site = ex->site ? ex->site->cfg->hosts[0] : "",
        .coding = ex->coding == CODING_IDENTITY ? "" : http_coding_name(ex->coding),
        .is_secure = ex->is_secure,
        .status = (int)ex->status,
        .bytes = sent,
        .body_bytes = sent > ex->head_len ? sent - ex->head_len : 0,
        .total_ns = end_ns - ex->clock.head_ns,
        .aborted_for = aborted_for,
        .now = ex->loop->date_second,
    };
    if (!access_log_write(log->log, ex->loop->index, &log->form, &record))
        loop_count(ex->live, COUNTER_LOG_DROPPED, 1);
}

static bool is_probe(const struct exchange *ex)
{
    struct span agent = http_request_field(&ex->req, ex->head, FIELD_USER_AGENT);
    size_t len = strlen(METRICS_PROBE_AGENT);

    return agent.len > len && memcmp(agent.ptr, METRICS_PROBE_AGENT, len) == 0;
}

static void count_fallback(const struct exchange *ex)
{
    loop_count(ex->live, COUNTER_OLD_RELEASE_REQUESTS, 1);
    kept_version_count(ex->site->fallbacks.items[ex->fallback - 1].version, wall_clock_us() / 1000);
}

static enum site_counter site_counter_of(enum http_status status)
{
    if (status == HTTP_NOT_FOUND)
        return SITE_404;
    if (status < 300)
        return SITE_2XX;
    if (status < 400)
        return SITE_3XX;
    return status < 500 ? SITE_4XX : SITE_5XX;
}

static void count_for_site(struct exchange *ex, uint64_t sent, uint64_t total_ns)
{
    uint64_t *row = loop_site_row(ex->live, ex->site);

    row[site_counter_of(ex->status)]++;
    row[SITE_BYTES] += sent;
    row[SITE_TOTAL_NS] += total_ns;
}

static void count_for_watch(struct exchange *ex, uint64_t sent)
{
    const struct watched_answer answer = {
        .host = exchange_slice(ex, ex->req.host),
        .path = exchange_slice(ex, ex->req.path),
        .status = (int)ex->status,
        .body_bytes = sent > ex->head_len ? sent - ex->head_len : 0,
    };

    path_watch_count(ex->loop->watch, &ex->live->series->data.watched, &answer);
}

void exchange_record_end(struct exchange *ex, uint64_t sent)
{
    uint64_t end_ns = stage_now();

    loop_count(ex->live, COUNTER_REQUESTS, 1);
    if (is_probe(ex))
        loop_count(ex->live, COUNTER_PROBE_REQUESTS, 1);
    loop_count(ex->live, (enum counter)(COUNTER_RESPONSES_2XX + ex->status / 100 - 2), 1);
    if (ex->status == HTTP_NOT_MODIFIED)
        loop_count(ex->live, COUNTER_RESPONSES_304, 1);
    else if (ex->status == HTTP_NOT_FOUND)
        loop_count(ex->live, COUNTER_RESPONSES_404, 1);
    if (ex->fallback > 0)
        count_fallback(ex);
    loop_count(ex->live, COUNTER_BYTES_SENT, sent);
    count_for_site(ex, sent, end_ns - ex->clock.head_ns);
    if (ex->loop->watch)
        count_for_watch(ex, sent);
    stages_record(ex->live->series->data.stages, &ex->clock, end_ns);
    if (samples_want(&ex->loop->samples, end_ns - ex->clock.head_ns))
        take_sample(ex, end_ns, sent, END_NONE);
    write_access_log(ex, end_ns, sent, END_NONE);
}

void exchange_record_abort(struct exchange *ex, uint64_t sent, enum end_reason reason)
{
    uint64_t end_ns = stage_now();
    uint64_t *site_row = loop_site_row(ex->live, ex->site);

    loop_count(ex->live, COUNTER_ABORTED, 1);
    loop_count(ex->live, COUNTER_BYTES_SENT, sent);
    site_row[SITE_ABORTED]++;
    site_row[SITE_BYTES] += sent;
    if (sent > 0) /* the access log has only responses of which something was sent */
        write_access_log(ex, end_ns, sent, reason);
    if (samples_want(&ex->loop->samples, end_ns - ex->clock.head_ns))
        take_sample(ex, end_ns, sent, reason);
}
