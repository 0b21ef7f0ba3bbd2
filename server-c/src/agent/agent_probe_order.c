/* SPDX-License-Identifier: MIT */
/* agent_probe_order.c — reads an order, refuses what would not fit on one line of a request, and
 * tells when its next request is due. */
#include "agent/agent_probe_order.h"

#include "base/mem.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --------------------------------------------------------------------------------- */

void agent_probe_order_fini(struct agent_probe_order *order)
{
    for (size_t i = 0; i < order->path_count; i++) {
        free(order->paths[i].host);
        free(order->paths[i].path);
    }
    memset(order, 0, sizeof(*order));
}

static bool is_host_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.';
}

/* Host and path become lines of a request, so nothing in them may end a line. */
static void check_host(struct agent_reader *reader, const char *host)
{
    for (const char *p = host; *p && !reader->failed; p++)
        if (!is_host_char(*p))
            agent_reader_fail(reader, "host", "must be a name of letters, digits, - and .");
}

static void check_path(struct agent_reader *reader, const char *path)
{
    if (!reader->failed && path[0] != '/')
        agent_reader_fail(reader, "path", "must begin with /");
    for (const char *p = path; *p && !reader->failed; p++)
        if (*p <= ' ' || *p > '~' || *p == '#')
            agent_reader_fail(reader, "path", "must hold only visible ASCII characters without #");
}

static void read_path(struct agent_reader *reader, struct agent_probe_path *out)
{
    char host[AGENT_PROBE_HOST_LEN + 1], path[AGENT_PROBE_PATH_LEN + 1];
    bool has_host = agent_reader_has(reader, "host");
    if (has_host) {
        agent_read_string(reader, "host", host, sizeof(host), 1);
        check_host(reader, host);
    }
    agent_read_string(reader, "path", path, sizeof(path), 1);
    check_path(reader, path);
    if (reader->failed)
        return;
    out->host = has_host ? xstrdup(host) : NULL;
    out->path = xstrdup(path);
}

void agent_probe_paths_read(struct agent_reader *reader, struct agent_probe_order *out, size_t min)
{
    if (reader->failed)
        return;
    const json_t *paths = json_object_get(reader->object, "paths");
    size_t count = json_array_size(paths);
    if (!json_is_array(paths) || count < min || count > AGENT_PROBE_PATHS_MAX)
        agent_reader_fail(reader, "paths",
                          min > 0 ? "must be an array of 1 to 20 objects"
                                  : "must be an array of at most 20 objects");
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct agent_reader item = {json_array_get(paths, i), reader->why, reader->why_len, false};
        if (json_is_object(item.object))
            read_path(&item, &out->paths[out->path_count]);
        else
            agent_reader_fail(&item, "paths", "must be an array of 1 to 20 objects");
        reader->failed = item.failed;
        if (!item.failed)
            out->path_count++;
    }
}

void agent_probe_order_read(struct agent_reader *outer, struct agent_probe_order *out)
{
    memset(out, 0, sizeof(*out));
    if (outer->failed || !agent_reader_has(outer, "probes"))
        return;
    json_t *probes = json_object_get(outer->object, "probes");
    if (!json_is_object(probes)) {
        agent_reader_fail(outer, "probes", "must be an object");
        return;
    }
    struct agent_reader reader = {probes, outer->why, outer->why_len, false};
    agent_read_id(&reader, "id", "probe_", out->id, sizeof(out->id));
    out->per_second =
        (uint32_t)agent_read_integer(&reader, "perSecond", 1, AGENT_PROBE_PER_SECOND_MAX);
    out->count = (uint32_t)agent_read_integer(&reader, "count", 1, AGENT_PROBE_COUNT_MAX);
    if (agent_reader_has(&reader, "answers"))
        out->wants_answers = agent_read_boolean(&reader, "answers");
    agent_probe_paths_read(&reader, out, 1);
    outer->failed = reader.failed;
    if (reader.failed)
        agent_probe_order_fini(out);
}

/* --- when --- */

void agent_probe_pace_begin(struct agent_probe_pace *pace, const struct agent_probe_order *order,
                            uint64_t now_ns)
{
    pace->interval_ns = order->per_second > 0 ? NS_PER_SECOND / order->per_second : NS_PER_SECOND;
    pace->due_ns = now_ns;
    pace->end_ns = now_ns + AGENT_PROBE_SECONDS_MAX * NS_PER_SECOND;
    pace->left = order->path_count > 0 ? order->count : 0;
}

void agent_probe_pace_step(struct agent_probe_pace *pace, uint64_t now_ns)
{
    pace->left--;
    pace->due_ns += pace->interval_ns;
    if (pace->due_ns < now_ns)
        pace->due_ns = now_ns;
}

bool agent_probe_pace_is_over(const struct agent_probe_pace *pace, uint64_t now_ns)
{
    return pace->left == 0 || now_ns >= pace->end_ns;
}

/* --- where --- */

static void take_address(struct agent_probe_target *out, const struct config_listen *listen)
{
    const char *address = listen->address;
    char host[64];
    if (strcmp(address, "0.0.0.0") == 0)
        address = "127.0.0.1";
    if (strcmp(address, "::") == 0)
        address = "::1";
    snprintf(host, sizeof(host), strchr(address, ':') ? "[%.45s]:%u" : "%.45s:%u", address,
             listen->port);
    snprintf(out->url, sizeof(out->url), "http%s://%s", listen->tls ? "s" : "", host);
    snprintf(out->connect_to, sizeof(out->connect_to), "::%.61s", host);
    out->port = listen->port;
    out->speaks_tls = listen->tls;
}

static bool sends_to_tls(const struct config *cfg)
{
    for (size_t i = 0; i < cfg->site_count; i++)
        if (cfg->sites[i].redirect_to_https)
            return true;
    return false;
}

/* 0: one can't connect to it. */
static int merit(const struct config_listen *listen, bool wants_tls)
{
    bool has_socket = listen->socket[0] != '\0';
    if (!has_socket && listen->port == 0)
        return 0;
    return 1 + (has_socket ? 0 : 1) + (listen->tls == wants_tls ? 2 : 0) +
           (listen->proxy_protocol ? 0 : 4);
}

bool agent_probe_target_of(const struct config *cfg, struct agent_probe_target *out)
{
    const struct config_listen *best = NULL;
    bool wants_tls = cfg && sends_to_tls(cfg);
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; cfg && i < cfg->listen_count; i++)
        if (merit(&cfg->listens[i], wants_tls) > (best ? merit(best, wants_tls) : 0))
            best = &cfg->listens[i];
    if (!best)
        return false;
    out->has_proxy_header = best->proxy_protocol;
    if (!best->socket[0]) {
        take_address(out, best);
        return true;
    }
    out->socket = best->socket;
    snprintf(out->url, sizeof(out->url), "http://localhost");
    return true;
}
