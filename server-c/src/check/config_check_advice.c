/* SPDX-License-Identifier: MIT */
/* config_check_advice.c — nothing here keeps a config from being used. */
#include "check/config_check_advice.h"

#include "check/config_check_parts.h"
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

void config_check_advise(const struct config *cfg, struct config_errors *warnings)
{
    advise_on_proxies(cfg, warnings);
    for (size_t i = 0; i < cfg->site_count; i++)
        advise_on_cors(cfg, i, warnings);
}
