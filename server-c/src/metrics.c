/* SPDX-License-Identifier: MIT */
/* metrics.c — merging over loops, and the two forms in which the numbers leave the process. */
#include "metrics.h"

#include "buf.h"
#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const counter_names[] = {
#define X(name, wire, help) wire,
#include "metrics.def"
#undef X
};
static const char *const counter_helps[] = {
#define X(name, wire, help) help,
#include "metrics.def"
#undef X
};
static const char *const gauge_names[] = {
#define G(name, wire, help) wire,
#include "gauges.def"
#undef G
};
static const char *const gauge_helps[] = {
#define G(name, wire, help) help,
#include "gauges.def"
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
    for (int i = 0; i < COUNTER_COUNT; i++)
        into->counters[i] += series->counters[i];
    for (int i = 0; i < STAGE_COUNT; i++)
        histogram_merge(&into->stages[i], &series->stages[i]);
}

/* --- Prometheus ------------------------------------------------------------------------------ */

/* "bytesSent" → "bytes_sent", as Prometheus names things. */
static void append_snake(struct buf *out, const char *camel)
{
    for (; *camel; camel++) {
        if (*camel >= 'A' && *camel <= 'Z') {
            buf_append_char(out, '_');
            buf_append_char(out, (char)(*camel - 'A' + 'a'));
        } else {
            buf_append_char(out, *camel);
        }
    }
}

static void append_family(struct buf *out, const char *name, const char *suffix, const char *help,
                          const char *type)
{
    static const char *const parts[] = {"# HELP farmstead_", "# TYPE farmstead_"};

    for (int i = 0; i < 2; i++) {
        buf_append_str(out, parts[i]);
        append_snake(out, name);
        buf_printf(out, "%s %s\n", suffix, i == 0 ? help : type);
    }
}

static void append_prometheus_stage(struct buf *out, uint64_t generation, enum stage stage,
                                    const struct histogram *h)
{
    uint64_t seen = h->zero_count;
    int slot = 0;

    /* Every octave's upper bound, 2^-20 s … 2^10 s: an exact sum of our finer buckets. */
    for (int power = HISTOGRAM_MIN_INDEX / 8 + 1; power <= 10; power++) {
        for (; slot + HISTOGRAM_MIN_INDEX + 1 <= power * 8; slot++)
            seen += h->buckets[slot];
        buf_printf(out,
                   "farmstead_stage_seconds_bucket{generation=\"%" PRIu64
                   "\",stage=\"%s\",le=\"%.9g\"} %" PRIu64 "\n",
                   generation, stage_name(stage), exp2(power), power == 10 ? h->count : seen);
    }
    buf_printf(out,
               "farmstead_stage_seconds_bucket{generation=\"%" PRIu64
               "\",stage=\"%s\",le=\"+Inf\"} %" PRIu64 "\n",
               generation, stage_name(stage), h->count);
    buf_printf(out, "farmstead_stage_seconds_sum{generation=\"%" PRIu64 "\",stage=\"%s\"} %.9g\n",
               generation, stage_name(stage), (double)h->sum_ns / 1e9);
    buf_printf(
        out, "farmstead_stage_seconds_count{generation=\"%" PRIu64 "\",stage=\"%s\"} %" PRIu64 "\n",
        generation, stage_name(stage), h->count);
}

void metrics_append_prometheus(struct buf *out, const struct server_metrics *metrics)
{
    for (int i = 0; i < GAUGE_COUNT; i++) {
        append_family(out, gauge_names[i], "", gauge_helps[i], "gauge");
        buf_append_str(out, "farmstead_");
        append_snake(out, gauge_names[i]);
        buf_printf(out, " %.17g\n", metrics->gauges[i]);
    }
    for (int i = 0; i < COUNTER_COUNT; i++) {
        append_family(out, counter_names[i], "_total", counter_helps[i], "counter");
        for (size_t s = 0; s < metrics->series_count; s++) {
            buf_append_str(out, "farmstead_");
            append_snake(out, counter_names[i]);
            buf_printf(out, "_total{generation=\"%" PRIu64 "\"} %" PRIu64 "\n",
                       metrics->series[s].generation, metrics->series[s].counters[i]);
        }
    }
    append_family(out, "stage", "_seconds", "time of each stage of a request", "histogram");
    for (size_t s = 0; s < metrics->series_count; s++)
        for (int i = 0; i < STAGE_COUNT; i++)
            append_prometheus_stage(out, metrics->series[s].generation, (enum stage)i,
                                    &metrics->series[s].stages[i]);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void append_json_stage(struct buf *out, const struct histogram *h)
{
    static const struct {
        const char *name;
        double q;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};

    buf_printf(out, "{\"count\":%" PRIu64, h->count);
    if (h->count > 0) {
        for (size_t i = 0; i < ARRAY_LEN(quantiles); i++)
            buf_printf(out, ",\"%sSeconds\":%.9g", quantiles[i].name,
                       histogram_quantile(h, quantiles[i].q));
        buf_printf(out, ",\"maxSeconds\":%.9g", (double)h->max_ns / 1e9);
    }
    buf_append_char(out, '}');
}

static void append_json_series(struct buf *out, const struct server_series *series)
{
    buf_printf(out, "{\"generation\":%" PRIu64 ",\"counters\":{", series->generation);
    for (int i = 0; i < COUNTER_COUNT; i++)
        buf_printf(out, "%s\"%s\":%" PRIu64, i ? "," : "", counter_names[i], series->counters[i]);
    buf_append_str(out, "},\"stages\":{");
    for (int i = 0; i < STAGE_COUNT; i++) {
        buf_printf(out, "%s\"%s\":", i ? "," : "", stage_name((enum stage)i));
        append_json_stage(out, &series->stages[i]);
    }
    buf_append_str(out, "}}");
}

void metrics_append_json(struct buf *out, const struct server_metrics *metrics)
{
    buf_append_str(out, "\"gauges\":{");
    for (int i = 0; i < GAUGE_COUNT; i++)
        buf_printf(out, "%s\"%s\":%.17g", i ? "," : "", gauge_names[i], metrics->gauges[i]);
    buf_append_str(out, "},\"series\":[");
    for (size_t s = 0; s < metrics->series_count; s++) {
        if (s)
            buf_append_char(out, ',');
        append_json_series(out, &metrics->series[s]);
    }
    buf_append_char(out, ']');
}
