/* SPDX-License-Identifier: MIT */
/* config_rules_cors.c — what the options of a rule for other origins are to each other. */
#include "config/config_rules_parts.h"

#include <stdio.h>
#include <string.h>

struct list {
    const char *member;
    char *const *items;
    size_t count;
};

static size_t find_star(const struct list *list)
{
    size_t i = 0;

    while (i < list->count && (list->items[i] == NULL || strcmp(list->items[i], "*") != 0))
        i++;
    return i;
}

/* With credentials a browser takes "*" for a name and not for all (Fetch, "CORS protocol and
 * credentials"), and a server that echoed every origin instead would open all its passwords
 * protect. */
static void check_credentials(const struct rules *rules, const char *rule, const struct list *list)
{
    size_t star = find_star(list);
    char pointer[RULES_POINTER_LEN];

    if (star == list->count)
        return;
    snprintf(pointer, sizeof(pointer), "%s/%s/%zu", rule, list->member, star);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                        "name each, or take \"credentials\" away",
                        "\"*\" in \"%s\" can't be with \"credentials\"", list->member);
}

static void check_rule(const struct rules *rules, const struct config_cors *checked,
                       const char *rule)
{
    const struct list lists[] = {
        {"origins", checked->origins, checked->origin_count},
        {"headers", checked->headers, checked->header_count},
        {"exposedHeaders", checked->exposed_headers, checked->exposed_header_count},
    };
    size_t star = find_star(&lists[0]);
    char pointer[RULES_POINTER_LEN];

    for (size_t i = 0; checked->credentials && i < sizeof(lists) / sizeof(*lists); i++)
        check_credentials(rules, rule, &lists[i]);
    if (star == checked->origin_count || checked->origin_count == 1)
        return;
    snprintf(pointer, sizeof(pointer), "%s/origins/%zu", rule, star);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "leave the others out, or \"*\"",
                        "\"*\" is every origin, so that the others mean nothing");
}

void config_rules_check_cors(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char rule[RULES_POINTER_LEN - 48];

    for (size_t i = 0; i < checked->cors_count; i++) {
        snprintf(rule, sizeof(rule), "/sites/%zu/cors/%zu", site, i);
        check_rule(rules, &checked->cors[i], rule);
    }
}
