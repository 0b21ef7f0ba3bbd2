/* SPDX-License-Identifier: MIT */
/* agent_watch_order.c — reads the order. */
#include "agent/agent_watch_order.h"

#include <ctype.h>
#include <string.h>

#define PATHS "must be an array of 1 to 8 objects"

static void read_path(struct agent_reader *reader, struct watched_path *out)
{
    if (agent_reader_has(reader, "host"))
        agent_read_string(reader, "host", out->host, sizeof(out->host), 1);
    agent_read_string(reader, "path", out->path, sizeof(out->path), 1);
    if (!reader->failed && out->path[0] != '/')
        agent_reader_fail(reader, "path", "must begin with /");
    for (char *p = out->host; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    out->host_len = strlen(out->host);
    out->path_len = strlen(out->path);
}

static void read_paths(struct agent_reader *reader, struct path_watch *out)
{
    const json_t *paths = json_object_get(reader->object, "paths");
    size_t count = json_array_size(paths);

    if (!reader->failed && (count < 1 || count > PATH_WATCH_MAX))
        agent_reader_fail(reader, "paths", PATHS);
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct agent_reader item = {json_array_get(paths, i), reader->why, reader->why_len, false};
        if (json_is_object(item.object))
            read_path(&item, &out->paths[i]);
        else
            agent_reader_fail(&item, "paths", PATHS);
        reader->failed = item.failed;
    }
    out->count = reader->failed ? 0 : count;
}

void agent_watch_read(struct agent_reader *outer, struct agent_watch_order *out)
{
    memset(out, 0, sizeof(*out));
    if (outer->failed || !agent_reader_has(outer, "watch"))
        return;
    struct agent_reader reader = {json_object_get(outer->object, "watch"), outer->why,
                                  outer->why_len, false};
    if (!json_is_object(reader.object))
        agent_reader_fail(&reader, "watch", "must be an object");
    agent_read_id(&reader, "id", "watch_", out->watch.id, sizeof(out->watch.id));
    out->for_ms = (uint32_t)agent_read_integer(&reader, "forMs", 1, 86400000);
    read_paths(&reader, &out->watch);
    outer->failed = reader.failed;
    if (reader.failed)
        memset(out, 0, sizeof(*out));
}
