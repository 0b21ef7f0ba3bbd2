/* SPDX-License-Identifier: MIT */
/* metrics_protobuf.c — io.prometheus.client.MetricFamily, the format with native histograms.
 *
 * Our bucket i is Prometheus' bucket i + 1, since Prometheus numbers buckets by their upper bounds.
 * A histogram also has its classic buckets, for a Prometheus that does not know native ones. */
#include "measure/metrics.h"

#include "base/buf.h"
#include "base/util.h"
#include "measure/metrics_family.h"
#include "measure/proto.h"

#include <inttypes.h>
#include <math.h>

/* Field numbers of metrics.proto (github.com/prometheus/client_model). */
enum { FAMILY_NAME = 1, FAMILY_HELP, FAMILY_TYPE, FAMILY_METRIC, FAMILY_UNIT };
enum { TYPE_COUNTER = 0, TYPE_GAUGE = 1, TYPE_HISTOGRAM = 4 };
enum { METRIC_LABEL = 1, METRIC_GAUGE = 2, METRIC_COUNTER = 3, METRIC_HISTOGRAM = 7 };
enum { LABEL_NAME = 1, LABEL_VALUE };
enum { GAUGE_VALUE = 1 };
enum { COUNTER_VALUE = 1, COUNTER_CREATED = 3 };
enum {
    HISTOGRAM_SAMPLE_COUNT = 1,
    HISTOGRAM_SAMPLE_SUM = 2,
    HISTOGRAM_BUCKET = 3,
    HISTOGRAM_SCHEMA = 5,
    HISTOGRAM_ZERO_THRESHOLD = 6,
    HISTOGRAM_ZERO_COUNT = 7,
    HISTOGRAM_POSITIVE_SPAN = 12,
    HISTOGRAM_POSITIVE_DELTA = 13,
    HISTOGRAM_CREATED = 15
};
enum { BUCKET_CUMULATIVE_COUNT = 1, BUCKET_UPPER_BOUND = 2 };
enum { SPAN_OFFSET = 1, SPAN_LENGTH };
enum { TIMESTAMP_SECONDS = 1, TIMESTAMP_NANOS };

/* One buffer for each depth of nesting, used again and again. */
struct writer {
    struct buf *out;
    struct buf family, metric, value, part, deltas;
};

/* --- parts ----------------------------------------------------------------------------------- */

static void append_label(struct writer *w, const char *name, const char *value)
{
    buf_clear(&w->part);
    proto_string(&w->part, LABEL_NAME, name);
    proto_string(&w->part, LABEL_VALUE, value);
    proto_bytes(&w->metric, METRIC_LABEL, &w->part);
}

static void append_generation(struct writer *w, uint64_t generation)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, generation);
    append_label(w, "generation", text);
}

static void append_created(struct writer *w, unsigned field, uint64_t created_us)
{
    if (created_us == 0)
        return;
    buf_clear(&w->part);
    proto_uint(&w->part, TIMESTAMP_SECONDS, created_us / 1000000);
    proto_uint(&w->part, TIMESTAMP_NANOS, created_us % 1000000 * 1000);
    proto_bytes(&w->value, field, &w->part);
}

static void begin_family(struct writer *w, const struct metrics_family *family, const char *suffix,
                         unsigned type)
{
    char name[FAMILY_NAME_LEN + 8];

    snprintf(name, sizeof(name), "%s%s", family->name, suffix);
    buf_clear(&w->family);
    proto_string(&w->family, FAMILY_NAME, name);
    proto_string(&w->family, FAMILY_HELP, family->help);
    proto_uint(&w->family, FAMILY_TYPE, type);
}

static void end_family(struct writer *w, const struct metrics_family *family)
{
    if (family->unit)
        proto_string(&w->family, FAMILY_UNIT, family->unit);
    proto_append_varint(w->out, w->family.len);
    buf_append(w->out, w->family.data, w->family.len);
}

static void begin_metric(struct writer *w)
{
    buf_clear(&w->metric);
    buf_clear(&w->value);
}

static void end_metric(struct writer *w, unsigned field)
{
    proto_bytes(&w->metric, field, &w->value);
    proto_bytes(&w->family, FAMILY_METRIC, &w->metric);
}

/* --- histograms ------------------------------------------------------------------------------ */

static void append_classic(struct writer *w, const struct histogram *h)
{
    uint64_t cumulative[CLASSIC_BUCKETS];

    metrics_classic_counts(cumulative, h);
    for (int i = 0; i < CLASSIC_BUCKETS; i++) {
        buf_clear(&w->part);
        proto_uint(&w->part, BUCKET_CUMULATIVE_COUNT, cumulative[i]);
        proto_double(&w->part, BUCKET_UPPER_BOUND, exp2(CLASSIC_FIRST_POWER + i));
        proto_bytes(&w->value, HISTOGRAM_BUCKET, &w->part);
    }
}

/* Buckets [from, to) are in use, and those between `end` and them are not. The first span counts
 * from bucket 0. */
static void append_span(struct writer *w, int end, int from, int to)
{
    buf_clear(&w->part);
    proto_sint(&w->part, SPAN_OFFSET, from - end);
    proto_uint(&w->part, SPAN_LENGTH, (uint64_t)(to - from));
    proto_bytes(&w->value, HISTOGRAM_POSITIVE_SPAN, &w->part);
}

