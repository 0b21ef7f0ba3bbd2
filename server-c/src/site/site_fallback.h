/* SPDX-License-Identifier: MIT */
/* site_fallback.h — where a site looks for files that the version which it serves does not have
 * (sites[].releaseFallback): the other versions of its release, each a place of its own.
 *
 * Prepared with the site, and as immutable. */
#ifndef FARMSTEAD_SITE_FALLBACK_H
#define FARMSTEAD_SITE_FALLBACK_H

#include "base/util.h"
#include "files/file_place.h"
#include "site/kept_versions.h"

#define SITE_FALLBACKS_MAX 64 /* versions that are looked at for one request */

struct site_fallback {
    struct file_place place;
    const struct kept_version *version; /* of the list it was made from */
};

struct site_fallbacks {
    struct site_fallback *items;
    size_t count; /* 0: the site has no such paths, or there are no others */
};

/* `versions` (NULL: none) and `kept` must live as long. */
void site_fallbacks_init(struct site_fallbacks *fallbacks, const struct config_site *cfg,
                         const struct kept_files *kept, const struct kept_versions *versions);
void site_fallbacks_fini(struct site_fallbacks *fallbacks);

/* Are files with this path looked for there? Never folders, and their index files. */
bool site_fallbacks_have(const struct config_site *cfg, struct span path);

#endif
