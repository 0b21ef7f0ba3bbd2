/* SPDX-License-Identifier: MIT */
/* site_limits.c — rules are few, and looked at in their order. */
#include "site/site_limits.h"

#include "base/mem.h"
#include "match/glob.h"

/* FNV-1a; the table that counts mixes it with a seed. */
static uint64_t mark_of(const char *host, size_t index)
{
    uint64_t mark = UINT64_C(0xcbf29ce484222325) + index;

    for (; *host != '\0'; host++)
        mark = (mark ^ (unsigned char)*host) * UINT64_C(0x100000001b3);
    return mark;
}

struct site_limit *site_limits_new(const struct config_site *cfg)
{
    struct site_limit *limits;

    if (cfg->request_limit_count == 0)
        return NULL;
    limits = xcalloc(cfg->request_limit_count, sizeof(*limits));
    for (size_t i = 0; i < cfg->request_limit_count; i++) {
        const struct config_request_limit *rule = &cfg->request_limits[i];
        limits[i] = (struct site_limit){
            .cfg = rule,
            .mark = mark_of(cfg->hosts[0], i),
            .interval_ns = rule->per_seconds * NS_PER_SECOND / rule->requests,
        };
    }
    return limits;
}

const struct site_limit *site_limits_find(const struct site_limit *limits,
                                          const struct config_site *cfg, struct span path)
{
    for (size_t i = 0; i < cfg->request_limit_count; i++)
        if (glob_path_in(limits[i].cfg->paths, limits[i].cfg->path_count, path))
            return &limits[i];
    return NULL;
}
