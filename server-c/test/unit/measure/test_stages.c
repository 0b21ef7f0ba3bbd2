/* SPDX-License-Identifier: MIT */
/* The stages computed from a request's clock. */
#include "measure/stages.c"

#include "check.h"

static void test_seconds(void)
{
    static const struct {
        int line;
        uint64_t ns;
        const char *want;
    } rows[] = {
        {__LINE__, 0, "0"},
        {__LINE__, 1, "0.000000001"},
        {__LINE__, 1500000000, "1.5"},
        {__LINE__, 2000000000, "2"},
        {__LINE__, 10000000000, "10"},
        {__LINE__, 1000000001, "1.000000001"},
        {__LINE__, 120, "0.00000012"},
        {__LINE__, UINT64_C(12345678901234567), "12345678.901234567"},
        {__LINE__, UINT64_MAX, "18446744073.709551615"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;
        buf_init(&out);
        stage_append_seconds(&out, rows[i].ns);
        CHECK_STR(rows[i].line, "seconds", out.data, rows[i].want);
        buf_fini(&out);
    }
}

#define NEVER_WAITED                                                                               \
    [STAGE_WRITE_CLIENT] = STAGE_ABSENT, [STAGE_WRITE_BUFFER] = STAGE_ABSENT,                      \
    [STAGE_WRITE_NETWORK] = STAGE_ABSENT, [STAGE_ROUND_TRIP] = STAGE_ABSENT
#define FROM_MEMORY                                                                                \
    [STAGE_STAT_WAIT] = STAGE_ABSENT, [STAGE_STAT] = STAGE_ABSENT,                                 \
    [STAGE_READ_WAIT] = STAGE_ABSENT, [STAGE_READ] = STAGE_ABSENT

static const struct {
    int line;
    const char *name;
    struct stage_clock clock;
    uint64_t want[STAGE_COUNT];
} rows[] = {
    {__LINE__,
     "from memory",
     {.head_ns = 100, .first_ns = 130},
     {FROM_MEMORY,
      NEVER_WAITED, [STAGE_FIRST_BYTE] = 30, [STAGE_WRITE] = 870, [STAGE_TOTAL] = 900}},
    {__LINE__,
     "from the disk",
     {.head_ns = 100,
      .first_ns = 500,
      .stat_wait_ns = 1,
      .stat_ns = 2,
      .read_wait_ns = 3,
      .read_ns = 0,
      .looked_up = true,
      .read_disk = true},
     {[STAGE_STAT_WAIT] = 1,
      [STAGE_STAT] = 2,
      [STAGE_READ_WAIT] = 3,
      [STAGE_READ] = 0,
      NEVER_WAITED,
      [STAGE_FIRST_BYTE] = 400,
      [STAGE_WRITE] = 500,
      [STAGE_TOTAL] = 900}},
    {__LINE__,
     "the write is divided",
     {.head_ns = 100,
      .first_ns = 200,
      .client_ns = 300,
      .buffer_ns = 20,
      .network_ns = 100,
      .round_trip_ns = 5000,
      .waited = true},
     {FROM_MEMORY, [STAGE_FIRST_BYTE] = 100, [STAGE_WRITE] = 800, [STAGE_WRITE_CLIENT] = 300,
      [STAGE_WRITE_BUFFER] = 20, [STAGE_WRITE_NETWORK] = 100, [STAGE_ROUND_TRIP] = 5000,
      [STAGE_TOTAL] = 900}},
    {__LINE__,
     "the kernel's ticks are longer than the write",
     {.head_ns = 100,
      .first_ns = 200,
      .client_ns = 500,
      .buffer_ns = 400,
      .network_ns = 400,
      .waited = true},
     {FROM_MEMORY, [STAGE_FIRST_BYTE] = 100, [STAGE_WRITE] = 800, [STAGE_WRITE_CLIENT] = 500,
      [STAGE_WRITE_BUFFER] = 300, [STAGE_WRITE_NETWORK] = 0, [STAGE_ROUND_TRIP] = 0,
      [STAGE_TOTAL] = 900}},
    {__LINE__,
     "given up before the first byte",
     {.head_ns = 100, .stat_wait_ns = 7, .stat_ns = 8, .looked_up = true},
     {[STAGE_STAT_WAIT] = 7,
      [STAGE_STAT] = 8,
      [STAGE_READ_WAIT] = STAGE_ABSENT,
      [STAGE_READ] = STAGE_ABSENT,
      NEVER_WAITED,
      [STAGE_FIRST_BYTE] = STAGE_ABSENT,
      [STAGE_WRITE] = STAGE_ABSENT,
      [STAGE_TOTAL] = 900}},
};

static void test_split(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t ns[STAGE_COUNT];
        stages_split(ns, &rows[i].clock, 1000);
        for (int stage = STAGE_FIRST; stage < STAGE_COUNT; stage++)
            CHECK_TRUE(ns[stage] == rows[i].want[stage], "row %d \"%s\" %s: %" PRIu64, rows[i].line,
                       rows[i].name, stage_name((enum stage)stage), ns[stage]);
    }
}

/* Samples and histograms get the same times. */
static void test_record(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct histogram stages[STAGE_COUNT] = {0};
        if (rows[i].clock.first_ns == 0) /* never answered: not counted */
            continue;
        stages_record(stages, &rows[i].clock, 1000);
        for (int stage = STAGE_FIRST; stage < STAGE_COUNT; stage++) {
            uint64_t want = rows[i].want[stage];
            CHECK_INT(rows[i].line, stage_name((enum stage)stage), stages[stage].count,
                      want != STAGE_ABSENT);
            CHECK_INT(rows[i].line, "its time", stages[stage].sum_ns,
                      want == STAGE_ABSENT ? 0 : want);
        }
    }
}

int main(void)
{
    test_seconds();
    test_split();
    test_record();
    return check_end("stages");
}
