/* SPDX-License-Identifier: MIT */
/* Windows of measurements: the example's numbers, differences, what is left out, and the limits of
 * the ring. */
#include "agent/agent_report.c"

#include "agent/agent_messages.h"
#include "agent_example.h"
#include "check.h"

#define DIGEST_7 "sha256:598de0eb1522d1b24c6a6603b7ae1ed8f0a5de3282b0851f2cd440980bac7c9c"
#define WATCH "watch_01jd4q6v2m8w3x5y7z9abcdefq"
#define BOOT_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

static struct server_metrics *snapshot(uint64_t ms, uint64_t generation)
{
    struct server_metrics *metrics = xcalloc(1, sizeof(*metrics));
    metrics->monotonic_ms = ms;
    metrics->series_count = generation ? 1 : 0;
    metrics->series[0].generation = generation;
    return metrics;
}

static void add_stage(struct server_metrics *metrics, enum stage stage)
{
    struct histogram *h = &metrics->series[0].stages[stage];
    h->count += 5;
    h->sum_ns += 2100000;
    h->max_ns = 900000;
    h->buckets[-86 - HISTOGRAM_MIN_INDEX] += 3;
    h->buckets[-84 - HISTOGRAM_MIN_INDEX] += 1;
    h->buckets[-83 - HISTOGRAM_MIN_INDEX] += 1;
}

static void report_equals_its_example(void)
{
    struct agent_report_ring ring;
    struct server_metrics *before = snapshot(60000, 7), *now = snapshot(65000, 7);
    agent_report_init(&ring);
    memcpy(ring.earlier, before, sizeof(*before));
    ring.next_seq = 13;
    uint64_t *counters = now->series[0].counters;
    counters[COUNTER_REQUESTS] = counters[COUNTER_RESPONSES_2XX] = 5;
    counters[COUNTER_BYTES_SENT] = 20480;
    counters[COUNTER_CACHE_HITS] = 4;
    counters[COUNTER_CACHE_MISSES] = 1;
    now->gauges[GAUGE_OPEN_CONNECTIONS] = 3;
    now->gauges[GAUGE_CACHE_BYTES] = 6291456;
    add_stage(now, STAGE_TOTAL);
    add_stage(now, STAGE_FIRST_BYTE);
    add_stage(now, STAGE_WRITE);
    memcpy(now->series[0].digest, DIGEST_7, sizeof(DIGEST_7));
    uint64_t *first = now->series[0].sites[0], *others = now->series[0].sites[METRICS_SITES];
    first[SITE_2XX] = 4;
    first[SITE_BYTES] = 20000;
    first[SITE_TOTAL_NS] = 1500000;
    others[SITE_404] = others[SITE_ABORTED] = 1;
    others[SITE_BYTES] = 480;
    others[SITE_TOTAL_NS] = 600999; /* 0.999 µs wait for the next window */
    memcpy(now->series[0].watched.id, WATCH, sizeof(WATCH));
    memcpy(now->series[0].watched.rows[1], (uint64_t[]){4, 1, 2, 8192},
           sizeof(now->series[0].watched.rows[1]));
    agent_report_add(&ring, now);

    struct buf windows;
    buf_init(&windows);
    CHECK_INT(__LINE__, "last of the batch", agent_report_batch(&ring, &windows), 13);
    struct server_effective effective = {true, 7, DIGEST_7, BOOT_ID, 3};
    struct agent_report report = {.boot_id = BOOT_ID,
                                  .incarnation = "00112233445566778899aabbccddeeff",
                                  .uptime_ms = 65000,
                                  .effective = &effective,
                                  .gauges = now->gauges,
                                  .windows = windows.data};
    char *built = agent_build_report(&report);
    /* A node sends all gauges; the example has two of them. */
    json_t *document = json_loads(built, 0, NULL), *example = example_load("report.request");
    json_t *ours = json_object_get(document, "gauges");
    json_t *theirs = json_object_get(example, "gauges"), *value;
    const char *name;
    json_object_foreach(theirs, name, value)
        CHECK_TRUE(json_equal(json_object_get(ours, name), value), "gauge %s", name);
    json_object_set(example, "gauges", ours);
    example_expect(__LINE__, "report", built, example);
    json_decref(document);
    buf_fini(&windows);
    agent_report_fini(&ring);
    free(before);
    free(now);
}

