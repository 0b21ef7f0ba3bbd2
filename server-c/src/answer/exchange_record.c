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

static size_t put_word(char *out, size_t max, struct span word)
{
    size_t len = word.len <= max ? word.len : 0;

    memcpy(out, word.ptr, len);
    out[len] = '\0';
    return len;
}

/* "HTTP/1.1", from the end of the request line; empty if that has none. */
static void put_protocol(const struct exchange *ex, struct request_sample *out)
{
    struct span line = exchange_slice(ex, ex->req.request_line);
    const char *space = line.len > 0 ? memrchr(line.ptr, ' ', line.len) : NULL;
    struct span word = {line.ptr, 0};

    if (space)
        word = (struct span){space + 1, (size_t)(line.ptr + line.len - space - 1)};
    if (word.len < 5 || memcmp(word.ptr, "HTTP/", 5) != 0)
        word.len = 0;
    put_word(out->protocol, REQUEST_PROTOCOL_LEN, word);
}

/* Of a line that is no request the first word may be anything. */
static void put_method(const struct exchange *ex, struct request_sample *out)
{
    struct span line = exchange_slice(ex, ex->req.request_line);
    struct span word = {line.ptr, 0};

    while (word.len < line.len &&
           ((line.ptr[word.len] >= 'A' && line.ptr[word.len] <= 'Z') || line.ptr[word.len] == '-'))
        word.len++;
    if (word.len == line.len || line.ptr[word.len] != ' ')
        word.len = 0;
    put_word(out->method, REQUEST_METHOD_LEN, word);
}

static void put_host(const struct exchange *ex, struct request_sample *out)
{
    struct span host = exchange_slice(ex, ex->req.host);
    size_t len = (size_t)smaller_of(host.len, REQUEST_HOST_LEN);

    for (size_t i = 0; i < len; i++) {
        char c = host.ptr[i];
        bool is_plain = c > ' ' && c <= '~' && c != '"' && c != '\\';
        out->host[i] = !is_plain ? '?' : c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    out->host[len] = '\0';
}

static const struct site_log *log_of(const struct exchange *ex)
{
    return ex->site ? ex->site->log : &ex->live->sites->log;
}

/* Who may not be in the log in full is not told in full either: the /24 of IPv4, the /48 of IPv6. */
static void put_client(const struct exchange *ex, struct request_sample *out)
{
    out->has_client = visitor_address(ex->peer, out->client) != NULL;
    if (out->has_client && log_of(ex)->form.masks_addresses) {
        size_t kept = address_v4(out->client) ? ADDRESS_LEN - 1 : 6;
        memset(out->client + kept, 0, ADDRESS_LEN - kept);
    }
}

/* All but the path: who asked for what kind of thing. */
static void describe(struct exchange *ex, const struct sample *sample, struct request_sample *out)
{
    out->sample = *sample;
    out->sample.loop = ex->loop->index;
    put_protocol(ex, out);
    put_method(ex, out);
    put_host(ex, out);
    put_client(ex, out);
}

/* A path that can't be decoded is not kept: no mask would be for it. Nor is a query ever. */
static void describe_path(struct exchange *ex, struct request_sample *out)
{
    const struct config *cfg = ex->live->sites->cfg;
    struct span path;

    out->path_len = 0;
    if (decode_path(ex, &path))
        out->path_len = (uint16_t)path_mask(out->path, REQUEST_PATH_LEN, path,
                                            cfg->samples.mask_paths, cfg->samples.mask_path_count);
}

/* Bits of the searches that it is for, whatever its path. */
static unsigned searches_for(struct exchange *ex, const struct request_sample *described)
{
    struct request_searches *searches = &ex->loop->request_samples.searches;
    const struct config_site *site = ex->site ? ex->site->cfg : NULL;
    struct request_facts facts = {
        .site_hosts = site ? site->hosts : NULL,
        .site_host_count = site ? site->host_count : 0,
        .host = {described->host, strlen(described->host)},
        .method = {described->method, strlen(described->method)},
        .client = described->has_client ? described->client : NULL,
        .status = described->sample.status,
        .total_ns = described->sample.stage_ns[STAGE_TOTAL],
        .bytes = described->sample.bytes,
    };
    unsigned bits = 0;

    for (size_t i = 0; i < searches->count; i++) {
        searches->items[i].looked_at++;
        if (request_filter_takes(&searches->items[i].search.filter, &facts))
            bits |= 1u << i;
    }
    return bits;
}

static void give_to_searches(struct exchange *ex, const struct request_sample *described,
                             unsigned bits)
{
    struct request_samples *requests = &ex->loop->request_samples;
    struct span path = {described->path, described->path_len};

    for (size_t i = 0; i < requests->searches.count; i++) {
        struct request_searching *one = &requests->searches.items[i];
        struct request_sample *place = NULL;
        if ((bits & 1u << i) && request_filter_takes_path(&one->search.filter, path))
            place = request_reservoir_place(&one->found, &requests->random);
        if (!place)
            continue;
        *place = *described;
        place->has_client = described->has_client && one->search.tells_clients;
    }
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
    struct request_sample *live = request_reservoir_place(&requests->live, &requests->random);
    struct request_sample *worst =
        is_slow ? request_samples_worst_place(requests, sample.stage_ns[STAGE_TOTAL]) : NULL;
    if (!live && !worst && requests->searches.count == 0)
        return;
    struct request_sample described;
    describe(ex, &sample, &described);
    unsigned searches = searches_for(ex, &described);
    if (!live && !worst && searches == 0)
        return;
    describe_path(ex, &described);
    if (live)
        *live = described;
    if (worst)
        *worst = described;
    give_to_searches(ex, &described, searches);
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
    const struct site_log *log = log_of(ex);
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
        .is_get = ex->req.method == HTTP_GET,
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
