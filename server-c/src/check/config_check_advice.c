/* SPDX-License-Identifier: MIT */
/* config_check_advice.c — nothing here keeps a config from being used. */
#include "check/config_check_advice.h"

#include "check/config_check_parts.h"
#include "config/config_security.h"
#include "match/address_block.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A block of no bits, or all of one version's addresses. */
static bool is_everybody(const char *text)
{
    struct address_block block;

    return strcmp(text, "unix") != 0 && !address_block_parse(&block, text) &&
           (block.bits == 0 || (block.bits == 96 && address_v4(block.bytes)));
}

static void advise_on_proxies(const struct config *cfg, struct config_errors *warnings)
{
    for (size_t i = 0; i < cfg->trusted_proxy_count; i++) {
        char pointer[48];
        snprintf(pointer, sizeof(pointer), "/trustedProxies/%zu", i);
        if (is_everybody(cfg->trusted_proxies[i]))
            config_errors_add_at(warnings, cfg, CONFIG_CODE_RISKY_VALUE, pointer,
                                 "name the addresses of the proxies alone",
                                 "\"%s\" lets every client say who it is: access rules, limits "
                                 "for addresses and the access log then go by its word",
                                 cfg->trusted_proxies[i]);
    }
}

/* Browsers refuse an answer that says such a header twice. */
static void advise_on_cors(const struct config *cfg, size_t site, struct config_errors *warnings)
{
    static const char start[] = "Access-Control-";
    const struct config_site *checked = &cfg->sites[site];

    for (size_t i = 0; checked->cors_count > 0 && i < checked->header_count; i++) {
        const struct config_header_rule *rule = &checked->headers[i];
        char pointer[CHECK_POINTER_LEN];
        if (rule->action == HEADER_REMOVE || strncasecmp(rule->name, start, sizeof(start) - 1) != 0)
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/headers/%zu/name", site, i);
        config_errors_add_at(warnings, cfg, CONFIG_CODE_RISKY_VALUE, pointer,
                             "leave this rule out, or those of \"cors\"",
                             "\"cors\" says %s, too, where a path has both; browsers refuse an "
                             "answer that says it twice",
                             rule->name);
    }
}

/* Without a rule that allows or denies, "any" asks for a password as "all" does. */
static void advise_on_satisfy(const struct config *cfg, size_t site, struct config_errors *warnings)
{
    const struct config_site *checked = &cfg->sites[site];

    for (size_t i = 0; checked->access_count == 0 && i < checked->auth_count; i++) {
        char pointer[CHECK_POINTER_LEN];
        if (checked->auth[i].satisfy != SATISFY_ANY)
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/auth/%zu/satisfy", site, i);
        config_errors_add_at(warnings, cfg, CONFIG_CODE_RISKY_VALUE, pointer,
                             "add a rule to \"access\" that allows some addresses",
                             "there is no rule of access, so that everybody has to sign in");
    }
}

/* --- security headers ------------------------------------------------------------------------ */

static bool holds_always(const struct config_header_rule *rule)
{
    return rule->path_count + rule->type_count + rule->status_count == 0;
}

/* What is always sent under this name; NULL: nothing, or not always the same. */
static const char *value_of(const struct config_site *site, const struct config_security *security,
                            const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < security->count; i++)
        if (strcasecmp(security->rules[i].name, name) == 0)
            value = security->rules[i].value;
    for (size_t i = 0; i < site->header_count; i++)
        if (strcasecmp(site->headers[i].name, name) == 0 && holds_always(&site->headers[i]))
            value = site->headers[i].action == HEADER_REMOVE ? NULL : site->headers[i].value;
    return value;
}

/* A rule for some paths is meant; one for all of them makes the set's mean nothing, and one more of
 * the same name makes two that browsers take in different ways. */
static void advise_on_own_headers(const struct config *cfg, size_t site,
                                  const struct config_security *security,
                                  struct config_errors *warnings)
{
    const struct config_site *checked = &cfg->sites[site];

