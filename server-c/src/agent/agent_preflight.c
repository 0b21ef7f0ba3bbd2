/* SPDX-License-Identifier: MIT */
/* agent_preflight.c — the text is parsed and checked like that of an assignment, and the answers
 * come from the rules and look-ups that requests use (site_forecast.h). */
#include "agent/agent_preflight.h"

#include "agent/agent_check.h"
#include "agent/agent_messages.h"
#include "base/mem.h"
#include "server/server.h"
#include "site/site_forecast.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((uint64_t)INT64_MAX)

/* Beside each version. */
static void read_needs(struct agent_reader *outer, struct agent_preflight *out)
{
    json_t *array = json_object_get(outer->object, "releases");
    out->needs = xcalloc(out->releases.count, sizeof(*out->needs));
    for (size_t i = 0; i < out->releases.count && !outer->failed; i++) {
        struct agent_reader reader = {json_array_get(array, i), outer->why, outer->why_len, false};
        out->needs[i].fetch_bytes = agent_read_integer(&reader, "fetchBytes", 0, BYTES_MAX);
        out->needs[i].held_bytes = agent_read_integer(&reader, "heldBytes", 0, BYTES_MAX);
        outer->failed |= reader.failed;
    }
}

void agent_preflight_read(struct agent_reader *reader, struct agent_preflight *out)
{
    memset(out, 0, sizeof(*out));
    agent_read_id(reader, "requestId", "request_", out->id, sizeof(out->id));
    agent_read_digest(reader, "digest", out->digest, sizeof(out->digest));
    out->text = agent_read_text(reader, "text", AGENT_PREFLIGHT_TEXT_MAX, &out->text_len);
    agent_probe_paths_read(reader, &out->sample, 0);
    out->has_releases = agent_reader_has(reader, "releases");
    agent_releases_read(reader, &out->releases);
    read_needs(reader, out);
}

void agent_preflight_fini(struct agent_preflight *preflight)
{
    free(preflight->text);
    agent_probe_order_fini(&preflight->sample);
    agent_releases_fini(&preflight->releases);
    free(preflight->needs);
    memset(preflight, 0, sizeof(*preflight));
}

bool agent_preflight_take(struct agent_preflight *waiting, const char *answered_id,
                          struct agent_preflight *asked)
{
    if (!asked->id[0] || waiting->id[0] || strcmp(asked->id, answered_id) == 0)
        return false;
    *waiting = *asked;
    memset(asked, 0, sizeof(*asked));
    return true;
}

/* What a site answers with whose files are not here yet, nobody knows. */
static bool is_known(const struct site_set *sites, struct span host)
{
    const struct site *site = site_set_find(sites, host);
    return !site || !agent_check_site_lacks_release(site->cfg);
}

/* The statuses are 0 if nothing is served, or not known. */
static void forecast(const struct agent_preflight *preflight, struct config *cfg,
                     struct server *server, int *statuses)
{
    if (!cfg)
        return;
    struct kept_versions *versions = server_versions(server);
    struct site_set *sites = site_set_new(cfg, versions, NULL);
    kept_versions_put(versions);
    for (size_t i = 0; i < preflight->sample.path_count; i++) {
        const struct agent_probe_path *path = &preflight->sample.paths[i];
        const char *name = path->host ? path->host : "";
        const struct span host = {name, strlen(name)};
        if (is_known(sites, host))
            statuses[i] =
                (int)site_forecast(sites, host, (struct span){path->path, strlen(path->path)});
    }
    site_set_put(sites);
}

static bool find_room(const struct agent_preflight *preflight, const struct config *cfg,
                      const struct agent_room *room, struct agent_nack *nack)
{
    char why[AGENT_TEXT_LEN / 2];
    for (size_t i = 0; i < preflight->releases.count; i++) {
        const struct agent_release *item = &preflight->releases.items[i];
        if (!agent_check_lacks_version(item, cfg) ||
            agent_room_fits(&preflight->needs[i], cfg->releases.store_max_bytes, room, why,
                            sizeof(why)))
            continue;
        const struct agent_assignment nobodys = {0};
        agent_nack_init(nack, &nobodys, "resource_limit",
                        "version %" PRIu64 " of the release \"%s\": %s", item->number, item->name,
                        why);
        return false;
    }
    return true;
}

/* NULL: it would be refused, as `nack` says. */
static struct config *judge(const struct agent_preflight *preflight, const struct config *running,
                            const struct agent_room *room, struct server *server,
                            struct agent_nack *nack)
{
    struct agent_assignment assignment = {.text = preflight->text, .text_len = preflight->text_len};
    snprintf(assignment.offer.version.digest, sizeof(assignment.offer.version.digest), "%s",
             preflight->digest);
    if (preflight->has_releases)
        agent_releases_copy(&assignment.releases, &preflight->releases);
    else
        agent_releases_running(&assignment.releases, running);
    struct config *offered = agent_check_release(&assignment, server, nack);
    agent_releases_fini(&assignment.releases);
    if (offered && !find_room(preflight, offered, room, nack)) {
        config_put(offered);
        return NULL;
    }
    return offered;
}

char *agent_preflight_answer(const struct agent_preflight *preflight, const char *incarnation,
                             const struct agent_room *room, struct server *server)
{
    struct agent_nack nack = {0};
    struct agent_checked checked = {.incarnation = incarnation,
                                    .request_id = preflight->id,
                                    .refusal = NULL,
                                    .path_count = preflight->sample.path_count};
    struct config *running = server_config(server);
    struct config *offered = judge(preflight, running, room, server, &nack);
    if (!offered)
        checked.refusal = &nack;
    forecast(preflight, running, server, checked.running);
    forecast(preflight, offered, server, checked.offered);
    config_put(running);
    config_put(offered);
    char *body = agent_build_check(&checked);
    agent_nack_fini(&nack);
    return body;
}
