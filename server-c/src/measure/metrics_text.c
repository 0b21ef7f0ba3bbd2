/* SPDX-License-Identifier: MIT */
/* metrics_text.c — Prometheus' text format 0.0.4 and OpenMetrics 1.0.0. They differ only in the
 * names of counters' families, units, "_created" and the end.
 *
 * Numbers are exact: bounds are powers of two, and sums are whole nanoseconds. */
#include "measure/metrics.h"

#include "base/buf.h"
#include "base/util.h"
#include "measure/metrics_family.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define BOUND_LEN 32

struct text {
    struct buf *out;
    bool is_open; /* OpenMetrics */
    char bounds[CLASSIC_BUCKETS][BOUND_LEN];
};

/* Writes the shortest text that is read as this number, always as a float: "1.0". Labels are
 * compared byte by byte, so it must be what Prometheus and other exporters write. */
static void write_bound(char out[BOUND_LEN], double bound)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, BOUND_LEN, "%.*g", digits, bound);
        if (strtod(out, NULL) == bound)
            break;
    }
    if (!strpbrk(out, ".e"))
        strcat(out, ".0");
}

static void append_family(const struct text *text, const struct metrics_family *family,
                          const char *type)
{
    bool is_counter = strcmp(type, "counter") == 0;
    const char *suffix = is_counter && !text->is_open ? "_total" : "";

    buf_printf(text->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", family->name, suffix, family->help,
               family->name, suffix, type);
    if (text->is_open && family->unit)
        buf_printf(text->out, "# UNIT %s %s\n", family->name, family->unit);
}

/* Writes since when a series counts; `labels` includes the braces. */
static void append_created(const struct text *text, const char *name, const char *labels,
                           uint64_t created_us)
{
    if (!text->is_open || created_us == 0)
        return;
    buf_printf(text->out, "%s_created%s ", name, labels);
    stage_append_seconds(text->out, created_us * 1000);
    buf_append_char(text->out, '\n');
}

static void append_counter(const struct text *text, const struct server_metrics *metrics,
                           enum counter counter)
{
    struct metrics_family family = metrics_family_of_counter(counter);

    append_family(text, &family, "counter");
    for (size_t s = 0; s < metrics->series_count; s++) {
        const struct server_series *series = &metrics->series[s];
        char labels[64];
        snprintf(labels, sizeof(labels), "{generation=\"%" PRIu64 "\"}", series->generation);
        buf_printf(text->out, "%s_total%s %" PRIu64 "\n", family.name, labels,
                   series->counters[counter]);
        append_created(text, family.name, labels, series->created_us);
    }
}

struct labelled_text {
    const struct text *text;
    const char *name;
};

static void append_value(void *arg, const struct metrics_label *labels, uint64_t value)
{
    const struct labelled_text *to = arg;

    buf_printf(to->text->out, "%s_total{", to->name);
    for (size_t i = 0; labels[i].name; i++)
        buf_printf(to->text->out, "%s%s=\"%s\"", i ? "," : "", labels[i].name, labels[i].value);
    buf_printf(to->text->out, "} %" PRIu64 "\n", value);
}

static void append_labelled(const struct text *text, const struct server_metrics *metrics,
                            enum labelled labelled)
{
    struct metrics_family family = metrics_family_of_labelled(labelled);
    struct labelled_text to = {text, family.name};

    append_family(text, &family, "counter");
    metrics_each_labelled(metrics, labelled, append_value, &to);
}

/* A file's path may have any character. */
static void append_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            buf_append_str(out, "\\n");
        else if (*text == '"' || *text == '\\')
            buf_printf(out, "\\%c", *text);
        else
            buf_append_char(out, *text);
    }
}

static void append_certificates(const struct text *text, const struct certificates_shown *shown)
{
    struct metrics_family family = metrics_family_of_certificates();

    if (!shown || shown->loaded_count == 0)
        return;
    append_family(text, &family, "gauge");
    for (size_t i = 0; i < shown->loaded_count && i < CERTIFICATES_TOLD_MAX; i++) {
        buf_printf(text->out, "%s{certificate=\"", family.name);
        append_escaped(text->out, shown->loaded[i].label);
        buf_printf(text->out, "\"} %" PRId64 "\n", shown->loaded[i].ends);
    }
}

static void append_stage(const struct text *text, const char *name,
                         const struct server_series *series, enum stage stage)
{
    const struct histogram *h = &series->stages[stage];
    uint64_t cumulative[CLASSIC_BUCKETS];
    char labels[96], *end;

    metrics_classic_counts(cumulative, h);
    snprintf(labels, sizeof(labels), "{generation=\"%" PRIu64 "\",stage=\"%s\"}",
             series->generation, stage_name(stage));
    end = strchr(labels, '}');
    *end = '\0';
    for (size_t i = 0; i < CLASSIC_BUCKETS; i++)
        buf_printf(text->out, "%s_bucket%s,le=\"%s\"} %" PRIu64 "\n", name, labels, text->bounds[i],
                   cumulative[i]);
    buf_printf(text->out, "%s_bucket%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, h->count);
    *end = '}';
    buf_printf(text->out, "%s_sum%s ", name, labels);
    stage_append_seconds(text->out, h->sum_ns);
    buf_printf(text->out, "\n%s_count%s %" PRIu64 "\n", name, labels, h->count);
    append_created(text, name, labels, series->created_us);
}

static void append_all(struct text *text, const struct server_metrics *metrics)
{
    struct metrics_family family;

    for (int i = 0; i < CLASSIC_BUCKETS; i++)
        write_bound(text->bounds[i], exp2(CLASSIC_FIRST_POWER + i));
    for (int i = 0; i < GAUGE_COUNT; i++) {
        family = metrics_family_of_gauge((enum gauge)i);
        append_family(text, &family, "gauge");
        buf_printf(text->out, "%s %.17g\n", family.name, metrics->gauges[i]);
    }
    for (int i = 0; i < COUNTER_COUNT; i++)
        append_counter(text, metrics, (enum counter)i);
    for (int i = 0; i < LABELLED_COUNT; i++)
        append_labelled(text, metrics, (enum labelled)i);
    append_certificates(text, metrics->certificates);
    family = metrics_family_of_stages();
    append_family(text, &family, "histogram");
    for (size_t s = 0; s < metrics->series_count; s++)
        for (int i = 0; i < STAGE_COUNT; i++)
            append_stage(text, family.name, &metrics->series[s], (enum stage)i);
}

void metrics_append_prometheus(struct buf *out, const struct server_metrics *metrics)
{
    struct text text = {.out = out, .is_open = false};

    append_all(&text, metrics);
}

void metrics_append_openmetrics(struct buf *out, const struct server_metrics *metrics)
{
    struct text text = {.out = out, .is_open = true};

    append_all(&text, metrics);
    buf_append_str(out, "# EOF\n");
}