    for (size_t i = 0; i < checked->header_count * security->count; i++) {
        const struct config_header_rule *rule = &checked->headers[i / security->count];
        const char *name = security->rules[i % security->count].name;
        char pointer[CHECK_POINTER_LEN];
        if (strcasecmp(rule->name, name) != 0 || rule->action == HEADER_REMOVE ||
            (rule->action == HEADER_SET && !holds_always(rule)))
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/headers/%zu/name", site,
                 i / security->count);
        config_errors_add_at(warnings, cfg, CONFIG_CODE_RISKY_VALUE, pointer,
                             "say it in \"securityHeaders\" alone, or for some \"paths\"",
                             "\"securityHeaders\" says %s, too: %s", name,
                             rule->action == HEADER_SET ? "this one is sent in its place"
                                                        : "answers have two of them");
    }
}

/* "frame-ancestors 'none'" is DENY, and "'self'" SAMEORIGIN. */
static bool is_same_framing(const char *ancestors, const char *options)
{
    const char *who = ancestors + sizeof("frame-ancestors") - 1;
    size_t len;

    who += strspn(who, " ");
    len = strcspn(who, ";");
    while (len > 0 && who[len - 1] == ' ')
        len--;
    if (strcasecmp(options, "DENY") == 0)
        return len == 6 && memcmp(who, "'none'", 6) == 0;
    return strcasecmp(options, "SAMEORIGIN") == 0 && len == 6 && memcmp(who, "'self'", 6) == 0;
}

static void advise_on_frames(const struct config *cfg, size_t site,
                             const struct config_security *security, struct config_errors *warnings)
{
    const char *policy = value_of(&cfg->sites[site], security, "Content-Security-Policy");
    const char *options = value_of(&cfg->sites[site], security, "X-Frame-Options");
    const char *ancestors = policy ? strstr(policy, "frame-ancestors") : NULL;
    char pointer[CHECK_POINTER_LEN];

    if (!ancestors || !options || is_same_framing(ancestors, options))
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/securityHeaders", site);
    config_errors_add_at(
        warnings, cfg, CONFIG_CODE_RISKY_VALUE, pointer,
        "say the same in both, or leave X-Frame-Options out (\"frames\": "
        "\"anywhere\")",
        "X-Frame-Options says %s and frame-ancestors something else: browsers that "
        "know frame-ancestors go by that, others don't",
        options);
}

/* A proxy in front may be the one that speaks TLS. */
static bool may_speak_tls(const struct config *cfg)
{
    for (size_t i = 0; i < cfg->listen_count; i++)
        if (cfg->listens[i].tls)
            return true;
    return cfg->trusted_proxy_count > 0;
}

static void advise_on_hsts(const struct config *cfg, size_t site, struct config_errors *warnings)
{
    char pointer[CHECK_POINTER_LEN];

    if (config_hsts_seconds(&cfg->sites[site]) == 0 || may_speak_tls(cfg))
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/%s", site,
             cfg->sites[site].hsts.max_age_seconds > 0 ? "hsts/maxAgeSeconds"
                                                       : "securityHeaders/preset");
    config_errors_add_at(warnings, cfg, CONFIG_CODE_RISKY_VALUE, pointer,
                         "add an address with \"tls\": true to \"listen\", or name the proxy that "
                         "speaks TLS in \"trustedProxies\"",
                         "Strict-Transport-Security is sent over TLS only, and nothing here speaks "
                         "it");
}

static void advise_on_security(const struct config *cfg, size_t site,
                               struct config_errors *warnings)
{
    struct config_security security;

    config_security_init(&security, &cfg->sites[site]);
    advise_on_own_headers(cfg, site, &security, warnings);
    advise_on_frames(cfg, site, &security, warnings);
    advise_on_hsts(cfg, site, warnings);
    config_security_fini(&security);
}

void config_check_advise(const struct config *cfg, struct config_errors *warnings)
{
    advise_on_proxies(cfg, warnings);
    for (size_t i = 0; i < cfg->site_count; i++) {
        advise_on_cors(cfg, i, warnings);
        advise_on_satisfy(cfg, i, warnings);
        advise_on_security(cfg, i, warnings);
    }
}
