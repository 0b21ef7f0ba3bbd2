/* SPDX-License-Identifier: MIT */
/* left_threads.c — how many there are. */
#include "machine/left_threads.h"

#include <stdatomic.h>

static atomic_int count;

void left_threads_add(void)
{
    atomic_fetch_add(&count, 1);
}

void left_threads_remove(void)
{
    atomic_fetch_sub(&count, 1);
}

bool left_threads_any(void)
{
    return atomic_load(&count) > 0;
}

bool left_threads_end(pthread_t thread, bool is_at_rest)
{
    if (is_at_rest) {
        pthread_join(thread, NULL);
        return true;
    }
    pthread_detach(thread);
    left_threads_add();
    return false;
}
