/* SPDX-License-Identifier: MIT */
/* Samples as text: what is not known is left out. */
#include "measure/samples_json.c"

#include "base/util.h"
#include "check.h"

static void test_times(void)
{
    static const struct {
        int line;
        uint64_t us;
        const char *want;
    } rows[] = {
        {__LINE__, 0, "1970-01-01T00:00:00.000000Z"},
        {__LINE__, UINT64_C(1795314426000007), "2026-11-22T02:27:06.000007Z"},
        {__LINE__, UINT64_C(1709251199999999), "2024-02-29T23:59:59.999999Z"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[SAMPLE_TIME_LEN + 1];
        sample_time_format(out, rows[i].us);
        CHECK_STR(rows[i].line, "time", out, rows[i].want);
    }
}

static void test_json(void)
{
    static const struct {
        int line;
        struct sample sample;
        const char *want;
    } rows[] = {
        {__LINE__,
         {.generation = 7,
          .bytes = 4321,
          .loop = 3,
          .status = 206,
          .is_regular = true,
          .stage_ns = {[STAGE_STAT_WAIT] = 1000,
                       [STAGE_STAT] = 2000,
                       [STAGE_READ_WAIT] = STAGE_ABSENT,
                       [STAGE_READ] = STAGE_ABSENT,
                       [STAGE_WRITE] = 15000000,
                       [STAGE_WRITE_CLIENT] = 4000000,
                       [STAGE_WRITE_BUFFER] = 0,
                       [STAGE_WRITE_NETWORK] = 8000000,
                       [STAGE_ROUND_TRIP] = 23000,
                       [STAGE_FIRST_BYTE] = 5000,
                       [STAGE_TOTAL] = 15005000}},
         "{\"start\":\"1970-01-01T00:00:00.000000Z\",\"loop\":3,\"generation\":7,\"status\":206,"
         "\"bytes\":4321,\"regular\":true,\"slow\":false,\"aborted\":false,\"stageSeconds\":{"
         "\"statWait\":0.000001,\"stat\":0.000002,\"write\":0.015,"
         "\"writeClient\":0.004,\"writeBuffer\":0,\"writeNetwork\":0.008,\"roundTrip\":0.000023,"
         "\"firstByte\":0.000005,"
         "\"total\":0.015005}}"},
        {__LINE__,
         {.is_slow = true,
          .aborted_for = END_SLOW_CLIENT,
          .stage_ns = {[STAGE_STAT_WAIT] = STAGE_ABSENT,
                       [STAGE_STAT] = STAGE_ABSENT,
                       [STAGE_READ_WAIT] = STAGE_ABSENT,
                       [STAGE_READ] = STAGE_ABSENT,
                       [STAGE_WRITE] = STAGE_ABSENT,
                       [STAGE_WRITE_CLIENT] = STAGE_ABSENT,
                       [STAGE_WRITE_BUFFER] = STAGE_ABSENT,
                       [STAGE_WRITE_NETWORK] = STAGE_ABSENT,
                       [STAGE_ROUND_TRIP] = STAGE_ABSENT,
                       [STAGE_FIRST_BYTE] = STAGE_ABSENT,
                       [STAGE_TOTAL] = UINT64_C(30000000000)}},
         "{\"start\":\"1970-01-01T00:00:00.000000Z\",\"loop\":0,\"generation\":0,\"status\":null,"
         "\"bytes\":0,\"regular\":false,\"slow\":true,\"aborted\":true,\"reason\":\"slowClient\","
         "\"stageSeconds\":{"
         "\"total\":30}}"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;
        buf_init(&out);
        sample_append_json(&out, &rows[i].sample);
        CHECK_STR(rows[i].line, "json", out.data, rows[i].want);
        buf_fini(&out);
    }
}

int main(void)
{
    test_times();
    test_json();
    return check_end("samples_json");
}
