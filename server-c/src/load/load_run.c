/* SPDX-License-Identifier: MIT */
/* load_run.c — the loop: whom a time is over for, what is due, which sockets are ready. */
#include "load/load_run.h"

#include "base/mem.h"
#include "load/load_client.h"
#include "load/load_http2.h"
#include "load/load_misbehaving.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EVENTS 64
#define WATCHED (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)
#define TIMER_SLACK_NS 1000 /* the kernel's own is 50 µs, by which every request would be late */

static bool needs_tls(const struct load_plan *plan)
{
    for (size_t i = 0; i < plan->target_count; i++)
        if (plan->targets[i].tls)
            return true;
    return false;
}

int load_run_init(struct load_run *run, const struct load_plan *plan, struct buf *why)
{
    run->plan = plan;
    run->tls = NULL;
    list_init(&run->free);
    list_init(&run->active);
    list_init(&run->resting);
    run->active_count = 0;
    load_schedule_init(&run->schedule, plan);
    load_result_init(&run->result, plan);
    load_misbehaving_init(run);
    run->clients = xcalloc(plan->clients, sizeof(*run->clients));
    for (uint64_t i = 0; i < plan->clients; i++) {
        load_client_init(&run->clients[i]);
        list_append(&run->free, &run->clients[i].link);
    }
    load_http2_init(run);
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (run->epoll < 0) {
        buf_printf(why, "epoll: %s", strerror(errno));
        return -1;
    }
    if (needs_tls(plan))
        run->tls = load_tls_new(plan, why);
    return needs_tls(plan) && !run->tls ? -1 : 0;
}

void load_run_free(struct load_run *run)
{
    load_http2_fini(run);
    for (uint64_t i = 0; i < run->plan->clients; i++)
        load_client_fini(&run->clients[i]);
    free(run->clients);
    load_misbehaving_fini(run);
    load_result_fini(&run->result);
    load_schedule_fini(&run->schedule);
    SSL_CTX_free(run->tls);
    if (run->epoll >= 0)
        close(run->epoll);
}

bool load_run_watch(const struct load_run *run, int fd, struct load_watch *watch)
{
    struct epoll_event event = {.events = WATCHED, .data.ptr = watch};

    return epoll_ctl(run->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void load_run_look_again(const struct load_run *run, int fd, struct load_watch *watch)
{
    struct epoll_event event = {.events = WATCHED, .data.ptr = watch};

    CHECK(epoll_ctl(run->epoll, EPOLL_CTL_MOD, fd, &event) == 0);
}

uint64_t load_run_due(const struct load_run *run, uint64_t now_ns)
{
    uint64_t due_ns = load_schedule_due(&run->schedule);

    if (due_ns == LOAD_NEVER)
        return LOAD_NEVER;
    if (run->plan->mode != LOAD_CLOSED)
        return run->start_ns + due_ns;
    return now_ns - run->start_ns < run->plan->seconds * NS_PER_SECOND ? now_ns : LOAD_NEVER;
}

static struct load_client *client_of(struct list *link)
{
    return container_of(link, struct load_client, link);
}

static uint64_t timeout_ns(const struct load_run *run)
{
    return run->plan->timeout_ms * NS_PER_MS;
}

/* Counts those for which nobody was free until it was too late; nobody is asked for them any more. Returns when the next
 * one is due. */
static uint64_t drop_overdue(struct load_run *run, uint64_t now_ns)
{
    uint64_t due_ns;

    while ((due_ns = load_run_due(run, now_ns)) < now_ns && now_ns - due_ns >= timeout_ns(run)) {
        struct load_record record = {.due_ns = due_ns - run->start_ns, .fault = FAULT_NEVER_SENT};
        record.stages_ns[LOAD_LATENCY] = record.stages_ns[LOAD_WAIT] = now_ns - due_ns;
        record.url = load_schedule_take(&run->schedule);
        load_result_add(&run->result, &run->schedule, &record);
    }
    return due_ns;
}

void load_run_next(struct load_run *run, struct load_client *client)
{
    uint64_t now_ns = client->free_ns, due_ns = drop_overdue(run, now_ns);

    if (due_ns <= now_ns)
        load_client_begin(run, client, load_schedule_take(&run->schedule), due_ns);
    else
        list_append(&run->free, &client->link);
}

/* When the first of those that wait has waited long enough. */
static uint64_t deadline(const struct load_run *run)
{
    if (list_empty(&run->active))
        return LOAD_NEVER;
    return client_of(run->active.next)->due_ns + timeout_ns(run);
}

static void time_out(struct load_run *run, uint64_t now_ns)
{
    while (deadline(run) <= now_ns)
        load_client_fail(run, client_of(run->active.next), FAULT_TIMEOUT);
}

static void wake_resting(struct load_run *run, uint64_t now_ns)
{
    while (!list_empty(&run->resting) && client_of(run->resting.next)->free_ns <= now_ns) {
        struct list *link = run->resting.next;
        list_remove(link);
        list_append(&run->free, link);
    }
}

static void begin_due(struct load_run *run, uint64_t now_ns)
{
    uint64_t due_ns;

    while ((due_ns = drop_overdue(run, now_ns)) <= now_ns && !list_empty(&run->free)) {
        struct list *link = run->free.prev;
        list_remove(link);
        load_client_begin(run, client_of(link), load_schedule_take(&run->schedule), due_ns);
    }
}

/* When something is to be done although no socket is ready. */
static uint64_t next_time(const struct load_run *run, uint64_t now_ns)
{
    uint64_t due_ns = load_run_due(run, now_ns), at_ns = deadline(run);

    if (due_ns != LOAD_NEVER && !list_empty(&run->free))
        at_ns = smaller_of(at_ns, due_ns);
    else if (due_ns != LOAD_NEVER && run->plan->mode != LOAD_CLOSED)
        at_ns = smaller_of(at_ns, due_ns + timeout_ns(run));
    if (!list_empty(&run->resting))
        at_ns = smaller_of(at_ns, client_of(run->resting.next)->free_ns);
    return smaller_of(at_ns, run->tick_ns);
}

static void wait_for_sockets(struct load_run *run, uint64_t now_ns)
{
    struct epoll_event events[EVENTS];
    uint64_t at_ns = next_time(run, now_ns), wait_ns = at_ns > now_ns ? at_ns - now_ns : 0;
    struct timespec wait = {.tv_sec = (time_t)(wait_ns / NS_PER_SECOND),
                            .tv_nsec = (long)(wait_ns % NS_PER_SECOND)};
    int count = epoll_pwait2(run->epoll, events, EVENTS, &wait, NULL);

    CHECK(count >= 0 || errno == EINTR);
    for (int i = 0; i < count; i++) {
        struct load_watch *watch = events[i].data.ptr;
        watch->on_ready(run, watch, events[i].events);
    }
}

uint64_t load_run(struct load_run *run, const volatile sig_atomic_t *stop)
{
    uint64_t now_ns = monotonic_ns();

    (void)prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    run->start_ns = run->tick_ns = now_ns;
    while (!*stop && (run->active_count > 0 || load_run_due(run, now_ns) != LOAD_NEVER)) {
        if (run->tick_ns <= now_ns) {
            load_misbehaving_tick(run, now_ns);
            run->tick_ns = now_ns + LOAD_TICK_NS;
        }
        time_out(run, now_ns);
        wake_resting(run, now_ns);
        begin_due(run, now_ns);
        load_http2_flush(run);
        wait_for_sockets(run, now_ns);
        now_ns = monotonic_ns();
    }
    return now_ns - run->start_ns;
}
