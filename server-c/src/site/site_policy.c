/* SPDX-License-Identifier: MIT */
/* site_policy.c — lists of rules in order: the first rule that matches decides. */
#include "site/site_policy.h"

#include "base/mem.h"
#include "http/http_coding.h"
#include "match/glob.h"
#include "match/signed_url.h"
#include "site/site_host.h"

#include <string.h>

/* --- preparing ------------------------------------------------------------------------------- */

static struct url_rule *compile(const char *match, const char *to)
{
    struct url_rule_error error;
    struct url_rule *rule = url_rule_new(match, to, &error);

    CHECK(rule); /* config_parse() has compiled it before */
    return rule;
}

static void compile_rules(struct site_policy *policy)
{
    const struct config_site *cfg = policy->cfg;

    policy->redirects = xcalloc(cfg->redirect_count, sizeof(*policy->redirects));
    for (size_t i = 0; i < cfg->redirect_count; i++)
        policy->redirects[i] = compile(cfg->redirects[i].match, cfg->redirects[i].to);
    policy->rewrites = xcalloc(cfg->rewrite_count, sizeof(*policy->rewrites));
    for (size_t i = 0; i < cfg->rewrite_count; i++)
        policy->rewrites[i] = compile(cfg->rewrites[i].match, cfg->rewrites[i].to);
}

static void parse_addresses(struct access_blocks *blocks, char *const *addresses, size_t count)
{
    blocks->count = count;
    blocks->items = xcalloc(count, sizeof(*blocks->items));
    for (size_t i = 0; i < count; i++)
        CHECK(!address_block_parse(&blocks->items[i], addresses[i]));
}

void site_policy_init(struct site_policy *policy, const struct config_site *cfg,
                      const struct named_files *files)
{
    policy->cfg = cfg;
    policy->redirect_list =
        config_has_redirect_file(cfg)
            ? named_files_find(files, NAMED_REDIRECTS, cfg->redirect_file, NULL)->redirects
            : NULL;
    policy->has_maps = policy->redirect_list ||
                       cfg->redirect_count + cfg->rewrite_count + cfg->signed_url_count > 0;
    policy->has_rules =
        policy->has_maps || cfg->access_count + cfg->hotlink_count + cfg->maintenance_count > 0;
    compile_rules(policy);
    policy->access = xcalloc(cfg->access_count, sizeof(*policy->access));
    for (size_t i = 0; i < cfg->access_count; i++)
        parse_addresses(&policy->access[i], cfg->access[i].addresses, cfg->access[i].address_count);
    policy->excepted = xcalloc(cfg->maintenance_count, sizeof(*policy->excepted));
    for (size_t i = 0; i < cfg->maintenance_count; i++)
        parse_addresses(&policy->excepted[i], cfg->maintenance[i].except,
                        cfg->maintenance[i].except_count);
    policy->keys = xcalloc(cfg->signed_url_count, sizeof(*policy->keys));
    for (size_t i = 0; i < cfg->signed_url_count; i++) {
        policy->keys[i] = named_files_find(files, NAMED_KEY, cfg->signed_urls[i].secret_file, NULL);
        CHECK(policy->keys[i]);
    }
}

void site_policy_fini(struct site_policy *policy)
{
    const struct config_site *cfg = policy->cfg;

    for (size_t i = 0; i < cfg->redirect_count; i++)
        url_rule_free(policy->redirects[i]);
    for (size_t i = 0; i < cfg->rewrite_count; i++)
        url_rule_free(policy->rewrites[i]);
    for (size_t i = 0; i < cfg->access_count; i++)
        free(policy->access[i].items);
    for (size_t i = 0; i < cfg->maintenance_count; i++)
        free(policy->excepted[i].items);
    free(policy->redirects);
    free(policy->rewrites);
    free(policy->access);
    free(policy->excepted);
    free(policy->keys);
}

/* --- the paths of a rule --------------------------------------------------------------------- */

/* "/a.txt" for "/a.txt.gz", if the site sends ".gz" files as encoded forms of others: rules for the
 * one protect the other. Empty for any other path. */
