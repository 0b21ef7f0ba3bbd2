/* SPDX-License-Identifier: MIT */
/* metrics.h — what the server measures: counters and histograms of stages for each generation of
 * the config, and gauges.
 *
 * Plain data with one writer, the loop it belongs to. Others get a copy, which the loop makes. */
#ifndef FARMSTEAD_METRICS_H
#define FARMSTEAD_METRICS_H

#include "config/config.h" /* CONFIG_DIGEST_LEN */
#include "measure/end_reasons.h"
#include "measure/histogram.h"
#include "measure/path_watch.h"
#include "measure/stages.h"
#include "measure/tls_counts.h"
#include "tls/certificates_shown.h"

#include <stddef.h>
#include <stdint.h>

enum counter {
#define X(name, wire, help) COUNTER_##name,
#include "measure/metrics.def"
#undef X
    COUNTER_COUNT
};

/* Requests with a user agent that begins like this count as probes, too. Anybody can send it, but
 * nothing depends on it. */
#define METRICS_PROBE_AGENT "farmstead-probe/"

enum gauge {
#define G(name, wire, help) GAUGE_##name,
#include "measure/gauges.def"
#undef G
    GAUGE_COUNT
};

/* Names on the wire; static. */
const char *counter_name(enum counter counter);
const char *gauge_name(enum gauge gauge);
/* What they count, in words; static. */
const char *counter_help(enum counter counter);
const char *gauge_help(enum gauge gauge);

/* What is counted of each site besides, in the order in which it is reported. A row of them is a line of
 * the processor's cache. Of an answer that was cut off only that and its bytes. */
enum site_counter {
    SITE_2XX,
    SITE_3XX,
    SITE_404,
    SITE_4XX, /* without 404 */
    SITE_5XX,
    SITE_ABORTED,
    SITE_BYTES,
    SITE_TOTAL_NS, /* of what ended with a status */
    SITE_COUNTER_COUNT
};
/* Sites of a config that are counted one by one. The row after theirs is that of all others, and of
 * requests of which no site answered. */
#define METRICS_SITES 256

/* Totals since boot for one generation of the config. At most SERVER_GENERATIONS are kept: the
 * oldest is dropped when it has no requests left. */
#define SERVER_GENERATIONS 4
struct server_series {
    uint64_t generation;
    uint64_t created_us; /* since 1970, when counting began; 0: unknown */
    uint64_t counters[COUNTER_COUNT];
    struct histogram stages[STAGE_COUNT];
    char digest[CONFIG_DIGEST_LEN + 1]; /* of the config whose sites are counted by place */
    uint64_t sites[METRICS_SITES + 1][SITE_COUNTER_COUNT];
    struct watched_counts watched;
};

struct server_metrics {
    uint64_t monotonic_ms; /* since boot, when the snapshot was taken */
    size_t series_count;   /* oldest generation first */
    struct server_series series[SERVER_GENERATIONS];
    double gauges[GAUGE_COUNT];
    uint64_t ends[END_REASON_COUNT]; /* connections, since boot */
    struct tls_counts tls;           /* since boot */
    /* Of whoever shows the snapshot; NULL: not looked at. */
    const struct certificates_shown *certificates;
};

/* Adds `series` to that of the same generation in `metrics`. To make room it drops the oldest
 * generation, which may be that of `series`. */
void metrics_add_series(struct server_metrics *metrics, const struct server_series *series);

struct buf;
/* Prometheus' text format 0.0.4, and OpenMetrics 1.0.0; both have classic histogram buckets. */
void metrics_append_prometheus(struct buf *out, const struct server_metrics *metrics);
void metrics_append_openmetrics(struct buf *out, const struct server_metrics *metrics);
/* Messages io.prometheus.client.MetricFamily, each preceded by its length, with classic and native
 * histograms. */
void metrics_append_protobuf(struct buf *out, const struct server_metrics *metrics);
/* The members of a JSON object: "gauges", "connectionEnds", "tls", and "series" with counters and
 * quantiles of stages. */
void metrics_append_json(struct buf *out, const struct server_metrics *metrics);

#endif
