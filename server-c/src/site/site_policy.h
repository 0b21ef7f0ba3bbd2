/* SPDX-License-Identifier: MIT */
/* site_policy.h — a site's rules for requests, prepared: maintenance, redirects, signed URLs, rewrites, access
 * by address, and links from other sites, in this order.
 *
 * It only decides, and uses no file or socket. Regular expressions and keys are prepared once per
 * config. A rule that protects "/a.txt" also protects "/a.txt.gz" if the site sends such files as
 * encoded forms. */
#ifndef FARMSTEAD_SITE_POLICY_H
#define FARMSTEAD_SITE_POLICY_H

#include "config/config.h"
#include "http/http_status.h"
#include "http/url_path.h"
#include "match/address_block.h"
#include "match/url_rule.h"
#include "site/named_files.h"
#include "site/site_scratch.h"

struct access_blocks {
    struct address_block *items;
    size_t count;
};

struct site_policy {
    const struct config_site *cfg;
    bool has_rules;                            /* there is any rule other than for signing in */
    bool has_maps;                             /* site_policy_map() has something to do */
    struct url_rule **redirects, **rewrites;   /* as many as the config has */
    const struct redirect_list *redirect_list; /* after `redirects`; NULL: none */
    struct access_blocks *access;              /* one for each access rule */
    struct access_blocks *excepted;            /* one for each rule of maintenance */
    /* One for each rule of signed URLs; one without bytes refuses everything. */
    const struct named_file **keys;
};

/* cfg must have passed config_parse(). `files` holds what cfg names and must outlive the policy. */
void site_policy_init(struct site_policy *policy, const struct config_site *cfg,
                      const struct named_files *files);
void site_policy_fini(struct site_policy *policy);

/* A request in the form that rules need. Paths are decoded and normalised. */
struct site_request {
    struct span host, query, referer;
    struct span target;     /* the path as received, percent-encoded */
    const uint8_t *address; /* ADDRESS_LEN bytes; NULL: the client came over a Unix socket */
    int64_t now;            /* seconds since 1970 */
};

/* The rule by which the client gets no more than its answer for now, or NULL. `path` as it was asked
 * for. */
const struct config_maintenance *site_policy_maintenance(const struct site_policy *policy,
                                                         const uint8_t *address, struct span path);
enum http_status site_policy_maintenance_status(const struct config_maintenance *rule);

/* Applies redirects, signed URLs and rewrites to `path`, which lies in memory of `path_cap` bytes.
 * Returns HTTP_OK, with `path` perhaps rewritten in place; the status of a redirect, with *location
 * in the scratch; or the status to refuse with. */
enum http_status site_policy_map(const struct site_policy *policy,
                                 const struct site_request *request, struct site_scratch *scratch,
                                 struct url_path *path, char *path_bytes, size_t path_cap,
                                 struct span *location);

/* Applies the access rules: HTTP_OK or HTTP_FORBIDDEN. HTTP_OK also for who may sign in instead, so
 * site_policy_auth() is asked next. */
enum http_status site_policy_access(const struct site_policy *policy, const uint8_t *address,
                                    struct span path);
/* Returns HTTP_OK or the status to refuse with: by an access rule; because a page of another site
 * links to it; or because a path that came from a rewrite or from an index name needs a signature.
 * `path` must not lie in the scratch. */
enum http_status site_policy_check(const struct site_policy *policy,
                                   const struct site_request *request, struct site_scratch *scratch,
                                   struct span path);
/* Is there a rule by which it takes more than an address of the site to see the path: a password, a signature, or an
 * address that not everybody has? */
bool site_policy_guards(const struct config_site *cfg, struct span path);
/* Is there a rule by which this path needs a signature? */
bool site_policy_wants_signature(const struct site_policy *policy, struct span path);
/* The rule by which the client has to sign in, or NULL: there is none, or its address is enough. */
const struct config_auth *site_policy_auth(const struct site_policy *policy, const uint8_t *address,
                                           struct span path);

#endif
