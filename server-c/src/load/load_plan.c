/* SPDX-License-Identifier: MIT */
/* load_plan.c — the numbers of a plan, each with its bounds, and what they ask for together. */
#include "load/load_plan.h"

#include "base/mem.h"
#include "load/load_plan_parts.h"

#include <inttypes.h>

/* What one client holds: buffers of the kernel are not ours, those of OpenSSL are. */
#define CLIENT_BYTES 2048
#define TLS_CLIENT_BYTES 65536
#define SAMPLE_BYTES 96

static const struct {
    const char *name;
    uint64_t least, most, usual;
    size_t offset;
} numbers[] = {
    {"clients", 1, LOAD_CLIENTS_MAX, 1, offsetof(struct load_plan, clients)},
    {"seconds", 1, 86400, 10, offsetof(struct load_plan, seconds)},
    {"requests", 0, 1000000000, 0, offsetof(struct load_plan, requests)},
    {"timeoutMs", 1, 600000, 10000, offsetof(struct load_plan, timeout_ms)},
    {"seed", 0, UINT32_MAX, 1, offsetof(struct load_plan, seed)},
    {"samples", 0, 100000, 5000, offsetof(struct load_plan, samples)},
    {"memoryMb", 16, 65536, 1024, offsetof(struct load_plan, memory_mb)},
    {"streams", 0, 1000, 0, offsetof(struct load_plan, streams)},
    {"slowClients", 0, LOAD_CLIENTS_MAX, 0, offsetof(struct load_plan, slow_clients)},
    {"slowBytesPerSecond", 10, 1000000000, 1000, offsetof(struct load_plan, slow_bytes_per_second)},
    {"abortingClients", 0, LOAD_CLIENTS_MAX, 0, offsetof(struct load_plan, aborting_clients)},
};

int load_refuse(struct buf *why, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(why, format, args);
    va_end(args);
    return -1;
}

static int read_numbers(struct load_plan *plan, const json_t *root, struct buf *why)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        const json_t *value = json_object_get(root, numbers[i].name);
        uint64_t number = numbers[i].usual;
        if (value) {
            if (!json_is_integer(value) || json_integer_value(value) < 0)
                return load_refuse(why, "\"%s\" must be a whole number", numbers[i].name);
            number = (uint64_t)json_integer_value(value);
        }
        if (number < numbers[i].least || number > numbers[i].most)
            return load_refuse(why, "\"%s\" must be from %" PRIu64 " to %" PRIu64, numbers[i].name,
                               numbers[i].least, numbers[i].most);
        memcpy((char *)plan + numbers[i].offset, &number, sizeof(number));
    }
    return 0;
}

static int read_mode(struct load_plan *plan, const json_t *root, struct buf *why)
{
    static const char *const names[] = {"closed", "open", "replay"};
    const char *mode = json_string_value(json_object_get(root, "mode"));

    for (size_t i = 0; mode && i < ARRAY_LEN(names); i++) {
        if (strcmp(mode, names[i]) != 0)
            continue;
        plan->mode = (enum load_mode)i;
        if (plan->mode != LOAD_OPEN)
            return 0;
        plan->rate = json_number_value(json_object_get(root, "ratePerSecond"));
        if (plan->rate >= 0.001 && plan->rate <= LOAD_RATE_MAX)
            return 0;
        return load_refuse(why, "\"ratePerSecond\" must be from 0.001 to %.0f", LOAD_RATE_MAX);
    }
    return load_refuse(why, "\"mode\" must be \"closed\", \"open\" or \"replay\"");
}

uint64_t load_plan_memory(const struct load_plan *plan)
{
    uint64_t clients = plan->clients + plan->slow_clients + plan->aborting_clients;
    uint64_t bytes = plan->samples * SAMPLE_BYTES + plan->replay_count * sizeof(*plan->replay);
    bool has_tls = false;

    for (size_t i = 0; i < plan->target_count; i++)
        has_tls = has_tls || plan->targets[i].tls;
    for (size_t i = 0; i < plan->url_count; i++)
        bytes += sizeof(*plan->urls) + plan->urls[i].request_len;
    return bytes + clients * (has_tls ? CLIENT_BYTES + TLS_CLIENT_BYTES : CLIENT_BYTES);
}

static int check_memory(const struct load_plan *plan, struct buf *why)
{
    uint64_t needed_mb = load_plan_memory(plan) >> 20;

    if (needed_mb <= plan->memory_mb)
        return 0;
    return load_refuse(why,
                       "this run could take %" PRIu64 " MB, and may take %" PRIu64
                       ": fewer clients or requests, or more memory",
                       needed_mb, plan->memory_mb);
}

static int read_document(struct load_plan *plan, const json_t *root, struct buf *why)
{
    const char *ca_file = json_string_value(json_object_get(root, "caFile"));

    if (!json_is_object(root))
        return load_refuse(why, "a plan is an object");
    plan->keep_alive = !json_is_false(json_object_get(root, "keepAlive"));
    plan->insecure = json_is_true(json_object_get(root, "insecure"));
    plan->ca_file = ca_file ? xstrdup(ca_file) : NULL;
    if (read_numbers(plan, root, why) || read_mode(plan, root, why) ||
        load_read_targets(plan, root, why))
        return -1;
    return load_read_urls(plan, root, why);
}

int load_plan_read(struct load_plan *plan, const char *text, size_t len, struct buf *why)
{
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, &error);
    int err;

    *plan = (struct load_plan){0};
    if (!root)
        return load_refuse(why, "the plan is no JSON: line %d: %s", error.line, error.text);
    err = read_document(plan, root, why);
    json_decref(root);
    if (!err && plan->mode == LOAD_REPLAY) {
        size_t used = smaller_of((uint64_t)error.position, len);
        err = load_read_replay(plan, (struct span){text + used, len - used}, why);
    }
    return err ? err : check_memory(plan, why);
}

void load_plan_free(struct load_plan *plan)
{
    for (size_t i = 0; i < plan->target_count; i++)
        free(plan->targets[i].name);
    for (size_t i = 0; i < plan->url_count; i++)
        free(plan->urls[i].request);
    free(plan->targets);
    free(plan->urls);
    free(plan->replay);
    free(plan->ca_file);
    free(plan->fields);
    *plan = (struct load_plan){0};
}
