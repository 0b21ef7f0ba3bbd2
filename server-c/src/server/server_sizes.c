/* SPDX-License-Identifier: MIT */
/* server_sizes.c — logs to what a config was fitted, if that is new, and shows the limits as
 * gauges. */
#include "server/server_sizes.h"

#include "check/config_check_sizes.h"
#include "log/log.h"
#include "machine/machine.h"

#include <inttypes.h>
#include <string.h>

static void say(const struct config_sizes *sizes)
{
    struct config_machine machine;

    machine_read(&machine);
    log_info("sizes: %" PRIu32 " event loops, %" PRIu64 " connections, %" PRIu64
             " open files, %" PRIu64 " bytes of files in memory, %" PRIu64
             " known paths; this process may have %" PRIu32 " processors, %" PRIu64
             " bytes of memory and %" PRIu64 " descriptors",
             sizes->loops, sizes->values[FIT_CONNECTIONS], sizes->values[FIT_OPEN_FILES],
             sizes->values[FIT_CACHE_BYTES], sizes->values[FIT_CACHE_ENTRIES], machine.processors,
             machine.memory_bytes, machine.descriptors);
}

static bool is_same(const struct config_sizes *a, const struct config_sizes *b)
{
    return a->loops == b->loops && memcmp(a->values, b->values, sizeof(a->values)) == 0;
}

void server_sizes_fit(struct config_sizes *said, struct config *cfg)
{
    struct config_errors warnings = {0};
    struct config_sizes sizes;

    config_check_fit(&sizes, cfg, &warnings);
    if (!is_same(&sizes, said)) {
        for (size_t i = 0; i < warnings.count; i++)
            log_warn("%s; %s", warnings.items[i].message, warnings.items[i].hint);
        say(&sizes);
    }
    config_errors_fini(&warnings);
    config_sizes_store(cfg, &sizes);
    *said = sizes;
}

void server_sizes_gauges(double gauges[GAUGE_COUNT], const struct config *cfg)
{
    struct config_machine machine;

    machine_read(&machine);
    gauges[GAUGE_MEMORY_LIMIT] = (double)machine.memory_bytes;
    gauges[GAUGE_DESCRIPTORS_LIMIT] = (double)machine.descriptors;
    gauges[GAUGE_PROCESSORS] = machine.processors;
    if (!cfg)
        return;
    gauges[GAUGE_CONNECTIONS_LIMIT] = cfg->limits.connections;
    gauges[GAUGE_CACHE_ENTRIES_LIMIT] = cfg->stat_cache.max_entries;
    gauges[GAUGE_CACHE_BYTES_LIMIT] = (double)cfg->file_cache.max_bytes;
    gauges[GAUGE_OPEN_FILES_LIMIT] = cfg->file_cache.max_open_files;
}
