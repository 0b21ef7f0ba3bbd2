/* SPDX-License-Identifier: MIT */
/* agent_challenges.c — reads and writes challenges in messages. */
#include "agent/agent_challenges.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define LONGEST_MS 86400000

static void read_of(struct agent_reader *reader, const char *member, char *out, size_t size,
                    const char *letters)
{
    agent_read_string(reader, member, out, size, 1);
    if (!reader->failed && strspn(out, letters) != strlen(out))
        agent_reader_fail(reader, member, "has a character that is not allowed there");
}

static void read_one(struct agent_reader *reader, struct acme_challenge *out)
{
    agent_read_string(reader, "host", out->host, sizeof(out->host), 1);
    read_of(reader, "token", out->token, sizeof(out->token), LETTERS);
    read_of(reader, "keyAuthorization", out->answer, sizeof(out->answer), LETTERS ".");
    out->ends_ms = agent_read_integer(reader, "endsInMs", 0, LONGEST_MS);
}

void agent_challenges_fini(struct agent_challenges *challenges)
{
    free(challenges->items);
    *challenges = (struct agent_challenges){0};
}

void agent_challenges_read(struct agent_reader *outer, struct agent_challenges *out)
{
    *out = (struct agent_challenges){0};
    if (outer->failed || !agent_reader_has(outer, "challenges"))
        return;
    json_t *array = json_object_get(outer->object, "challenges");
    if (!json_is_array(array) || json_array_size(array) > ACME_CHALLENGES_MAX) {
        agent_reader_fail(outer, "challenges", "must be an array of at most 256");
        return;
    }
    out->is_said = true;
    out->items = xcalloc(json_array_size(array), sizeof(*out->items));
    for (; out->count < json_array_size(array) && !outer->failed; out->count++) {
        struct agent_reader reader = {json_array_get(array, out->count), outer->why, outer->why_len,
                                      false};
        if (!json_is_object(reader.object))
            agent_reader_fail(outer, "challenges", "must hold objects");
        else
            read_one(&reader, &out->items[out->count]);
        outer->failed |= reader.failed;
    }
    if (outer->failed)
        agent_challenges_fini(out);
}

json_t *agent_challenges_tokens(const struct agent_challenges *challenges)
{
    json_t *array = json_array();
    for (size_t i = 0; i < challenges->count; i++)
        if (json_array_append_new(array, json_string(challenges->items[i].token)) != 0)
            abort();
    return array;
}

bool agent_challenges_equal(const struct agent_challenges *a, const struct agent_challenges *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i].host, b->items[i].host) != 0 ||
            strcmp(a->items[i].token, b->items[i].token) != 0 ||
            strcmp(a->items[i].answer, b->items[i].answer) != 0)
            return false;
    return true;
}
