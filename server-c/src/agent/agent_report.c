/* SPDX-License-Identifier: MIT */
/* agent_report.c — encodes JSON by hand. 15 minutes of windows are up to half a million numbers,
 * which take a tenth of the memory as text that they would take as objects of a JSON library; and
 * seconds are written from whole nanoseconds, without rounding. */
#include "agent/agent_report.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct agent_window {
    struct agent_window *next;
    uint64_t seq;
    uint64_t started_ms;
    size_t len;
    char *text;
};

void agent_report_init(struct agent_report_ring *ring)
{
    memset(ring, 0, sizeof(*ring));
    ring->next_seq = 1;
    ring->earlier = xcalloc(1, sizeof(*ring->earlier));
}

static void drop_first(struct agent_report_ring *ring)
{
    struct agent_window *window = ring->first;
    ring->first = window->next;
    if (!ring->first)
        ring->last = NULL;
    ring->bytes -= window->len;
    free(window->text);
    free(window);
}

void agent_report_fini(struct agent_report_ring *ring)
{
    while (ring->first)
        drop_first(ring);
    free(ring->slow);
    free(ring->earlier);
}

/* The upper bound of the highest bucket in use, but never more than the maximum since the start. */
static uint64_t upper_bound_ns(const struct histogram *window)
{
    for (int i = HISTOGRAM_BUCKETS - 1; i >= 0; i--)
        if (window->buckets[i] > 0) {
            double upper = exp2((double)(i + 1 + HISTOGRAM_MIN_INDEX) / 8) * 1e9;
            return upper < (double)window->max_ns ? (uint64_t)upper : window->max_ns;
        }
    double zero_bound = exp2(HISTOGRAM_MIN_INDEX / 8.0) * 1e9;
    return window->max_ns < (uint64_t)zero_bound ? window->max_ns : (uint64_t)zero_bound;
}

/* The maximum since the start is the window's own only if it has risen in the window. Else a bound
 * is the best known: no time is longer than all together, which may be none (look-ups that the loop
 * made by itself waited for nobody). */
static uint64_t window_max_ns(const struct histogram *window, const struct histogram *earlier)
{
    uint64_t bound;

    if (window->max_ns > earlier->max_ns)
        return window->max_ns;
    bound = upper_bound_ns(window);
    return bound < window->sum_ns ? bound : window->sum_ns;
}

static void write_histogram(struct buf *out, const char *name, const struct histogram *window,
                            uint64_t max_ns)
{
    int first = 0, last = HISTOGRAM_BUCKETS - 1;
    while (first < HISTOGRAM_BUCKETS && window->buckets[first] == 0)
        first++;
    while (last >= first && window->buckets[last] == 0)
        last--;
    buf_printf(
        out, "\"%s\":{\"scale\":%d,\"count\":%" PRIu64 ",\"zeroCount\":%" PRIu64 ",\"sumSeconds\":",
        name, HISTOGRAM_SCALE, window->count, window->zero_count);
    stage_append_seconds(out, window->sum_ns);
    buf_append_str(out, ",\"maxSeconds\":");
    stage_append_seconds(out, max_ns);
    buf_printf(out, ",\"offset\":%d,\"counts\":[", last >= first ? first + HISTOGRAM_MIN_INDEX : 0);
    for (int i = first; i <= last; i++)
        buf_printf(out, i > first ? ",%" PRIu64 : "%" PRIu64, window->buckets[i]);
    buf_append_str(out, "]}");
}

/* A generation that was dropped and comes back counts from zero again. */
static bool began_again(const struct server_series *now, const struct server_series *earlier)
{
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (now->counters[i] < earlier->counters[i])
            return true;
    for (size_t i = 0; i < STAGE_COUNT; i++)
        if (now->stages[i].count < earlier->stages[i].count)
            return true;
    for (size_t place = 0; place <= METRICS_SITES; place++)
        for (size_t i = 0; i < SITE_COUNTER_COUNT; i++)
            if (now->sites[place][i] < earlier->sites[place][i])
                return true;
    return false;
}