static struct span uncoded(const struct config_site *cfg, struct span path)
{
    for (size_t i = 0; i < cfg->precompressed_count; i++) {
        const char *suffix = http_coding_suffix(http_coding_named(cfg->precompressed[i]));
        size_t len = strlen(suffix);

        if (path.len > len + 1 && memcmp(path.ptr + path.len - len, suffix, len) == 0 &&
            path.ptr[path.len - len - 1] != '/')
            return (struct span){path.ptr, path.len - len};
    }
    return (struct span){0};
}

static bool is_for(const struct config_site *cfg, char *const *paths, size_t count,
                   struct span path)
{
    struct span plain = uncoded(cfg, path);

    return glob_path_in(paths, count, path) || (plain.len > 0 && glob_path_in(paths, count, plain));
}

/* --- redirects and rewrites ------------------------------------------------------------------ */

/* The rule's result is unknown, so the request is refused: going on could serve what the rule
 * protects. */
static enum http_status status_of(enum url_rule_result result)
{
    if (result == URL_RULE_NO_HOST)
        return HTTP_BAD_REQUEST;
    return result == URL_RULE_LIMIT ? HTTP_INTERNAL_ERROR : HTTP_URI_TOO_LONG;
}

static enum http_status redirect_by_list(const struct redirect_list *list,
                                         const struct url_rule_subject *subject,
                                         struct site_scratch *scratch, struct span *location)
{
    size_t len;
    uint32_t status;
    enum url_rule_result result = redirect_list_apply(list, scratch->rules, subject, scratch->bytes,
                                                      scratch->cap, &len, &status);

    if (result == URL_RULE_OTHER)
        return HTTP_OK;
    if (result != URL_RULE_MATCH)
        return status_of(result);
    *location = (struct span){scratch->bytes, len};
    return (enum http_status)status;
}

static enum http_status redirect(const struct site_policy *policy,
                                 const struct site_request *request, struct site_scratch *scratch,
                                 struct span path, struct span *location)
{
    struct url_rule_subject subject = {path, request->host, request->query};

    for (size_t i = 0; i < policy->cfg->redirect_count; i++) {
        size_t len;
        enum url_rule_result result =
            url_rule_apply(policy->redirects[i], scratch->rules, &subject, URL_RULE_FOR_LOCATION,
                           scratch->bytes, scratch->cap, &len);
        if (result == URL_RULE_OTHER)
            continue;
        if (result != URL_RULE_MATCH)
            return status_of(result);
        *location = (struct span){scratch->bytes, len};
        return (enum http_status)policy->cfg->redirects[i].status;
    }
    return policy->redirect_list
               ? redirect_by_list(policy->redirect_list, &subject, scratch, location)
               : HTTP_OK;
}

static enum http_status rewrite(const struct site_policy *policy,
                                const struct site_request *request, struct site_scratch *scratch,
                                struct url_path *path, char *bytes, size_t cap)
{
    for (size_t i = 0; i < policy->cfg->rewrite_count; i++) {
        struct url_rule_subject subject = {{bytes, path->len}, request->host, request->query};
        size_t len;
        enum url_rule_result result =
            url_rule_apply(policy->rewrites[i], scratch->rules, &subject, URL_RULE_FOR_PATH,
                           scratch->bytes, scratch->cap, &len);
        enum http_status status;

        if (result == URL_RULE_OTHER)
            continue;
        if (result != URL_RULE_MATCH)
            return status_of(result);
        status = url_path_normalise(path, bytes, cap, (struct span){scratch->bytes, len});
        if (status != HTTP_OK || !policy->cfg->rewrites[i].goes_on)
            return status;
    }
    return HTTP_OK;
}

/* --- access ---------------------------------------------------------------------------------- */

/* Returns the index of the rule by which `path` needs a signature, or the number of rules if there
 * is none. */
static size_t signature_rule(const struct site_policy *policy, struct span path)
{
    const struct config_site *cfg = policy->cfg;
    size_t i = 0;

    while (i < cfg->signed_url_count &&
           !is_for(cfg, cfg->signed_urls[i].paths, cfg->signed_urls[i].path_count, path))
        i++;
    return i;
}

