/* SPDX-License-Identifier: MIT */
/* site_fallback.c — each version once: equal ones share a folder. */
#include "site/site_fallback.h"

#include "base/mem.h"
#include "match/glob.h"
#include "site/site_place.h"

#include <stdlib.h>
#include <string.h>

static bool has_folder(const struct site_fallbacks *fallbacks, const char *folder)
{
    for (size_t i = 0; i < fallbacks->count; i++)
        if (strcmp(fallbacks->items[i].place.folder, folder) == 0)
            return true;
    return false;
}

void site_fallbacks_init(struct site_fallbacks *fallbacks, const struct config_site *cfg,
                         const struct kept_files *kept, const struct kept_versions *versions)
{
    *fallbacks = (struct site_fallbacks){0};
    if (!versions || cfg->release_fallback_count == 0)
        return;
    fallbacks->items = xcalloc(SITE_FALLBACKS_MAX, sizeof(*fallbacks->items));
    for (size_t i = 0; i < versions->count && fallbacks->count < SITE_FALLBACKS_MAX; i++) {
        const struct kept_version *version = &versions->items[i];
        struct site_fallback *item = &fallbacks->items[fallbacks->count];
        if (strcmp(version->release, cfg->release) != 0 ||
            strcmp(version->folder, cfg->root) == 0 || has_folder(fallbacks, version->folder))
            continue;
        site_place_init(&item->place, cfg, version->folder, kept);
        item->version = version;
        fallbacks->count++;
    }
}

void site_fallbacks_fini(struct site_fallbacks *fallbacks)
{
    free(fallbacks->items);
}

bool site_fallbacks_have(const struct config_site *cfg, struct span path)
{
    return path.ptr[path.len - 1] != '/' &&
           glob_path_in(cfg->release_fallback, cfg->release_fallback_count, path);
}
