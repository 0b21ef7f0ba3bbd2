/* SPDX-License-Identifier: MIT */
/* site_place.h — where a site's paths lie: in its root, in an alias's folder, in a user's home. */
#ifndef FARMSTEAD_SITE_PLACE_H
#define FARMSTEAD_SITE_PLACE_H

#include "files/file_place.h"
#include "http/http_status.h"
#include "site/site_scratch.h"

/* The places of one site. */
struct site_places {
    struct file_place root;
    struct file_place *aliases; /* as many and in the order of the config's */
    struct file_place homes;    /* folder "": no user folders */
    char *homes_folder;         /* owned */
};

/* `kept`, which may be NULL, lives as long as the places. */
void site_places_init(struct site_places *places, const struct config_site *cfg,
                      const struct kept_files *kept);
void site_places_fini(struct site_places *places);

struct site_location {
    const struct file_place *place;
    struct file_key key;
};

/* Where `path` (decoded, normalised) lies when `host` was asked for. HTTP_OK; 301 when only its
 * slash at the end is missing; 404 when it can't be anywhere. The key's memory is `path`'s or the
 * scratch's. */
enum http_status site_places_locate(const struct site_places *places, struct span host,
                                    struct span path, struct site_scratch *scratch,
                                    struct site_location *location);

/* The place for the site's own files, such as error pages. */
enum http_status site_places_locate_root(const struct site_places *places, struct span host,
                                         struct span path, struct site_scratch *scratch,
                                         struct site_location *location);

#endif