bool site_policy_guards(const struct config_site *cfg, struct span path)
{
    for (size_t i = 0; i < cfg->auth_count; i++)
        if (is_for(cfg, cfg->auth[i].paths, cfg->auth[i].path_count, path))
            return true;
    for (size_t i = 0; i < cfg->signed_url_count; i++)
        if (is_for(cfg, cfg->signed_urls[i].paths, cfg->signed_urls[i].path_count, path))
            return true;
    for (size_t i = 0; i < cfg->access_count; i++)
        if (is_for(cfg, cfg->access[i].paths, cfg->access[i].path_count, path))
            return true;
    return false;
}

bool site_policy_wants_signature(const struct site_policy *policy, struct span path)
{
    return signature_rule(policy, path) < policy->cfg->signed_url_count;
}

/* The signature is always that of the path asked for. */
static enum http_status check_signature(const struct site_policy *policy, size_t rule,
                                        const struct site_request *request, struct span asked)
{
    const struct named_file *key;

    if (rule == policy->cfg->signed_url_count)
        return HTTP_OK;
    key = policy->keys[rule];
    if (key->len == 0) /* the file with the key could not be read */
        return HTTP_FORBIDDEN;
    switch (signed_url_check((struct span){(const char *)key->bytes, key->len}, asked,
                             request->query, request->now)) {
    case SIGNED_URL_VALID:
        return HTTP_OK;
    case SIGNED_URL_EXPIRED:
        return HTTP_GONE;
    case SIGNED_URL_WRONG:
        break;
    }
    return HTTP_FORBIDDEN;
}

/* Checks the path that a rewrite or a folder's index led to, so that neither leads around a rule.
 * If the path asked for has such a rule, site_policy_map() has checked it. */
static enum http_status check_found_signature(const struct site_policy *policy,
                                              const struct site_request *request,
                                              struct site_scratch *scratch, struct span path)
{
    size_t rule = signature_rule(policy, path);
    struct url_path asked;
    struct span asked_span;
    enum http_status status;

    if (rule == policy->cfg->signed_url_count)
        return HTTP_OK;
    status = url_path_resolve_as(&asked, scratch->bytes, scratch->cap, request->target,
                                 policy->cfg->encoded_slash);
    if (status != HTTP_OK)
        return status;
    asked_span = (struct span){scratch->bytes, asked.len};
    if (site_policy_wants_signature(policy, asked_span))
        return HTTP_OK;
    return check_signature(policy, rule, request, asked_span);
}

enum http_status site_policy_map(const struct site_policy *policy,
                                 const struct site_request *request, struct site_scratch *scratch,
                                 struct url_path *path, char *path_bytes, size_t path_cap,
                                 struct span *location)
{
    struct span asked = {path_bytes, path->len};
    enum http_status status;

    url_rule_begin(scratch->rules);
    status = redirect(policy, request, scratch, asked, location);
    if (status == HTTP_OK)
        status = check_signature(policy, signature_rule(policy, asked), request, asked);
    if (status == HTTP_OK)
        status = rewrite(policy, request, scratch, path, path_bytes, path_cap);
    return status;
}

static bool is_among(const struct access_blocks *blocks, const uint8_t *address)
{
    for (size_t i = 0; address && i < blocks->count; i++)
        if (address_block_holds(&blocks->items[i], address))
            return true;
    return false;
}

enum verdict { VERDICT_NONE, VERDICT_ALLOWED, VERDICT_DENIED }; /* NONE: no rule fits */

static enum verdict judge_name(const struct site_policy *policy, const uint8_t *address,
                               struct span path)
{
    for (size_t i = 0; i < policy->cfg->access_count; i++) {
        const struct config_access *rule = &policy->cfg->access[i];
        const struct access_blocks *blocks = &policy->access[i];

        if ((blocks->count == 0 || is_among(blocks, address)) &&
            glob_path_in(rule->paths, rule->path_count, path))
            return rule->action == ACCESS_ALLOW ? VERDICT_ALLOWED : VERDICT_DENIED;
    }
    return VERDICT_NONE;
}

