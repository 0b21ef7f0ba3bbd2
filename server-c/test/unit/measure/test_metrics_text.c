/* SPDX-License-Identifier: MIT */
/* What Prometheus reads as text, line by line. */
#include "measure/metrics_text.c"

#include "check.h"

#include <stdlib.h>

static struct server_metrics metrics;

static void fill(void)
{
    struct server_series *series = &metrics.series[0];

    metrics.series_count = 1;
    metrics.gauges[GAUGE_OPEN_CONNECTIONS] = 12;
    series->generation = 7;
    series->created_us = UINT64_C(1795314426886323);
    series->counters[COUNTER_REQUESTS] = 4;
    for (int i = 0; i < 3; i++) /* 1, 2 and 4 ms */
        histogram_record(&series->stages[STAGE_TOTAL], UINT64_C(1000000) << i);
    histogram_record(&series->stages[STAGE_TOTAL], UINT64_C(2000000000001)); /* 2000 s */
}

#define TOTAL "farmstead_stage_seconds_bucket{generation=\"7\",stage=\"total\",le="

/* A line in one format and in the other; "": that format has no such line. */
static const struct {
    int line;
    const char *classic, *open;
} rows[] = {
    {__LINE__, "\n# HELP farmstead_requests_total requests answered, of any status\n",
     "\n# HELP farmstead_requests requests answered, of any status\n"},
    {__LINE__, "\n# TYPE farmstead_requests_total counter\n",
     "\n# TYPE farmstead_requests counter\n"},
    {__LINE__, "\nfarmstead_requests_total{generation=\"7\"} 4\n",
     "\nfarmstead_requests_total{generation=\"7\"} 4\n"},
    {__LINE__, "", "\nfarmstead_requests_created{generation=\"7\"} 1795314426.886323\n"},
    {__LINE__, "\n# TYPE farmstead_open_connections gauge\nfarmstead_open_connections 12\n",
     "\n# TYPE farmstead_open_connections gauge\nfarmstead_open_connections 12\n"},
    {__LINE__, "", "\n# UNIT farmstead_cache_bytes bytes\n"},
    {__LINE__, "", "\n# UNIT farmstead_stage_seconds seconds\n"},
    {__LINE__, TOTAL "\"9.5367431640625e-07\"} 0\n", TOTAL "\"9.5367431640625e-07\"} 0\n"},
    {__LINE__, TOTAL "\"0.0009765625\"} 0\n", TOTAL "\"0.0009765625\"} 0\n"},
    {__LINE__, TOTAL "\"0.001953125\"} 1\n", TOTAL "\"0.001953125\"} 1\n"},
    {__LINE__, TOTAL "\"0.00390625\"} 2\n", TOTAL "\"0.00390625\"} 2\n"},
    {__LINE__, TOTAL "\"0.0078125\"} 3\n", TOTAL "\"0.0078125\"} 3\n"},
    {__LINE__, TOTAL "\"1.0\"} 3\n", TOTAL "\"1.0\"} 3\n"},
    {__LINE__, TOTAL "\"512.0\"} 3\n" TOTAL "\"+Inf\"} 4\n",
     TOTAL "\"512.0\"} 3\n" TOTAL "\"+Inf\"} 4\n"},
    {__LINE__, "\nfarmstead_stage_seconds_sum{generation=\"7\",stage=\"total\"} 2000.007000001\n",
     "\nfarmstead_stage_seconds_sum{generation=\"7\",stage=\"total\"} 2000.007000001\n"},
    {__LINE__, "\nfarmstead_stage_seconds_count{generation=\"7\",stage=\"total\"} 4\n",
     "\nfarmstead_stage_seconds_count{generation=\"7\",stage=\"total\"} 4\n"},
    {__LINE__, "",
     "\nfarmstead_stage_seconds_created{generation=\"7\",stage=\"total\"} 1795314426.886323\n"},
};

static void test_lines(void)
{
    struct buf classic, open;

    buf_init(&classic);
    buf_init(&open);
    metrics_append_prometheus(&classic, &metrics);
    metrics_append_openmetrics(&open, &metrics);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_TRUE(strstr(classic.data, rows[i].classic), "row %d: 0.0.4 has no \"%s\"",
                   rows[i].line, rows[i].classic);
        CHECK_TRUE(strstr(open.data, rows[i].open), "row %d: OpenMetrics has no \"%s\"",
                   rows[i].line, rows[i].open);
    }
    CHECK_TRUE(!strstr(classic.data, "_created") && !strstr(classic.data, "# UNIT") &&
                   !strstr(classic.data, "# EOF"),
               "nothing of OpenMetrics in 0.0.4");
    CHECK_STR(__LINE__, "the end", open.data + open.len - 7, "\n# EOF\n");
    buf_fini(&classic);
    buf_fini(&open);
}

static void test_certificates(void)
{
    char label[] = "/a\"\\\n.pem";
    struct loaded_certificate loaded = {.label = label, .ends = 1803859200};
    struct certificates_shown shown = {.loaded = &loaded, .loaded_count = 1};
    struct buf out;

    metrics.certificates = &shown;
    buf_init(&out);
    metrics_append_openmetrics(&out, &metrics);
    CHECK_TRUE(strstr(out.data, "# UNIT farmstead_certificate_expiry_timestamp_seconds seconds\n"
                                "farmstead_certificate_expiry_timestamp_seconds{certificate="
                                "\"/a\\\"\\\\\\n.pem\"} 1803859200\n"),
               "%s", out.data);
    metrics.certificates = NULL;
    buf_fini(&out);
}

static void test_nobody_knows_since_when(void)
{
    struct buf out;

    metrics.series[0].created_us = 0;
    buf_init(&out);
    metrics_append_openmetrics(&out, &metrics);
    CHECK_TRUE(!strstr(out.data, "_created"), "no time is no line");
    buf_fini(&out);
}

int main(void)
{
    fill();
    test_lines();
    test_certificates();
    test_nobody_knows_since_when();
    return check_end("metrics_text");
}
