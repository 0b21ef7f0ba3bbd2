/* SPDX-License-Identifier: MIT */
/* Decodes the messages with a reader of its own, and puts the histograms together from their spans
 * as Prometheus does. */
#include "measure/metrics_protobuf.c"

#include "check.h"

#include <stdlib.h>
#include <string.h>

/* --- a reader -------------------------------------------------------------------------------- */

struct reader {
    const char *at, *end;
};

struct field {
    unsigned number, type;
    uint64_t value;      /* of a varint, or the bits of a double */
    struct reader bytes; /* of a message, a string, packed values */
};

static uint64_t read_varint(struct reader *reader)
{
    uint64_t value = 0;

    for (int shift = 0; reader->at < reader->end && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)*reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    CHECK_TRUE(false, "a varint without an end");
    return 0;
}

static int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static struct reader read_bytes(struct reader *reader)
{
    uint64_t len = read_varint(reader);
    struct reader bytes = {reader->at, reader->at};

    CHECK_TRUE(len <= (uint64_t)(reader->end - reader->at), "a length beyond the end");
    if (len <= (uint64_t)(reader->end - reader->at))
        bytes.end = reader->at += len;
    else
        reader->at = reader->end;
    return bytes;
}

static bool next_field(struct reader *reader, struct field *field)
{
    uint64_t tag;

    if (reader->at == reader->end)
        return false;
    tag = read_varint(reader);
    *field = (struct field){.number = (unsigned)(tag >> 3), .type = tag & 7};
    switch (field->type) {
    case 0 /* varint */:
        field->value = read_varint(reader);
        break;
    case 1 /* 64 bits */:
        CHECK_TRUE(reader->end - reader->at >= 8, "a double beyond the end");
        for (int i = 0; i < 8; i++)
            field->value |= (uint64_t)(unsigned char)*reader->at++ << 8 * i;
        break;
    case 2 /* counted bytes */:
        field->bytes = read_bytes(reader);
        break;
    default:
        CHECK_TRUE(false, "wire type %u", field->type);
        return false;
    }
    return true;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns the first field with this number; all zero if there is none. */
static struct field find(struct reader message, unsigned number)
{
    struct field field;

    while (next_field(&message, &field))
        if (field.number == number)
            return field;
    return (struct field){0};
}

static bool is(struct reader bytes, const char *text)
{
    size_t len = (size_t)(bytes.end - bytes.at);
    return len == strlen(text) && memcmp(bytes.at, text, len) == 0;
}

/* --- histograms put together ----------------------------------------------------------------- */

static struct server_metrics metrics;

/* Turns spans and differences into counts of our slots. */
static void read_sparse(struct reader message, uint64_t counts[HISTOGRAM_BUCKETS])
{
    struct reader deltas = find(message, HISTOGRAM_POSITIVE_DELTA).bytes;
    struct field field;
    int64_t index = 0, count = 0;

    while (next_field(&message, &field)) {
        if (field.number != HISTOGRAM_POSITIVE_SPAN)
            continue;
        index += unzigzag(find(field.bytes, SPAN_OFFSET).value);
        for (uint64_t left = find(field.bytes, SPAN_LENGTH).value; left > 0; left--, index++) {
            /* Prometheus: bucket i is (2^((i-1)/8), 2^(i/8)]. */
            int64_t slot = index - 1 - HISTOGRAM_MIN_INDEX;
            count += unzigzag(read_varint(&deltas));
            CHECK_TRUE(slot >= 0 && slot < HISTOGRAM_BUCKETS, "slot %" PRId64, slot);
            if (slot >= 0 && slot < HISTOGRAM_BUCKETS)
                counts[slot] = (uint64_t)count;
        }
    }
    CHECK_TRUE(deltas.at == deltas.end, "as many differences as buckets");
}

static void check_classic(struct reader message, const struct histogram *h)
{
    struct field field;
    int power = CLASSIC_FIRST_POWER;
    uint64_t before = h->zero_count;

    while (next_field(&message, &field)) {
        if (field.number != HISTOGRAM_BUCKET)
            continue;
        uint64_t count = find(field.bytes, BUCKET_CUMULATIVE_COUNT).value;
        CHECK_TRUE(double_of(find(field.bytes, BUCKET_UPPER_BOUND).value) == exp2(power),
                   "bound 2^%d", power);
        CHECK_TRUE(count >= before && count <= h->count, "2^%d: %" PRIu64, power, count);
        before = count;
        power++;
    }
    CHECK_INT(__LINE__, "classic buckets", power, CLASSIC_LAST_POWER + 1);
}

static void check_histogram(struct reader message, const struct histogram *h)
{
    uint64_t counts[HISTOGRAM_BUCKETS] = {0};

    CHECK_INT(__LINE__, "count", find(message, HISTOGRAM_SAMPLE_COUNT).value, h->count);
    CHECK_TRUE(double_of(find(message, HISTOGRAM_SAMPLE_SUM).value) == (double)h->sum_ns / 1e9,
               "sum");
    CHECK_INT(__LINE__, "schema", unzigzag(find(message, HISTOGRAM_SCHEMA).value), 3);
    CHECK_TRUE(double_of(find(message, HISTOGRAM_ZERO_THRESHOLD).value) == exp2(-21), "threshold");
    CHECK_INT(__LINE__, "zeros", find(message, HISTOGRAM_ZERO_COUNT).value, h->zero_count);
    read_sparse(message, counts);
    CHECK_TRUE(memcmp(counts, h->buckets, sizeof(counts)) == 0, "every bucket");
    check_classic(message, h);
}

static void check_created(struct reader value, unsigned number)
{
    struct reader created = find(value, number).bytes;

    CHECK_INT(__LINE__, "seconds", find(created, TIMESTAMP_SECONDS).value, 1795314426);
    CHECK_INT(__LINE__, "nanoseconds", find(created, TIMESTAMP_NANOS).value, 886323000);
}

/* --- families -------------------------------------------------------------------------------- */

static void check_stages(struct reader family)
{
    struct field field;
    size_t seen = 0;

    CHECK_TRUE(is(find(family, FAMILY_UNIT).bytes, "seconds"), "unit");
    while (next_field(&family, &field)) {
        if (field.number != FAMILY_METRIC)
            continue;
        const struct server_series *series = &metrics.series[seen / STAGE_COUNT];
        enum stage stage = (enum stage)(seen % STAGE_COUNT);
        struct reader label = find(field.bytes, METRIC_LABEL).bytes;
        struct reader value = find(field.bytes, METRIC_HISTOGRAM).bytes;
        CHECK_TRUE(is(find(label, LABEL_NAME).bytes, "generation"), "label");
        CHECK_TRUE(is(find(label, LABEL_VALUE).bytes, series->generation == 7 ? "7" : "8"),
                   "generation");
        check_histogram(value, &series->stages[stage]);
        check_created(value, HISTOGRAM_CREATED);
        seen++;
    }
    CHECK_INT(__LINE__, "stages of all series", seen, 2 * STAGE_COUNT);
}

static void check_requests(struct reader family)
{
    struct reader value = find(find(family, FAMILY_METRIC).bytes, METRIC_COUNTER).bytes;

    CHECK_TRUE(is(find(family, FAMILY_HELP).bytes, "requests answered, of any status"), "help");
    CHECK_TRUE(double_of(find(value, COUNTER_VALUE).value) == 300, "value");
    check_created(value, COUNTER_CREATED);
}

static void check_family(struct reader family)
{
    static const unsigned fields[] = {[TYPE_COUNTER] = METRIC_COUNTER,
                                      [TYPE_GAUGE] = METRIC_GAUGE,
                                      [TYPE_HISTOGRAM] = METRIC_HISTOGRAM};
    struct reader name = find(family, FAMILY_NAME).bytes;
    uint64_t type = find(family, FAMILY_TYPE).value;

    CHECK_TRUE(name.end - name.at > 10 && memcmp(name.at, "farmstead_", 10) == 0, "name");
    CHECK_TRUE(type == TYPE_COUNTER || type == TYPE_GAUGE || type == TYPE_HISTOGRAM, "type");
    CHECK_INT(__LINE__, "the metric is of the family's type",
              find(find(family, FAMILY_METRIC).bytes, fields[type]).number, fields[type]);
    if (is(name, "farmstead_stage_seconds"))
        check_stages(family);
    if (is(name, "farmstead_requests_total"))
        check_requests(family);
    if (is(name, "farmstead_open_connections"))
        CHECK_TRUE(
            double_of(find(find(find(family, FAMILY_METRIC).bytes, METRIC_GAUGE).bytes, GAUGE_VALUE)
                          .value) == metrics.gauges[GAUGE_OPEN_CONNECTIONS],
            "gauge");
}

static size_t check_all(void)
{
    struct reader reader;
    struct buf out;
    size_t families = 0;

    buf_init(&out);
    metrics_append_protobuf(&out, &metrics);
    reader = (struct reader){out.data, out.data + out.len};
    for (; reader.at < reader.end; families++)
        check_family(read_bytes(&reader));
    buf_fini(&out);
    return families;
}

/* Empty, one bucket, both ends, all of them, gaps of every length, rises and falls. */
static void fill(void)
{
    struct histogram *stages = metrics.series[0].stages;
    uint64_t state = 88172645463325252u;

    metrics.series_count = 2;
    metrics.gauges[GAUGE_OPEN_CONNECTIONS] = 12;
    for (size_t i = 0; i < 2; i++) {
        metrics.series[i].generation = 7 + i;
        metrics.series[i].created_us = UINT64_C(1795314426886323);
        metrics.series[i].counters[COUNTER_REQUESTS] = 300;
    }
    histogram_record(&stages[STAGE_STAT], 1000000);
    histogram_record(&stages[STAGE_READ_WAIT], 477);
    histogram_record(&stages[STAGE_READ_WAIT], UINT64_C(9000000000000));
    histogram_record(&stages[STAGE_READ], 0);
    for (uint64_t ns = 470; ns < UINT64_C(1100000000000); ns += ns / 64)
        histogram_record(&stages[STAGE_WRITE], ns);
    for (int i = 0, slot = 0; slot < HISTOGRAM_BUCKETS; slot += ++i)
        stages[STAGE_FIRST_BYTE].count += stages[STAGE_FIRST_BYTE].buckets[slot] = (uint64_t)i + 1;
    for (int i = 0; i < 200000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        histogram_record(&stages[STAGE_TOTAL], state >> (state % 50 + 10));
    }
    stages[STAGE_TOTAL].buckets[100] += UINT64_C(1) << 40;
    stages[STAGE_TOTAL].count += UINT64_C(1) << 40;
}

int main(void)
{
    CHECK_INT(__LINE__, "families before there is a config", check_all(), GAUGE_COUNT + 3);
    fill();
    CHECK_INT(__LINE__, "families", check_all(), GAUGE_COUNT + COUNTER_COUNT + 4);
    return check_end("metrics_protobuf");
}
