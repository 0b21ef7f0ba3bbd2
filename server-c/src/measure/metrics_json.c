/* SPDX-License-Identifier: MIT */
/* metrics_json.c — for people and their scripts: quantiles in place of buckets. */
#include "measure/metrics.h"

#include "base/buf.h"
#include "base/util.h"
#include "measure/metrics_family.h"

#include <inttypes.h>

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
        buf_printf(out, "%s\"%s\":%" PRIu64, i ? "," : "", counter_name((enum counter)i),
                   series->counters[i]);
    buf_append_str(out, "},\"stages\":{");
    for (int i = 0; i < STAGE_COUNT; i++) {
        buf_printf(out, "%s\"%s\":", i ? "," : "", stage_name((enum stage)i));
        append_json_stage(out, &series->stages[i]);
    }
    buf_append_str(out, "}}");
}

/* A list of objects, each with its labels and a count; those that are 0 are left out. */
struct json_list {
    struct buf *out;
    bool has_any;
};

static void append_labelled(void *arg, const struct metrics_label *labels, uint64_t value)
{
    struct json_list *list = arg;

    if (value == 0)
        return;
    buf_append_str(list->out, list->has_any ? ",{" : "{");
    list->has_any = true;
    for (; labels->name; labels++)
        buf_printf(list->out, "\"%s\":\"%s\",", labels->name, labels->value);
    buf_printf(list->out, "\"count\":%" PRIu64 "}", value);
}

static void append_json_tls(struct buf *out, const struct server_metrics *metrics)
{
    struct json_list handshakes = {out, false}, failures = {out, false};

    buf_append_str(out, ",\"tls\":{\"handshakes\":[");
    metrics_each_labelled(metrics, LABELLED_HANDSHAKES, append_labelled, &handshakes);
    buf_append_str(out, "],\"failures\":[");
    metrics_each_labelled(metrics, LABELLED_HANDSHAKE_FAILURES, append_labelled, &failures);
    buf_append_str(out, "]}");
}

void metrics_append_json(struct buf *out, const struct server_metrics *metrics)
{
    buf_append_str(out, "\"gauges\":{");
    for (int i = 0; i < GAUGE_COUNT; i++)
        buf_printf(out, "%s\"%s\":%.17g", i ? "," : "", gauge_name((enum gauge)i),
                   metrics->gauges[i]);
    buf_append_str(out, "},\"connectionEnds\":{");
    for (int i = END_NONE + 1; i < END_REASON_COUNT; i++)
        buf_printf(out, "%s\"%s\":%" PRIu64, i > END_NONE + 1 ? "," : "",
                   end_reason_name((enum end_reason)i), metrics->ends[i]);
    buf_append_char(out, '}');
    append_json_tls(out, metrics);
    buf_append_str(out, ",\"series\":[");
    for (size_t s = 0; s < metrics->series_count; s++) {
        if (s)
            buf_append_char(out, ',');
        append_json_series(out, &metrics->series[s]);
    }
    buf_append_char(out, ']');
}
