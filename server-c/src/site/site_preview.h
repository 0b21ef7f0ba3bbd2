/* SPDX-License-Identifier: MIT */
/* site_preview.h — versions of releases that are shown under a name of their own: each as the site of the config
 * would show it, to who has its key. Neither the site nor its visitors notice.
 *
 * Here is what such a site is made from: the config's own site with another host and another folder, and not to be
 * found or kept by anybody. The rules by which people sign in to the site do not hold: the key stands for them. */
#ifndef FARMSTEAD_SITE_PREVIEW_H
#define FARMSTEAD_SITE_PREVIEW_H

#include "config/config.h"
#include "site/kept_versions.h"

#include <stddef.h>

struct site_preview {
    struct config_site cfg; /* refers to the config's memory */
    char *hosts[1];
    struct config_header_rule *headers;
    size_t site; /* which of the config */
    const struct kept_version *version;
};

struct site_previews {
    struct site_preview *items;
    size_t count;
};

/* Of each version that has a preview and that a site serves a version of; it is one of the first such site. `cfg` and
 * `versions` (NULL: none) must live as long. */
void site_previews_init(struct site_previews *previews, const struct config *cfg,
                        const struct kept_versions *versions);
void site_previews_fini(struct site_previews *previews);

#endif
