/* SPDX-License-Identifier: MIT */
/* config_rules_urls.c — compiles each expression and each target of redirects and rewrites once, to
 * see whether that works, and throws the result away. */
#include "config/config_rules_parts.h"

#include "match/url_rule.h"

#include <inttypes.h>
#include <stdio.h>

/* `list` is the pointer of the list, such as "/sites/0/redirects". A text that was wrong by itself
 * is NULL. */
static void check_rule(const struct rules *rules, const char *list, size_t index, const char *match,
                       const char *to)
{
    char pointer[RULES_POINTER_LEN];
    struct url_rule_error error;
    struct url_rule *rule;

    if (match == NULL || to == NULL)
        return;
    rule = url_rule_new(match, to, &error);
    if (rule == NULL) {
        const char *member = error.is_in_to ? "to" : "match";

        snprintf(pointer, sizeof(pointer), "%s/%zu/%s", list, index, member);
        config_rules_report_in(rules, CONFIG_CODE_INVALID_VALUE, pointer, error.offset, NULL,
                               "\"%s\" at byte %zu: %s", member, error.offset, error.message);
    }
    url_rule_free(rule);
}

/* A status that was wrong by itself is zero. */
static void check_status(const struct rules *rules, size_t site, size_t redirect)
{
    uint32_t status = rules->cfg->sites[site].redirects[redirect].status;
    char pointer[RULES_POINTER_LEN];

    if (status == 0 || url_rule_is_redirect(status))
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/redirects/%zu/status", site, redirect);
    config_rules_report(rules, CONFIG_CODE_INVALID_VALUE, pointer,
                        "301 is for good, 302 for now; 308 and 307 are the same for any method",
                        "\"status\" must be 301, 302, 303, 307 or 308, found %" PRIu32, status);
}

void config_rules_check_urls(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char list[RULES_POINTER_LEN - 32];

    snprintf(list, sizeof(list), "/sites/%zu/redirects", site);
    for (size_t i = 0; i < checked->redirect_count; i++) {
        check_rule(rules, list, i, checked->redirects[i].match, checked->redirects[i].to);
        check_status(rules, site, i);
    }
    snprintf(list, sizeof(list), "/sites/%zu/rewrites", site);
    for (size_t i = 0; i < checked->rewrite_count; i++)
        check_rule(rules, list, i, checked->rewrites[i].match, checked->rewrites[i].to);
}
