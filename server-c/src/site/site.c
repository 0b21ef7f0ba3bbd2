/* SPDX-License-Identifier: MIT */
/* site.c — finds a site by host in two sorted tables: one of exact names, one of wildcards without
 * "*". */
#include "site/site.h"

#include "base/buf.h"
#include "base/mem.h"
#include "config/config_security.h"
#include "site/acme_challenges.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

struct site_host {
    const char *name; /* in the config's memory; a wildcard's begins with its dot */
    const struct site *site;
};

static uint64_t last_id; /* used by one thread at a time */

static bool has_same_hosts(const struct config_site *a, const struct config_site *b)
{
    if (a->host_count != b->host_count)
        return false;
    for (size_t i = 0; i < a->host_count; i++)
        if (strcmp(a->hosts[i], b->hosts[i]) != 0)
            return false;
    return true;
}

/* A site that is in the new config too keeps its bucket: a reload must neither fill it nor add a
 * second. */
static struct rate_bucket *rate_of(const struct config_site *cfg, const struct site_set *previous)
{
    for (size_t i = 0; previous && i < previous->cfg->site_count; i++) {
        const struct site *site = &previous->sites[i];
        if (site->cfg->bytes_per_second == cfg->bytes_per_second && has_same_hosts(site->cfg, cfg))
            return rate_bucket_get(site->rate);
    }
    return rate_bucket_new(cfg->bytes_per_second);
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

/* RFC 6797 section 6.1. */
static char *hsts_of(const struct config_site *cfg)
{
    struct buf line;

    if (config_hsts_seconds(cfg) == 0)
        return NULL;
    buf_init(&line);
    buf_printf(&line, "Strict-Transport-Security: max-age=%" PRIu32 "%s%s\r\n",
               config_hsts_seconds(cfg), cfg->hsts.include_sub_domains ? "; includeSubDomains" : "",
               cfg->hsts.preload ? "; preload" : "");
    return buf_take(&line);
}

static void init_site(struct site *site, const struct config_site *cfg, const struct site_set *set,
                      const struct site_set *previous)
{
    site->cfg = cfg;
    site->origin = site;
    site->id = ++last_id;
    site_places_init(&site->places, cfg, set->kept);
    site_fallbacks_init(&site->fallbacks, cfg, set->kept, set->versions);
    site_policy_init(&site->policy, cfg, &set->files);
    for (size_t i = 0; i < cfg->precompressed_count; i++)
        site->codings[site->coding_count++] = http_coding_named(cfg->precompressed[i]);
    site->copies = cfg->compress_count > 0 ? set->copies : NULL;
    for (size_t i = 0; i < cfg->compress_count; i++) {
        enum http_coding coding = http_coding_named(cfg->compress[i]);
        site->copy_codings[site->copy_coding_count++] = coding;
        site->copy_coding_bits |= 1u << coding;
    }
    site->dictionaries = site_dictionaries_new(cfg, set->copies, set->versions);
    response_rules_init(&site->rules, cfg);
    site->rate = rate_of(cfg, previous);
    site->hsts = hsts_of(cfg);
    site->cors = site_cors_new(cfg);
    site->limits = site_limits_new(cfg);
    site_log_init(&site->own_log, &cfg->access_log);
    site->log = cfg->access_log.path && cfg->access_log.path[0] ? &site->own_log : &set->log;
}

/* It is logged where its site is, and asks nobody to come by HTTPS in future: its name ends. */
static void init_preview(struct site *site, const struct site_preview *preview,
                         const struct site_set *set)
{
    init_site(site, &preview->cfg, set, NULL);
    free(site->hsts);
    site->hsts = NULL;
    site->origin = &set->sites[preview->site];
    site->preview = &preview->version->preview;
    site->log = site->origin->log;
}

static bool has_exact(const struct site_set *set, const char *name)
{
    for (size_t i = 0; i < set->exact_count; i++)
        if (strcmp(set->exact[i].name, name) == 0)
            return true;
    return false;
}

/* A name that the config has is never a preview's. */
static void add_previews(struct site_set *set)
{
    for (size_t i = 0; i < set->previews.count; i++) {
        const struct site_preview *preview = &set->previews.items[i];
        struct site *site = &set->sites[set->site_count++];
        init_preview(site, preview, set);
        if (!has_exact(set, preview->hosts[0]))
            add_host(set, preview->hosts[0], site);
    }
}

static void fini_site(struct site *site)
{
    free(site->limits);
    site_cors_free(site->cors);
    site_log_fini(&site->own_log);
    free(site->hsts);
    rate_bucket_put(site->rate);
    response_rules_fini(&site->rules);
    site_policy_fini(&site->policy);
    site_dictionaries_free(site->dictionaries);
    site_fallbacks_fini(&site->fallbacks);
    site_places_fini(&site->places);
}

static void free_set(struct place_owner *owner)
{
    struct site_set *set = container_of(owner, struct site_set, owner);

    for (size_t i = 0; i < set->site_count; i++)
        fini_site(&set->sites[i]);
    site_previews_fini(&set->previews);
    site_log_fini(&set->log);
    trusted_proxies_fini(&set->proxies);
    site_copies_free(set->copies);
    free(set->sites);
    free(set->exact);
    free(set->wildcard);
    kept_versions_put(set->versions);
    kept_files_free(set->kept);
    named_files_fini(&set->files);
    config_put(set->cfg);
    free(set);
}

/* Takes over `kept`, which may be NULL, and what `files` holds. */
static struct site_set *make_set(struct config *cfg, struct kept_versions *versions,
                                 const struct site_set *previous, struct kept_files *kept,
                                 const struct named_files *files)
{
    struct site_set *set = xcalloc(1, sizeof(*set));
    size_t hosts = 0;

    atomic_init(&set->owner.refs, 1);
    set->owner.free = free_set;
    set->cfg = config_get(cfg);
    set->kept = kept;
    set->versions = kept_versions_get(versions);
    trusted_proxies_init(&set->proxies, cfg);
    set->copies = site_copies_new(cfg);
    site_log_init(&set->log, &cfg->access_log);
    set->files = *files;
    site_previews_init(&set->previews, cfg, versions);
    set->sites = xcalloc(cfg->site_count + set->previews.count, sizeof(*set->sites));
    set->site_count = cfg->site_count;
    for (size_t i = 0; i < cfg->site_count; i++)
        hosts += cfg->sites[i].host_count;
    hosts += set->previews.count;
    set->exact = xcalloc(hosts, sizeof(*set->exact));
    set->wildcard = xcalloc(hosts, sizeof(*set->wildcard));
    for (size_t i = 0; i < cfg->site_count; i++) {
        init_site(&set->sites[i], &cfg->sites[i], set, previous);
        for (size_t h = 0; h < cfg->sites[i].host_count; h++)
            add_host(set, cfg->sites[i].hosts[h], &set->sites[i]);
    }
    add_previews(set);
    qsort(set->exact, set->exact_count, sizeof(*set->exact), compare_hosts);
    qsort(set->wildcard, set->wildcard_count, sizeof(*set->wildcard), compare_hosts);
    return set;
}

struct site_set *site_set_new(struct config *cfg, struct kept_versions *versions,
                              const struct site_set *previous)
{
    struct named_files files;

    named_files_read(&files, cfg, previous ? &previous->files : NULL);
    return make_set(cfg, versions, previous, kept_files_new(cfg), &files);
}

struct site_set *site_set_new_unread(struct config *cfg)
{
    struct named_files files;

