/* SPDX-License-Identifier: MIT */
/* Sums of series from several loops, and JSON. */
#include "measure/metrics.c"

#include "base/buf.h"
#include "base/util.h"
#include "check.h"

#include <stdlib.h>

static struct server_metrics metrics;

static void add(uint64_t generation, uint64_t requests)
{
    static struct server_series series;

    memset(&series, 0, sizeof(series));
    series.generation = generation;
    series.counters[COUNTER_REQUESTS] = requests;
    for (uint64_t i = 0; i < requests; i++)
        histogram_record(&series.stages[STAGE_TOTAL], 1000000 << i);
    metrics_add_series(&metrics, &series);
}

static void test_merging(void)
{
    static const uint64_t order[] = {3, 1, 5, 3, 2, 1, 4, 5, 6};
    static const uint64_t want[][2] = {{3, 2}, {4, 1}, {5, 2}, {6, 1}};

    memset(&metrics, 0, sizeof(metrics));
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        add(order[i], 1);
    CHECK_INT(__LINE__, "series", metrics.series_count, SERVER_GENERATIONS);
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        CHECK_INT(__LINE__, "generation", metrics.series[i].generation, want[i][0]);
        CHECK_INT(__LINE__, "requests", metrics.series[i].counters[COUNTER_REQUESTS], want[i][1]);
        CHECK_INT(__LINE__, "times", metrics.series[i].stages[STAGE_TOTAL].count, want[i][1]);
    }
    add(2, 9);
    CHECK_INT(__LINE__, "older than all kept", metrics.series[0].generation, 3);
}

static void test_created(void)
{
    static const uint64_t created_us[] = {70, 50, 90};
    struct server_series series = {.generation = 1};

    memset(&metrics, 0, sizeof(metrics));
    for (size_t i = 0; i < ARRAY_LEN(created_us); i++) {
        series.created_us = created_us[i];
        metrics_add_series(&metrics, &series);
    }
    CHECK_INT(__LINE__, "since the first loop had it", metrics.series[0].created_us, 50);
}

/* As loops are that took a local change at different times. */
static void test_sites(void)
{
    static struct server_series mine = {.generation = 1, .digest = "sha256:a"},
                                same = {.generation = 1, .digest = "sha256:a"},
                                other = {.generation = 1, .digest = "sha256:b"};
    const uint64_t(*sites)[SITE_COUNTER_COUNT] = metrics.series[0].sites;

    memset(&metrics, 0, sizeof(metrics));
    mine.sites[3][SITE_404] = 1;
    same.sites[3][SITE_404] = 10;
    same.sites[METRICS_SITES][SITE_BYTES] = 5;
    other.sites[3][SITE_404] = 100;
    other.sites[4][SITE_404] = 1000;
    metrics_add_series(&metrics, &mine);
    metrics_add_series(&metrics, &same);
    metrics_add_series(&metrics, &other);
    CHECK_STR(__LINE__, "whose places", metrics.series[0].digest, "sha256:a");
    CHECK_INT(__LINE__, "of one text", sites[3][SITE_404], 11);
    CHECK_INT(__LINE__, "of another", sites[METRICS_SITES][SITE_404], 1100);
    CHECK_INT(__LINE__, "of no site", sites[METRICS_SITES][SITE_BYTES], 5);
}

static void test_json(void)
{
    struct buf out;

    memset(&metrics, 0, sizeof(metrics));
    add(7, 3); /* 1, 2 and 4 ms */
    metrics.gauges[GAUGE_OPEN_CONNECTIONS] = 12;
    buf_init(&out);
    metrics_append_json(&out, &metrics);
    CHECK_TRUE(strstr(out.data, "\"openConnections\":12"), "gauge in %s", out.data);
    CHECK_TRUE(strstr(out.data, "{\"generation\":7,\"counters\":{\"requests\":3,"), "series");
    CHECK_TRUE(strstr(out.data, "\"stat\":{\"count\":0}"), "an empty stage has no quantiles");
    CHECK_TRUE(strstr(out.data, "\"total\":{\"count\":3,\"p50Seconds\":0.00"), "quantiles");
    buf_fini(&out);
}

int main(void)
{
    test_merging();
    test_created();
    test_sites();
    test_json();
    return check_end("metrics");
}
