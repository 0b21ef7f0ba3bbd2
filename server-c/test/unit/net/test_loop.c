/* SPDX-License-Identifier: MIT */
/* What a loop takes over from a config, what it counts under which generation, and what it adds to the
 * sums of all loops. */
#include "base/util.h"

static int64_t the_second;
#define wall_clock_seconds() the_second
#include "net/loop.c"
#undef wall_clock_seconds

#include "loop_fixture.h"

#define SITES "\"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }"

static const char config[] = "{ " SITES;

/* --- what a config says ---------------------------------------------------------------------- */

static struct site_set *sites_of(const char *text)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text, strlen(text), &errors);
    struct site_set *set;

    CHECK_TRUE(cfg != NULL, "%s", errors.count ? errors.items[0].message : "no config");
    CHECK(cfg);
    set = site_set_new(cfg, NULL, NULL);
    config_put(cfg);
    config_errors_fini(&errors);
    return set;
}

#define BUDGETS                                                                                    \
    "{ \"statCache\": { \"engine\": \"%s\", \"ttlMillis\": 1234, \"maxEntries\": 4000,"            \
    "\"maxWatches\": 1000 },"                                                                      \
    "\"fileCache\": { \"maxBytes\": 1000000, \"maxFileBytes\": 5000, \"maxOpenFiles\": 100 },"     \
    "\"samples\": { \"keep\": 16, \"everyRequests\": 7, \"slowerThanMillis\": 3 },"                \
    "\"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"/srv\" }] }"

/* What is of the process is shared; what is of one file or look-up is not. A share is never nothing, as
 * that would mean "none" or "all". */
static void test_shares(void)
{
    static const struct {
        const char *engine;
        uint32_t loops, ttl_ms, entries, watches, descriptors;
        uint64_t body_bytes, keep;
    } rows[] = {
        {"inotify", 1, 1234, 4000, 1000, 100, 1000000, 16},
        {"inotify", 3, 1234, 1333, 333, 33, 333333, 5},
        {"inotify", 10000, 1234, 1, 1, 1, 100, 1},
        {"ttl", 4, 1234, 1000, 0, 25, 250000, 4},
        {"off", 4, 0, 1000, 0, 25, 250000, 4},
    };
    static struct loop loop;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[1000];
        struct site_set *set;
        const struct file_cache_limits *limits = &loop.files.limits;
        memset(&loop, 0, sizeof(loop));
        CHECK_INT((int)i, "loop", loop_init(&loop, &shared, 0), 0);
        snprintf(text, sizeof(text), BUDGETS, rows[i].engine);
        set = sites_of(text);
        loop_set_live(&loop, set, 1, rows[i].loops);
        site_set_put(set);
        CHECK_INT((int)i, "ttl", limits->ttl_ms, rows[i].ttl_ms);
        CHECK_INT((int)i, "entries", limits->entries, rows[i].entries);
        CHECK_INT((int)i, "watches", limits->watches, rows[i].watches);
        CHECK_INT((int)i, "descriptors", limits->descriptors, rows[i].descriptors);
        CHECK_INT((int)i, "bytes", limits->body_bytes, rows[i].body_bytes);
        CHECK_INT((int)i, "of one file", limits->max_body, 5000);
        CHECK_INT((int)i, "samples", loop.samples.rings[SAMPLES_SLOW].cap, rows[i].keep);
        CHECK_INT((int)i, "one of so many", loop.samples.every_requests, 7);
        CHECK_INT((int)i, "slow ones", loop.samples.slow_ns, 3 * NS_PER_MS);
        io_port_close(&loop.port, NULL);
        loop_fini(&loop);
    }
}

