/* SPDX-License-Identifier: MIT */
/* metrics.c — names of what is counted, and sums over loops. The formats in which the numbers are
 * published are in metrics_text.c, metrics_protobuf.c and metrics_json.c. */
#include "measure/metrics.h"

#include <string.h>

static const char *const counter_names[] = {
#define X(name, wire, help) wire,
#include "measure/metrics.def"
#undef X
};
static const char *const counter_helps[] = {
#define X(name, wire, help) help,
#include "measure/metrics.def"
#undef X
};
static const char *const gauge_names[] = {
#define G(name, wire, help) wire,
#include "measure/gauges.def"
#undef G
};
static const char *const gauge_helps[] = {
#define G(name, wire, help) help,
#include "measure/gauges.def"
#undef G
};

const char *counter_name(enum counter counter)
{
    return counter_names[counter];
}

const char *gauge_name(enum gauge gauge)
{
    return gauge_names[gauge];
}

const char *counter_help(enum counter counter)
{
    return counter_helps[counter];
}

const char *gauge_help(enum gauge gauge)
{
    return gauge_helps[gauge];
}

static struct server_series *insert_series(struct server_metrics *metrics, size_t at,
                                           uint64_t generation)
{
    if (metrics->series_count == SERVER_GENERATIONS) {
        if (at == 0)
            return NULL;
        at--;
        memmove(&metrics->series[0], &metrics->series[1], at * sizeof(metrics->series[0]));
    } else {
        memmove(&metrics->series[at + 1], &metrics->series[at],
                (metrics->series_count - at) * sizeof(metrics->series[0]));
        metrics->series_count++;
    }
    memset(&metrics->series[at], 0, sizeof(metrics->series[at]));
    metrics->series[at].generation = generation;
    return &metrics->series[at];
}

/* Loops that began with other texts of one generation (a local change) agree on no places: what the
 * second one counted is nobody's. */
static void add_sites(struct server_series *into, const struct server_series *series)
{
    bool is_same = strcmp(into->digest, series->digest) == 0;

    for (int place = 0; place <= METRICS_SITES; place++) {
        uint64_t *row = into->sites[is_same ? place : METRICS_SITES];
        for (int i = 0; i < SITE_COUNTER_COUNT; i++)
            row[i] += series->sites[place][i];
    }
}

void metrics_add_series(struct server_metrics *metrics, const struct server_series *series)
{
    struct server_series *into;
    size_t at = 0;

    while (at < metrics->series_count && metrics->series[at].generation < series->generation)
        at++;
    if (at < metrics->series_count && metrics->series[at].generation == series->generation)
        into = &metrics->series[at];
    else
        into = insert_series(metrics, at, series->generation);
    if (!into)
        return;
    if (into->digest[0] == '\0')
        memcpy(into->digest, series->digest, sizeof(into->digest));
    if (into->created_us == 0 || series->created_us < into->created_us)
        into->created_us = series->created_us;
    for (int i = 0; i < COUNTER_COUNT; i++)
        into->counters[i] += series->counters[i];
    for (int i = 0; i < STAGE_COUNT; i++)
        histogram_merge(&into->stages[i], &series->stages[i]);
    add_sites(into, series);
    watched_counts_add(&into->watched, &series->watched);
}