static const struct server_series *find_earlier(const struct agent_report_ring *ring,
                                                const struct server_series *now)
{
    static const struct server_series none;
    for (size_t i = 0; i < ring->earlier->series_count; i++) {
        const struct server_series *series = &ring->earlier->series[i];
        if (series->generation == now->generation)
            return began_again(now, series) ? &none : series;
    }
    return &none;
}

static void write_counters(struct buf *out, const struct server_series *now,
                           const struct server_series *earlier)
{
    const char *comma = "";
    buf_append_str(out, "\"counters\":{");
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        uint64_t increase = now->counters[i] - earlier->counters[i];
        if (increase == 0)
            continue;
        buf_printf(out, "%s\"%s\":%" PRIu64, comma, counter_name((enum counter)i), increase);
        comma = ",";
    }
    buf_append_char(out, '}');
}

static void write_stages(struct buf *out, const struct server_series *now,
                         const struct server_series *earlier)
{
    const char *comma = "";
    buf_append_str(out, "\"stages\":{");
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        struct histogram window;
        histogram_subtract(&window, &now->stages[i], &earlier->stages[i]);
        if (window.count == 0)
            continue;
        buf_append_str(out, comma);
        write_histogram(out, stage_name((enum stage)i), &window,
                        window_max_ns(&window, &earlier->stages[i]));
        comma = ",";
    }
    buf_append_char(out, '}');
}

/* Microseconds of totals are subtracted, so that what is cut off of them is in the next window. */
static void write_site(struct buf *out, size_t place, const uint64_t *now, const uint64_t *earlier)
{
    buf_printf(out, "[%zu", place);
    for (int i = 0; i < SITE_TOTAL_NS; i++)
        buf_printf(out, ",%" PRIu64, now[i] - earlier[i]);
    buf_printf(out, ",%" PRIu64 "]", now[SITE_TOTAL_NS] / 1000 - earlier[SITE_TOTAL_NS] / 1000);
}

static void write_sites(struct buf *out, const struct server_series *now,
                        const struct server_series *earlier)
{
    const char *comma = "";
    buf_printf(out, "\"sites\":{\"digest\":\"%s\",\"counts\":[", now->digest);
    for (size_t place = 0; place <= METRICS_SITES; place++) {
        if (memcmp(now->sites[place], earlier->sites[place], sizeof(now->sites[place])) == 0)
            continue;
        buf_append_str(out, comma);
        write_site(out, place, now->sites[place], earlier->sites[place]);
        comma = ",";
    }
    buf_append_str(out, "]}");
}

static void write_watched(struct buf *out, const struct watched_counts *now,
                          const struct watched_counts *earlier)
{
    const char *comma = "";
    buf_printf(out, "\"watched\":{\"id\":\"%s\",\"counts\":[", now->id);
    for (size_t place = 0; place < PATH_WATCH_MAX; place++) {
        if (memcmp(now->rows[place], earlier->rows[place], sizeof(now->rows[place])) == 0)
            continue;
        buf_printf(out, "%s[%zu", comma, place);
        for (int i = 0; i < WATCH_COUNTER_COUNT; i++)
            buf_printf(out, ",%" PRIu64, now->rows[place][i] - earlier->rows[place][i]);
        buf_append_char(out, ']');
        comma = ",";
    }
    buf_append_str(out, "]}");
}

/* Another watch counts from 0, and so does one that ended and was asked for again. */
static const struct watched_counts *watched_before(const struct watched_counts *now,
                                                   const struct watched_counts *earlier)
{
    static const struct watched_counts none;

    if (strcmp(now->id, earlier->id) != 0)
        return &none;
    for (size_t place = 0; place < PATH_WATCH_MAX; place++)
        for (int i = 0; i < WATCH_COUNTER_COUNT; i++)
            if (now->rows[place][i] < earlier->rows[place][i])
                return &none;
    return earlier;
}

static bool is_idle(const struct server_series *now, const struct server_series *earlier)
{
    if (memcmp(now->counters, earlier->counters, sizeof(now->counters)) != 0)
        return false;
    for (size_t i = 0; i < STAGE_COUNT; i++)
        if (now->stages[i].count != earlier->stages[i].count)
            return false;
    return true;
}