/* An encoded form must be allowed under both names. */
static enum verdict judge(const struct site_policy *policy, const uint8_t *address,
                          struct span path)
{
    enum verdict verdict = judge_name(policy, address, path), of_plain;
    struct span plain = uncoded(policy->cfg, path);

    if (verdict == VERDICT_DENIED || plain.len == 0)
        return verdict;
    of_plain = judge_name(policy, address, plain);
    return of_plain == VERDICT_DENIED || verdict == VERDICT_NONE ? of_plain : verdict;
}

static const struct config_auth *auth_rule(const struct site_policy *policy, struct span path)
{
    for (size_t i = 0; i < policy->cfg->auth_count; i++) {
        const struct config_auth *rule = &policy->cfg->auth[i];

        if (is_for(policy->cfg, rule->paths, rule->path_count, path))
            return rule;
    }
    return NULL;
}

static bool may_sign_in_instead(const struct config_auth *rule)
{
    return rule && rule->satisfy == SATISFY_ANY;
}

enum http_status site_policy_access(const struct site_policy *policy, const uint8_t *address,
                                    struct span path)
{
    return judge(policy, address, path) == VERDICT_DENIED &&
                   !may_sign_in_instead(auth_rule(policy, path))
               ? HTTP_FORBIDDEN
               : HTTP_OK;
}

const struct config_auth *site_policy_auth(const struct site_policy *policy, const uint8_t *address,
                                           struct span path)
{
    const struct config_auth *rule = auth_rule(policy, path);

    return may_sign_in_instead(rule) && judge(policy, address, path) == VERDICT_ALLOWED ? NULL
                                                                                        : rule;
}

/* --- maintenance ----------------------------------------------------------------------------- */

const struct config_maintenance *site_policy_maintenance(const struct site_policy *policy,
                                                         const uint8_t *address, struct span path)
{
    for (size_t i = 0; i < policy->cfg->maintenance_count; i++) {
        const struct config_maintenance *rule = &policy->cfg->maintenance[i];

        if (is_for(policy->cfg, rule->paths, rule->path_count, path))
            return rule->answer == MAINTENANCE_OPEN || is_among(&policy->excepted[i], address)
                       ? NULL
                       : rule;
    }
    return NULL;
}

enum http_status site_policy_maintenance_status(const struct config_maintenance *rule)
{
    return rule->answer == MAINTENANCE_GONE ? HTTP_GONE : HTTP_UNAVAILABLE;
}

/* --- links from elsewhere -------------------------------------------------------------------- */

/* Does the page that links to the file (Referer, RFC 9110 section 10.1.3) belong to the site or to
 * a host that the rule allows? */
static bool is_welcome(const struct site_policy *policy, const struct config_hotlink *rule,
                       const struct site_request *request)
{
    struct span host;

    if (request->referer.len == 0)
        return rule->allow_empty;
    if (!site_host_of_url(request->referer, &host))
        return false;
    return site_host_equals(host, request->host) ||
           site_host_in(policy->cfg->hosts, policy->cfg->host_count, host) ||
           site_host_in(rule->hosts, rule->host_count, host);
}

static enum http_status check_hotlink(const struct site_policy *policy,
                                      const struct site_request *request, struct span path)
{
    for (size_t i = 0; i < policy->cfg->hotlink_count; i++) {
        const struct config_hotlink *rule = &policy->cfg->hotlink[i];

        if (is_for(policy->cfg, rule->paths, rule->path_count, path))
            return is_welcome(policy, rule, request) ? HTTP_OK : HTTP_FORBIDDEN;
    }
    return HTTP_OK;
}

enum http_status site_policy_check(const struct site_policy *policy,
                                   const struct site_request *request, struct site_scratch *scratch,
                                   struct span path)
{
    enum http_status status = site_policy_access(policy, request->address, path);

    if (status == HTTP_OK)
        status = check_hotlink(policy, request, path);
    if (status == HTTP_OK)
        status = check_found_signature(policy, request, scratch, path);
    return status;
}
