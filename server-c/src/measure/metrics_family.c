/* SPDX-License-Identifier: MIT */
/* metrics_family.c — turns our camel-case names into Prometheus' names, which end with the unit. */
#include "measure/metrics_family.h"

#include "base/util.h"

#include <string.h>

#define PREFIX "farmstead_"

/* "bytesSent" → "farmstead_bytes_sent". */
static void make_name(char out[FAMILY_NAME_LEN], const char *camel)
{
    char *end = out + FAMILY_NAME_LEN - 1;

    memcpy(out, PREFIX, sizeof(PREFIX));
    for (out += sizeof(PREFIX) - 1; *camel; camel++) {
        CHECK(out + 2 <= end);
        if (*camel >= 'A' && *camel <= 'Z') {
            *out++ = '_';
            *out++ = (char)(*camel - 'A' + 'a');
        } else {
            *out++ = *camel;
        }
    }
    *out = '\0';
}

/* OpenMetrics requires names to end with their unit. */
static const char *unit_of(const char *name)
{
    static const char *const units[] = {"bytes", "seconds"};
    const char *last = strrchr(name, '_');

    for (size_t i = 0; last && i < ARRAY_LEN(units); i++)
        if (strcmp(last + 1, units[i]) == 0)
            return units[i];
    return NULL;
}

static struct metrics_family make(const char *camel, const char *help)
{
    struct metrics_family family = {.help = help};

    make_name(family.name, camel);
    family.unit = unit_of(family.name);
    return family;
}

struct metrics_family metrics_family_of_gauge(enum gauge gauge)
{
    return make(gauge_name(gauge), gauge_help(gauge));
}

struct metrics_family metrics_family_of_counter(enum counter counter)
{
    return make(counter_name(counter), counter_help(counter));
}

struct metrics_family metrics_family_of_ends(void)
{
    return make("connectionEnds", "connections ended, by why");
}

struct metrics_family metrics_family_of_stages(void)
{
    return make("stageSeconds", "time of each stage of a request");
}

void metrics_classic_counts(uint64_t cumulative[CLASSIC_BUCKETS], const struct histogram *h)
{
    uint64_t seen = h->zero_count;
    int slot = 0;

    for (int i = 0; i < CLASSIC_BUCKETS; i++) {
        int bound = (CLASSIC_FIRST_POWER + i) * (1 << HISTOGRAM_SCALE);
        for (; slot + HISTOGRAM_MIN_INDEX + 1 <= bound; slot++)
            seen += h->buckets[slot];
        cumulative[i] = seen;
    }
}
