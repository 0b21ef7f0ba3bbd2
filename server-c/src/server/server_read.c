/* SPDX-License-Identifier: MIT */
/* server_read.c — what really runs and what was measured. Each loop in turn is asked on its own
 * thread, so that nothing that a loop writes needs a lock. */
#include "base/mem.h"
#include "base/util.h"
#include "lanes/io_lane.h"
#include "server/server_sizes.h"
#include "server/server_state.h"
#include "site/site.h"
#include "site/site_tls.h"

#include <string.h>

uint32_t server_count_workers(struct server *srv)
{
    uint32_t count;

    uv_mutex_lock(&srv->lock);
    count = srv->worker_count;
    uv_mutex_unlock(&srv->lock);
    return count;
}

/* Loops that disagree are in the middle of a swap: the oldest answer counts. */
static void ask_effective(struct worker *worker, void *arg)
{
    struct server_effective *out = arg;
    const struct live_config *live = worker->loop.live;

    if (!live || (out->serving && out->generation <= live->series->data.generation))
        return;
    out->serving = true;
    out->generation = live->series->data.generation;
    memcpy(out->digest, live->cfg->digest, sizeof(out->digest));
}

void server_effective(struct server *srv, struct server_effective *out)
{
    uint32_t count = server_count_workers(srv);

    memset(out, 0, sizeof(*out));
    memcpy(out->boot_id, srv->boot_id, sizeof(out->boot_id));
    for (uint32_t i = 0; i < count; i++)
        worker_call(srv->workers[i], ask_effective, out);
    uv_mutex_lock(&srv->lock);
    out->reloads = srv->reloads;
    uv_mutex_unlock(&srv->lock);
}

static void ask_certificates(struct worker *worker, void *arg)
{
    struct certificates_shown *out = arg;
    const struct live_config *live = worker->loop.live;

    if (!live || !live->tls)
        return;
    certificates_shown_fini(out);
    certificates_shown_copy(out, site_tls_shown(live->tls));
}

/* A swap goes from loop to loop, so the last one shows what all others do, or did before it. */
void server_certificates(struct server *srv, struct certificates_shown *out)
{
    uint32_t count;

    *out = (struct certificates_shown){0};
    uv_mutex_lock(&srv->lock);
    count = srv->active_shown < srv->worker_count ? srv->active_shown : srv->worker_count;
    uv_mutex_unlock(&srv->lock);
    if (count > 0)
        worker_call(srv->workers[count - 1], ask_certificates, out);
}

size_t server_challenges(struct server *srv, struct acme_challenge *out, uint64_t now_ms)
{
    return acme_challenges_copy(srv->shared.challenges, out, now_ms);
}

struct config *server_config(struct server *srv)
{
    struct config *cfg;

    uv_mutex_lock(&srv->lock);
    cfg = srv->sites ? config_get(srv->sites->cfg) : NULL;
    uv_mutex_unlock(&srv->lock);
    return cfg;
}

struct forget {
    uint64_t device, inode;
};

static void do_forget(struct worker *worker, void *arg)
{
    const struct forget *forget = arg;

    file_cache_forget_file(&worker->loop.files, forget->device, forget->inode);
}

void server_forget_file(struct server *srv, uint64_t device, uint64_t inode)
{
    struct forget forget = {device, inode};
    uint32_t count = server_count_workers(srv);

    for (uint32_t i = 0; i < count; i++)
        worker_call(srv->workers[i], do_forget, &forget);
}

void server_tell_scrubbed(struct server *srv, const struct server_scrubbed *scrubbed)
{
    uv_mutex_lock(&srv->lock);
    srv->scrubbed = *scrubbed;
    uv_mutex_unlock(&srv->lock);
}

void server_tell_neighbours(struct server *srv, const struct server_neighbours *neighbours)
{
    uv_mutex_lock(&srv->lock);
    srv->neighbours = *neighbours;
    uv_mutex_unlock(&srv->lock);
}

/* By the loop's own clock: who asks may be in no hurry to hear of it. */
static void note_time(struct worker *worker, void *arg)
{
    uint64_t *done_ns = arg;

    (void)worker;
    *done_ns = monotonic_ns();
}

uint64_t server_lag_ns(struct server *srv)
{
    uint32_t count = server_count_workers(srv);
    uint64_t longest_ns = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t asked_ns = monotonic_ns(), done_ns;

        worker_call(srv->workers[i], note_time, &done_ns);
        if (done_ns - asked_ns > longest_ns)
            longest_ns = done_ns - asked_ns;
    }
    return longest_ns;
}

static void ask_metrics(struct worker *worker, void *arg)
{
    loop_add_metrics(&worker->loop, arg);
}

