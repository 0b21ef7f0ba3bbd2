/* SPDX-License-Identifier: MIT */
/* site.c — two sorted tables of names: exact ones, and wildcards without their "*". */
#include "site.h"

#include "mem.h"

#include <stdbool.h>
#include <string.h>

#define HOST_MAX 255 /* RFC 1035; a longer one matches nothing but "*" */

struct site_host {
    const char *name; /* of the config; a wildcard's begins with its dot */
    const struct site *site;
};

static uint64_t last_id; /* of sites and of look-ups; one thread at a time */

static bool finds_same_files(const struct config_site *a, const struct config_site *b)
{
    if (strcmp(a->root, b->root) != 0 || a->index_count != b->index_count)
        return false;
    for (size_t i = 0; i < a->index_count; i++)
        if (strcmp(a->index[i], b->index[i]) != 0)
            return false;
    return true;
}

static uint64_t lookup_id_of(const struct config_site *cfg, const struct site *sites, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (finds_same_files(sites[i].cfg, cfg))
            return sites[i].lookup_id;
    return 0;
}

static int compare_hosts(const void *a, const void *b)
{
    return strcmp(((const struct site_host *)a)->name, ((const struct site_host *)b)->name);
}

static void add_host(struct site_set *set, const char *name, const struct site *site)
{
    if (strcmp(name, "*") == 0)
        set->fallback = site;
    else if (name[0] == '*')
        set->wildcard[set->wildcard_count++] = (struct site_host){name + 1, site};
    else
        set->exact[set->exact_count++] = (struct site_host){name, site};
}

struct site_set *site_set_new(struct config *cfg, const struct site_set *previous)
{
    struct site_set *set = xcalloc(1, sizeof(*set));
    size_t hosts = 0;

    atomic_init(&set->refs, 1);
    set->cfg = config_get(cfg);
    set->sites = xcalloc(cfg->site_count, sizeof(*set->sites));
    for (size_t i = 0; i < cfg->site_count; i++)
        hosts += cfg->sites[i].host_count;
    set->exact = xcalloc(hosts, sizeof(*set->exact));
    set->wildcard = xcalloc(hosts, sizeof(*set->wildcard));

    for (size_t i = 0; i < cfg->site_count; i++) {
        struct site *site = &set->sites[i];
        site->cfg = &cfg->sites[i];
        site->id = ++last_id;
        site->lookup_id = lookup_id_of(site->cfg, set->sites, i);
        if (!site->lookup_id && previous)
            site->lookup_id = lookup_id_of(site->cfg, previous->sites, previous->cfg->site_count);
        if (!site->lookup_id)
            site->lookup_id = ++last_id;
        response_rules_init(&site->rules, site->cfg);
        for (size_t h = 0; h < site->cfg->host_count; h++)
            add_host(set, site->cfg->hosts[h], site);
    }
    qsort(set->exact, set->exact_count, sizeof(*set->exact), compare_hosts);
    qsort(set->wildcard, set->wildcard_count, sizeof(*set->wildcard), compare_hosts);
    return set;
}

struct site_set *site_set_get(struct site_set *set)
{
    atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
    return set;
}

void site_set_put(struct site_set *set)
{
    if (!set || atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < set->cfg->site_count; i++)
        response_rules_fini(&set->sites[i].rules);
    free(set->sites);
    free(set->exact);
    free(set->wildcard);
    config_put(set->cfg);
    free(set);
}

static const struct site *find(const struct site_host *hosts, size_t count, const char *name)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, hosts[middle].name);
        if (order == 0)
            return hosts[middle].site;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct site *site_set_find(const struct site_set *set, struct span host)
{
    const struct site *site;
    char name[HOST_MAX + 1];

    if (set->exact_count + set->wildcard_count == 0)
        return set->fallback;
    if (host.len > 0 && host.ptr[host.len - 1] == '.') /* "example.org." is the same host */
        host.len--;
    if (host.len == 0 || host.len > HOST_MAX)
        return set->fallback;
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    name[host.len] = '\0';

    site = find(set->exact, set->exact_count, name);
    if (site || set->wildcard_count == 0)
        return site ? site : set->fallback;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        site = find(set->wildcard, set->wildcard_count, dot);
        if (site)
            return site;
    }
    return set->fallback;
}