    named_files_name(&files, cfg);
    return make_set(cfg, NULL, NULL, NULL, &files);
}

struct site_set *site_set_renew(const struct site_set *previous, struct kept_versions *versions,
                                struct named_files *files)
{
    struct site_set *set =
        make_set(previous->cfg, versions, previous, kept_files_new(previous->cfg), files);

    *files = (struct named_files){0};
    site_log_share(&set->log, &previous->log);
    for (size_t i = 0; i < set->cfg->site_count; i++)
        site_log_share(&set->sites[i].own_log, &previous->sites[i].own_log);
    return set;
}

void site_set_bind_logs(struct site_set *set, struct access_logs *logs)
{
    site_log_bind(&set->log, logs);
    for (size_t i = 0; i < set->cfg->site_count; i++)
        site_log_bind(&set->sites[i].own_log, logs);
}

struct site_set *site_set_get(struct site_set *set)
{
    place_owner_get(&set->owner);
    return set;
}

void site_set_put(struct site_set *set)
{
    if (set)
        place_owner_put(&set->owner);
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
    char name[SITE_HOST_MAX + 1];

    if (set->exact_count + set->wildcard_count == 0 || site_host_normalise(name, host) == 0)
        return set->fallback;
    site = find(set->exact, set->exact_count, name);
    if (site || set->wildcard_count == 0)
        return site ? site : set->fallback;
    /* Starts at the second byte, because a wildcard needs at least one character before its dot. */
    for (const char *dot = strchr(name + 1, '.'); dot; dot = strchr(dot + 1, '.')) {
        site = find(set->wildcard, set->wildcard_count, dot);
        if (site)
            return site;
    }
    return set->fallback;
}

bool site_leads_to_https(const struct config_site *cfg, struct span path)
{
    size_t len = strlen(ACME_PATH);

    return cfg->redirect_to_https && (path.len < len || memcmp(path.ptr, ACME_PATH, len) != 0);
}

uint16_t site_https_port(const struct config *cfg)
{
    uint16_t port = 0;

    for (size_t i = 0; i < cfg->listen_count; i++) {
        if (!cfg->listens[i].tls)
            continue;
        if (cfg->listens[i].port == HTTPS_PORT)
            return HTTPS_PORT;
        if (port == 0)
            port = cfg->listens[i].port;
    }
    return port ? port : HTTPS_PORT;
}