void server_metrics(struct server *srv, struct server_metrics *out)
{
    struct io_lane_state stat_lane, read_lane, copy_lane;
    struct copy_store_state copies;
    uint32_t count = server_count_workers(srv);

    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < count; i++)
        worker_call(srv->workers[i], ask_metrics, out);
    io_lane_state(srv->shared.stat_lane, &stat_lane);
    io_lane_state(srv->shared.read_lane, &read_lane);
    io_lane_state(srv->shared.copy_lane, &copy_lane);
    copy_store_state(srv->shared.copies, &copies);
    out->gauges[GAUGE_COPIES] = (double)copies.copies;
    out->gauges[GAUGE_COPY_BYTES] = (double)copies.bytes;
    out->gauges[GAUGE_COPY_QUEUE] = copy_lane.queued;
    out->gauges[GAUGE_STAT_QUEUE] = stat_lane.queued;
    out->gauges[GAUGE_READ_QUEUE] = read_lane.queued;
    out->gauges[GAUGE_STAT_THREADS] = stat_lane.threads;
    out->gauges[GAUGE_READ_THREADS] = read_lane.threads;
    out->gauges[GAUGE_READ_BUSY] = read_lane.busy;
    uv_mutex_lock(&srv->lock);
    out->gauges[GAUGE_WORKERS] = srv->active_shown;
    out->gauges[GAUGE_FILES_UNUSABLE] =
        srv->sites ? (double)named_files_unusable(&srv->sites->files) : 0;
    server_sizes_gauges(out->gauges, srv->sites ? srv->sites->cfg : NULL);
    out->gauges[GAUGE_SCRUBBED_CONTENTS] = (double)srv->scrubbed.contents;
    out->gauges[GAUGE_SCRUBBED_BYTES] = (double)srv->scrubbed.bytes;
    out->gauges[GAUGE_BAD_CONTENTS] = (double)srv->scrubbed.bad;
    out->gauges[GAUGE_MENDED_CONTENTS] = (double)srv->scrubbed.mended;
    out->gauges[GAUGE_NEIGHBOUR_TAKEN_BYTES] = (double)srv->neighbours.taken_bytes;
    out->gauges[GAUGE_NEIGHBOUR_WRONG_BYTES] = (double)srv->neighbours.wrong_bytes;
    out->gauges[GAUGE_NEIGHBOUR_GIVEN_BYTES] = (double)srv->neighbours.given_bytes;
    out->gauges[GAUGE_NEIGHBOUR_REFUSALS] = (double)srv->neighbours.refusals;
    uv_mutex_unlock(&srv->lock);
    out->monotonic_ms = (monotonic_ns() - srv->started_ns) / NS_PER_MS;
}

/* --- samples --------------------------------------------------------------------------------- */

static void ask_samples_state(struct worker *worker, void *arg)
{
    struct server_samples_state *out = arg;

    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        out->kept[kind] += worker->loop.samples.rings[kind].count;
        out->taken[kind] += worker->loop.samples.rings[kind].taken;
    }
}

void server_samples_state(struct server *srv, struct server_samples_state *out)
{
    uint32_t count = server_count_workers(srv);

    memset(out, 0, sizeof(*out));
    uv_mutex_lock(&srv->lock);
    if (srv->sites) {
        out->every_requests = srv->sites->cfg->samples.every_requests;
        out->slower_than_millis = srv->sites->cfg->samples.slower_than_millis;
        out->keep = srv->sites->cfg->samples.keep;
    }
    uv_mutex_unlock(&srv->lock);
    for (uint32_t i = 0; i < count; i++)
        worker_call(srv->workers[i], ask_samples_state, out);
}

struct samples_call {
    struct sample_filter filter;
    size_t limit;
    struct server_samples *out;
};

static void ask_samples(struct worker *worker, void *arg)
{
    const struct samples_call *call = arg;
    struct server_samples *out = call->out;
    struct sample *items = out->items + out->count;
    size_t count =
        samples_collect(&worker->loop.samples, &call->filter, items, call->limit, &out->matched);

    for (size_t i = 0; i < count; i++)
        items[i].loop = worker->index;
    out->count += count;
}

static int compare_newest_first(const void *a, const void *b)
{
    uint64_t a_ns = ((const struct sample *)a)->ended_ns,
             b_ns = ((const struct sample *)b)->ended_ns;

    return (a_ns < b_ns) - (a_ns > b_ns);
}

/* Asks for samples that ended at least a microsecond ago. By then a loop has either recorded a
 * request, or will have it in its next answer: so none falls between two answers. */
int server_samples(struct server *srv, struct server_samples *out, uint64_t since_us, size_t limit,
                   bool wants_regular, bool wants_slow)
{
    uint32_t count = server_count_workers(srv);
    struct samples_call call = {.limit = limit, .out = out};

    *out = (struct server_samples){.next_us = (monotonic_ns() - srv->started_ns) / 1000 - 1};
    memcpy(out->boot_id, srv->boot_id, sizeof(out->boot_id));
    if (since_us > out->next_us)
        return UV_EINVAL;
    call.filter = (struct sample_filter){
        .after_ns = srv->started_ns + since_us * 1000 + 999,
        .until_ns = srv->started_ns + out->next_us * 1000 + 999,
        .wants_regular = wants_regular,
        .wants_slow = wants_slow,
    };
    if (since_us == 0)
        call.filter.after_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        out->items = xreallocarray(out->items, out->count + limit, sizeof(out->items[0]));
        worker_call(srv->workers[i], ask_samples, &call);
    }
    if (out->count > 0)
        qsort(out->items, out->count, sizeof(out->items[0]), compare_newest_first);
    if (out->count > limit)
        out->count = limit;
    return 0;
}

void server_samples_fini(struct server_samples *samples)
{
    free(samples->items);
    samples->items = NULL;
    samples->count = 0;
}
