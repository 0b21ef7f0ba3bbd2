/* SPDX-License-Identifier: MIT */
/* exchange_record.c — what is recorded when an exchange ends: counters, stages, a sample, a line of
 * the access log. */
#include "answer/exchange.h"
#include "http/url_path.h"

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
    samples_add(&ex->loop->samples, &sample);
}

/* The path as it was asked for, decoded; where it can't be, as it was sent. */
static struct span asked_path(struct exchange *ex)
{
    struct loop *loop = ex->loop;
    struct span raw = exchange_slice(ex, ex->req.path);
    struct url_path path;

    if (url_path_resolve_as(&path, loop->path, loop->path_cap, raw,
                            ex->site ? ex->site->cfg->encoded_slash : URL_SLASH_REFUSE) != HTTP_OK)
        return raw;
    return (struct span){loop->path, path.len};
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
    loop_count(ex->live, COUNTER_BYTES_SENT, sent);
    stages_record(ex->live->series->data.stages, &ex->clock, end_ns);
    if (samples_want(&ex->loop->samples, end_ns - ex->clock.head_ns))
        take_sample(ex, end_ns, sent, END_NONE);
    write_access_log(ex, end_ns, sent, END_NONE);
}

void exchange_record_abort(struct exchange *ex, uint64_t sent, enum end_reason reason)
{
    uint64_t end_ns = stage_now();

    loop_count(ex->live, COUNTER_ABORTED, 1);
    loop_count(ex->live, COUNTER_BYTES_SENT, sent);
    if (sent > 0) /* the access log has only responses of which something was sent */
        write_access_log(ex, end_ns, sent, reason);
    if (samples_want(&ex->loop->samples, end_ns - ex->clock.head_ns))
        take_sample(ex, end_ns, sent, reason);
}
