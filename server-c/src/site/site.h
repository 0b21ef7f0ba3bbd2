/* SPDX-License-Identifier: MIT */
/* site.h — which site answers for a host: a config's sites, made ready for requests.
 *
 * Immutable and counted, shared by all loops. Holds its config. */
#ifndef FARMSTEAD_SITE_H
#define FARMSTEAD_SITE_H

#include "base/util.h"
#include "config/config.h"
#include "http/http_coding.h"
#include "response/response.h"
#include "site/named_files.h"
#include "site/rate_limit.h"
#include "site/site_place.h"
#include "site/site_policy.h"
#include "site/visitor.h"

struct site {
    const struct config_site *cfg;
    struct response_rules rules;
    struct site_places places;
    struct site_policy policy;
    enum http_coding codings[CODING_COUNT]; /* of precompressed siblings, the first is preferred */
    size_t coding_count;
    struct rate_bucket *rate; /* NULL: no limit; referenced */
    uint64_t id;              /* never used again: what was prepared for a site is kept under it */
};

struct site_host;

struct site_set {
    struct place_owner owner; /* of the places of its sites; its count is the set's */
    struct config *cfg;
    struct kept_files *kept;
    struct named_files files; /* what was read of them is as immutable as the rest */
    struct trusted_proxies proxies;
    struct site *sites;                 /* as many and in the order of cfg->sites */
    struct site_host *exact, *wildcard; /* sorted by name */
    size_t exact_count, wildcard_count;
    const struct site *fallback; /* of host "*"; may be NULL */
};

/* Takes its own reference to cfg. Reads the files that it names. `previous` (may be NULL) is where rates,
 * and bytes of files that can't be used any more, are taken over from. One thread at a time, never a
 * loop's. */
struct site_set *site_set_new(struct config *cfg, const struct site_set *previous);
/* The same config by other bytes of its files, which are taken over. The same threads. */
struct site_set *site_set_renew(const struct site_set *previous, struct named_files *files);
struct site_set *site_set_get(struct site_set *set); /* Any thread. Returns set. */
void site_set_put(struct site_set *set);             /* Any thread. NULL is allowed. */

/* The site for `host` (without port, any case): exact name, then the longest wildcard, then "*".
 * NULL when none answers for it. */
const struct site *site_set_find(const struct site_set *set, struct span host);

#endif
