/* SPDX-License-Identifier: MIT */
/* file_wait.c — those who wait for a job, and for how long it kept them waiting. */
#include "files/file_wait.h"

#include "base/util.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Determines which part of the job's times the waiter waited for: it may have come later. */
static void share_times(struct file_waiter *waiter, const struct io_job *job)
{
    uint64_t started = later(job->started_ns, waiter->since_ns);

    waiter->wait_ns = started - waiter->since_ns;
    waiter->work_ns = later(job->ended_ns, started) - started;
}

void file_wait_init(struct file_waiters *waiters)
{
    list_init(&waiters->list);
    atomic_init(&waiters->are_gone, false);
}

void file_wait_tell(struct file_waiters *waiters, const struct io_job *job,
                    struct file_entry *entry)
{
    while (!list_empty(&waiters->list)) {
        struct file_waiter *waiter = container_of(waiters->list.next, struct file_waiter, link);
        list_remove(&waiter->link);
        waiter->among = NULL;
        share_times(waiter, job);
        waiter->on_ready(waiter, entry ? file_cache_get(entry) : NULL);
    }
}

static void join_at(struct file_waiters *waiters, struct file_waiter *waiter, uint64_t since_ns)
{
    waiter->since_ns = since_ns;
    waiter->among = waiters;
    list_append(&waiters->list, &waiter->link);
    atomic_store_explicit(&waiters->are_gone, false, memory_order_relaxed);
}

void file_wait_join(struct file_waiters *waiters, struct file_waiter *waiter)
{
    join_at(waiters, waiter, monotonic_ns());
}

void file_wait_begin(struct file_waiters *waiters, struct file_waiter *waiter,
                     const struct io_job *job)
{
    join_at(waiters, waiter, job->queued_ns);
}

void file_cache_cancel(struct file_waiter *waiter)
{
    struct file_waiters *among = waiter->among;

    list_remove(&waiter->link);
    waiter->among = NULL;
    if (among && list_empty(&among->list))
        atomic_store_explicit(&among->are_gone, true, memory_order_relaxed);
}
