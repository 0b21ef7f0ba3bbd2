/* SPDX-License-Identifier: MIT */
/* site_preview.c — copies a site of the config and changes what a preview has otherwise. */
#include "site/site_preview.h"

#include "base/mem.h"
#include "base/util.h"
#include "config/config_security.h"
#include "response/response_rules.h"

#include <stdlib.h>
#include <string.h>

static char robots[] = "X-Robots-Tag", robots_value[] = "noindex, nofollow";
static char caching[] = "Cache-Control", caching_value[] = "private, no-store";
/* What else tells caches to keep it, and what a browser would hold against the name for long. */
static char cdn_caching[] = "CDN-Cache-Control", surrogate[] = "Surrogate-Control";
static char expiry[] = "Expires", hsts[] = "Strict-Transport-Security", nothing[] = "";
static const struct config_header_rule own_rules[] = {
    {.action = HEADER_REMOVE, .name = cdn_caching, .value = nothing},
    {.action = HEADER_REMOVE, .name = surrogate, .value = nothing},
    {.action = HEADER_REMOVE, .name = expiry, .value = nothing},
    {.action = HEADER_REMOVE, .name = hsts, .value = nothing},
    {.action = HEADER_SET, .name = robots, .value = robots_value},
    {.action = HEADER_SET, .name = caching, .value = caching_value},
};

/* Ours come last, so that they win; of as many as a site may have there may be some too many. */
static void add_headers(struct site_preview *preview, const struct config_site *site)
{
    size_t most = RESPONSE_RULES_MAX - SECURITY_HEADERS_MAX - ARRAY_LEN(own_rules);
    size_t count = smaller_of(site->header_count, most);

    preview->headers = xcalloc(count + ARRAY_LEN(own_rules), sizeof(*preview->headers));
    if (count > 0)
        memcpy(preview->headers, site->headers, count * sizeof(*preview->headers));
    memcpy(preview->headers + count, own_rules, sizeof(own_rules));
    preview->cfg.headers = preview->headers;
    preview->cfg.header_count = count + ARRAY_LEN(own_rules);
    preview->cfg.expires_count = 0;
}

static void make(struct site_preview *preview, const struct config_site *site)
{
    preview->hosts[0] = (char *)(uintptr_t)preview->version->preview.host;
    preview->cfg = *site;
    preview->cfg.hosts = preview->hosts;
    preview->cfg.host_count = 1;
    preview->cfg.root = preview->version->folder;
    preview->cfg.release_fallback_count = 0;
    preview->cfg.release_dictionary_count = 0;
    preview->cfg.auth_count = 0;
    add_headers(preview, site);
}

/* The config's count: none. */
static size_t site_of(const struct config *cfg, const char *release)
{
    size_t i = 0;

    while (i < cfg->site_count && strcmp(cfg->sites[i].release, release) != 0)
        i++;
    return i;
}

void site_previews_init(struct site_previews *previews, const struct config *cfg,
                        const struct kept_versions *versions)
{
    *previews = (struct site_previews){
        xcalloc(kept_versions_previews(versions), sizeof(*previews->items)), 0};
    for (size_t i = 0; versions && i < versions->count; i++) {
        const struct kept_version *version = &versions->items[i];
        size_t site = site_of(cfg, version->release);
        if (version->preview.host[0] == '\0' || site == cfg->site_count)
            continue;
        struct site_preview *preview = &previews->items[previews->count++];
        preview->site = site;
        preview->version = version;
        make(preview, &cfg->sites[site]);
    }
}

void site_previews_fini(struct site_previews *previews)
{
    for (size_t i = 0; i < previews->count; i++)
        free(previews->items[i].headers);
    free(previews->items);
}
