/* SPDX-License-Identifier: MIT */
/* agent_versions.c — names folders by manifests, and numbers by what the server has counted. */
#include "agent/agent_versions.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void agent_versions_tell(struct server *server, const struct agent_releases *const *lists,
                         size_t count, const struct agent_previews *previews)
{
    struct agent_releases all = {0};
    for (size_t i = 0; i < count; i++)
        agent_releases_add(&all, lists[i]);
    struct kept_version_said *said = xcalloc(all.count, sizeof(*said));
    char **folders = xcalloc(all.count, sizeof(*folders));
    for (size_t i = 0; i < all.count; i++) {
        folders[i] = agent_releases_folder(&all.items[i]);
        said[i] = (struct kept_version_said){all.items[i].name, folders[i], all.items[i].number,
                                             agent_previews_find(previews, &all.items[i])};
    }
    server_use_versions(server, said, all.count);
    for (size_t i = 0; i < all.count; i++)
        free(folders[i]);
    free(folders);
    free(said);
    agent_releases_fini(&all);
}

/* --- what was counted --- */

static bool is_reported(const struct config *cfg, const struct kept_version *version)
{
    bool is_asked_for = false;
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct config_site *site = &cfg->sites[i];
        if (strcmp(site->release, version->release) != 0)
            continue;
        if (strcmp(site->root, version->folder) == 0)
            return false;
        is_asked_for |= site->release_fallback_count > 0;
    }
    return is_asked_for;
}

static json_t *version_json(const struct kept_version *version)
{
    struct kept_asked asked = kept_version_asked(version);
    json_t *object = json_pack("{ss sI sI}", "name", version->release, "number",
                               (json_int_t)version->number, "requests", (json_int_t)asked.requests);
    json_t *last =
        asked.last_unix_ms > 0 ? json_integer((json_int_t)asked.last_unix_ms) : json_null();
    if (!object || json_object_set_new(object, "lastRequestMs", last) != 0)
        abort();
    return object;
}

static bool has_fallbacks(const struct config *cfg)
{
    for (size_t i = 0; cfg && i < cfg->site_count; i++)
        if (cfg->sites[i].release_fallback_count > 0)
            return true;
    return false;
}

json_t *agent_versions_json(struct server *server)
{
    struct config *cfg = server_config(server);
    struct kept_versions *versions = server_versions(server);
    json_t *array = has_fallbacks(cfg) ? json_array() : NULL;
    for (size_t i = 0; array && versions && i < versions->count; i++)
        if (is_reported(cfg, &versions->items[i]) &&
            json_array_size(array) < AGENT_KEPT_REPORTED_MAX &&
            json_array_append_new(array, version_json(&versions->items[i])) != 0)
            abort();
    kept_versions_put(versions);
    config_put(cfg);
    return array;
}
