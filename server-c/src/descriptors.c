/* SPDX-License-Identifier: MIT */
/* descriptors.c — counting them, and a descriptor far out that makes the table grow. */
#include "descriptors.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

/* Standard streams, logs, the agent's connection, and what the system's libraries open. */
#define OTHER_DESCRIPTORS 64
/* Of one event loop: libuv's event queue and its own, its wake-ups, and what it watches
 * folders with, the root and the file of a look on the loop. */
#define LOOP_DESCRIPTORS 8
/* Of one look-up thread: the root, the deepest folder that is watched, the folder it is in and the
 * one it goes to. */
#define LOOKUP_DESCRIPTORS 4

uint64_t descriptors_needed(const struct config *cfg)
{
    uint64_t loops = cfg->workers == CONFIG_AUTO ? uv_available_parallelism() : cfg->workers;

    return (uint64_t)cfg->limits.connections + cfg->file_cache.max_open_files +
           loops * (LOOP_DESCRIPTORS + cfg->listen_count) +
           (uint64_t)cfg->io.stat_threads * LOOKUP_DESCRIPTORS + OTHER_DESCRIPTORS;
}

void descriptors_raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void descriptors_reserve(uint64_t count)
{
    int any = epoll_create1(EPOLL_CLOEXEC), far;

    if (any < 0)
        return;
    far = count > 0 && count <= INT32_MAX ? fcntl(any, F_DUPFD_CLOEXEC, (int)count - 1) : -1;
    if (far >= 0) /* else beyond the limit, or no memory: it grows when it must */
        close(far);
    close(any);
}
