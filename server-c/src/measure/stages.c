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

/* The parts of `write`, never more than it together. */
struct write_parts {
    uint64_t client_ns, buffer_ns, network_ns;
};

static uint64_t take_part(uint64_t *left_ns, uint64_t part_ns)
{
    uint64_t taken = smaller_of(part_ns, *left_ns);

    *left_ns -= taken;
    return taken;
}

static struct write_parts divide_write(const struct stage_clock *clock, uint64_t end_ns)
{
    uint64_t left_ns = end_ns - clock->first_ns;
    struct write_parts parts;

    parts.client_ns = take_part(&left_ns, clock->client_ns);
    parts.buffer_ns = take_part(&left_ns, clock->buffer_ns);
    parts.network_ns = take_part(&left_ns, clock->network_ns);
    return parts;
}

#ifndef FARMSTEAD_WITHOUT_STAGES
static void record_waits(struct histogram stages[STAGE_COUNT], const struct stage_clock *clock,
                         uint64_t end_ns)
{
    struct write_parts parts = divide_write(clock, end_ns);

    histogram_record(&stages[STAGE_WRITE_CLIENT], parts.client_ns);
    histogram_record(&stages[STAGE_WRITE_BUFFER], parts.buffer_ns);
    histogram_record(&stages[STAGE_WRITE_NETWORK], parts.network_ns);
    histogram_record(&stages[STAGE_ROUND_TRIP], clock->round_trip_ns);
}
#endif

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
    if (clock->waited)
        record_waits(stages, clock, end_ns);
#endif
}

static void split_waits(uint64_t ns[STAGE_COUNT], const struct stage_clock *clock, uint64_t end_ns)
{
    struct write_parts parts = divide_write(clock, end_ns);

    ns[STAGE_WRITE_CLIENT] = clock->waited ? parts.client_ns : STAGE_ABSENT;
    ns[STAGE_WRITE_BUFFER] = clock->waited ? parts.buffer_ns : STAGE_ABSENT;
    ns[STAGE_WRITE_NETWORK] = clock->waited ? parts.network_ns : STAGE_ABSENT;
    ns[STAGE_ROUND_TRIP] = clock->waited ? clock->round_trip_ns : STAGE_ABSENT;
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
    split_waits(ns, clock, end_ns);
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
