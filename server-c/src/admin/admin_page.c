/* SPDX-License-Identifier: MIT */
/* admin_page.c — the page for people: facts, how the time is spent, the newest slow requests, and
 * all values with their meanings. */
#include "admin/admin_page.h"

#include "admin/admin_html.h"
#include "base/mem.h"
#include "base/util.h"
#include "server/server.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define HOST_LEN 256
#define SLOW_SHOWN 10

struct totals {
    uint64_t counters[COUNTER_COUNT];
    struct histogram stages[STAGE_COUNT];
};

static void add_up(struct totals *totals, const struct server_metrics *metrics)
{
    memset(totals, 0, sizeof(*totals));
    for (size_t s = 0; s < metrics->series_count; s++) {
        for (int i = 0; i < COUNTER_COUNT; i++)
            totals->counters[i] += metrics->series[s].counters[i];
        for (int i = 0; i < STAGE_COUNT; i++)
            histogram_merge(&totals->stages[i], &metrics->series[s].stages[i]);
    }
}

/* Writes a dash if there is no time. */
static void append_time(struct buf *out, bool is_known, double seconds)
{
    if (is_known)
        html_seconds(out, seconds);
    else
        buf_append_str(out, "<span class=\"soft\">\xe2\x80\x93</span>");
}

static void append_fact(struct buf *out, const char *name)
{
    buf_printf(out, "<div><dt>%s</dt><dd>", name);
}

static void end_fact(struct buf *out)
{
    buf_append_str(out, "</dd></div>\n");
}

static void append_rate_fact(struct buf *out, const char *name, double seconds, bool is_first)
{
    buf_printf(out, "<div><dt>%s, ", name);
    if (is_first) {
        buf_append_str(out, "since the start");
    } else {
        buf_append_str(out, "last ");
        html_duration(out, (uint64_t)(seconds + 0.5));
    }
    buf_append_str(out, "</dt><dd>");
}

/* Writes the rates since the page was last requested. */
static void append_rates(struct buf *out, const struct server_metrics *metrics,
                         const struct totals *totals, struct admin_look *last)
{
    struct admin_look now = {metrics->monotonic_ms, totals->counters[COUNTER_REQUESTS],
                             totals->counters[COUNTER_BYTES_SENT]};
    bool is_first = last->at_ms == 0 || now.at_ms <= last->at_ms || now.requests < last->requests ||
                    now.bytes < last->bytes;
    struct admin_look from = is_first ? (struct admin_look){0} : *last;
    double seconds = (double)(now.at_ms - from.at_ms) / 1e3;

    if (seconds <= 0)
        seconds = 1e-3;
    append_rate_fact(out, "Requests per second", seconds, is_first);
    buf_printf(out, "%.3g", (double)(now.requests - from.requests) / seconds);
    end_fact(out);
    append_rate_fact(out, "Sent per second", seconds, is_first);
    html_bytes(out, (double)(now.bytes - from.bytes) / seconds);
    end_fact(out);
    *last = now;
}

static void append_facts(struct buf *out, const struct server_effective *effective,
                         const struct server_metrics *metrics, const struct totals *totals,
                         struct admin_look *last)
{
    buf_append_str(out, "<dl>\n");
    append_fact(out, "Up for");
    html_duration(out, metrics->monotonic_ms / 1000);
    end_fact(out);
    append_fact(out, "Generation");
    html_count(out, effective->generation);
    end_fact(out);
    append_fact(out, "Reloads");
    html_count(out, effective->reloads);
    end_fact(out);
    append_fact(out, "Open connections");
    html_count(out, (uint64_t)metrics->gauges[GAUGE_OPEN_CONNECTIONS]);
    end_fact(out);
    append_fact(out, "Requests");
    html_count(out, totals->counters[COUNTER_REQUESTS]);
    end_fact(out);
    append_rates(out, metrics, totals, last);
    buf_append_str(out, "<div class=\"wide\"><dt>Config digest</dt><dd>");
    html_text(out, effective->digest[0] ? effective->digest : "none");
    end_fact(out);
    buf_append_str(out, "<div class=\"wide\"><dt>Boot</dt><dd>");
    html_text(out, effective->boot_id);
    end_fact(out);
    buf_append_str(out, "</dl>\n");
}

