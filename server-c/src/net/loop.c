/* SPDX-License-Identifier: MIT */
/* loop.c — sets up the state that a loop's connections share, and puts configs in force. */
#include "net/loop.h"

#include "base/mem.h"
#include "base/util.h"
#include "net/peer_table.h"

#include <string.h>
#include <sys/random.h>

#define HEAD_BYTES 8192      /* for our own headers and an error page; a site's rules come on top */
#define SITE_PATH_EXTRA 4096 /* what rules, user folders and index names can add to a path */
#define LINGER_MS 2000
#define WARN_EVERY_MS 60000

int loop_init(struct loop *loop, struct loop_shared *shared, uint32_t index)
{
    int err = uv_loop_init(&loop->uv);

    if (err)
        return err;
    loop->shared = shared;
    loop->index = index;
    err = poller_init(&loop->poller, &loop->uv);
    if (err)
        goto fail_poller;
    err = io_port_init(&loop->port, &loop->uv);
    if (err)
        goto fail_port;
    file_cache_init(&loop->files, shared->stat_lane, shared->read_lane, &loop->port);
    file_residents_init(&loop->residents);
    for (int i = 0; i < TIMEOUT_COUNT; i++)
        list_init(&loop->connections[i]);
    list_init(&loop->series);
    list_init(&loop->throttled);
    list_init(&loop->http2.idle);
    list_init(&loop->http2.busy);
    list_init(&loop->http2.lingering);
    list_init(&loop->http2.in_head);
    list_init(&loop->http2.leaving);
    list_init(&loop->http2.at_disk);
    list_init(&loop->http2.throttled);
    loop->timeout_ms[TIMEOUT_LINGER] = LINGER_MS;
    loop->input = xmalloc(LOOP_INPUT_BYTES);
    loop->scratch.rules = url_rule_scratch_new();
    if (getrandom(loop->random, sizeof(loop->random), 0) != sizeof(loop->random))
        loop->random[0] = monotonic_ns();
    samples_init(&loop->samples, loop->random[1]);
    request_samples_init(&loop->request_samples, loop->random[0]);
    return 0;

fail_port:
    poller_fini(&loop->poller);
fail_poller:
    uv_loop_close(&loop->uv);
    return err;
}

static void free_series(struct loop_series *series)
{
    list_remove(&series->link);
    free(series);
}

static void end_tls(struct loop *loop)
{
    if (!loop->tls)
        return;
    tls_engine_free(loop->tls->engine);
    free(loop->tls->io.out);
    free(loop->tls);
    loop->tls = NULL;
}

bool loop_start_tls(struct loop *loop)
{
    if (loop->tls)
        return true;
    loop->tls = calloc(1, sizeof(*loop->tls));
    if (!loop->tls)
        return false;
    list_init(&loop->tls->waiting);
    list_init(&loop->tls->to_sign);
    poller_watch_init(&loop->tls->pump, NULL);
    loop->tls->engine = tls_engine_new(&loop->tls->io, loop->shared->tickets);
    if (!loop->tls->engine)
        end_tls(loop);
    return loop->tls != NULL;
}

void loop_fini(struct loop *loop)
{
    loop_set_live(loop, NULL, 0, 1);
    end_tls(loop);
    while (!list_empty(&loop->series))
        free_series(container_of(loop->series.next, struct loop_series, link));
    file_cache_fini(&loop->files);
    file_residents_fini(&loop->residents);
    /* Lets the handles close with which the cache watched files. */
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    io_port_fini(&loop->port);
    poller_fini(&loop->poller);
    CHECK(uv_loop_close(&loop->uv) == 0);
    samples_fini(&loop->samples);
    request_samples_fini(&loop->request_samples);
    free(loop->watch);
    free(loop->http2.batch);
    free(loop->input);
    free(loop->head);
    free(loop->path);
    free(loop->scratch.bytes);
    url_rule_scratch_free(loop->scratch.rules);
}

bool loop_may_warn(const struct loop *loop, uint64_t *warned_ms)
{
    uint64_t now = uv_now(&loop->uv);

    if (*warned_ms != 0 && now - *warned_ms <= WARN_EVERY_MS)
        return false;
    *warned_ms = now;
    return true;
}

void loop_leave_peer(struct loop *loop, const struct sockaddr *peer, bool is_counted)
{
    if (is_counted)
        peer_table_leave(loop->shared->peers, peer);
}

void loop_uncount_connection(struct loop *loop, const struct sockaddr *peer, bool is_counted)
{
    atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
    loop_leave_peer(loop, peer, is_counted);
}