static void test_times(void)
{
    static const struct {
        const char *text;
        uint64_t ms[TIMEOUT_COUNT];
    } rows[] = {
        {"{ \"limits\": { \"headerSeconds\": 3, \"keepAliveIdleSeconds\": 5, \"writeSeconds\": 7 },"
         "\"io\": { \"timeoutSeconds\": 11 }," SITES,
         {[TIMEOUT_SILENT] = 3000,
          [TIMEOUT_HEADER] = 3000,
          [TIMEOUT_IDLE] = 5000,
          [TIMEOUT_WRITE] = 1750,
          [TIMEOUT_BODY] = 7000,
          [TIMEOUT_DISK] = 11000,
          [TIMEOUT_LINGER] = 2000}},
        {"{ \"limits\": { \"headerSeconds\": 1, \"keepAliveIdleSeconds\": 1, \"writeSeconds\": 1 },"
         "\"io\": { \"timeoutSeconds\": 600 }," SITES,
         {[TIMEOUT_SILENT] = 1000,
          [TIMEOUT_HEADER] = 1000,
          [TIMEOUT_IDLE] = 1000,
          [TIMEOUT_WRITE] = 250,
          [TIMEOUT_BODY] = 1000,
          [TIMEOUT_DISK] = 600000,
          [TIMEOUT_LINGER] = 2000}},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put_in_force(rows[i].text, "ttl");
        for (int kind = 0; kind < TIMEOUT_COUNT; kind++)
            CHECK_INT(kind, "time-out", the_loop.timeout_ms[kind], rows[i].ms[kind]);
    }
}

/* A request that began under a config with longer targets still has room for them. */
static void test_room_never_shrinks(void)
{
    size_t head, path, scratch;

    put_in_force("{ \"limits\": { \"targetBytes\": 20000, \"headBytes\": 30000 }, " SITES, "ttl");
    head = the_loop.head_cap;
    path = the_loop.path_cap;
    scratch = the_loop.scratch.cap;
    CHECK_TRUE(head >= 80000 && path >= 80000 && scratch >= 80000, "%zu %zu %zu", head, path,
               scratch);
    memset(the_loop.head, 'x', head);
    put_in_force("{ \"limits\": { \"targetBytes\": 300 }, " SITES, "ttl");
    CHECK_INT(__LINE__, "head", the_loop.head_cap, head);
    CHECK_INT(__LINE__, "path", the_loop.path_cap, path);
    CHECK_INT(__LINE__, "scratch", the_loop.scratch.cap, scratch);
    CHECK_INT(__LINE__, "the memory itself", the_loop.head[head - 1], 'x');
}

/* --- generations ----------------------------------------------------------------------------- */

static struct site_set *some_sites;

static void live(uint64_t generation)
{
    loop_set_live(&the_loop, some_sites, generation, 1);
}

/* "3 4 5": the generations that are counted, in their order. */
static const char *generations(void)
{
    static char out[200];
    size_t len = 0;

    out[0] = '\0';
    for (struct list *link = the_loop.series.next; link != &the_loop.series; link = link->next)
        len += (size_t)snprintf(out + len, sizeof(out) - len, "%s%" PRIu64, len ? " " : "",
                                container_of(link, struct loop_series, link)->data.generation);
    return out;
}

static void test_generations(void)
{
    struct live_config *old;
    uint64_t counted;

    live(100);
    live(101);
    live(102);
    live(103);
    CHECK_STR(__LINE__, "as many as are kept", generations(), "100 101 102 103");
    live(104);
    CHECK_STR(__LINE__, "the oldest goes", generations(), "101 102 103 104");
    old = live_config_get(the_loop.live);
    for (uint64_t i = 105; i < 110; i++)
        live(i);
    CHECK_STR(__LINE__, "but for one with requests", generations(), "104 106 107 108 109");
    loop_count(old, COUNTER_REQUESTS, 5);
    counted = container_of(the_loop.series.next, struct loop_series, link)
                  ->data.counters[COUNTER_REQUESTS];
    CHECK_INT(__LINE__, "which count there", counted, 5);
    live_config_put(old);
    CHECK_STR(__LINE__, "it stays until somebody looks", generations(), "104 106 107 108 109");
    loop_add_metrics(&the_loop, &(struct server_metrics){0});
    CHECK_STR(__LINE__, "then it goes", generations(), "106 107 108 109");
    loop_count(the_loop.live, COUNTER_REQUESTS, 7);
    live(110);
    live(109); /* back to the one before */
    CHECK_STR(__LINE__, "one that is known", generations(), "107 108 109 110");
    CHECK_INT(__LINE__, "goes on counting", the_loop.live->series->data.counters[COUNTER_REQUESTS],
              7);
    live(105);
    CHECK_STR(__LINE__, "an older one has its place", generations(), "105 107 108 109 110");
    loop_set_live(&the_loop, NULL, 0, 1);
    CHECK_TRUE(the_loop.live == NULL, "nothing is served");
    CHECK_STR(__LINE__, "and the older one goes", generations(), "107 108 109 110");
}

