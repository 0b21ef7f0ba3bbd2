/* SPDX-License-Identifier: MIT */
/* admin_page.c — the page is one file without scripts: it is to work in any browser, also over a
 * tunnel from a phone, and to be read by a screen reader. */
#include "admin_page.h"

#include "mem.h"
#include "server.h"
#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define HOST_LEN 256

void admin_append_status(struct buf *out, struct server *server)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));
    struct server_effective effective;

    server_effective(server, &effective);
    server_metrics(server, metrics);
    buf_printf(out,
               "{\"version\":\"%s\",\"bootId\":\"%s\",\"uptimeSeconds\":%.3f,\"serving\":%s,"
               "\"reloads\":%" PRIu64 ",\"effective\":{\"generation\":%" PRIu64
               ",\"digest\":\"%s\"},",
               FARMSTEAD_VERSION, effective.boot_id, (double)metrics->monotonic_ms / 1e3,
               effective.serving ? "true" : "false", effective.reloads, effective.generation,
               effective.digest);
    metrics_append_json(out, metrics);
    buf_append_str(out, "}\n");
    free(metrics);
}

void admin_append_metrics(struct buf *out, struct server *server)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));

    server_metrics(server, metrics);
    metrics_append_prometheus(out, metrics);
    free(metrics);
}

/* --- the page -------------------------------------------------------------------------------- */

static const char *const counter_helps[] = {
#define X(name, wire, help) help,
#include "metrics.def"
#undef X
};
static const char *const gauge_helps[] = {
#define G(name, wire, help) help,
#include "gauges.def"
#undef G
};
static const char *const stage_helps[] = {
#define X(name, wire, help) help,
#include "stages.def"
#undef X
};

static const char head_text[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>farmstead-node on ";

static const char style_text[] =
    "</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1d2521;--soft:#55605a;--paper:#fbfcfb;--line:#d5ddd8;"
    "--card:#fff;--good:#176b3a;--bad:#a32020}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6ece8;--soft:#a3b0a8;--paper:#131816;"
    "--line:#333d37;--card:#1a201d;--good:#7fd6a0;--bad:#ff9d94}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:70rem;padding:1.5rem 1rem 3rem;background:var(--paper);"
    "color:var(--ink);font:1rem/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}\n"
    "h2{font-size:1.125rem;margin:2rem 0 .5rem}\np{margin:.25rem 0}\n"
    ".soft{color:var(--soft)}\n.good{color:var(--good);font-weight:600}\n"
    ".bad{color:var(--bad);font-weight:600}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;"
    "margin:1rem 0}\n"
    "dl div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
    "padding:.6rem .8rem}\n"
    "dl div.wide{grid-column:1/-1}\n"
    "dt{color:var(--soft);font-size:.875rem}\n"
    "dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}\n"
    "dl div.wide dd{font:.875rem/1.6 ui-monospace,monospace}\n"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;"
    "background:var(--card)}\n"
    ".scroll:focus-visible,a:focus-visible{outline:3px solid var(--good);outline-offset:2px}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.35rem .8rem;text-align:right;border-bottom:1px solid var(--line);"
    "vertical-align:top;white-space:nowrap}\n"
    "tbody tr:last-child>*{border-bottom:0}\n"
    "th:first-child,.what{text-align:left}\nthead th{color:var(--soft);font-weight:600;"
    "font-size:.875rem}\n"
    "tbody th{font-weight:600}\ntd.what{color:var(--soft);white-space:normal;min-width:14rem;"
    "width:100%}\n"
    "@media (max-width:40rem){td.what{white-space:nowrap}}\n"
    "a{color:inherit}\n</style>\n</head>\n<body>\n<main>\n";

static void append_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            buf_append_str(out, "&lt;");
        else if (*text == '>')
            buf_append_str(out, "&gt;");
        else if (*text == '&')
            buf_append_str(out, "&amp;");
        else if (*text == '"')
            buf_append_str(out, "&quot;");
        else
            buf_append_char(out, *text);
    }
}

/* 1234567 as 1 234 567, with thin spaces that do not break. */
static void append_grouped(struct buf *out, uint64_t value)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf_append_str(out, "\xe2\x80\xaf");
        buf_append_char(out, digits[i]);
    }
}

/* 1536 as 1.5 KiB. */
static void append_bytes(struct buf *out, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;

    for (; bytes >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
        bytes /= 1024;
    buf_printf(out, unit && bytes < 100 ? "%.1f\xc2\xa0%s" : "%.0f\xc2\xa0%s", bytes, units[unit]);
}

static void append_seconds(struct buf *out, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "\xc2\xb5s"}};

    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (seconds >= units[i].least) {
            buf_printf(out, "%.3g\xc2\xa0%s", seconds * units[i].factor, units[i].unit);
            return;
        }
}

static void append_duration(struct buf *out, uint64_t seconds)
{
    if (seconds >= 86400)
        buf_printf(out,
                   "%" PRIu64 "\xc2\xa0"
                   "d %" PRIu64 "\xc2\xa0h",
                   seconds / 86400, seconds % 86400 / 3600);
    else if (seconds >= 3600)
        buf_printf(out, "%" PRIu64 "\xc2\xa0h %" PRIu64 "\xc2\xa0min", seconds / 3600,
                   seconds % 3600 / 60);
    else if (seconds >= 60)
        buf_printf(out, "%" PRIu64 "\xc2\xa0min %" PRIu64 "\xc2\xa0s", seconds / 60, seconds % 60);
    else
        buf_printf(out, "%" PRIu64 "\xc2\xa0s", seconds);
}