/* --- series ---------------------------------------------------------------------------------- */

/* Keeps the newest SERVER_GENERATIONS series, and older ones while requests still count into
 * them. */
static void trim_series(struct loop *loop)
{
    struct list *link = &loop->series;
    int kept = 0;

    while ((link = link->prev) != &loop->series) {
        struct loop_series *series = container_of(link, struct loop_series, link);
        if (++kept > SERVER_GENERATIONS && series->refs == 0) {
            link = link->next;
            free_series(series);
        }
    }
}

static void begin_watch(const struct loop *loop, struct server_series *series)
{
    memset(&series->watched, 0, sizeof(series->watched));
    if (loop->watch)
        memcpy(series->watched.id, loop->watch->id, sizeof(series->watched.id));
}

void loop_watch_paths(struct loop *loop, const struct path_watch *watch)
{
    bool is_other = !loop->watch || strcmp(loop->watch->id, watch->id) != 0;

    free(loop->watch);
    loop->watch = NULL;
    if (watch->count > 0) {
        loop->watch = xcalloc(1, sizeof(*watch));
        *loop->watch = *watch;
    }
    for (struct list *link = loop->series.next; is_other && link != &loop->series;
         link = link->next)
        begin_watch(loop, &container_of(link, struct loop_series, link)->data);
}

static struct loop_series *series_of(struct loop *loop, const struct config *cfg,
                                     uint64_t generation)
{
    struct list *link = loop->series.prev;
    struct loop_series *series;

    for (; link != &loop->series; link = link->prev) {
        series = container_of(link, struct loop_series, link);
        if (series->data.generation == generation)
            return series;
        if (series->data.generation < generation)
            break;
    }
    series = xcalloc(1, sizeof(*series));
    series->data.generation = generation;
    series->data.created_us = wall_clock_us();
    memcpy(series->data.digest, cfg->digest, sizeof(series->data.digest));
    begin_watch(loop, &series->data);
    list_append(link->next, &series->link); /* list_append() inserts before the given link */
    return series;
}

void loop_add_metrics(struct loop *loop, struct server_metrics *metrics)
{
    const struct file_cache_stats *files = &loop->files.stats;

    if (loop->live)
        loop_count(loop->live, COUNTER_CACHE_EVICTIONS, files->evictions - loop->evictions_counted);
    loop->evictions_counted = files->evictions;
    for (struct list *link = loop->series.next; link != &loop->series; link = link->next)
        metrics_add_series(metrics, &container_of(link, struct loop_series, link)->data);
    trim_series(loop);
    for (int i = 0; i < END_REASON_COUNT; i++)
        metrics->ends[i] += loop->ends[i];
    if (loop->tls)
        tls_counts_add(&metrics->tls, &loop->tls->counts);
    metrics->gauges[GAUGE_CACHE_ENTRIES] += (double)files->entries;
    metrics->gauges[GAUGE_CACHE_BYTES] += (double)files->body_bytes;
    metrics->gauges[GAUGE_OPEN_FILES] += (double)files->descriptors;
    metrics->gauges[GAUGE_FOLDER_WATCHES] += files->watches;
    metrics->gauges[GAUGE_LOOPS_UNWATCHED] += files->lacks_watches;
    metrics->gauges[GAUGE_OPEN_CONNECTIONS] += (double)loop->connection_count;
    metrics->gauges[GAUGE_LISTENERS_DEFERRING] += loop->listeners_deferring;
}

/* --- the config in force --------------------------------------------------------------------- */

struct live_config *live_config_get(struct live_config *live)
{
    live->refs++;
    return live;
}

void live_config_put(struct live_config *live)
{
    if (--live->refs > 0)
        return;
    live->series->refs--;
    tls_set_put(live->tls);
    site_set_put(live->sites);
    free(live);
}

/* A local change has the generation of the text before it. Its sites have other places, so that none of
 * them is counted one by one. */
static size_t count_sites(const struct live_config *live)
{
    if (strcmp(live->series->data.digest, live->cfg->digest) != 0)
        return 0;
    return live->cfg->site_count < METRICS_SITES ? live->cfg->site_count : METRICS_SITES;
}

static struct live_config *new_live(struct loop *loop, struct site_set *sites, uint64_t generation)
{
    struct live_config *live = xcalloc(1, sizeof(*live));

    live->refs = 1;
    live->sites = site_set_get(sites);
    live->cfg = sites->cfg;
    live->series = series_of(loop, live->cfg, generation);
    live->series->refs++;
    live->counted_sites = count_sites(live);
    return live;
}

