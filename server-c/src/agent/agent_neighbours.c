/* SPDX-License-Identifier: MIT */
/* agent_neighbours.c — addresses and passes become parts of requests: only what has their letters is taken. */
#include "agent/agent_neighbours.h"

#include "base/digest.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_MAX_MS 20000

static void set(json_t *object, const char *member, json_t *value)
{
    if (json_object_set_new(object, member, value) != 0)
        abort();
}

static void append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        abort();
}

/* --- the rules --- */

static bool read_pass_key(const json_t *value, unsigned char out[NEIGHBOUR_PASS_KEY_BYTES])
{
    const char *text = json_string_value(value);

    /* as many digits */
    return text && release_is_sha256(text) && digest_bytes(out, text, NEIGHBOUR_PASS_KEY_BYTES);
}

static void read_pass_keys(struct agent_reader *reader, struct neighbour_pass_keys *out)
{
    json_t *array = json_object_get(reader->object, "passKeys");
    size_t count = json_array_size(array);

    if (reader->failed)
        return;
    if (count == 0 || count > NEIGHBOUR_PASS_KEYS_MAX) {
        agent_reader_fail(reader, "passKeys", "must be an array of 1 to 4");
        return;
    }
    for (; out->count < count; out->count++)
        if (!read_pass_key(json_array_get(array, out->count), out->items[out->count])) {
            agent_reader_fail(reader, "passKeys", "must hold 64 lower-case hex digits each");
            return;
        }
}

void agent_neighbours_read_rules(struct agent_reader *outer, struct agent_neighbours_told *out)
{
    json_t *member = json_object_get(outer->object, "neighbours");

    *out = (struct agent_neighbours_told){0};
    if (outer->failed || !member)
        return;
    if (json_is_object(member)) {
        struct agent_reader reader = {member, outer->why, outer->why_len, false};
        read_pass_keys(&reader, &out->rules.keys);
        out->rules.max_bytes_per_second =
            agent_read_integer(&reader, "maxBytesPerSecond", 0, AGENT_JSON_MAX_INTEGER);
        out->rules.at_once =
            (unsigned)agent_read_integer(&reader, "atOnce", 1, NEIGHBOUR_CONNECTIONS_MAX);
        outer->failed = reader.failed;
    } else if (!json_is_null(member)) {
        agent_reader_fail(outer, "neighbours", "must be an object or null");
    }
    out->is_told = !outer->failed;
    if (outer->failed)
        out->rules = (struct neighbour_rules){0};
}

/* --- who is asked --- */

static void check_letters(struct agent_reader *reader, const char *member, const char *text,
                          const char *letters)
{
    if (!reader->failed && text[strspn(text, letters)] != '\0')
        agent_reader_fail(reader, member, "has other characters than it may have");
}

static void read_one(struct agent_reader *outer, json_t *item, struct agent_neighbour *out)
{
    struct agent_reader reader = {item, outer->why, outer->why_len, false};

    if (!json_is_object(item)) {
        agent_reader_fail(outer, "neighbours", "must hold objects");
        return;
    }
    agent_read_string(&reader, "address", out->address, sizeof(out->address), 1);
    check_letters(&reader, "address", out->address, "0123456789abcdefABCDEF.:[]");
    agent_read_sha256(&reader, "keySha256", out->key_sha256, sizeof(out->key_sha256));
    outer->failed = reader.failed;
}

static void read_named(struct agent_reader *reader, struct agent_neighbours *out)
{
    json_t *array = json_object_get(reader->object, "neighbours");

    if (reader->failed)
        return;
    if (!json_is_array(array) || json_array_size(array) > AGENT_NEIGHBOURS_MAX) {
        agent_reader_fail(reader, "neighbours", "must be an array of at most 4");
        return;
    }
    for (size_t i = 0; i < json_array_size(array) && !reader->failed; i++)
        read_one(reader, json_array_get(array, i), &out->items[i]);
    out->count = json_array_size(array);
}

int agent_neighbours_read(const char *body, size_t len, struct agent_neighbours *out, char *why,
                          size_t why_len)
{
    json_t *document = agent_json_load(body, len, why, why_len);

    *out = (struct agent_neighbours){0};
    if (!document)
        return -1;
    struct agent_reader reader = {document, why, why_len, false};
    out->wait_ms = (uint32_t)agent_read_integer(&reader, "waitMs", 0, WAIT_MAX_MS);
    read_named(&reader, out);
    if (out->count > 0) {
        agent_read_string(&reader, "pass", out->pass, sizeof(out->pass), 1);
        check_letters(&reader, "pass", out->pass, "0123456789abcdef.");
    }
    json_decref(document);
    return reader.failed ? -1 : 0;
}

/* --- the question --- */

const char *agent_neighbour_fault_name(enum agent_neighbour_fault fault)
{
    static const char *const names[] = {
        [AGENT_NEIGHBOUR_UNREACHED] = "unreached", [AGENT_NEIGHBOUR_REFUSED] = "refused",
        [AGENT_NEIGHBOUR_BUSY] = "busy",           [AGENT_NEIGHBOUR_SLOW] = "slow",
        [AGENT_NEIGHBOUR_MISSING] = "missing",     [AGENT_NEIGHBOUR_WRONG_BYTES] = "wrongBytes"};

    return names[fault];
}

static json_t *failures_json(const struct agent_neighbour_failures *failures)
{
    json_t *array = json_array();

    for (size_t i = 0; i < failures->count; i++)
        append(array, json_pack("{ss ss}", "keySha256", failures->items[i].key_sha256, "why",
                                agent_neighbour_fault_name(failures->items[i].fault)));
    return array;
}

char *agent_neighbours_ask(const char *incarnation, const char *manifest, bool is_held,
                           const struct agent_neighbour_failures *failures)
{
    json_t *object = json_pack("{ss ss ss}", "incarnation", incarnation, "manifestSha256", manifest,
                               "state", is_held ? "held" : "wanted");
    char *text;

    if (failures->count > 0)
        set(object, "failed", failures_json(failures));
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (!text)
        abort();
    return text;
}

/* --- what is given --- */

json_t *agent_neighbours_giving(const char *address, const struct agent_holds *holds)
{
    json_t *object = json_object(), *array = json_array();

    for (size_t i = 0; address && i < holds->count; i++)
        append(array, json_string(holds->items[i]));
    set(object, "address", address ? json_string(address) : json_null());
    set(object, "holds", array);
    return object;
}
