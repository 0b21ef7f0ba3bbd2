/* SPDX-License-Identifier: MIT */
/* agent_previews.c — a preview never changes: by its id one is known again. */
#include "agent/agent_previews.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_MS 2678400000u /* a month */

static void read_one(struct agent_reader *reader, struct agent_preview *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";

    agent_read_id(reader, "id", "preview_", out->id, sizeof(out->id));
    agent_read_name(reader, "name", out->release, sizeof(out->release));
    agent_read_sha256(reader, "manifestSha256", out->manifest, sizeof(out->manifest));
    agent_read_string(reader, "host", out->shown.host, sizeof(out->shown.host), 1);
    agent_read_sha256(reader, "keySha256", out->shown.key_sha256, sizeof(out->shown.key_sha256));
    out->ends_ms = agent_read_integer(reader, "endsInMs", 0, LONGEST_MS);
    if (!reader->failed && out->shown.host[strspn(out->shown.host, letters)] != '\0')
        agent_reader_fail(reader, "host", "has a character that is not allowed there");
}

void agent_previews_read(struct agent_reader *outer, struct agent_previews_told *out)
{
    *out = (struct agent_previews_told){0};
    if (outer->failed || !agent_reader_has(outer, "previews"))
        return;
    json_t *array = json_object_get(outer->object, "previews");
    if (!json_is_array(array) || json_array_size(array) > AGENT_PREVIEWS_MAX) {
        agent_reader_fail(outer, "previews", "must be an array of at most 8");
        return;
    }
    for (size_t i = 0; i < json_array_size(array) && !outer->failed; i++) {
        struct agent_reader reader = {json_array_get(array, i), outer->why, outer->why_len, false};
        if (!json_is_object(reader.object))
            agent_reader_fail(outer, "previews", "must hold objects");
        else
            read_one(&reader, &out->list.items[out->list.count++]);
        outer->failed |= reader.failed;
    }
    out->is_told = !outer->failed;
}

static bool has(const struct agent_previews *previews, const char *id)
{
    for (size_t i = 0; i < previews->count; i++)
        if (strcmp(previews->items[i].id, id) == 0)
            return true;
    return false;
}

bool agent_previews_take(struct agent_previews *previews, const struct agent_previews *list,
                         uint64_t now_ms)
{
    bool is_news = list->count != previews->count;
    for (size_t i = 0; i < list->count; i++)
        is_news |= !has(previews, list->items[i].id);
    *previews = *list;
    for (size_t i = 0; i < previews->count; i++)
        previews->items[i].ends_ms += now_ms;
    return is_news;
}

bool agent_previews_drop(struct agent_previews *previews, uint64_t now_ms)
{
    size_t kept = 0, before = previews->count;
    for (size_t i = 0; i < before; i++)
        if (now_ms < previews->items[i].ends_ms)
            previews->items[kept++] = previews->items[i];
    previews->count = kept;
    return kept < before;
}

const struct kept_preview *agent_previews_find(const struct agent_previews *previews,
                                               const struct agent_release *version)
{
    for (size_t i = 0; i < previews->count; i++)
        if (strcmp(previews->items[i].release, version->name) == 0 &&
            strcmp(previews->items[i].manifest, version->manifest) == 0)
            return &previews->items[i].shown;
    return NULL;
}

json_t *agent_previews_json(const struct agent_previews *previews)
{
    json_t *array = json_array();
    for (size_t i = 0; i < previews->count; i++)
        if (json_array_append_new(array, json_string(previews->items[i].id)) != 0)
            abort();
    return array;
}
