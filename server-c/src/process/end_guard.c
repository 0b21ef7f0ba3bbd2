/* SPDX-License-Identifier: MIT */
/* end_guard.c — a thread waits for the signal, passes it on as another one, and ends the process
 * when the given time is over. */
#include "process/end_guard.h"

#include "base/util.h"

#include <pthread.h>
#include <unistd.h>

static struct {
    pthread_t owner;
    uint32_t within_ms;
} guard;

static void *guard_main(void *unused)
{
    struct timespec time = {(time_t)(guard.within_ms / 1000),
                            (long)(guard.within_ms % 1000) * (long)NS_PER_MS};
    sigset_t set;
    int number = 0;

    (void)unused;
    pthread_setname_np(pthread_self(), "end-guard");
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    while (sigwait(&set, &number) != 0)
        ;
    pthread_kill(guard.owner, END_GUARD_SIGNAL);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) != 0)
        ;
    _exit(1);
}

bool end_guard_start(uint32_t within_ms)
{
    pthread_t thread;

    guard.owner = pthread_self();
    guard.within_ms = within_ms;
    if (pthread_create(&thread, NULL, guard_main, NULL) != 0)
        return false;
    pthread_detach(thread);
    return true;
}