static json_t *windows_of(const struct agent_report_ring *ring)
{
    struct buf text;
    buf_init(&text);
    buf_append_char(&text, '[');
    agent_report_batch(ring, &text);
    buf_append_char(&text, ']');
    json_t *windows = json_loads(text.data, 0, NULL);
    CHECK_TRUE(windows != NULL, "not JSON: %s", text.data);
    buf_fini(&text);
    return windows;
}

static json_int_t at(json_t *window, const char *member)
{
    return json_integer_value(json_object_get(window, member));
}

/* The number of 404 below the first path in the last window; -1: nothing is said of paths. */
static json_int_t watched_404(const struct agent_report_ring *ring)
{
    json_t *windows = windows_of(ring);
    json_t *series =
        json_object_get(json_array_get(windows, json_array_size(windows) - 1), "series");
    json_t *watched = json_object_get(json_array_get(series, 0), "watched");
    json_t *row = json_array_get(json_object_get(watched, "counts"), 0);
    json_int_t found = row ? json_integer_value(json_array_get(row, 1 + WATCH_404)) : -1;
    json_decref(windows);
    return found;
}

static void watch_row(int line, struct agent_report_ring *ring, struct server_metrics *metrics,
                      const char *id, uint64_t not_found, json_int_t want)
{
    struct watched_counts *watched = &metrics->series[0].watched;
    snprintf(watched->id, sizeof(watched->id), "%s", id);
    watched->rows[0][WATCH_404] = not_found;
    metrics->monotonic_ms += 1000;
    metrics->series[0].counters[COUNTER_REQUESTS] += 10;
    agent_report_add(ring, metrics);
    CHECK_INT(line, "404", watched_404(ring), want);
}

static void watched_paths_are_told_since_the_window_before(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(1000, 3);
    agent_report_init(&ring);
    watch_row(__LINE__, &ring, metrics, "", 0, -1);
    watch_row(__LINE__, &ring, metrics, WATCH, 5, 5);
    watch_row(__LINE__, &ring, metrics, WATCH, 7, 2);
    watch_row(__LINE__, &ring, metrics, WATCH, 7, -1);
    /* Another watch, and one that was asked for again, begin from 0. */
    watch_row(__LINE__, &ring, metrics, "watch_01jd4q6v2m8w3x5y7z9abcdefr", 9, 9);
    watch_row(__LINE__, &ring, metrics, "watch_01jd4q6v2m8w3x5y7z9abcdefr", 3, 3);
    agent_report_fini(&ring);
    free(metrics);
}

static void a_window_is_the_difference_of_two_snapshots(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(1000, 3);
    agent_report_init(&ring);
    metrics->series[0].counters[COUNTER_REQUESTS] = 10;
    add_stage(metrics, STAGE_TOTAL);
    agent_report_add(&ring, metrics);
    metrics->monotonic_ms = 2000;
    agent_report_add(&ring, metrics);
    metrics->monotonic_ms = 3500;
    metrics->series[0].counters[COUNTER_REQUESTS] = 12;
    add_stage(metrics, STAGE_TOTAL);
    agent_report_add(&ring, metrics);
    agent_report_add(&ring, metrics); /* no time has passed, so there is no window */

    json_t *windows = windows_of(&ring);
    CHECK_INT(__LINE__, "windows", json_array_size(windows), 3);
    json_t *quiet = json_array_get(windows, 1), *busy = json_array_get(windows, 2);
    CHECK_INT(__LINE__, "since boot", at(json_array_get(windows, 0), "startedMs"), 0);
    CHECK_INT(__LINE__, "seq", at(quiet, "seq"), 2);
    CHECK_INT(__LINE__, "nothing happened", json_array_size(json_object_get(quiet, "series")), 0);
    CHECK_INT(__LINE__, "begins where the last ended", at(busy, "startedMs"), 2000);
    CHECK_INT(__LINE__, "lasts", at(busy, "durationMs"), 1500);
    json_t *series = json_array_get(json_object_get(busy, "series"), 0);
    CHECK_INT(__LINE__, "requests", at(json_object_get(series, "counters"), "requests"), 2);
    json_t *stages = json_object_get(series, "stages");
    CHECK_INT(__LINE__, "empty stages are left out", json_object_size(stages), 1);
    json_t *total = json_object_get(stages, "total");
    CHECK_INT(__LINE__, "count", at(total, "count"), 5);
    CHECK_TRUE(json_number_value(json_object_get(total, "maxSeconds")) <= 0.0009,
               "the maximum did not rise: at most the bucket's bound and the old maximum");
    json_decref(windows);
    agent_report_fini(&ring);
    free(metrics);
}