static uint32_t share_of(uint32_t total, uint32_t loops)
{
    return total / loops > 0 ? total / loops : 1;
}

static void configure_files(struct loop *loop, const struct config *cfg, uint32_t loops)
{
    struct file_cache_limits limits = {
        .ttl_ms = cfg->stat_cache.engine == STAT_CACHE_OFF ? 0 : cfg->stat_cache.ttl_millis,
        .watches = cfg->stat_cache.engine == STAT_CACHE_INOTIFY
                       ? share_of(cfg->stat_cache.max_watches, loops)
                       : 0,
        .entries = share_of(cfg->stat_cache.max_entries, loops),
        .descriptors = share_of(cfg->file_cache.max_open_files, loops),
        .body_bytes = cfg->file_cache.max_bytes / loops,
        .max_body = cfg->file_cache.max_file_bytes,
    };
    file_cache_configure(&loop->files, &limits);
}

static void configure_samples(struct loop *loop, const struct config *cfg, uint32_t loops)
{
    struct sample_limits limits = {
        .every_requests = cfg->samples.every_requests,
        .slow_ns = cfg->samples.slower_than_millis * NS_PER_MS,
        .keep = share_of(cfg->samples.keep, loops),
    };
    samples_configure(&loop->samples, &limits);
}

static void grow(char **memory, size_t *cap, size_t needed)
{
    if (needed <= *cap)
        return;
    *memory = xrealloc(*memory, needed);
    *cap = needed;
}

/* Makes sure that there is memory for the largest head and path that this config allows. It never
 * shrinks, because requests that began under an earlier config may need as much as that one
 * allowed. */
static void reserve_scratch(struct loop *loop, const struct site_set *sites)
{
    size_t rules_len = 0, target = sites->cfg->limits.target_bytes;

    for (size_t i = 0; i < sites->site_count; i++) {
        const struct site *site = &sites->sites[i];
        size_t len = site->rules.most_len + site_cors_most_len(site->cors) +
                     site_dictionaries_most_len(site->dictionaries);
        if (len > rules_len)
            rules_len = len;
    }
    /* Location holds an encoded path and its query. */
    grow(&loop->head, &loop->head_cap, HEAD_BYTES + rules_len + 4 * target + SITE_PATH_EXTRA);
    grow(&loop->path, &loop->path_cap, 4 * target + SITE_PATH_EXTRA);
    grow(&loop->scratch.bytes, &loop->scratch.cap, 4 * target + SITE_PATH_EXTRA);
}

void loop_set_tls(struct loop *loop, struct tls_set *tls)
{
    if (loop->live)
        loop->live->tls = tls;
    else
        tls_set_put(tls);
}

void loop_set_live(struct loop *loop, struct site_set *sites, uint64_t generation, uint32_t loops)
{
    struct live_config *old = loop->live;

    loop->live = NULL;
    if (sites) {
        const struct config *cfg = sites->cfg;
        loop->live = new_live(loop, sites, generation);
        loop->timeout_ms[TIMEOUT_SILENT] = cfg->limits.header_seconds * UINT64_C(1000);
        loop->timeout_ms[TIMEOUT_HEADER] = cfg->limits.header_seconds * UINT64_C(1000);
        loop->timeout_ms[TIMEOUT_IDLE] = cfg->limits.keep_alive_idle_seconds * UINT64_C(1000);
        loop->timeout_ms[TIMEOUT_WRITE] = cfg->limits.write_seconds * UINT64_C(1000) / WRITE_LOOKS;
        loop->timeout_ms[TIMEOUT_BODY] = cfg->limits.write_seconds * UINT64_C(1000);
        loop->timeout_ms[TIMEOUT_DISK] = cfg->io.timeout_seconds * UINT64_C(1000);
        configure_files(loop, cfg, loops);
        configure_samples(loop, cfg, loops);
        reserve_scratch(loop, sites);
    }
    if (old)
        live_config_put(old);
    trim_series(loop);
}

/* SplitMix64 (Steele, Lea, Flood 2014). Its seed is from the kernel. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void loop_boundary(struct loop *loop, char *out, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = 0;

    for (size_t i = 0; i + 1 < len; i++) {
        if (i % 16 == 0)
            bits = next_random(&loop->random[i / 16 % 2]);
        out[i] = digits[bits & 15];
        bits >>= 4;
    }
    out[len - 1] = '\0';
}

const char *loop_date(struct loop *loop)
{
    int64_t now = wall_clock_seconds();

    if (now != loop->date_second) {
        loop->date_second = now;
        http_date_format(loop->date, now);
    }
    return loop->date;
}
