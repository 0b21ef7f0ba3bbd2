/* SPDX-License-Identifier: MIT */
/* site_try.h — what is looked for at a path, one after the other (sites[].tryFiles), and at which of its
 * two addresses a page is (trailingSlash, cleanUrls).
 *
 * It only decides, and uses no file. Any thread. */
#ifndef FARMSTEAD_SITE_TRY_H
#define FARMSTEAD_SITE_TRY_H

#include "config/config.h"
#include "http/http_status.h"
#include "http/url_path.h"
#include "site/site_place.h"

/* The candidates for one request. */
struct site_try {
    const struct config *cfg;
    const struct config_site *site;
    char *const *candidates;
    size_t count; /* 0: the file or folder at the path itself, as always */
};

void site_try_init(struct site_try *tries, const struct config *cfg, const struct config_site *site,
                   struct span path);

enum site_candidate {
    CANDIDATE_PATH,   /* `path` is to be looked for */
    CANDIDATE_OF_ALL, /* the same, and it stands for many paths */
    CANDIDATE_STATUS, /* *status is the answer */
    CANDIDATE_NONE    /* there is none for this path; the next one may be */
};
/* Turns the path, in memory of `cap` bytes, into candidate `index`. */
enum site_candidate site_try_path(const struct site_try *tries, size_t index, struct url_path *path,
                                  char *bytes, size_t cap, enum http_status *status);

/* As site_places_locate() for a candidate's path: what stands for many paths is a file of the site's root,
 * below no alias and in nobody's home. */
enum http_status site_try_locate(const struct site_places *places, enum site_candidate kind,
                                 struct span host, struct span path, struct site_scratch *scratch,
                                 struct site_location *location);

/* Is it the file at the path itself? */
bool site_try_is_same(const struct site_try *tries, size_t index);

/* Was there nothing that answers the request, so that the next candidate is looked for? `status` is
 * what the look-up has found. */
bool site_try_is_miss(enum http_status status);

/* The page that was found. */
struct site_page {
    struct span asked;     /* the path that was asked for */
    const char *candidate; /* by which it was found */
    bool is_list;          /* it is a folder's list */
};
enum site_address {
    ADDRESS_RIGHT,
    ADDRESS_ADD_SLASH,
    ADDRESS_DROP_SLASH,
    ADDRESS_DROP_HTML, /* without ".html" */
    ADDRESS_DROP_NAME  /* without the name of an index file */
};
/* Where it has to be asked for instead. */
enum site_address site_try_address(const struct site_try *tries, const struct site_page *page);

/* Changes the path accordingly, in place: there is room for a slash and a NUL. */
void site_try_move(enum site_address address, const struct config_site *site, struct url_path *path,
                   char *bytes);

#endif