static void append_stages(struct buf *out, const struct totals *totals)
{
    static const struct {
        const char *title;
        double q;
    } quantiles[] = {
        {"50&nbsp;%", 0.5}, {"90&nbsp;%", 0.9}, {"99&nbsp;%", 0.99}, {"99.9&nbsp;%", 0.999}};

    html_table_begin(out, "stages", "Where the time goes");
    html_table_column(out, "Stage");
    html_table_column(out, "Count");
    for (size_t q = 0; q < ARRAY_LEN(quantiles); q++)
        html_table_column(out, quantiles[q].title);
    html_table_column(out, "Longest");
    html_table_column_of_words(out, "What it is");
    html_table_body(out);
    for (int i = 0; i < STAGE_COUNT; i++) {
        const struct histogram *h = &totals->stages[i];
        buf_printf(out, "<tr><th scope=\"row\">%s</th><td>", stage_name((enum stage)i));
        html_count(out, h->count);
        for (size_t q = 0; q < ARRAY_LEN(quantiles); q++) {
            buf_append_str(out, "</td><td>");
            append_time(out, h->count > 0, histogram_quantile(h, quantiles[q].q));
        }
        buf_append_str(out, "</td><td>");
        append_time(out, h->count > 0, (double)h->max_ns / 1e9);
        buf_printf(out, "</td><td class=\"what\">%s</td></tr>\n", stage_help((enum stage)i));
    }
    html_table_end(out);
}

/* --- slow requests --------------------------------------------------------------------------- */

static void append_slow_head(struct buf *out)
{
    html_table_begin(out, "slow", "The newest slow requests");
    html_table_column(out, "Began (UTC)");
    html_table_column(out, stage_name(STAGE_TOTAL)); /* first, because a phone shows two columns */
    html_table_column(out, "Status");
    html_table_column(out, "Sent");
    for (int i = STAGE_FIRST; i < STAGE_TOTAL; i++)
        html_table_column(out, stage_name((enum stage)i));
    html_table_body(out);
}

/* To the second; the JSON has more digits. */
static void append_slow(struct buf *out, const struct sample *sample)
{
    char began[SAMPLE_TIME_LEN + 1];

    sample_time_format(began, sample->start_us);
    buf_printf(out, "<tr><th scope=\"row\"><span class=\"whole\">%.10s</span> %.8s</th><td>", began,
               began + 11);
    html_seconds(out, (double)sample->stage_ns[STAGE_TOTAL] / 1e9);
    buf_append_str(out, "</td><td>");
    if (sample->status)
        buf_printf(out, "%u", (unsigned)sample->status);
    if (sample->aborted_for)
        buf_printf(out, "%s<span class=\"bad\" title=\"%s\">aborted: %s</span>",
                   sample->status ? " " : "", end_reason_sentence(sample->aborted_for),
                   end_reason_name(sample->aborted_for));
    buf_append_str(out, "</td><td>");
    html_bytes(out, (double)sample->bytes);
    for (int i = STAGE_FIRST; i < STAGE_TOTAL; i++) {
        buf_append_str(out, "</td><td>");
        append_time(out, sample->stage_ns[i] != STAGE_ABSENT, (double)sample->stage_ns[i] / 1e9);
    }
    buf_append_str(out, "</td></tr>\n");
}

/* Tells why there are none, which is not always good news. */
static void append_no_slow(struct buf *out, const struct server_samples_state *state)
{
    html_heading(out, "slow", "The newest slow requests");
    buf_append_str(out, "<p class=\"soft\">");
    if (state->slower_than_millis == 0) {
        buf_append_str(out, "None are kept: the config says so (samples.slowerThanMillis).");
    } else {
        buf_append_str(out, "None so far: no request has taken ");
        html_seconds(out, state->slower_than_millis / 1e3);
        buf_append_str(out, " or longer.");
    }
    buf_append_str(out, "</p>\n");
}

