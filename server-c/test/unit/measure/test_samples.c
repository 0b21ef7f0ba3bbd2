/* SPDX-License-Identifier: MIT */
/* Which requests are kept, for how long, and which are found again. */
#include "measure/samples.c"

#include "check.h"

#define MS NS_PER_MS

static struct samples samples;
static struct sample found[4096];
static uint64_t matched;

static void begin(uint32_t every_requests, uint64_t slow_ns, size_t keep)
{
    struct sample_limits limits = {every_requests, slow_ns, keep};

    samples_init(&samples, 12345);
    samples_configure(&samples, &limits);
}

/* A request that ended at `ended_ns`; its number of bytes identifies it. */
static bool request(uint64_t ended_ns, uint64_t total_ns)
{
    struct sample sample = {.ended_ns = ended_ns, .bytes = ended_ns, .status = 200};

    sample.stage_ns[STAGE_TOTAL] = total_ns;
    if (!samples_want(&samples, total_ns))
        return false;
    samples_add(&samples, &sample);
    return true;
}

static size_t collect(uint64_t after_ns, uint64_t until_ns, bool regular, bool slow, size_t limit)
{
    struct sample_filter filter = {after_ns, until_ns, regular, slow};

    matched = 0;
    return samples_collect(&samples, &filter, found, limit, &matched);
}

static void test_choice(void)
{
    static const struct {
        int line;
        uint32_t every_requests;
        uint64_t slow_ns;
        int least, most; /* of 10000 requests of 1 … 100 ms */
    } rows[] = {
        {__LINE__, 0, 0, 0, 0},
        {__LINE__, 1, 0, 10000, 10000},
        {__LINE__, 2, 0, 4800, 5200},
        {__LINE__, 100, 0, 80, 120},
        {__LINE__, 1000000000, 0, 0, 1},
        {__LINE__, 0, 100 * MS, 100, 100},
        {__LINE__, 0, 51 * MS, 5000, 5000},
        {__LINE__, 0, 100 * MS + 1, 0, 0},
        {__LINE__, 100, 51 * MS, 5020, 5080},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int taken = 0;
        begin(rows[i].every_requests, rows[i].slow_ns, 16);
        for (uint64_t n = 0; n < 10000; n++)
            taken += request(n, (n % 100 + 1) * MS);
        CHECK_TRUE(taken >= rows[i].least && taken <= rows[i].most, "row %d: %d taken",
                   rows[i].line, taken);
        CHECK_INT(rows[i].line, "counted",
                  samples.rings[SAMPLES_REGULAR].taken + samples.rings[SAMPLES_SLOW].taken, taken);
        samples_fini(&samples);
    }
}

/* On a page with a hundred parts, with one sample in a hundred requests, every part is sampled. */
static void test_no_favourite(void)
{
    bool was_taken[100] = {false};
    int parts = 0;

    begin(100, 0, 16);
    for (uint64_t n = 0; n < 200000; n++)
        if (request(n, MS))
            was_taken[n % 100] = true;
    for (size_t i = 0; i < ARRAY_LEN(was_taken); i++)
        parts += was_taken[i];
    CHECK_INT(__LINE__, "parts seen", parts, 100);
    samples_fini(&samples);
}

static void test_kinds_do_not_drive_each_other_out(void)
{
    begin(1, 500 * MS, 16);
    request(1, 500 * MS);
    for (uint64_t n = 2; n < 1000; n++)
        request(n, MS);
    CHECK_INT(__LINE__, "the slow one is there", collect(0, 1000, false, true, 10), 1);
    CHECK_INT(__LINE__, "the first", found[0].bytes, 1);
    CHECK_TRUE(found[0].is_slow && found[0].is_regular, "it is both");
    CHECK_INT(__LINE__, "it is a regular one, too", collect(0, 1000, true, false, 100), 17);
    for (uint64_t n = 1000; n < 2000; n++)
        request(n, 600 * MS);
    CHECK_INT(__LINE__, "the newest that was not slow", samples.rings[SAMPLES_REGULAR].count, 16);
    CHECK_INT(__LINE__, "all", collect(0, 2000, true, true, 100), 32);
    CHECK_INT(__LINE__, "newest first", found[0].bytes, 1999);
    CHECK_INT(__LINE__, "the oldest that is kept", found[31].bytes, 984);
    for (size_t i = 1; i < 32; i++)
        CHECK_TRUE(found[i].ended_ns < found[i - 1].ended_ns, "in order");
    samples_fini(&samples);
}

static void test_windows(void)
{
    static const struct {
        int line;
        uint64_t after, until;
        size_t limit;
        size_t want, matched;
        uint64_t newest;
    } rows[] = {
        {__LINE__, 0, 100, 100, 20, 20, 20}, {__LINE__, 0, 20, 100, 20, 20, 20},
        {__LINE__, 0, 19, 100, 19, 19, 19},  {__LINE__, 5, 20, 100, 15, 15, 20},
        {__LINE__, 19, 20, 100, 1, 1, 20},   {__LINE__, 20, 100, 100, 0, 0, 0},
        {__LINE__, 0, 20, 3, 3, 20, 20},     {__LINE__, 5, 15, 3, 3, 10, 15},
        {__LINE__, 100, 200, 100, 0, 0, 0},
    };

    begin(1, 10, 64);
    for (uint64_t n = 1; n <= 20; n++)
        request(n, n % 3 ? 1 : 10);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t count = collect(rows[i].after, rows[i].until, true, true, rows[i].limit);
        CHECK_INT(rows[i].line, "found", count, rows[i].want);
        CHECK_INT(rows[i].line, "matched", matched, rows[i].matched);
        if (count > 0)
            CHECK_INT(rows[i].line, "newest", found[0].bytes, rows[i].newest);
    }
    samples_fini(&samples);
}

static void test_configuring(void)
{
    static const size_t sizes[] = {64, 16, 40, 16, 100, 1};
    struct sample_limits limits = {1, 0, 64};
    size_t kept = 0;

    samples_init(&samples, 1);
    CHECK_TRUE(!samples_want(&samples, UINT64_MAX - 1), "nothing before there is a config");
    CHECK_INT(__LINE__, "nothing kept", collect(0, 100, true, true, 10), 0);
    samples_configure(&samples, &limits);
    for (uint64_t n = 1; n <= 50; n++)
        request(n, 1);
    kept = 50;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        limits.keep = sizes[i];
        samples_configure(&samples, &limits);
        kept = kept < sizes[i] ? kept : sizes[i];
        CHECK_INT((int)sizes[i], "kept", collect(0, 100, true, true, 1000), kept);
        for (size_t n = 0; n < kept; n++)
            CHECK_INT((int)sizes[i], "the newest", found[n].bytes, 50 - n);
    }
    limits = (struct sample_limits){0, 5, 16};
    samples_configure(&samples, &limits);
    CHECK_TRUE(!request(51, 4), "no longer");
    CHECK_TRUE(request(52, 5), "from now on");
    CHECK_INT(__LINE__, "old and new", collect(0, 100, true, true, 1000), 2);
    samples_fini(&samples);
}

int main(void)
{
    test_choice();
    test_no_favourite();
    test_kinds_do_not_drive_each_other_out();
    test_windows();
    test_configuring();
    return check_end("samples");
}
