/* SPDX-License-Identifier: MIT */
/* samples_json.c — a sample as text. A stage that the request did not have is left out, as that is
 * not the same as a time of zero. */
#include "measure/samples.h"

#include "base/buf.h"

#include <inttypes.h>
#include <time.h>

#define US_PER_SECOND 1000000

void sample_time_format(char out[SAMPLE_TIME_LEN + 1], uint64_t us)
{
    time_t seconds = (time_t)(us / US_PER_SECOND);
    struct tm tm;
    size_t len;

    gmtime_r(&seconds, &tm);
    len = strftime(out, SAMPLE_TIME_LEN + 1, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + len, SAMPLE_TIME_LEN + 1 - len, ".%06uZ", (unsigned)(us % US_PER_SECOND));
}

void sample_append_json(struct buf *out, const struct sample *sample)
{
    char start[SAMPLE_TIME_LEN + 1];
    const char *comma = "";

    sample_time_format(start, sample->start_us);
    buf_printf(out, "{\"start\":\"%s\",\"loop\":%" PRIu32 ",\"generation\":%" PRIu64 ",\"status\":",
               start, sample->loop, sample->generation);
    if (sample->status)
        buf_printf(out, "%u", (unsigned)sample->status);
    else
        buf_append_str(out, "null");
    buf_printf(out, ",\"bytes\":%" PRIu64 ",\"regular\":%s,\"slow\":%s,\"aborted\":%s",
               sample->bytes, sample->is_regular ? "true" : "false",
               sample->is_slow ? "true" : "false", sample->aborted_for ? "true" : "false");
    if (sample->aborted_for)
        buf_printf(out, ",\"reason\":\"%s\"", end_reason_name(sample->aborted_for));
    buf_append_str(out, ",\"stageSeconds\":{");
    for (int i = STAGE_FIRST; i < STAGE_COUNT; i++) {
        if (sample->stage_ns[i] == STAGE_ABSENT)
            continue;
        buf_printf(out, "%s\"%s\":", comma, stage_name((enum stage)i));
        stage_append_seconds(out, sample->stage_ns[i]);
        comma = ",";
    }
    buf_append_str(out, "}}");
}
