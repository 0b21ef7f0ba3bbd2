/* SPDX-License-Identifier: MIT */
/* load_result.c — what ended with a time-out is in the latencies with what was waited: otherwise a
 * server would look the better the less it answers. What failed at once is not, for the same
 * reason. */
#include "load/load_result.h"

#include "base/mem.h"

void load_result_init(struct load_result *result, const struct load_plan *plan)
{
    *result = (struct load_result){.plan = plan};
    result->slot_ns = plan->seconds * NS_PER_SECOND / LOAD_SLOTS;
    result->samples = xcalloc(plan->samples, sizeof(*result->samples));
}

void load_result_fini(struct load_result *result)
{
    free(result->samples);
}

static void keep_sample(struct load_result *result, struct load_schedule *random,
                        const struct load_record *record)
{
    uint64_t place = result->sample_count;

    if (result->plan->samples == 0)
        return;
    if (place < result->plan->samples)
        result->sample_count++;
    else
        place = load_schedule_random(random, result->requests);
    if (place < result->plan->samples)
        result->samples[place] = *record;
}

static bool has_latency(const struct load_record *record)
{
    return record->status > 0 || record->fault == FAULT_TIMEOUT ||
           record->fault == FAULT_NEVER_SENT;
}

static void count_slot(struct load_result *result, const struct load_record *record)
{
    uint64_t at = record->due_ns / result->slot_ns;
    struct load_slot *slot = &result->slots[at < LOAD_SLOTS ? at : LOAD_SLOTS - 1];

    slot->count++;
    slot->faults += record->fault != FAULT_NONE;
    if (has_latency(record) && record->stages_ns[LOAD_LATENCY] > slot->max_ns)
        slot->max_ns = record->stages_ns[LOAD_LATENCY];
}

static void record_stages(struct load_result *result, const struct load_record *record)
{
    struct histogram *stages = result->stages;
    const uint64_t *ns = record->stages_ns;

    if (record->is_sent)
        histogram_record(&stages[LOAD_LAG], ns[LOAD_LAG]);
    if (has_latency(record)) {
        histogram_record(&stages[LOAD_LATENCY], ns[LOAD_LATENCY]);
        histogram_record(&stages[LOAD_WAIT], ns[LOAD_WAIT]);
    }
    if (record->status == 0)
        return;
    if (record->has_new_connection) {
        histogram_record(&stages[LOAD_CONNECT], ns[LOAD_CONNECT]);
        if (result->plan->targets[record->url->target].tls)
            histogram_record(&stages[LOAD_HANDSHAKE], ns[LOAD_HANDSHAKE]);
    }
    histogram_record(&stages[LOAD_FIRST_BYTE], ns[LOAD_FIRST_BYTE]);
    histogram_record(&stages[LOAD_BODY], ns[LOAD_BODY]);
    histogram_record(&stages[LOAD_SERVICE], ns[LOAD_SERVICE]);
}

void load_result_add(struct load_result *result, struct load_schedule *random,
                     const struct load_record *record)
{
    result->requests++;
    result->faults[record->fault]++;
    result->good += record->fault == FAULT_NONE;
    if (record->status > 0 && record->status < 600)
        result->statuses[record->status]++;
    record_stages(result, record);
    count_slot(result, record);
    keep_sample(result, random, record);
}
