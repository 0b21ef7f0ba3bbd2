/* SPDX-License-Identifier: MIT */
/* What is counted where, above all what failed, and the JSON of it. */
#include "load/load_result.c"
#include "load/load_result_json.c"

#include "check.h"

#include <jansson.h>

static struct load_url url = {.weight = 1};
static struct load_target target;
static const struct load_plan plan = {.seconds = 6,
                                      .timeout_ms = 1000,
                                      .samples = 4,
                                      .urls = &url,
                                      .url_count = 1,
                                      .targets = &target,
                                      .target_count = 1};

static void add(struct load_result *result, struct load_schedule *random, uint64_t latency_ms,
                enum load_fault fault, int status)
{
    struct load_record record = {
        .url = &url, .fault = fault, .status = status, .is_sent = true, .due_ns = NS_PER_SECOND};

    record.stages_ns[LOAD_LATENCY] = latency_ms * NS_PER_MS;
    load_result_add(result, random, &record);
}

static json_t *json_of(const struct load_result *result)
{
    struct buf out;
    json_t *root;

    buf_init(&out);
    load_result_append_json(&out, result, 2 * NS_PER_SECOND, NS_PER_SECOND);
    root = json_loads(out.data, 0, NULL);
    CHECK_TRUE(root != NULL, "no JSON: %s", out.data);
    buf_fini(&out);
    return root;
}

static json_int_t at(const json_t *root, const char *first, const char *second)
{
    const json_t *value = json_object_get(root, first);
    return json_integer_value(second ? json_object_get(value, second) : value);
}

static void test_faults(void)
{
    static struct load_result result;
    struct load_schedule random;
    json_t *root, *latency, *slots, *samples;

    load_schedule_init(&random, &plan);
    load_result_init(&result, &plan);
    add(&result, &random, 1, FAULT_NONE, 200);
    add(&result, &random, 2, FAULT_STATUS, 404);
    add(&result, &random, 3, FAULT_REFUSED, 0);
    add(&result, &random, 1000, FAULT_TIMEOUT, 0);
    add(&result, &random, 1500, FAULT_NEVER_SENT, 0);
    snprintf(result.handshake_fault, sizeof(result.handshake_fault), "a \"quoted\"\nfault");
    root = json_of(&result);
    CHECK_INT(__LINE__, "requests", at(root, "requests", NULL), 5);
    CHECK_INT(__LINE__, "good", at(root, "good", NULL), 1);
    CHECK_INT(__LINE__, "socket faults: no status", at(root, "socketFaults", NULL), 3);
    CHECK_INT(__LINE__, "404", at(root, "statuses", "404"), 1);
    CHECK_INT(__LINE__, "faults", at(root, "faults", "refused"), 1);
    latency = json_object_get(json_object_get(root, "stages"), "latency");
    CHECK_INT(__LINE__, "time-outs have a latency, what failed at once has none",
              at(latency, "count", NULL), 4);
    CHECK_INT(__LINE__, "the longest wait", at(latency, "maxNs", NULL), 1500 * NS_PER_MS);
    slots = json_object_get(root, "slots");
    CHECK_INT(__LINE__, "all were due in one slot", json_array_size(slots), 1);
    CHECK_INT(__LINE__, "its faults",
              json_integer_value(json_array_get(json_array_get(slots, 0), 2)), 4);
    samples = json_object_get(root, "samples");
    CHECK_INT(__LINE__, "no more samples than asked for", json_array_size(samples), 4);
    CHECK_STR(__LINE__, "texts are escaped",
              json_string_value(json_object_get(root, "handshakeFault")), "a \"quoted\"\nfault");
    json_decref(root);
    load_result_fini(&result);
    load_schedule_fini(&random);
}

int main(void)
{
    test_faults();
    return check_end("load_result");
}
