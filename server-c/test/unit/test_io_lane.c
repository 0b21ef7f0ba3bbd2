/* SPDX-License-Identifier: MIT */
/* The queue's bound, its order, resizing under work, and that nothing is lost or done twice. */
#include "io_lane.c"

#include "check.h"

#include <stdatomic.h>

#define JOBS 2000

struct test_job {
    struct io_job job;
    int number;
    int done;
};

static struct test_job jobs[JOBS];
static uv_sem_t gate;
static _Atomic int ran;
static int last_started = -1, out_of_order;

static void run_job(struct io_job *job)
{
    (void)job;
    atomic_fetch_add(&ran, 1);
}

static void run_gated(struct io_job *job)
{
    uv_sem_wait(&gate);
    run_job(job);
}

static void on_done(struct io_job *job)
{
    struct test_job *test = container_of(job, struct test_job, job);

    test->done++;
    if (test->number < last_started)
        out_of_order++;
    last_started = test->number;
    CHECK_TRUE(job->queued_ns <= job->started_ns && job->started_ns <= job->ended_ns, "times");
}

static void prepare(int i, void (*run)(struct io_job *))
{
    jobs[i] = (struct test_job){.job = {.run = run, .on_done = on_done}, .number = i};
}

static void run_until_idle(uv_loop_t *loop, const struct io_port *port)
{
    while (port->outstanding > 0)
        uv_run(loop, UV_RUN_ONCE);
}

static void test_bound(uv_loop_t *loop, struct io_port *port)
{
    struct io_lane *lane = io_lane_new("test", 1, 3);
    struct io_lane_state state;
    int accepted = 0;

    prepare(0, run_gated);
    CHECK_INT(__LINE__, "first", io_lane_submit(lane, port, &jobs[0].job), 0);
    do { /* until the thread has taken it */
        io_lane_state(lane, &state);
    } while (state.queued > 0);
    for (int i = 1; i < 10; i++) {
        prepare(i, run_gated);
        accepted += io_lane_submit(lane, port, &jobs[i].job) == 0;
    }
    CHECK_INT(__LINE__, "as many as the queue holds", accepted, 3);
    io_lane_state(lane, &state);
    CHECK_INT(__LINE__, "queued", state.queued, 3);
    CHECK_INT(__LINE__, "busy", state.busy, 1);
    CHECK_INT(__LINE__, "threads", state.threads, 1);
    for (int i = 0; i < 4; i++)
        uv_sem_post(&gate);
    last_started = -1;
    run_until_idle(loop, port);
    CHECK_INT(__LINE__, "all of them", atomic_load(&ran), 4);
    CHECK_INT(__LINE__, "in their order", out_of_order, 0);
    io_lane_free(lane);
}

static void test_resizing_under_work(uv_loop_t *loop, struct io_port *port)
{
    static const uint32_t sizes[] = {1, 8, 2, 16, 1, 3, 1, 7};
    struct io_lane *lane = io_lane_new("test", 4, JOBS);
    struct io_lane_state state;

    atomic_store(&ran, 0);
    for (int i = 0; i < JOBS; i++) {
        prepare(i, run_job);
        CHECK_INT(__LINE__, "submit", io_lane_submit(lane, port, &jobs[i].job), 0);
        if (i % 100 == 0) {
            uint32_t size = sizes[(size_t)i / 100 % ARRAY_LEN(sizes)];
            CHECK_INT(__LINE__, "resize", io_lane_resize(lane, size, JOBS), size);
        }
        if (i % 50 == 0)
            uv_run(loop, UV_RUN_NOWAIT);
    }
    run_until_idle(loop, port);
    CHECK_INT(__LINE__, "each ran", atomic_load(&ran), JOBS);
    for (int i = 0; i < JOBS; i++)
        CHECK_INT(i, "each is done once", jobs[i].done, 1);
    io_lane_state(lane, &state);
    CHECK_INT(__LINE__, "queued", state.queued, 0);
    io_lane_free(lane);
}

int main(void)
{
    struct io_port port;
    uv_loop_t loop;

    uv_loop_init(&loop);
    uv_sem_init(&gate, 0);
    CHECK_INT(__LINE__, "port", io_port_init(&port, &loop), 0);
    test_bound(&loop, &port);
    test_resizing_under_work(&loop, &port);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    uv_sem_destroy(&gate);
    CHECK_INT(__LINE__, "everything is closed", uv_loop_close(&loop), 0);
    return check_end("io_lane");
}