/* Writes `comma` and the entry, or nothing if nothing has happened in this generation. */
static void write_series(struct buf *out, const char *comma, const struct server_series *now,
                         const struct server_series *earlier)
{
    if (is_idle(now, earlier))
        return;
    buf_printf(out, "%s{\"generation\":%" PRIu64 ",", comma, now->generation);
    write_counters(out, now, earlier);
    buf_append_char(out, ',');
    write_stages(out, now, earlier);
    if (memcmp(now->sites, earlier->sites, sizeof(now->sites)) != 0) {
        buf_append_char(out, ',');
        write_sites(out, now, earlier);
    }
    const struct watched_counts *watched = watched_before(&now->watched, &earlier->watched);
    if (memcmp(now->watched.rows, watched->rows, sizeof(watched->rows)) != 0) {
        buf_append_char(out, ',');
        write_watched(out, &now->watched, watched);
    }
    buf_append_char(out, '}');
}

static char *encode(const struct agent_report_ring *ring, const struct server_metrics *now)
{
    struct buf out;
    buf_init(&out);
    uint64_t started_ms = ring->earlier->monotonic_ms;
    buf_printf(&out,
               "{\"seq\":%" PRIu64 ",\"startedMs\":%" PRIu64 ",\"durationMs\":%" PRIu64
               ",\"series\":[",
               ring->next_seq, started_ms, now->monotonic_ms - started_ms);
    size_t empty_len = out.len;
    for (size_t i = 0; i < now->series_count; i++)
        write_series(&out, out.len > empty_len ? "," : "", &now->series[i],
                     find_earlier(ring, &now->series[i]));
    buf_append_char(&out, ']');
    if (ring->slow && ring->slow[0])
        buf_printf(&out, ",\"slow\":[%s]", ring->slow);
    buf_append_char(&out, '}');
    return buf_take(&out);
}

static void drop_old(struct agent_report_ring *ring, uint64_t now_ms)
{
    while (ring->first && (ring->bytes > AGENT_REPORT_MAX_BYTES ||
                           now_ms - ring->first->started_ms > AGENT_REPORT_MAX_AGE_MS)) {
        drop_first(ring);
        ring->lost_windows++;
    }
}

void agent_report_slow(struct agent_report_ring *ring, char *items)
{
    free(ring->slow);
    ring->slow = items;
}

void agent_report_add(struct agent_report_ring *ring, const struct server_metrics *now)
{
    if (now->monotonic_ms <= ring->earlier->monotonic_ms)
        return;
    struct agent_window *window = xcalloc(1, sizeof(*window));
    window->started_ms = ring->earlier->monotonic_ms;
    window->text = encode(ring, now);
    agent_report_slow(ring, NULL);
    window->len = strlen(window->text);
    window->seq = ring->next_seq++;
    if (ring->last)
        ring->last->next = window;
    else
        ring->first = window;
    ring->last = window;
    ring->bytes += window->len;
    memcpy(ring->earlier, now, sizeof(*now));
    drop_old(ring, now->monotonic_ms);
}

uint64_t agent_report_batch(const struct agent_report_ring *ring, struct buf *out)
{
    uint64_t seq = 0;
    size_t count = 0;
    for (const struct agent_window *window = ring->first; window; window = window->next) {
        bool full = count == AGENT_REPORT_BATCH_WINDOWS ||
                    (count > 0 && out->len + window->len > AGENT_REPORT_BATCH_BYTES);
        if (full)
            break;
        if (count++ > 0)
            buf_append_char(out, ',');
        buf_append(out, window->text, window->len);
        seq = window->seq;
    }
    return seq;
}

void agent_report_acknowledge(struct agent_report_ring *ring, uint64_t seq)
{
    while (ring->first && ring->first->seq <= seq)
        drop_first(ring);
}

void agent_report_lose(struct agent_report_ring *ring, uint64_t seq)
{
    while (ring->first && ring->first->seq <= seq) {
        drop_first(ring);
        ring->lost_windows++;
    }
}