/* The last request of a config that is out of force gives its sites back. */
static void test_who_holds_the_sites(void)
{
    uint32_t before = atomic_load(&some_sites->owner.refs);
    struct live_config *request;

    live(200);
    request = live_config_get(the_loop.live);
    loop_set_live(&the_loop, NULL, 0, 1);
    CHECK_INT(__LINE__, "a request holds them", atomic_load(&some_sites->owner.refs), before + 1);
    CHECK_TRUE(request->cfg == some_sites->cfg, "and finds its config");
    live_config_put(request);
    CHECK_INT(__LINE__, "the last lets go", atomic_load(&some_sites->owner.refs), before);
}

/* --- sites ----------------------------------------------------------------------------------- */

static struct site_set *many_sites(size_t count, const char *root_of_first)
{
    struct site_set *set;
    struct buf text;

    buf_init(&text);
    buf_append_str(&text, "{ \"sites\": [");
    for (size_t i = 0; i < count; i++)
        buf_printf(&text, "%s{ \"hosts\": [\"s%zu.test\"], \"root\": \"%s\" }", i ? "," : "", i,
                   i ? "/srv" : root_of_first);
    buf_append_str(&text, "] }");
    set = sites_of(text.data);
    buf_fini(&text);
    return set;
}

static size_t place_of(size_t site)
{
    uint64_t(*rows)[SITE_COUNTER_COUNT] = the_loop.live->series->data.sites;
    const uint64_t *row = loop_site_row(the_loop.live, &the_loop.live->sites->sites[site]);

    return (size_t)(row - rows[0]) / SITE_COUNTER_COUNT;
}

static void test_places_of_sites(void)
{
    struct site_set *set = many_sites(300, "/srv"), *local = many_sites(300, "/other");

    loop_set_live(&the_loop, set, 210, 1);
    CHECK_INT(__LINE__, "the first", place_of(0), 0);
    CHECK_INT(__LINE__, "the last of its own", place_of(255), 255);
    CHECK_INT(__LINE__, "the first of the others", place_of(256), METRICS_SITES);
    CHECK_INT(__LINE__, "the last", place_of(299), METRICS_SITES);
    CHECK_TRUE(loop_site_row(the_loop.live, NULL) ==
                   the_loop.live->series->data.sites[METRICS_SITES],
               "none");
    loop_set_live(&the_loop, local, 210, 1);
    CHECK_INT(__LINE__, "a second text of a generation", place_of(7), METRICS_SITES);
    loop_set_live(&the_loop, set, 210, 1);
    CHECK_INT(__LINE__, "and back", place_of(7), 7);
    loop_set_live(&the_loop, local, 211, 1);
    CHECK_INT(__LINE__, "the first of the next", place_of(7), 7);
    CHECK_STR(__LINE__, "is whose", the_loop.live->series->data.digest, local->cfg->digest);
    loop_set_live(&the_loop, NULL, 0, 1);
    site_set_put(set);
    site_set_put(local);
}

/* --- sums ------------------------------------------------------------------------------------ */

static void test_sums(void)
{
    struct server_metrics metrics = {0};
    static struct loop other;

    CHECK_INT(__LINE__, "loop", loop_init(&other, &shared, 1), 0);
    live(300);
    loop_set_live(&other, some_sites, 300, 1);
    the_loop.connection_count = 3;
    other.connection_count = 4;
    the_loop.ends[END_IDLE] = 10;
    other.ends[END_IDLE] = 1;
    other.ends[END_IDLE + 1] = 2;
    the_loop.listeners_deferring = 1;
    other.listeners_deferring = 1;
    the_loop.files.stats = (struct file_cache_stats){5, 6, 7, 8, 9, true};
    other.files.stats = (struct file_cache_stats){50, 60, 70, 80, 90, false};
    loop_count(the_loop.live, COUNTER_REQUESTS, 100);
    loop_count(other.live, COUNTER_REQUESTS, 1);
    loop_add_metrics(&the_loop, &metrics);
    loop_add_metrics(&other, &metrics);
    CHECK_INT(__LINE__, "connections", metrics.gauges[GAUGE_OPEN_CONNECTIONS], 7);
    CHECK_INT(__LINE__, "ends", metrics.ends[END_IDLE], 11);
    CHECK_INT(__LINE__, "of another reason", metrics.ends[END_IDLE + 1], 2);
    CHECK_INT(__LINE__, "listeners", metrics.gauges[GAUGE_LISTENERS_DEFERRING], 2);
    CHECK_INT(__LINE__, "entries", metrics.gauges[GAUGE_CACHE_ENTRIES], 66);
    CHECK_INT(__LINE__, "descriptors", metrics.gauges[GAUGE_OPEN_FILES], 77);
    CHECK_INT(__LINE__, "bytes", metrics.gauges[GAUGE_CACHE_BYTES], 88);
    CHECK_INT(__LINE__, "watches", metrics.gauges[GAUGE_FOLDER_WATCHES], 99);
    CHECK_INT(__LINE__, "loops without", metrics.gauges[GAUGE_LOOPS_UNWATCHED], 1);
    CHECK_INT(__LINE__, "the newest", metrics.series[metrics.series_count - 1].generation, 300);
    CHECK_INT(__LINE__, "requests",
              metrics.series[metrics.series_count - 1].counters[COUNTER_REQUESTS], 101);
    CHECK_INT(__LINE__, "evictions",
              metrics.series[metrics.series_count - 1].counters[COUNTER_CACHE_EVICTIONS], 55);
    the_loop.files.stats = other.files.stats = (struct file_cache_stats){0};
    the_loop.connection_count = other.connection_count = 0;
    the_loop.evictions_counted = other.evictions_counted = 0;
    io_port_close(&other.port, NULL);
    loop_fini(&other);
}

