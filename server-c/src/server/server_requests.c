/* SPDX-License-Identifier: MIT */
/* server_requests.c — single requests with their path, of all loops (measure/request_samples.h), and paths
 * whose requests are counted. Each loop is asked on its own thread. */
#include "server/server_state.h"

struct take {
    void (*from)(struct request_samples *samples, struct taken_requests *out);
    const char *search_id;
    struct taken_requests *out;
};

static void do_take(struct worker *worker, void *arg)
{
    const struct take *take = arg;

    take->from(&worker->loop.request_samples, take->out);
}

static void do_take_found(struct worker *worker, void *arg)
{
    const struct take *take = arg;
    struct request_samples *samples = &worker->loop.request_samples;

    request_searches_take(&samples->searches, take->search_id, take->out, &samples->random);
}

static void do_look(struct worker *worker, void *arg)
{
    request_samples_look(&worker->loop.request_samples, &worker->loop.samples, arg);
}

static void ask_all(struct server *srv, void (*function)(struct worker *, void *), void *arg)
{
    uint32_t count = server_count_workers(srv);

    for (uint32_t i = 0; i < count; i++)
        worker_call(srv->workers[i], function, arg);
}

void server_look_at_requests(struct server *srv, const struct request_looks *looks)
{
    struct request_looks copy = *looks;

    ask_all(srv, do_look, &copy);
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

static void take(struct server *srv, void (*function)(struct worker *, void *), struct take *take)
{
    struct taken_requests *out = take->out;

    *out = (struct taken_requests){0};
    ask_all(srv, function, take);
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
    take(srv, do_take, &(struct take){request_samples_take_live, NULL, out});
}

void server_take_found_requests(struct server *srv, const char *search_id,
                                struct taken_requests *out)
{
    take(srv, do_take_found, &(struct take){NULL, search_id, out});
}

void server_take_worst_requests(struct server *srv, struct taken_requests *out)
{
    take(srv, do_take, &(struct take){request_samples_take_worst, NULL, out});
}
