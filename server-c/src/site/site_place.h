/* SPDX-License-Identifier: MIT */
/* site_place.h — where the paths of a site lie: in its root, in the folder of an alias, or in a
 * user's home. */
#ifndef FARMSTEAD_SITE_PLACE_H
#define FARMSTEAD_SITE_PLACE_H

#include "files/file_place.h"
#include "http/http_status.h"
#include "site/site_scratch.h"

/* The places of one site. */
struct site_places {
    struct file_place root;
    struct file_place *aliases; /* as many as the config has, in the same order */
    struct file_place homes;    /* its folder is "" if there are no user folders */
    char *homes_folder;         /* on the heap */
};

/* `kept` may be NULL, and must live as long as the places. */
void site_places_init(struct site_places *places, const struct config_site *cfg,
                      const struct kept_files *kept);
/* Prepares a place in a folder that is meant as it stands: braces in its name are literal. */
void site_place_init(struct file_place *place, const struct config_site *cfg, const char *folder,
                     const struct kept_files *kept);
/* Prepares a place in a folder of the node's own, whose look-ups are apart from those of all sites. */
void site_place_init_own(struct file_place *place, const struct config_site *rules,
                         const char *folder);
void site_places_fini(struct site_places *places);

struct site_location {
    const struct file_place *place;
    struct file_key key;
};

/* Finds where `path` (decoded and normalised) lies for a request to `host`. Returns HTTP_OK; 301 if
 * only its final slash is missing; 404 if it can be nowhere. The location points into `path` and
 * the scratch. */
enum http_status site_places_locate(const struct site_places *places, struct span host,
                                    struct span path, struct site_scratch *scratch,
                                    struct site_location *location);

/* Finds the location of one of the site's own files, such as an error page, below its root. */
enum http_status site_places_locate_root(const struct site_places *places, struct span host,
                                         struct span path, struct site_scratch *scratch,
                                         struct site_location *location);

#endif
