/* SPDX-License-Identifier: MIT */
/* server_requests.c — single requests with their path, of all loops (measure/request_samples.h), and paths
 * whose requests are counted. Each loop is asked on its own thread. */
#include "server/server_state.h"

struct take {
    void (*from)(struct request_samples *samples, struct taken_requests *out);
    struct taken_requests *out;
};

static void do_take(struct worker *worker, void *arg)
{
    const struct take *take = arg;

    take->from(&worker->loop.request_samples, take->out);
}

static void do_watch(struct worker *worker, void *arg)
{
    const bool *is_watched = arg;

    request_samples_watch(&worker->loop.request_samples, &worker->loop.samples, *is_watched);
}

static void ask_all(struct server *srv, void (*function)(struct worker *, void *), void *arg)
{
    uint32_t count = server_count_workers(srv);

    for (uint32_t i = 0; i < count; i++)
        worker_call(srv->workers[i], function, arg);
}

void server_watch_requests(struct server *srv, bool is_watched)
{
    ask_all(srv, do_watch, &is_watched);
}

static void do_watch_paths(struct worker *worker, void *arg)
{
    loop_watch_paths(&worker->loop, arg);
}

void server_watch_paths(struct server *srv, const struct path_watch *watch)
{
    struct path_watch copy = *watch;

    ask_all(srv, do_watch_paths, &copy);
}

static void take(struct server *srv, struct taken_requests *out,
                 void (*from)(struct request_samples *samples, struct taken_requests *out))
{
    struct take take = {from, out};

    *out = (struct taken_requests){0};
    ask_all(srv, do_take, &take);
    for (size_t i = 0; i < out->count; i++) {
        struct sample *sample = &out->items[i].sample;
        uint64_t began_ns = sample->ended_ns - sample->stage_ns[STAGE_TOTAL];
        sample->start_us = began_ns > srv->started_ns ? (began_ns - srv->started_ns) / 1000 : 0;
    }
}

uint64_t server_uptime_us(struct server *srv)
{
    return (monotonic_ns() - srv->started_ns) / 1000;
}

void server_take_live_requests(struct server *srv, struct taken_requests *out)
{
    take(srv, out, request_samples_take_live);
}

void server_take_worst_requests(struct server *srv, struct taken_requests *out)
{
    take(srv, out, request_samples_take_worst);
}
