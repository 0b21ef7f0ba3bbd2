/* SPDX-License-Identifier: MIT */
/* config_sizes.c — divides memory and descriptors. A quarter of the memory is for the contents of
 * files, a quarter for connections, and an eighth for what is known about files. The rest is for
 * the program, for bodies that slow clients still hold after the cache has dropped them, and for
 * the kernel. Descriptors are for connections, for the files being sent on them, and for files that
 * are kept open, a third each. Memory lowers only what the author has left out: a written size can
 * be meant. Descriptors lower what was written, too: nothing works without them. */
#include "config/config_sizes.h"

#define MIB UINT64_C(1048576)
#define LOOP_BYTES (16 * MIB)  /* a loop's buffers, and freed memory that its thread keeps */
#define CONNECTION_BYTES 16384 /* LOOP_INPUT_BYTES of loop.h: what a client can make us keep */
#define CACHE_ENTRY_BYTES 1024 /* with its key, its prepared head and its places in lists */
/* Connections, files, entries: the least with which a node can serve. */
#define LEAST 16
#define CONNECTION_DESCRIPTORS 2 /* its own, and that of the file being sent */

/* For standard streams, logs, password files, the agent's connection, and what system libraries
 * open. */
#define OTHER_DESCRIPTORS 64
/* For an event loop: libuv's event queue and the loop's own, wake-ups by threads and by lanes, the
 * folders' watches, root and file of a look-up on the loop, and a new connection that is about to be
 * refused. */
#define LOOP_DESCRIPTORS 10
/* For a thread that looks files up: the root, the deepest watched folder, the folder it is in, and
 * the next one. */
#define LOOKUP_DESCRIPTORS 4
/* For a thread that lists a folder: the root, the folder, and two on the way to the target of a
 * link. */
#define READ_DESCRIPTORS 4
#define READ_THREADS 8 /* assumed for "auto", whose value is known only after a look at the disks */

static const struct {
    const char *name, *pointer;
} fits[FIT_COUNT] = {
    [FIT_CONNECTIONS] = {"limits.connections", "/limits/connections"},
    [FIT_OPEN_FILES] = {"fileCache.maxOpenFiles", "/fileCache/maxOpenFiles"},
    [FIT_CACHE_BYTES] = {"fileCache.maxBytes", "/fileCache/maxBytes"},
    [FIT_CACHE_ENTRIES] = {"statCache.maxEntries", "/statCache/maxEntries"},
};

const char *config_fit_name(enum config_fit fit)
{
    return fits[fit].name;
}

const char *config_fit_pointer(enum config_fit fit)
{
    return fits[fit].pointer;
}

static bool is_left_out(const struct config *cfg, enum config_fit fit)
{
    return cfg->left_out & 1U << fit;
}

static uint32_t loops_of(const struct config *cfg, const struct config_machine *machine)
{
    uint64_t loops = cfg->workers;

    if (cfg->workers == CONFIG_AUTO) {
        uint64_t fitting = machine->memory_bytes / LOOP_BYTES;
        loops = machine->processors < fitting ? machine->processors : fitting;
    }
    if (loops < 1)
        return 1;
    return loops < CONFIG_WORKERS_MAX ? (uint32_t)loops : CONFIG_WORKERS_MAX;
}

static void lower(struct config_sizes *sizes, const struct config *cfg, enum config_fit fit,
                  uint64_t most, enum config_scarce scarce)
{
    if (most < LEAST)
        most = LEAST;
    if ((scarce == SCARCE_MEMORY && !is_left_out(cfg, fit)) || sizes->values[fit] <= most)
        return;
    sizes->values[fit] = most;
    sizes->scarce[fit] = scarce;
}

static void fit_memory(struct config_sizes *sizes, const struct config *cfg, uint64_t bytes)
{
    lower(sizes, cfg, FIT_CACHE_BYTES, bytes / 4, SCARCE_MEMORY);
    lower(sizes, cfg, FIT_CONNECTIONS, bytes / 4 / CONNECTION_BYTES, SCARCE_MEMORY);
    lower(sizes, cfg, FIT_CACHE_ENTRIES, bytes / 8 / CACHE_ENTRY_BYTES, SCARCE_MEMORY);
}

static uint64_t less(uint64_t from, uint64_t amount)
{
    return from > amount ? from - amount : 0;
}

/* The descriptors for threads and loops, which can't be reduced here. */
static uint64_t fixed_descriptors(const struct config_sizes *sizes, const struct config *cfg)
{
    uint64_t readers = cfg->io.read_threads == CONFIG_AUTO ? READ_THREADS : cfg->io.read_threads;

    /* A reload binds new sockets before it closes the old ones. */
    return sizes->loops * (LOOP_DESCRIPTORS + 2 * (uint64_t)cfg->listen_count) +
           (uint64_t)cfg->io.stat_threads * LOOKUP_DESCRIPTORS + readers * READ_DESCRIPTORS +
           OTHER_DESCRIPTORS;
}

static void fit_descriptors(struct config_sizes *sizes, const struct config *cfg, uint64_t limit)
{
    uint64_t room = less(limit, fixed_descriptors(sizes, cfg));
    uint64_t connections = less(room, sizes->values[FIT_OPEN_FILES]) / CONNECTION_DESCRIPTORS;

    if (connections < room / (CONNECTION_DESCRIPTORS + 1))
        connections = room / (CONNECTION_DESCRIPTORS + 1);
    lower(sizes, cfg, FIT_CONNECTIONS, connections, SCARCE_DESCRIPTORS);
    lower(sizes, cfg, FIT_OPEN_FILES,
          less(room, CONNECTION_DESCRIPTORS * sizes->values[FIT_CONNECTIONS]), SCARCE_DESCRIPTORS);
}

void config_sizes_make(struct config_sizes *out, const struct config *cfg,
                       const struct config_machine *machine)
{
    *out = (struct config_sizes){.loops = loops_of(cfg, machine)};
    out->values[FIT_CONNECTIONS] = cfg->limits.connections;
    out->values[FIT_OPEN_FILES] = cfg->file_cache.max_open_files;
    out->values[FIT_CACHE_BYTES] = cfg->file_cache.max_bytes;
    out->values[FIT_CACHE_ENTRIES] = cfg->stat_cache.max_entries;
    fit_memory(out, cfg, machine->memory_bytes);
    fit_descriptors(out, cfg, machine->descriptors);
}

uint64_t config_sizes_descriptors(const struct config_sizes *sizes, const struct config *cfg)
{
    return CONNECTION_DESCRIPTORS * sizes->values[FIT_CONNECTIONS] + sizes->values[FIT_OPEN_FILES] +
           fixed_descriptors(sizes, cfg);
}

void config_sizes_store(struct config *cfg, const struct config_sizes *sizes)
{
    if (cfg->is_fitted) /* an earlier config comes back: others are already reading it */
        return;
    cfg->is_fitted = true;
    cfg->workers = sizes->loops;
    cfg->limits.connections = (uint32_t)sizes->values[FIT_CONNECTIONS];
    cfg->file_cache.max_open_files = (uint32_t)sizes->values[FIT_OPEN_FILES];
    cfg->file_cache.max_bytes = sizes->values[FIT_CACHE_BYTES];
    cfg->stat_cache.max_entries = (uint32_t)sizes->values[FIT_CACHE_ENTRIES];
}
