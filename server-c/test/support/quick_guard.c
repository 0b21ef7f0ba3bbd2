/* SPDX-License-Identifier: MIT */
/* quick_guard.c — a preloaded library: a sleep of more than five seconds takes a tenth of its time. How many
 * milliseconds were asked for is written to the file QUICK_GUARD.
 *
 * Built by preload.mjs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LONG_SECONDS 5

static void tell(const struct timespec *time)
{
    const char *path = getenv("QUICK_GUARD");
    FILE *file = path ? fopen(path, "w") : NULL;

    if (!file)
        return;
    fprintf(file, "%ld", (long)time->tv_sec * 1000 + time->tv_nsec / 1000000);
    fclose(file);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    int (*next)(clockid_t, int, const struct timespec *, struct timespec *) =
        (int (*)(clockid_t, int, const struct timespec *, struct timespec *))dlsym(
            RTLD_NEXT, "clock_nanosleep");
    struct timespec tenth = *time;

    if (flags == 0 && time->tv_sec >= LONG_SECONDS) {
        tell(time);
        tenth = (struct timespec){time->tv_sec / 10, time->tv_sec % 10 * 100000000L};
    }
    return next(clock, flags, &tenth, left);
}
