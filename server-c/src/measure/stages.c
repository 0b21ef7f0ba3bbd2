/* SPDX-License-Identifier: MIT */
/* stages.c — turns the clock of a request into the times of its stages, and records them in
 * histograms. */
#include "measure/stages.h"

#include "base/buf.h"

#include <inttypes.h>

const char *stage_name(enum stage stage)
{
    static const char *const names[] = {
#define X(name, wire, help) wire,
#include "measure/stages.def"
#undef X
    };
    return names[stage];
}

const char *stage_help(enum stage stage)
{
    static const char *const helps[] = {
#define X(name, wire, help) help,
#include "measure/stages.def"
#undef X
    };
    return helps[stage];
}

void stages_record(struct histogram stages[STAGE_COUNT], const struct stage_clock *clock,
                   uint64_t end_ns)
{
#ifdef FARMSTEAD_WITHOUT_STAGES
    (void)stages, (void)clock, (void)end_ns;
#else
    if (clock->looked_up) {
        histogram_record(&stages[STAGE_STAT_WAIT], clock->stat_wait_ns);
        histogram_record(&stages[STAGE_STAT], clock->stat_ns);
    }
    if (clock->read_disk) {
        histogram_record(&stages[STAGE_READ_WAIT], clock->read_wait_ns);
        histogram_record(&stages[STAGE_READ], clock->read_ns);
    }
    histogram_record(&stages[STAGE_FIRST_BYTE], clock->first_ns - clock->head_ns);
    histogram_record(&stages[STAGE_WRITE], end_ns - clock->first_ns);
    histogram_record(&stages[STAGE_TOTAL], end_ns - clock->head_ns);
#endif
}

void stages_split(uint64_t ns[STAGE_COUNT], const struct stage_clock *clock, uint64_t end_ns)
{
    ns[STAGE_HANDSHAKE] = STAGE_ABSENT;
    ns[STAGE_STAT_WAIT] = clock->looked_up ? clock->stat_wait_ns : STAGE_ABSENT;
    ns[STAGE_STAT] = clock->looked_up ? clock->stat_ns : STAGE_ABSENT;
    ns[STAGE_READ_WAIT] = clock->read_disk ? clock->read_wait_ns : STAGE_ABSENT;
    ns[STAGE_READ] = clock->read_disk ? clock->read_ns : STAGE_ABSENT;
    ns[STAGE_FIRST_BYTE] = clock->first_ns ? clock->first_ns - clock->head_ns : STAGE_ABSENT;
    ns[STAGE_WRITE] = clock->first_ns ? end_ns - clock->first_ns : STAGE_ABSENT;
    ns[STAGE_TOTAL] = end_ns - clock->head_ns;
}

void stage_append_seconds(struct buf *out, uint64_t ns)
{
    buf_printf(out, "%" PRIu64, ns / NS_PER_SECOND);
    if (ns % NS_PER_SECOND == 0)
        return;
    buf_printf(out, ".%09" PRIu64, ns % NS_PER_SECOND);
    while (out->data[out->len - 1] == '0')
        buf_truncate(out, out->len - 1);
}
