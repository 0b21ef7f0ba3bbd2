/* SPDX-License-Identifier: MIT */
/* file_wait.h — those who wait for one job of the file cache. Only file_cache.c and file_source.c
 * include this. Loop thread only. */
#ifndef FARMSTEAD_FILE_WAIT_H
#define FARMSTEAD_FILE_WAIT_H

#include "files/file_cache.h"

#include <stdatomic.h>

struct file_waiters {
    struct list list;
    atomic_bool are_gone; /* all have given up, so the job need not be done. Any thread */
};
void file_wait_init(struct file_waiters *waiters);

/* For a waiter that comes while the job is under way: it waits from now on. */
void file_wait_join(struct file_waiters *waiters, struct file_waiter *waiter);
/* For the waiter that started the job: it waits since the job was queued. The job may be over
 * already, so the clock would say too late a time. */
void file_wait_begin(struct file_waiters *waiters, struct file_waiter *waiter,
                     const struct io_job *job);

/* Calls all waiters when the job is over. `entry` may be NULL; each waiter gets its own
 * reference. */
void file_wait_tell(struct file_waiters *waiters, const struct io_job *job,
                    struct file_entry *entry);

#endif