/* The loop made the look-ups of the second window by itself: they waited for nobody. */
static void no_maximum_is_more_than_all_together(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(1000, 3);
    agent_report_init(&ring);
    add_stage(metrics, STAGE_STAT_WAIT);
    agent_report_add(&ring, metrics);
    metrics->monotonic_ms = 2000;
    metrics->series[0].stages[STAGE_STAT_WAIT].count += 2;
    metrics->series[0].stages[STAGE_STAT_WAIT].zero_count += 2;
    agent_report_add(&ring, metrics);

    json_t *windows = windows_of(&ring);
    json_t *series = json_array_get(json_object_get(json_array_get(windows, 1), "series"), 0);
    json_t *wait = json_object_get(json_object_get(series, "stages"), "statWait");
    CHECK_INT(__LINE__, "look-ups", at(wait, "count"), 2);
    CHECK_TRUE(json_number_value(json_object_get(wait, "sumSeconds")) == 0, "nobody waited");
    CHECK_TRUE(json_number_value(json_object_get(wait, "maxSeconds")) == 0, "so none for long");
    json_decref(windows);
    agent_report_fini(&ring);
    free(metrics);
}

static void a_generation_that_came_back_counts_from_zero(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(1000, 3);
    agent_report_init(&ring);
    metrics->series[0].counters[COUNTER_REQUESTS] = 100;
    agent_report_add(&ring, metrics);
    metrics->monotonic_ms = 2000;
    metrics->series[0].counters[COUNTER_REQUESTS] = 4;
    agent_report_add(&ring, metrics);
    json_t *windows = windows_of(&ring);
    json_t *series = json_array_get(json_object_get(json_array_get(windows, 1), "series"), 0);
    CHECK_INT(__LINE__, "requests", at(json_object_get(series, "counters"), "requests"), 4);
    json_decref(windows);
    agent_report_fini(&ring);
    free(metrics);
}

static json_int_t site_number(json_t *windows, size_t window, size_t row, size_t number)
{
    json_t *entry = json_array_get(json_object_get(json_array_get(windows, window), "series"), 0);
    json_t *counts = json_object_get(json_object_get(entry, "sites"), "counts");
    return json_integer_value(json_array_get(json_array_get(counts, row), number));
}

/* Half a microsecond twice is one, and a place without news has no row. */
static void sites_say_what_came_since(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(1000, 3);
    uint64_t(*sites)[SITE_COUNTER_COUNT] = metrics->series[0].sites;
    agent_report_init(&ring);
    for (int i = 0; i < 2; i++) {
        metrics->series[0].counters[COUNTER_REQUESTS]++;
        sites[i][SITE_2XX]++;
        sites[1][SITE_5XX] += 3;
        sites[1][SITE_TOTAL_NS] += 500;
        agent_report_add(&ring, metrics);
        metrics->monotonic_ms += 1000;
    }
    sites[1][SITE_5XX] = 2; /* began again: all of it is new */
    agent_report_add(&ring, metrics);

    json_t *windows = windows_of(&ring);
    CHECK_INT(__LINE__, "the first site", site_number(windows, 0, 0, 0), 0);
    CHECK_INT(__LINE__, "the second", site_number(windows, 0, 1, 0), 1);
    CHECK_INT(__LINE__, "5xx", site_number(windows, 0, 1, 5), 3);
    CHECK_INT(__LINE__, "half a microsecond", site_number(windows, 0, 1, 8), 0);
    CHECK_INT(__LINE__, "only the second", site_number(windows, 1, 0, 0), 1);
    CHECK_INT(__LINE__, "its 2xx", site_number(windows, 1, 0, 1), 1);
    CHECK_INT(__LINE__, "its 5xx", site_number(windows, 1, 0, 5), 3);
    CHECK_INT(__LINE__, "the other half", site_number(windows, 1, 0, 8), 1);
    CHECK_INT(__LINE__, "from zero", site_number(windows, 2, 1, 5), 2);
    json_decref(windows);
    agent_report_fini(&ring);
    free(metrics);
}

/* A quarter of an hour of as many sites as there can be, in numbers of a busy node, beside a usual
 * window's histograms: nothing of it is dropped for want of room. */
