/* SPDX-License-Identifier: MIT */
/* file_wait.c — who waits for a job, and how long the job kept them. */
#include "file_wait.h"

#include "util.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What of the job's times fell into this waiter's wait; it may have come later. */
static void share_times(struct file_waiter *waiter, const struct io_job *job)
{
    uint64_t started = later(job->started_ns, waiter->since_ns);

    waiter->wait_ns = started - waiter->since_ns;
    waiter->work_ns = later(job->ended_ns, started) - started;
}

void file_wait_tell(struct list *waiters, const struct io_job *job, struct file_entry *entry)
{
    while (!list_empty(waiters)) {
        struct file_waiter *waiter = container_of(waiters->next, struct file_waiter, link);
        list_remove(&waiter->link);
        share_times(waiter, job);
        waiter->on_ready(waiter, entry ? file_cache_get(entry) : NULL);
    }
}

void file_wait_join(struct list *waiters, struct file_waiter *waiter)
{
    waiter->since_ns = monotonic_ns();
    list_append(waiters, &waiter->link);
}

void file_wait_begin(struct list *waiters, struct file_waiter *waiter, const struct io_job *job)
{
    waiter->since_ns = job->queued_ns;
    list_append(waiters, &waiter->link);
}

void file_cache_cancel(struct file_waiter *waiter)
{
    list_remove(&waiter->link);
}
