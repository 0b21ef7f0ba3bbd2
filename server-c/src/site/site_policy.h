/* SPDX-License-Identifier: MIT */
/* site_policy.h — a site's rules about a request, made ready: redirects, signed URLs, rewrites,
 * who may have a path, from where it may be linked. In that order.
 *
 * Decides only; no file, no socket. The regular expressions and keys are worked out once per
 * config. A rule about who may have "/a.txt" is also one about "/a.txt.gz" on a site that sends
 * such files as coded forms. */
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
    bool has_rules;                          /* any but for signing in */
    struct url_rule **redirects, **rewrites; /* as many as the config has */
    struct access_blocks *access;            /* one per access rule */
    const struct named_file **keys;          /* one per signed URL rule; empty: refuses all */
};

/* cfg must have passed config_parse(). `files` has what cfg names and outlives the policy. */
void site_policy_init(struct site_policy *policy, const struct config_site *cfg,
                      const struct named_files *files);
void site_policy_fini(struct site_policy *policy);

/* A request as the rules see it. Paths are decoded and normalised. */
struct site_request {
    struct span host, query, referer;
    struct span target;     /* its path as it came, encoded */
    const uint8_t *address; /* ADDRESS_LEN bytes; NULL: over a Unix socket */
    int64_t now;            /* seconds since 1970 */
};

/* What becomes of `path` (in memory of `path_cap` bytes): HTTP_OK, and it may have been rewritten
 * in place; a redirect, with *location in the scratch; or the refusal. */
enum http_status site_policy_map(const struct site_policy *policy,
                                 const struct site_request *request, struct site_scratch *scratch,
                                 struct url_path *path, char *path_bytes, size_t path_cap,
                                 struct span *location);

/* HTTP_OK, or HTTP_FORBIDDEN by an access rule. */
enum http_status site_policy_access(const struct site_policy *policy, const uint8_t *address,
                                    struct span path);
/* HTTP_OK, or the refusal: by an access rule, because another site's page wants to show it, or
 * because the path that rewrites made, or an index name, needs a signature. `path` must not lie in
 * the scratch. */
enum http_status site_policy_check(const struct site_policy *policy,
                                   const struct site_request *request, struct site_scratch *scratch,
                                   struct span path);
/* The rule by which a client must give its name, or NULL. */
const struct config_auth *site_policy_auth(const struct site_policy *policy, struct span path);

#endif