static void fifteen_minutes_of_all_sites_have_room(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(0, 3);
    agent_report_init(&ring);
    for (int i = 0; i < 180; i++) {
        metrics->monotonic_ms += 5000;
        metrics->series[0].counters[COUNTER_REQUESTS] += 500000;
        for (size_t s = 0; s < STAGE_COUNT; s++) {
            struct histogram *h = &metrics->series[0].stages[s];
            for (size_t b = 40; b < 100; b++)
                h->buckets[b] += 8333;
            h->count += 60 * UINT64_C(8333);
        }
        for (size_t place = 0; place <= METRICS_SITES; place++) {
            uint64_t *row = metrics->series[0].sites[place];
            row[SITE_2XX] += 1900;
            row[SITE_3XX] += 250;
            row[SITE_404] += 17;
            row[SITE_BYTES] += 123456789;
            row[SITE_TOTAL_NS] += 1234567890;
        }
        agent_report_add(&ring, metrics);
    }
    CHECK_INT(__LINE__, "lost", ring.lost_windows, 0);
    agent_report_fini(&ring);
    free(metrics);
}

static void fifteen_minutes_are_kept(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(0, 0);
    agent_report_init(&ring);
    for (int i = 0; i < 200; i++) {
        metrics->monotonic_ms += 5000;
        agent_report_add(&ring, metrics);
    }
    CHECK_INT(__LINE__, "kept and lost", ring.last->seq - ring.first->seq + 1 + ring.lost_windows,
              200);
    CHECK_INT(__LINE__, "oldest", ring.first->started_ms, 1000000 - AGENT_REPORT_MAX_AGE_MS);
    CHECK_INT(__LINE__, "lost", ring.lost_windows, 20);

    struct buf out;
    buf_init(&out);
    uint64_t last = agent_report_batch(&ring, &out);
    CHECK_INT(__LINE__, "one request's worth", last - ring.first->seq + 1, 180);
    agent_report_acknowledge(&ring, last - 30);
    CHECK_INT(__LINE__, "the rest stays", ring.first->seq, last - 29);
    agent_report_acknowledge(&ring, 3);
    CHECK_INT(__LINE__, "an old answer drops nothing", ring.first->seq, last - 29);
    agent_report_acknowledge(&ring, last + 1000);
    CHECK_TRUE(!ring.first && !ring.last && ring.bytes == 0, "all taken");
    buf_fini(&out);
    agent_report_fini(&ring);
    free(metrics);
}

/* Every bucket of every stage of every generation is in use: the largest possible window. */
static void bytes_are_bounded(void)
{
    struct agent_report_ring ring;
    struct server_metrics *metrics = snapshot(0, 1);
    agent_report_init(&ring);
    metrics->series_count = SERVER_GENERATIONS;
    for (int i = 0; i < 100; i++) {
        metrics->monotonic_ms += 5000;
        for (size_t g = 0; g < SERVER_GENERATIONS; g++) {
            metrics->series[g].generation = g + 1;
            for (size_t s = 0; s < STAGE_COUNT; s++) {
                struct histogram *h = &metrics->series[g].stages[s];
                for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++)
                    h->buckets[b] += 1000000;
                h->count += 1000000 * (uint64_t)HISTOGRAM_BUCKETS;
            }
        }
        agent_report_add(&ring, metrics);
        CHECK_TRUE(ring.bytes <= AGENT_REPORT_MAX_BYTES, "%zu bytes", ring.bytes);
    }
    struct buf out;
    buf_init(&out);
    uint64_t last = agent_report_batch(&ring, &out);
    CHECK_TRUE(out.len <= AGENT_REPORT_BATCH_BYTES && last >= ring.first->seq, "%zu bytes",
               out.len);
    uint64_t lost = ring.lost_windows;
    CHECK_TRUE(lost > 0, "some were dropped");
    uint64_t count = last - ring.first->seq + 1;
    agent_report_lose(&ring, last);
    CHECK_INT(__LINE__, "a refused batch is counted", ring.lost_windows - lost, count);
    buf_fini(&out);
    agent_report_fini(&ring);
    free(metrics);
}

int main(void)
{
    report_equals_its_example();
    watched_paths_are_told_since_the_window_before();
    a_window_is_the_difference_of_two_snapshots();
    no_maximum_is_more_than_all_together();
    a_generation_that_came_back_counts_from_zero();
    sites_say_what_came_since();
    fifteen_minutes_are_kept();
    fifteen_minutes_of_all_sites_have_room();
    bytes_are_bounded();
    return check_end("agent_report");
}
