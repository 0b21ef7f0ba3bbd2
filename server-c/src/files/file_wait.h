/* SPDX-License-Identifier: MIT */
/* file_wait.h — those who wait for one job of the file cache. Only file_cache.c and file_source.c
 * include this. Loop thread only. */
#ifndef FARMSTEAD_FILE_WAIT_H
#define FARMSTEAD_FILE_WAIT_H

#include "files/file_cache.h"

#include <stdatomic.h>

struct file_waiters {
    struct list list;
    atomic_bool are_gone; /* the last of them gave up: the job need not be done. Any thread */
};
void file_wait_init(struct file_waiters *waiters);

/* Who comes while the job is under way waits from now on. */
void file_wait_join(struct file_waiters *waiters, struct file_waiter *waiter);
/* Who began the job waits since it was queued: a clock read only now may be later than its end. */
void file_wait_begin(struct file_waiters *waiters, struct file_waiter *waiter,
                     const struct io_job *job);

/* The job is over. `entry` may be NULL; each waiter gets a reference of its own. */
void file_wait_tell(struct file_waiters *waiters, const struct io_job *job,
                    struct file_entry *entry);

#endif
