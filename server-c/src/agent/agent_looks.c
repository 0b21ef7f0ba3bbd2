/* SPDX-License-Identifier: MIT */
/* agent_looks.c — a search whose filter says something that this node does not know is not done: it
 * would find more than what was asked for. */
#include "agent/agent_looks.h"

#include "base/util.h"

#include <stdio.h>
#include <string.h>

#define DAY_MS (24u * 3600 * 1000)
#define STATUS_MIN 100
#define STATUS_MAX 599

static void read_text(struct agent_reader *reader, const char *member, char *out, size_t size)
{
    if (agent_reader_has(reader, member))
        agent_read_string(reader, member, out, size, 1);
}

static uint64_t read_number(struct agent_reader *reader, const char *member, uint64_t min,
                            uint64_t max)
{
    return agent_reader_has(reader, member) ? agent_read_integer(reader, member, min, max) : 0;
}

static void read_client(struct agent_reader *reader, struct request_filter *out)
{
    char text[64] = "";
    const char *wrong;

    read_text(reader, "client", text, sizeof(text));
    if (reader->failed || text[0] == '\0')
        return;
    wrong = address_block_parse(&out->client, text);
    out->has_client = wrong == NULL;
    if (wrong)
        agent_reader_fail(reader, "client", wrong);
}

static void read_path(struct agent_reader *reader, struct request_filter *out)
{
    out->path_begins = agent_reader_has(reader, "pathPrefix");
    read_text(reader, out->path_begins ? "pathPrefix" : "pathPart", out->path, sizeof(out->path));
    if (out->path_begins && agent_reader_has(reader, "pathPart"))
        agent_reader_fail(reader, "pathPart", "does not go with pathPrefix");
}

static void read_status(struct agent_reader *reader, struct request_filter *out)
{
    out->status_from = (uint16_t)read_number(reader, "statusFrom", STATUS_MIN, STATUS_MAX);
    out->status_to = (uint16_t)read_number(reader, "statusTo", STATUS_MIN, STATUS_MAX);
    if (!reader->failed && (out->status_from == 0) != (out->status_to == 0))
        agent_reader_fail(reader, "statusFrom", "goes with statusTo");
}

static bool is_known(json_t *filter)
{
    static const char *const known[] = {"site",       "host",    "pathPrefix",   "pathPart",
                                        "method",     "client",  "slowerThanMs", "bytesFrom",
                                        "statusFrom", "statusTo"};
    const char *name;
    json_t *value;

    json_object_foreach(filter, name, value)
    {
        size_t i = 0;
        while (i < ARRAY_LEN(known) && strcmp(known[i], name) != 0)
            i++;
        if (i == ARRAY_LEN(known))
            return false;
    }
    return true;
}

static void read_filter(struct agent_reader *outer, struct request_filter *out)
{
    json_t *filter = json_object_get(outer->object, "filter");
    struct agent_reader reader = {filter, outer->why, outer->why_len, outer->failed};

    if (!json_is_object(filter)) {
        agent_reader_fail(outer, "filter", "must be an object");
        return;
    }
    read_text(&reader, "site", out->site, sizeof(out->site));
    read_text(&reader, "host", out->host, sizeof(out->host));
    read_text(&reader, "method", out->method, sizeof(out->method));
    read_path(&reader, out);
    read_status(&reader, out);
    read_client(&reader, out);
    out->slower_ns = read_number(&reader, "slowerThanMs", 0, DAY_MS) * NS_PER_MS;
    out->bytes_from = read_number(&reader, "bytesFrom", 0, AGENT_JSON_MAX_INTEGER);
    outer->failed = reader.failed;
}

static void read_search(struct agent_reader *reader, struct agent_looks *out)
{
    struct request_search *search = &out->searches[out->search_count];

    if (!is_known(json_object_get(reader->object, "filter")))
        return;
    agent_read_id(reader, "id", "search_", search->id, sizeof(search->id));
    out->searches_for_ms[out->search_count] =
        (uint32_t)agent_read_integer(reader, "forMs", 0, DAY_MS);
    search->most = (uint32_t)agent_read_integer(reader, "most", 1, REQUEST_SEARCH_MOST);
    search->tells_clients = agent_read_boolean(reader, "tellsClients");
    read_filter(reader, &search->filter);
    out->search_count++;
}

void agent_looks_read(struct agent_reader *reader, struct agent_looks *out)
{
    json_t *searches = json_object_get(reader->object, "searches");

    memset(out, 0, sizeof(*out));
    out->is_said = true;
    out->for_ms = (uint32_t)agent_read_integer(reader, "forMs", 0, DAY_MS);
    if (searches && (!json_is_array(searches) || json_array_size(searches) > REQUEST_SEARCHES_MAX))
        agent_reader_fail(reader, "searches", "must be an array of at most 4 objects");
    for (size_t i = 0; !reader->failed && i < json_array_size(searches); i++) {
        struct agent_reader item = {json_array_get(searches, i), reader->why, reader->why_len,
                                    false};
        if (json_is_object(item.object))
            read_search(&item, out);
        else
            agent_reader_fail(&item, "searches", "must be an array of objects");
        reader->failed = item.failed;
    }
    if (reader->failed)
        memset(out, 0, sizeof(*out));
}
