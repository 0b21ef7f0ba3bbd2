/* SPDX-License-Identifier: MIT */
/* site.h — the sites of a config, prepared for requests, and which of them answers for a host.
 *
 * A set is immutable, shared by all loops, and has a count of references. It holds its config. */
#ifndef FARMSTEAD_SITE_H
#define FARMSTEAD_SITE_H

#include "base/util.h"
#include "config/config.h"
#include "http/http_coding.h"
#include "response/response.h"
#include "site/named_files.h"
#include "site/rate_limit.h"
#include "site/site_copies.h"
#include "site/site_cors.h"
#include "site/site_dictionaries.h"
#include "site/site_fallback.h"
#include "site/site_limits.h"
#include "site/site_log.h"
#include "site/site_place.h"
#include "site/site_policy.h"
#include "site/site_preview.h"
#include "site/visitor.h"

struct site {
    const struct config_site *cfg;
    const struct site *origin; /* the site of the config that a preview is one of; else itself */
    const struct kept_preview *preview; /* who may look at it; NULL: it is a site of the config */
    struct response_rules rules;
    struct site_places places;
    struct site_fallbacks fallbacks;
    struct site_policy policy;
    enum http_coding codings[CODING_COUNT]; /* of precompressed siblings, the preferred one first */
    size_t coding_count;
    const struct site_copies *copies;            /* NULL: its files are not compressed */
    enum http_coding copy_codings[CODING_COUNT]; /* to these, the preferred one first */
    size_t copy_coding_count;
    unsigned copy_coding_bits;
    struct site_dictionaries *dictionaries; /* NULL: none of its files is one */
    struct rate_bucket *rate;               /* a reference; NULL: no limit */
    struct site_limit *limits;              /* NULL: none */
    struct site_cors *cors;                 /* NULL: none */
    char *hsts;                             /* a line of the head, with its end; NULL: none */
    struct site_log own_log;                /* is bound only where the site has one */
    const struct site_log *log;             /* its own, or the node's */
    /* Never reused, so that whatever is prepared for a site can be stored under it. */
    uint64_t id;
};

struct site_host;

struct site_set {
    /* What the places of the sites refer to; its count is that of the set. */
    struct place_owner owner;
    struct config *cfg;
    struct kept_files *kept;
    struct kept_versions *versions; /* a reference; NULL: none */
    struct named_files files;       /* as they were read; as immutable as the rest */
    struct trusted_proxies proxies;
    struct site_copies *copies;         /* NULL: none of its sites is compressed */
    struct site_log log;                /* the node's */
    struct site *sites;                 /* those of cfg, in the same order, then previews */
    size_t site_count;                  /* of both */
    struct site_previews previews;      /* what those are made from */
    struct site_host *exact, *wildcard; /* sorted by name */
    size_t exact_count, wildcard_count;
    const struct site *fallback; /* the site for host "*"; may be NULL */
};

/* Takes its own references to cfg and `versions` (NULL: none), and reads the files that the config names.
 * From `previous`, which may be NULL, it takes over the buckets of rates, and the bytes of files that can't be used any more. One
 * thread at a time, never a loop's. */
struct site_set *site_set_new(struct config *cfg, struct kept_versions *versions,
                              const struct site_set *previous);
/* For who only asks what the rules say, on a machine that need not be the node's: the disk is not touched, and files that
 * the config names are as if they were not there. */
struct site_set *site_set_new_unread(struct config *cfg);
/* Makes a set for the same config with other bytes of its files, which it takes over, and with these
 * versions. Same threads. */
struct site_set *site_set_renew(const struct site_set *previous, struct kept_versions *versions,
                                struct named_files *files);
/* Finds the logs of the sites among those that are open. Before the set is in use; a set that was renewed
 * has them from the one before. */
void site_set_bind_logs(struct site_set *set, struct access_logs *logs);
struct site_set *site_set_get(struct site_set *set); /* any thread; returns `set` */
void site_set_put(struct site_set *set);             /* any thread; NULL is allowed */

/* Finds the site for `host` (without port, in any case): by exact name, then by the longest
 * wildcard, then "*". NULL if no site answers for it. */
const struct site *site_set_find(const struct site_set *set, struct span host);

#define HTTPS_PORT 443
/* The usual port if it is among those that speak TLS, else the first of them. Without any a proxy in front has it. */
uint16_t site_https_port(const struct config *cfg);
/* Is a request for `path` that came over plain HTTP led to HTTPS? Not one of who proves that a name is his. */
bool site_leads_to_https(const struct config_site *cfg, struct span path);

#endif