/* --- its parts ------------------------------------------------------------------------------- */

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
        append_duration(out, (uint64_t)(seconds + 0.5));
    }
    buf_append_str(out, "</dt><dd>");
}

/* Since the page was asked for last. */
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
    append_bytes(out, (double)(now.bytes - from.bytes) / seconds);
    end_fact(out);
    *last = now;
}

static void append_facts(struct buf *out, const struct server_effective *effective,
                         const struct server_metrics *metrics, const struct totals *totals,
                         struct admin_look *last)
{
    buf_append_str(out, "<dl>\n");
    append_fact(out, "Up for");
    append_duration(out, metrics->monotonic_ms / 1000);
    end_fact(out);
    append_fact(out, "Generation");
    append_grouped(out, effective->generation);
    end_fact(out);
    append_fact(out, "Reloads");
    append_grouped(out, effective->reloads);
    end_fact(out);
    append_fact(out, "Open connections");
    append_grouped(out, (uint64_t)metrics->gauges[GAUGE_OPEN_CONNECTIONS]);
    end_fact(out);
    append_fact(out, "Requests");
    append_grouped(out, totals->counters[COUNTER_REQUESTS]);
    end_fact(out);
    append_rates(out, metrics, totals, last);
    buf_append_str(out, "<div class=\"wide\"><dt>Config digest</dt><dd>");
    append_escaped(out, effective->digest[0] ? effective->digest : "none");
    end_fact(out);
    buf_append_str(out, "<div class=\"wide\"><dt>Boot</dt><dd>");
    append_escaped(out, effective->boot_id);
    end_fact(out);
    buf_append_str(out, "</dl>\n");
}

/* A wide table scrolls by itself, with the keyboard, too. */
static void begin_table(struct buf *out, const char *id, const char *title)
{
    buf_printf(out,
               "<h2 id=\"%s\">%s</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
               "aria-labelledby=\"%s\">\n<table aria-labelledby=\"%s\">\n",
               id, title, id, id);
}

static void end_table(struct buf *out)
{
    buf_append_str(out, "</tbody>\n</table>\n</div>\n");
}

static void append_stages(struct buf *out, const struct totals *totals)
{
    static const double quantiles[] = {0.5, 0.9, 0.99, 0.999};

    begin_table(out, "stages", "Where the time goes");
    buf_append_str(out, "<thead><tr><th scope=\"col\">Stage</th><th scope=\"col\">Count</th>"
                        "<th scope=\"col\">50&nbsp;%</th><th scope=\"col\">90&nbsp;%</th>"
                        "<th scope=\"col\">99&nbsp;%</th><th scope=\"col\">99.9&nbsp;%</th>"
                        "<th scope=\"col\">Longest</th><th scope=\"col\" class=\"what\">What it is"
                        "</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < STAGE_COUNT; i++) {
        const struct histogram *h = &totals->stages[i];
        buf_printf(out, "<tr><th scope=\"row\">%s</th><td>", stage_name((enum stage)i));
        append_grouped(out, h->count);
        for (size_t q = 0; q < ARRAY_LEN(quantiles); q++) {
            buf_append_str(out, "</td><td>");
            if (h->count > 0)
                append_seconds(out, histogram_quantile(h, quantiles[q]));
        }
        buf_append_str(out, "</td><td>");
        if (h->count > 0)
            append_seconds(out, (double)h->max_ns / 1e9);
        buf_printf(out, "</td><td class=\"what\">%s</td></tr>\n", stage_helps[i]);
    }
    end_table(out);
}

static void begin_values(struct buf *out, const char *id, const char *title, const char *what)
{
    begin_table(out, id, title);
    buf_printf(out,
               "<thead><tr><th scope=\"col\">%s</th><th scope=\"col\">Value</th>"
               "<th scope=\"col\" class=\"what\">What it is</th></tr></thead>\n<tbody>\n",
               what);
}

static void append_value(struct buf *out, const char *name, uint64_t value, const char *help)
{
    buf_printf(out, "<tr><th scope=\"row\">%s</th><td>", name);
    append_grouped(out, value);
    buf_printf(out, "</td><td class=\"what\">%s</td></tr>\n", help);
}

static void append_title(struct buf *out, const struct server_effective *effective)
{
    char host[HOST_LEN] = "";

    if (gethostname(host, sizeof(host) - 1) != 0)
        host[0] = '\0';
    buf_append_str(out, head_text);
    append_escaped(out, host);
    buf_append_str(out, style_text);
    buf_append_str(out, "<h1>farmstead-node on ");
    append_escaped(out, host);
    buf_printf(out,
               "</h1>\n<p>%s <span class=\"soft\">Version %s. The same as <a href=\"/status\">JSON"
               "</a> and as <a href=\"/metrics\">Prometheus text</a>.</span></p>\n",
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
    begin_values(out, "now", "Lanes, caches and connections now", "Gauge");
    for (int i = 0; i < GAUGE_COUNT; i++)
        append_value(out, gauge_name((enum gauge)i), (uint64_t)metrics->gauges[i], gauge_helps[i]);
    end_table(out);
    begin_values(out, "counters", "Counted so far, over all generations kept", "Counter");
    for (int i = 0; i < COUNTER_COUNT; i++)
        append_value(out, counter_name((enum counter)i), totals->counters[i], counter_helps[i]);
    end_table(out);
    buf_append_str(out, "</main>\n</body>\n</html>\n");
    free(totals);
    free(metrics);
}
