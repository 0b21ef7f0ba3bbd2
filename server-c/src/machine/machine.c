/* SPDX-License-Identifier: MIT */
/* machine.c — keeps the first result, because after a change of root or user the files may not be
 * visible any more. */
#include "machine/machine.h"

#include "machine/control_group.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

static struct config_machine first;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t physical_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

static void read_first(void)
{
    uint64_t memory_bytes = physical_bytes(), processors = uv_available_parallelism();
    struct control_group_limits limits;

    control_group_read(&limits, NULL);
    if (limits.memory_bytes < memory_bytes)
        memory_bytes = limits.memory_bytes;
    if (limits.processor_percent < processors * 100) /* a fraction of a processor counts as one */
        processors = (limits.processor_percent + 99) / 100;
    first.memory_bytes = memory_bytes;
    first.processors = processors > 0 ? (uint32_t)processors : 1;
}

/* Returns the hard limit, to which the server raises its own. */
static uint64_t descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_max;
}

void machine_read(struct config_machine *out)
{
    pthread_once(&once, read_first);
    *out = first;
    out->descriptors = descriptor_limit();
}