/* Writes runs of used buckets as spans, and each count as the difference from the one before. */
static void append_sparse(struct writer *w, const struct histogram *h)
{
    int end = -(HISTOGRAM_MIN_INDEX + 1); /* the slot of Prometheus' bucket 0 */
    uint64_t before = 0;

    buf_clear(&w->deltas);
    for (int slot = 0; slot < HISTOGRAM_BUCKETS;) {
        int from = slot;
        for (; slot < HISTOGRAM_BUCKETS && h->buckets[slot] > 0; slot++) {
            proto_append_signed(&w->deltas, (int64_t)(h->buckets[slot] - before));
            before = h->buckets[slot];
        }
        if (slot > from) {
            append_span(w, end, from, slot);
            end = slot;
        } else {
            slot++;
        }
    }
    if (w->deltas.len > 0)
        proto_bytes(&w->value, HISTOGRAM_POSITIVE_DELTA, &w->deltas);
}

static void append_stage(struct writer *w, const struct server_series *series, enum stage stage)
{
    const struct histogram *h = &series->stages[stage];

    begin_metric(w);
    append_generation(w, series->generation);
    append_label(w, "stage", stage_name(stage));
    proto_uint(&w->value, HISTOGRAM_SAMPLE_COUNT, h->count);
    proto_double(&w->value, HISTOGRAM_SAMPLE_SUM, (double)h->sum_ns / 1e9);
    append_classic(w, h);
    proto_sint(&w->value, HISTOGRAM_SCHEMA, HISTOGRAM_SCALE);
    proto_double(&w->value, HISTOGRAM_ZERO_THRESHOLD,
                 exp2((double)HISTOGRAM_MIN_INDEX / (1 << HISTOGRAM_SCALE)));
    proto_uint(&w->value, HISTOGRAM_ZERO_COUNT, h->zero_count);
    append_sparse(w, h);
    append_created(w, HISTOGRAM_CREATED, series->created_us);
    end_metric(w, METRIC_HISTOGRAM);
}

/* --- families -------------------------------------------------------------------------------- */

static void append_gauge(struct writer *w, const struct server_metrics *metrics, enum gauge gauge)
{
    struct metrics_family family = metrics_family_of_gauge(gauge);

    begin_family(w, &family, "", TYPE_GAUGE);
    begin_metric(w);
    proto_double(&w->value, GAUGE_VALUE, metrics->gauges[gauge]);
    end_metric(w, METRIC_GAUGE);
    end_family(w, &family);
}

static void append_counter(struct writer *w, const struct server_metrics *metrics,
                           enum counter counter)
{
    struct metrics_family family = metrics_family_of_counter(counter);

    begin_family(w, &family, "_total", TYPE_COUNTER);
    for (size_t s = 0; s < metrics->series_count; s++) {
        const struct server_series *series = &metrics->series[s];
        begin_metric(w);
        append_generation(w, series->generation);
        proto_double(&w->value, COUNTER_VALUE, (double)series->counters[counter]);
        append_created(w, COUNTER_CREATED, series->created_us);
        end_metric(w, METRIC_COUNTER);
    }
    end_family(w, &family);
}

static void append_value(void *arg, const struct metrics_label *labels, uint64_t value)
{
    struct writer *w = arg;

    begin_metric(w);
    for (; labels->name; labels++)
        append_label(w, labels->name, labels->value);
    proto_double(&w->value, COUNTER_VALUE, (double)value);
    end_metric(w, METRIC_COUNTER);
}

static void append_labelled(struct writer *w, const struct server_metrics *metrics,
                            enum labelled labelled)
{
    struct metrics_family family = metrics_family_of_labelled(labelled);

    begin_family(w, &family, "_total", TYPE_COUNTER);
    metrics_each_labelled(metrics, labelled, append_value, w);
    end_family(w, &family);
}

static void append_certificates(struct writer *w, const struct certificates_shown *shown)
{
    struct metrics_family family = metrics_family_of_certificates();

    if (!shown || shown->loaded_count == 0)
        return;
    begin_family(w, &family, "", TYPE_GAUGE);
    for (size_t i = 0; i < shown->loaded_count && i < CERTIFICATES_TOLD_MAX; i++) {
        begin_metric(w);
        append_label(w, "certificate", shown->loaded[i].label);
        proto_double(&w->value, GAUGE_VALUE, (double)shown->loaded[i].ends);
        end_metric(w, METRIC_GAUGE);
    }
    end_family(w, &family);
}

static void append_stages(struct writer *w, const struct server_metrics *metrics)
{
    struct metrics_family family = metrics_family_of_stages();

    begin_family(w, &family, "", TYPE_HISTOGRAM);
    for (size_t s = 0; s < metrics->series_count; s++)
        for (int i = 0; i < STAGE_COUNT; i++)
            append_stage(w, &metrics->series[s], (enum stage)i);
    end_family(w, &family);
}

void metrics_append_protobuf(struct buf *out, const struct server_metrics *metrics)
{
    struct writer w = {.out = out};
    struct buf *const bufs[] = {&w.family, &w.metric, &w.value, &w.part, &w.deltas};

    for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
        buf_init(bufs[i]);
    for (int i = 0; i < GAUGE_COUNT; i++)
        append_gauge(&w, metrics, (enum gauge)i);
    /* A family must have at least one metric. */
    for (int i = 0; i < COUNTER_COUNT && metrics->series_count > 0; i++)
        append_counter(&w, metrics, (enum counter)i);
    for (int i = 0; i < LABELLED_COUNT; i++)
        append_labelled(&w, metrics, (enum labelled)i);
    append_certificates(&w, metrics->certificates);
    if (metrics->series_count > 0)
        append_stages(&w, metrics);
    for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
        buf_fini(bufs[i]);
}
