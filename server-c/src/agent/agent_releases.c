/* SPDX-License-Identifier: MIT */
/* agent_releases.c — reads, writes and compares lists of releases. */
#include "agent/agent_releases.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 2147483647u

void agent_releases_fini(struct agent_releases *list)
{
    free(list->items);
    *list = (struct agent_releases){0};
}

void agent_releases_copy(struct agent_releases *to, const struct agent_releases *from)
{
    *to = (struct agent_releases){xcalloc(from->count, sizeof(*from->items)), from->count};
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof(*from->items));
}

static void read_one(struct agent_reader *reader, struct agent_release *out)
{
    agent_read_name(reader, "name", out->name, sizeof(out->name));
    out->number = agent_read_integer(reader, "number", 1, NUMBER_MAX);
    agent_read_sha256(reader, "manifestSha256", out->manifest, sizeof(out->manifest));
}

void agent_releases_read(struct agent_reader *outer, struct agent_releases *out)
{
    *out = (struct agent_releases){0};
    if (outer->failed || !agent_reader_has(outer, "releases"))
        return;
    json_t *array = json_object_get(outer->object, "releases");
    if (!json_is_array(array) || json_array_size(array) > AGENT_RELEASES_MAX) {
        agent_reader_fail(outer, "releases", "must be an array of at most 1024");
        return;
    }
    out->items = xcalloc(json_array_size(array), sizeof(*out->items));
    for (; out->count < json_array_size(array) && !outer->failed; out->count++) {
        struct agent_release *item = &out->items[out->count];
        struct agent_reader reader = {json_array_get(array, out->count), outer->why, outer->why_len,
                                      false};
        if (!json_is_object(reader.object))
            agent_reader_fail(outer, "releases", "must hold objects");
        else
            read_one(&reader, item);
        outer->failed |= reader.failed;
        if (!outer->failed && out->count > 0 && strcmp(item->name, item[-1].name) <= 0)
            agent_reader_fail(outer, "releases", "must be sorted by name, each once");
    }
    if (outer->failed)
        agent_releases_fini(out);
}

json_t *agent_releases_json(const struct agent_releases *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct agent_release *item = &list->items[i];
        json_t *object =
            json_pack("{ss sI ss}", "name", item->name, "number", (json_int_t)item->number,
                      "manifestSha256", item->manifest);
        if (json_array_append_new(array, object) != 0)
            abort();
    }
    return array;
}

json_t *agent_fetching_json(const struct agent_fetching *fetching)
{
    return json_pack("{ss sI sI sI sI}", "manifestSha256", fetching->manifest, "files",
                     (json_int_t)fetching->files, "filesDone", (json_int_t)fetching->files_done,
                     "bytes", (json_int_t)fetching->bytes, "bytesDone",
                     (json_int_t)fetching->bytes_done);
}

const struct agent_release *agent_releases_find(const struct agent_releases *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}
