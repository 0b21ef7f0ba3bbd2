/* SPDX-License-Identifier: MIT */
/* The limit of the queue, its order, jobs that go first, the thread that is kept free, resizing
 * under load, and that no job is lost or done twice. */
#include "lanes/io_lane.c"

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

static void wait_until_taken(struct io_lane *lane, uint32_t busy)
{
    struct io_lane_state state;

    do {
        io_lane_state(lane, &state);
    } while (state.busy != busy || state.queued > 0);
}

static int order[JOBS], order_len;

static void on_ordered(struct io_job *job)
{
    order[order_len++] = container_of(job, struct test_job, job)->number;
}

/* One thread, which is busy with job 0 while the others are submitted. */
static void test_who_goes_first(uv_loop_t *loop, struct io_port *port)
{
    struct io_lane *lane = io_lane_new("test", 1, 12);
    int refused = 0;

    io_lane_reserve_thread(lane); /* a lane of one thread has none to spare */
    prepare(0, run_gated);
    CHECK_INT(__LINE__, "holds it up", io_lane_submit(lane, port, &jobs[0].job), 0);
    wait_until_taken(lane, 1);
    for (int i = 1; i < 40; i++) {
        prepare(i, run_job);
        jobs[i].job.on_done = on_ordered;
        if (i < 20)
            refused += io_lane_submit(lane, port, &jobs[i].job) != 0;
        else if (i < 22)
            io_lane_submit_next(lane, port, &jobs[i].job);
        else
            refused += io_lane_submit_first(lane, port, &jobs[i].job) != 0;
    }
    CHECK_INT(__LINE__, "each queue has its bound", refused, 19 - 12 + 18 - 12);
    CHECK_TRUE(io_lane_has_queue(lane), "jobs wait");
    uv_sem_post(&gate);
    order_len = 0;
    run_until_idle(loop, port);
    CHECK_INT(__LINE__, "all that were let in", order_len, 12 + 2 + 12);
    for (int i = 0; i < FIRST_IN_A_ROW; i++)
        CHECK_INT(i, "those first", order[i], 22 + i);
    CHECK_INT(__LINE__, "then one of the others", order[FIRST_IN_A_ROW], 1);
    CHECK_INT(__LINE__, "then those again", order[FIRST_IN_A_ROW + 1], 22 + FIRST_IN_A_ROW);
    CHECK_INT(__LINE__, "the ones never refused come last, as they came", order[order_len - 1], 21);
    CHECK_TRUE(!io_lane_has_queue(lane), "none waits");
    io_lane_free(lane);
}

/* Three of four threads are busy, and more jobs wait: those that go first are done all the same. */
static void test_the_reserve(uv_loop_t *loop, struct io_port *port)
{
    struct io_lane *lane = io_lane_new("test", 4, 100);

    io_lane_reserve_thread(lane);
    for (int i = 0; i < 20; i++) {
        prepare(i, run_gated);
        CHECK_INT(i, "submit", io_lane_submit(lane, port, &jobs[i].job), 0);
    }
    for (int round = 0; round < 50; round++) {
        size_t outstanding = port->outstanding;
        for (int i = 100; i < 103; i++) {
            prepare(i, run_job);
            CHECK_INT(i, "submit first", io_lane_submit_first(lane, port, &jobs[i].job), 0);
        }
        while (port->outstanding > outstanding)
            uv_run(loop, UV_RUN_ONCE);
    }
    CHECK_INT(__LINE__, "the others still wait", port->outstanding, 20);
    CHECK_INT(__LINE__, "fewer threads", io_lane_resize(lane, 1, 100), 1);
    for (int i = 0; i < 20; i++)
        uv_sem_post(&gate);
    last_started = -1;
    run_until_idle(loop, port);
    for (int i = 0; i < 20; i++)
        CHECK_INT(i, "each is done once", jobs[i].done, 1);
    io_lane_free(lane);
}

static void submit_gated(struct io_lane *lane, struct io_port *port, int i, bool goes_first)
{
    prepare(i, run_gated);
    CHECK_INT(i, "submit",
              goes_first ? io_lane_submit_first(lane, port, &jobs[i].job)
                         : io_lane_submit(lane, port, &jobs[i].job),
              0);
}

static void let_go(uv_loop_t *loop, struct io_port *port, int count)
{
    for (int i = 0; i < count; i++)
        uv_sem_post(&gate);
    last_started = -1;
    run_until_idle(loop, port);
}

/* A thread that wakes up may take a job for which another was woken, or may have just become the
 * reserve. No job may wait while a thread is asleep that could do it. */
static void test_none_waits_for_a_sleeper(uv_loop_t *loop, struct io_port *port)
{
    for (int round = 0; round < 300; round++) {
        struct io_lane *lane = io_lane_new("test", 1, 100);

        io_lane_reserve_thread(lane);
        io_lane_resize(lane, 4, 100);
        for (int i = 0; i < 3; i++)
            submit_gated(lane, port, i, false);
        wait_until_taken(lane, 3);
        submit_gated(lane, port, 3, true);
        wait_until_taken(lane, 4);
        let_go(loop, port, 4);
        for (int i = 0; i < 3; i++)
            submit_gated(lane, port, i, (i + round) % 3 == 0);
        wait_until_taken(lane, 3);
        io_lane_resize(lane, 1, 100);
        io_lane_resize(lane, 3, 100);
        let_go(loop, port, 3);
        io_lane_resize(lane, 1, 100);
        submit_gated(lane, port, 0, false);
        wait_until_taken(lane, 1);
        let_go(loop, port, 1);
        io_lane_free(lane);
    }
}

static int niceness;

static void run_look(struct io_job *job)
{
    niceness = getpriority(PRIO_PROCESS, 0);
    run_job(job);
}

static void test_nice(uv_loop_t *loop, struct io_port *port)
{
    int own = getpriority(PRIO_PROCESS, 0);
    struct io_lane *lane = io_lane_new_nice("test", 1, 1, 3);

    prepare(0, run_look);
    CHECK_INT(__LINE__, "taken", io_lane_submit(lane, port, &jobs[0].job), 0);
    last_started = -1;
    run_until_idle(loop, port);
    CHECK_INT(__LINE__, "nicer", niceness, own + 3 > 19 ? 19 : own + 3);
    CHECK_INT(__LINE__, "the loop is as it was", getpriority(PRIO_PROCESS, 0), own);
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
    test_who_goes_first(&loop, &port);
    test_the_reserve(&loop, &port);
    test_none_waits_for_a_sleeper(&loop, &port);
    test_nice(&loop, &port);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    uv_sem_destroy(&gate);
    CHECK_INT(__LINE__, "everything is closed", uv_loop_close(&loop), 0);
    return check_end("io_lane");
}