static void append_slow_ones(struct buf *out, const struct server_samples *samples,
                             const struct server_samples_state *state)
{
    append_slow_head(out);
    for (size_t i = 0; i < samples->count; i++)
        append_slow(out, &samples->items[i]);
    html_table_end(out);
    buf_append_str(out, "<p class=\"soft\">");
    html_count(out, samples->matched);
    buf_append_str(out, samples->matched == 1 ? " is kept, slower than "
                                              : " are kept, each slower than ");
    html_seconds(out, state->slower_than_millis / 1e3);
    buf_append_str(
        out, ". <a href=\"/samples?kind=slow&amp;limit=10000\">All of them</a>, and "
             "<a href=\"/samples?kind=regular\">a sample of all requests</a>, as JSON.</p>\n");
}

static void append_samples(struct buf *out, struct server *server)
{
    struct server_samples_state state;
    struct server_samples samples;

    server_samples_state(server, &state);
    if (server_samples(server, &samples, 0, SLOW_SHOWN, false, true) == 0 && samples.count > 0)
        append_slow_ones(out, &samples, &state);
    else
        append_no_slow(out, &state);
    server_samples_fini(&samples);
}

/* --- values ---------------------------------------------------------------------------------- */

static void begin_values(struct buf *out, const char *id, const char *title, const char *what)
{
    html_table_begin(out, id, title);
    html_table_column(out, what);
    html_table_column(out, "Value");
    html_table_column_of_words(out, "What it is");
    html_table_body(out);
}

static void append_value(struct buf *out, const char *name, uint64_t value, const char *help)
{
    buf_printf(out, "<tr><th scope=\"row\">%s</th><td>", name);
    html_count(out, value);
    buf_printf(out, "</td><td class=\"what\">%s</td></tr>\n", help);
}

static void append_title(struct buf *out, const struct server_effective *effective)
{
    char host[HOST_LEN] = "";

    if (gethostname(host, sizeof(host) - 1) != 0)
        host[0] = '\0';
    html_begin(out, host);
    buf_append_str(out, "<h1>farmstead-node on ");
    html_text(out, host);
    buf_printf(out,
               "</h1>\n<p>%s <span class=\"soft\">Version %s. The same as <a href=\"/status\">JSON"
               "</a> and for <a href=\"/metrics\">Prometheus</a>; single requests as "
               "<a href=\"/samples\">JSON</a>.</span></p>\n",
               effective->serving ? "<span class=\"good\">Serving.</span>"
                                  : "<span class=\"bad\">Serving nothing: no config yet.</span>",
               FARMSTEAD_VERSION);
}

void admin_append_page(struct buf *out, struct server *server, struct admin_look *last)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));
    struct totals *totals = xmalloc(sizeof(*totals));
    struct server_effective effective;

    server_effective(server, &effective);
    server_metrics(server, metrics);
    add_up(totals, metrics);
    append_title(out, &effective);
    append_facts(out, &effective, metrics, totals, last);
    append_stages(out, totals);
    append_samples(out, server);
    begin_values(out, "now", "Lanes, caches and connections now", "Gauge");
    for (int i = 0; i < GAUGE_COUNT; i++)
        append_value(out, gauge_name((enum gauge)i), (uint64_t)metrics->gauges[i],
                     gauge_help((enum gauge)i));
    html_table_end(out);
    begin_values(out, "counters", "Counted so far, over all generations kept", "Counter");
    for (int i = 0; i < COUNTER_COUNT; i++)
        append_value(out, counter_name((enum counter)i), totals->counters[i],
                     counter_help((enum counter)i));
    html_table_end(out);
    html_end(out);
    free(totals);
    free(metrics);
}
