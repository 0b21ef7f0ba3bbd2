/* SPDX-License-Identifier: MIT */
/* The sizes of a config on machines of any size. Options that were left out give way, those that
 * were written stay, and whatever results fits the machine's descriptors, down to machines on which
 * a node can't serve at all. */
#include "config/config_sizes.c"

#include "check.h"

#include <stdlib.h>
#include <string.h>

#define NO_LIMIT UINT64_MAX
#define GIB (1024 * MIB)

static struct config *config_of(const char *members)
{
    struct config_errors errors = {0};
    char text[1000];
    struct config *cfg;

    snprintf(text, sizeof(text), "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/\"}]%s}", members);
    cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", text, errors.count > 0 ? errors.items[0].message : "");
    config_errors_fini(&errors);
    return cfg;
}

static struct config_sizes sizes_of(const char *members, const struct config_machine *machine)
{
    struct config *cfg = config_of(members);
    struct config_sizes sizes;

    config_sizes_make(&sizes, cfg, machine);
    config_put(cfg);
    return sizes;
}

static void row(int line, const char *members, struct config_machine machine,
                const struct config_sizes *want)
{
    struct config_sizes got = sizes_of(members, &machine);

    CHECK_INT(line, "loops", got.loops, want->loops);
    for (int fit = FIT_NONE + 1; fit < FIT_COUNT; fit++) {
        CHECK_INT(line, config_fit_name((enum config_fit)fit), got.values[fit], want->values[fit]);
        CHECK_INT(line, config_fit_pointer((enum config_fit)fit), got.scarce[fit],
                  want->scarce[fit]);
    }
}

#define SIZES(loops, connections, files, bytes, entries)                                           \
    (struct config_sizes)                                                                          \
    {                                                                                              \
        loops, {0, connections, files, bytes, entries},                                            \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static void test_memory(void)
{
    struct config_sizes want = SIZES(4, 8192, 8000, 256 * MIB, 100000);

    row(__LINE__, "", (struct config_machine){4, NO_LIMIT, NO_LIMIT}, &want);
    row(__LINE__, "", (struct config_machine){4, GIB, NO_LIMIT}, &want);
    want = SIZES(4, 1536, 8000, 24 * MIB, 12288);
    want.scarce[FIT_CONNECTIONS] = want.scarce[FIT_CACHE_BYTES] = SCARCE_MEMORY;
    want.scarce[FIT_CACHE_ENTRIES] = SCARCE_MEMORY;
    row(__LINE__, "", (struct config_machine){4, 96 * MIB, NO_LIMIT}, &want);
    want.loops = 6; /* not one per core, as each takes 16 MiB */
    row(__LINE__, "", (struct config_machine){64, 96 * MIB, NO_LIMIT}, &want);
    want.loops = 8; /* but as many as were written */
    row(__LINE__, ", \"workers\": 8", (struct config_machine){64, 96 * MIB, NO_LIMIT}, &want);
    want = SIZES(1, LEAST, 8000, LEAST, LEAST);
    want.scarce[FIT_CONNECTIONS] = want.scarce[FIT_CACHE_BYTES] = SCARCE_MEMORY;
    want.scarce[FIT_CACHE_ENTRIES] = SCARCE_MEMORY;
    row(__LINE__, "", (struct config_machine){1, 1, NO_LIMIT}, &want);
}

static void test_written(void)
{
    const char *all = ", \"limits\": {\"connections\": 8192}, \"statCache\": {\"maxEntries\": "
                      "100000}, \"fileCache\": {\"maxBytes\": 268435456, \"maxOpenFiles\": 8000}";
    struct config_sizes want = SIZES(1, 8192, 8000, 256 * MIB, 100000);

    row(__LINE__, all, (struct config_machine){1, 1, NO_LIMIT}, &want);
    want = SIZES(1, LEAST, LEAST, 256 * MIB, 100000);
    want.scarce[FIT_CONNECTIONS] = want.scarce[FIT_OPEN_FILES] = SCARCE_DESCRIPTORS;
    row(__LINE__, all, (struct config_machine){1, 1, 1}, &want);
    want = SIZES(2, 298, 298, 256 * MIB, 100000); /* as when it was left out */
    want.scarce[FIT_CONNECTIONS] = want.scarce[FIT_OPEN_FILES] = SCARCE_DESCRIPTORS;
    row(__LINE__, all, (struct config_machine){2, NO_LIMIT, 1030}, &want);
}

static void test_descriptors(void)
{
    struct config_sizes want = SIZES(2, 8192, 8000, 256 * MIB, 100000);

    row(__LINE__, "", (struct config_machine){2, NO_LIMIT, 24536}, &want);
    want = SIZES(2, 298, 298, 256 * MIB, 100000);
    want.scarce[FIT_CONNECTIONS] = want.scarce[FIT_OPEN_FILES] = SCARCE_DESCRIPTORS;
    row(__LINE__, "", (struct config_machine){2, NO_LIMIT, 1030}, &want);
    want = SIZES(2, 100, 694, 256 * MIB, 100000);
    want.scarce[FIT_OPEN_FILES] = SCARCE_DESCRIPTORS;
    row(__LINE__, ", \"limits\": {\"connections\": 100}",
        (struct config_machine){2, NO_LIMIT, 1030}, &want);
    want = SIZES(2, 397, 100, 256 * MIB, 100000);
    want.scarce[FIT_CONNECTIONS] = SCARCE_DESCRIPTORS;
    row(__LINE__, ", \"fileCache\": {\"maxOpenFiles\": 100}",
        (struct config_machine){2, NO_LIMIT, 1030}, &want);
}

static void test_it_always_fits(void)
{
    struct config *cfg = config_of(", \"fileCache\": {\"maxOpenFiles\": 100000}");

    for (uint64_t descriptors = 200; descriptors < 60000; descriptors = descriptors * 9 / 8) {
        struct config_machine machine = {3, NO_LIMIT, descriptors};
        struct config_sizes sizes;
        config_sizes_make(&sizes, cfg, &machine);
        CHECK_TRUE(config_sizes_descriptors(&sizes, cfg) <= descriptors, "%d", (int)descriptors);
    }
    config_put(cfg);
}

/* A config that has been fitted gives the same sizes again on the same machine. */
static void test_stored(void)
{
    const struct config_machine machine = {7, 200 * MIB, 3000};
    struct config *cfg = config_of("");
    struct config_sizes sizes, again;

    config_sizes_make(&sizes, cfg, &machine);
    config_sizes_store(cfg, &sizes);
    config_sizes_make(&again, cfg, &machine);
    CHECK_INT(__LINE__, "loops", cfg->workers, 7);
    CHECK_INT(__LINE__, "again", again.loops, 7);
    for (int fit = FIT_NONE + 1; fit < FIT_COUNT; fit++) {
        CHECK_INT(__LINE__, config_fit_name((enum config_fit)fit), again.values[fit],
                  sizes.values[fit]);
        CHECK_INT(__LINE__, "lowered before", again.scarce[fit], SCARCE_NOTHING);
    }
    config_put(cfg);
}

int main(void)
{
    test_memory();
    test_written();
    test_descriptors();
    test_it_always_fits();
    test_stored();
    return check_end("config_sizes");
}
