/* SPDX-License-Identifier: MIT */
/* config_rules_hosts.c — a host name may belong to only one site. Sorts the names, as there may be
 * many. */
#include "config/config_rules_parts.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct host {
    const char *name;
    size_t site, index;
};

static int compare_hosts(const void *a, const void *b)
{
    const struct host *left = a, *right = b;
    int order = strcasecmp(left->name, right->name);

    if (order != 0)
        return order;
    if (left->site != right->site)
        return left->site < right->site ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static void report_host(const struct rules *rules, const struct host *first,
                        const struct host *again)
{
    char pointer[RULES_POINTER_LEN], first_pointer[RULES_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/hosts/%zu", again->site, again->index);
    snprintf(first_pointer, sizeof(first_pointer), "/sites/%zu/hosts/%zu", first->site,
             first->index);
    config_rules_report(rules, CONFIG_CODE_DUPLICATE_VALUE, pointer,
                        strcmp(again->name, "*") == 0
                            ? "only one site can answer for all other names"
                            : "a name belongs to one site",
                        "the host \"%s\" is already on line %" PRIu32 " (%s)", again->name,
                        config_rules_line(rules, first_pointer), first_pointer);
}

void config_rules_check_hosts(const struct rules *rules)
{
    const struct config *cfg = rules->cfg;
    size_t capacity = 0, count = 0, first = 0;
    struct host *hosts;

    for (size_t i = 0; i < cfg->site_count; i++)
        capacity += cfg->sites[i].host_count;
    hosts = xcalloc(capacity, sizeof(*hosts));
    for (size_t i = 0; i < cfg->site_count; i++)
        for (size_t j = 0; j < cfg->sites[i].host_count; j++)
            if (cfg->sites[i].hosts[j] != NULL)
                hosts[count++] = (struct host){cfg->sites[i].hosts[j], i, j};
    if (count > 0)
        qsort(hosts, count, sizeof(*hosts), compare_hosts);
    for (size_t i = 1; i < count; i++) {
        if (strcasecmp(hosts[first].name, hosts[i].name) == 0)
            report_host(rules, &hosts[first], &hosts[i]);
        else
            first = i;
    }
    free(hosts);
}
