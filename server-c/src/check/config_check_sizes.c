/* SPDX-License-Identifier: MIT */
/* config_check_sizes.c — what is lowered to fit this machine, and whether the machine can meet what
 * is not lowered. */
#include "check/config_check_sizes.h"

#include "check/config_check_parts.h"
#include "machine/machine.h"

#include <inttypes.h>

static const char *const missing[] = {[SCARCE_NOTHING] = "",
                                      [SCARCE_MEMORY] = "bytes of memory",
                                      [SCARCE_DESCRIPTORS] = "descriptors"};

/* What the config says, or the default. */
static uint64_t wanted_of(const struct config *cfg, enum config_fit fit)
{
    switch (fit) {
    case FIT_CONNECTIONS:
        return cfg->limits.connections;
    case FIT_OPEN_FILES:
        return cfg->file_cache.max_open_files;
    case FIT_CACHE_BYTES:
        return cfg->file_cache.max_bytes;
    case FIT_CACHE_ENTRIES:
        return cfg->stat_cache.max_entries;
    case FIT_NONE:
    case FIT_COUNT:
        break;
    }
    return 0;
}

static void warn(const struct config *cfg, enum config_fit fit, const struct config_sizes *sizes,
                 const struct config_machine *machine, struct config_errors *warnings)
{
    bool is_memory = sizes->scarce[fit] == SCARCE_MEMORY;

    config_errors_add_at(
        warnings, cfg, CONFIG_CODE_RESOURCE_LIMIT, config_fit_pointer(fit),
        is_memory ? "give the process more memory, or write the number down"
                  : "raise the limit of open files, or write a lower number",
        "%s is %" PRIu64 " instead of %" PRIu64 ": this process may have %" PRIu64 " %s",
        config_fit_name(fit), sizes->values[fit], wanted_of(cfg, fit),
        is_memory ? machine->memory_bytes : machine->descriptors, missing[sizes->scarce[fit]]);
}

void config_check_fit(struct config_sizes *out, const struct config *cfg,
                      struct config_errors *warnings)
{
    struct config_machine machine;

    machine_read(&machine);
    config_sizes_make(out, cfg, &machine);
    for (int fit = FIT_NONE + 1; fit < FIT_COUNT; fit++)
        if (out->scarce[fit] != SCARCE_NOTHING)
            warn(cfg, (enum config_fit)fit, out, &machine, warnings);
}

static void check_descriptors(const struct check *check, const struct config_sizes *sizes,
                              const struct config_machine *machine)
{
    uint64_t needed = config_sizes_descriptors(sizes, check->cfg);

    if (needed <= machine->descriptors)
        return;
    config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_RESOURCE_LIMIT,
                         config_fit_pointer(FIT_CONNECTIONS), "raise the limit of open files",
                         "event loops, threads and the fewest connections need %" PRIu64
                         " descriptors, this process may have %" PRIu64,
                         needed, machine->descriptors);
}

static void check_memory(const struct check *check, const struct config_sizes *sizes,
                         const struct config_machine *machine)
{
    if (sizes->values[FIT_CACHE_BYTES] <= machine->memory_bytes)
        return;
    config_errors_add_at(
        check->errors, check->cfg, CONFIG_CODE_RESOURCE_LIMIT, config_fit_pointer(FIT_CACHE_BYTES),
        "write less, or leave it out: then it is a quarter of the memory",
        "files may take %" PRIu64 " bytes of memory, this process may have %" PRIu64,
        sizes->values[FIT_CACHE_BYTES], machine->memory_bytes);
}

void config_check_sizes(const struct check *check)
{
    struct config_machine machine;
    struct config_sizes sizes;

    machine_read(&machine);
    config_sizes_make(&sizes, check->cfg, &machine);
    check_descriptors(check, &sizes, &machine);
    check_memory(check, &sizes, &machine);
}
