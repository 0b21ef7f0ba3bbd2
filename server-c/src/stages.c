/* SPDX-License-Identifier: MIT */
/* stages.c — recording a request's stages. */
#include "stages.h"

const char *stage_name(enum stage stage)
{
    static const char *const names[] = {
#define X(name, wire, help) wire,
#include "stages.def"
#undef X
    };
    return names[stage];
}

void stages_record(struct histogram stages[STAGE_COUNT], const struct stage_clock *clock,
                   uint64_t end_ns)
{
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
}