/* Each eviction counts once, however often somebody looks, and in the generation it was noticed under. */
static void test_evictions(void)
{
    live(400);
    the_loop.files.stats.evictions = 5;
    loop_add_metrics(&the_loop, &(struct server_metrics){0});
    loop_add_metrics(&the_loop, &(struct server_metrics){0});
    CHECK_INT(__LINE__, "once", the_loop.live->series->data.counters[COUNTER_CACHE_EVICTIONS], 5);
    live(401);
    the_loop.files.stats.evictions = 6;
    loop_add_metrics(&the_loop, &(struct server_metrics){0});
    CHECK_INT(__LINE__, "the next", the_loop.live->series->data.counters[COUNTER_CACHE_EVICTIONS],
              1);
}

/* --- the rest -------------------------------------------------------------------------------- */

static void test_date(void)
{
    char first[HTTP_DATE_LEN + 1];

    the_second = 784111777;
    CHECK_STR(__LINE__, "RFC 9110's own", loop_date(&the_loop), "Sun, 06 Nov 1994 08:49:37 GMT");
    memcpy(first, loop_date(&the_loop), sizeof(first));
    the_second++;
    CHECK_STR(__LINE__, "a second later", loop_date(&the_loop), "Sun, 06 Nov 1994 08:49:38 GMT");
    the_second--; /* somebody sets the clock */
    CHECK_STR(__LINE__, "a second earlier", loop_date(&the_loop), first);
    CHECK_INT(__LINE__, "for whoever compares", the_loop.date_second, the_second);
}

static void test_boundary(void)
{
    static const size_t lens[] = {1, 2, 16, 17, 18, 33, 50};
    char out[64], before[64];

    for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
        memset(out, '!', sizeof(out));
        loop_boundary(&the_loop, out, lens[i]);
        CHECK_INT((int)lens[i], "digits", strspn(out, "0123456789abcdef"), lens[i] - 1);
        CHECK_INT((int)lens[i], "its end", out[lens[i] - 1], '\0');
        CHECK_INT((int)lens[i], "and no more", out[lens[i]], '!');
    }
    loop_boundary(&the_loop, before, 33);
    CHECK_TRUE(memcmp(before, before + 16, 16) != 0, "halves that are one another: %s", before);
    for (int i = 0; i < 1000; i++) {
        loop_boundary(&the_loop, out, 33);
        CHECK_TRUE(strncmp(out, before, 16) != 0 && strcmp(out + 16, before + 16) != 0,
                   "twice the same: %s", out);
        memcpy(before, out, sizeof(out));
    }
}

int main(void)
{
    begin(config, "ttl");
    some_sites = sites_of("{ \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"/srv\" }] }");
    test_shares();
    test_times();
    test_room_never_shrinks();
    test_generations();
    test_who_holds_the_sites();
    test_places_of_sites();
    test_sums();
    test_evictions();
    test_date();
    test_boundary();
    loop_set_live(&the_loop, NULL, 0, 1);
    site_set_put(some_sites);
    return end("loop");
}
