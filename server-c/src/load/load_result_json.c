/* SPDX-License-Identifier: MIT */
/* load_result_json.c — everything that was counted; what to think of it is said by farmctl.
 * Histograms have their buckets as pairs of index and count, by the indexes of measure/histogram.h,
 * so that those of several runs or of nodes can be added. */
#include "load/load_result.h"

#include <inttypes.h>

static const struct {
    const char *name;
    bool is_socket;
} faults[FAULT_COUNT] = {
    {"none", false},
#define F(name, wire, is_socket, help) {wire, is_socket},
#include "load/load_faults.def"
#undef F
};

static const char *const stage_names[] = {
#define S(name, wire, help) wire,
#include "load/load_stages.def"
#undef S
};

static void append_histogram(struct buf *out, const struct histogram *h)
{
    static const struct {
        const char *name;
        double q;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};
    const char *separator = "";

    buf_printf(out,
               "{\"count\":%" PRIu64 ",\"zeroCount\":%" PRIu64 ",\"sumNs\":%" PRIu64
               ",\"maxNs\":%" PRIu64,
               h->count, h->zero_count, h->sum_ns, h->max_ns);
    for (size_t i = 0; h->count && i < ARRAY_LEN(quantiles); i++)
        buf_printf(out, ",\"%sSeconds\":%.9g", quantiles[i].name,
                   histogram_quantile(h, quantiles[i].q));
    buf_append_str(out, ",\"buckets\":[");
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (!h->buckets[i])
            continue;
        buf_printf(out, "%s[%d,%" PRIu64 "]", separator, i + HISTOGRAM_MIN_INDEX, h->buckets[i]);
        separator = ",";
    }
    buf_append_str(out, "]}");
}

static uint64_t socket_faults(const struct load_result *result)
{
    uint64_t sum = 0;

    for (int i = FAULT_NONE + 1; i < FAULT_COUNT; i++)
        sum += faults[i].is_socket ? result->faults[i] : 0;
    return sum;
}

static void append_counts(struct buf *out, const struct load_result *result)
{
    const char *separator = "";

    buf_printf(out,
               "\"requests\":%" PRIu64 ",\"good\":%" PRIu64 ",\"socketFaults\":%" PRIu64
               ",\"bodyBytes\":%" PRIu64 ",\"wireBytes\":%" PRIu64 ",\"connections\":%" PRIu64
               ",\"sentAgain\":%" PRIu64 ",\"mostUnderWay\":%" PRIu64 ",\"faults\":{",
               result->requests, result->good, socket_faults(result), result->body_bytes,
               result->wire_bytes, result->connections, result->sent_again, result->most_under_way);
    for (int i = FAULT_NONE + 1; i < FAULT_COUNT; i++)
        buf_printf(out, "%s\"%s\":%" PRIu64, i > FAULT_NONE + 1 ? "," : "", faults[i].name,
                   result->faults[i]);
    buf_append_str(out, "},\"statuses\":{");
    for (int i = 100; i < 600; i++) {
        if (!result->statuses[i])
            continue;
        buf_printf(out, "%s\"%d\":%" PRIu64, separator, i, result->statuses[i]);
        separator = ",";
    }
    buf_append_char(out, '}');
}

static void append_string(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, ",\"%s\":\"", name);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c > '~' || c == '"' || c == '\\')
            buf_printf(out, "\\u%04x", c);
        else
            buf_append_char(out, (char)c);
    }
    buf_append_char(out, '"');
}

static void append_misbehaved(struct buf *out, const char *name, const struct load_misbehaved *m)
{
    buf_printf(out,
               ",\"%s\":{\"requests\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"failed\":%" PRIu64 "}",
               name, m->requests, m->bytes, m->failed);
}

/* [from, requests, faults, the longest latency]: times in ms from the beginning. */
static void append_slots(struct buf *out, const struct load_result *result)
{
    const char *separator = "";

    buf_append_str(out, ",\"slots\":[");
    for (uint64_t i = 0; i < LOAD_SLOTS; i++) {
        const struct load_slot *slot = &result->slots[i];
        if (!slot->count)
            continue;
        buf_printf(out, "%s[%.3f,%" PRIu64 ",%" PRIu64 ",%.4f]", separator,
                   (double)(i * result->slot_ns) / 1e6, slot->count, slot->faults,
                   (double)slot->max_ns / 1e6);
        separator = ",";
    }
    buf_append_char(out, ']');
}

/* [due, stages as in `stages` but LAG, URL, status, fault]: times in ms. */
static void append_samples(struct buf *out, const struct load_result *result)
{
    buf_append_str(out, ",\"samples\":[");
    for (uint64_t i = 0; i < result->sample_count; i++) {
        const struct load_record *sample = &result->samples[i];
        buf_printf(out, "%s[%.3f", i ? "," : "", (double)sample->due_ns / 1e6);
        for (int stage = 0; stage < LOAD_LAG; stage++)
            buf_printf(out, ",%.4f", (double)sample->stages_ns[stage] / 1e6);
        buf_printf(out, ",%td,%d,\"%s\"]", sample->url - result->plan->urls, sample->status,
                   faults[sample->fault].name);
    }
    buf_append_char(out, ']');
}

void load_result_append_json(struct buf *out, const struct load_result *result, uint64_t elapsed_ns,
                             uint64_t processor_ns)
{
    buf_printf(out, "{\"version\":1,\"elapsedSeconds\":%.6f,\"processorSeconds\":%.6f,",
               (double)elapsed_ns / 1e9, (double)processor_ns / 1e9);
    append_counts(out, result);
    if (result->bad_answer)
        append_string(out, "badAnswer", result->bad_answer);
    if (result->handshake_fault[0])
        append_string(out, "handshakeFault", result->handshake_fault);
    append_misbehaved(out, "slow", &result->slow);
    append_misbehaved(out, "aborting", &result->aborting);
    buf_append_str(out, ",\"stages\":{");
    for (int i = 0; i < LOAD_STAGE_COUNT; i++) {
        buf_printf(out, "%s\"%s\":", i ? "," : "", stage_names[i]);
        append_histogram(out, &result->stages[i]);
    }
    buf_append_char(out, '}');
    append_slots(out, result);
    append_samples(out, result);
    buf_append_str(out, "}\n");
}
