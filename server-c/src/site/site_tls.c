/* SPDX-License-Identifier: MIT */
/* site_tls.c — one context of the library for each choice of certificates, and tables of the names
 * for which a choice is made.
 *
 * A site with one certificate of each kind of key has one choice. With several of a kind, each name
 * that one of them has gets the choice of those that cover it. */
#include "site/site_tls.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/mem.h"
#include "site/certificate_files.h"
#include "site/named_files.h"
#include "site/site_host.h"

#include <string.h>

#define KINDS_MAX 8 /* of keys; there are fewer */

struct shown {
    const struct named_file *file;
    struct tls_certificate *certificate;
    size_t place; /* in what is told of certificates */
};

struct choice {
    char *name; /* as in the certificate; of a wildcard, from its dot on */
    struct tls_context *context;
};

struct site_choices {
    struct shown *shown; /* only while the set is made */
    size_t shown_count;
    bool has_certificates;       /* in the config, usable or not */
    struct tls_context *context; /* for names that no table has; NULL: none can be used */
    struct choice *exact, *wildcard;
    size_t exact_count, wildcard_count;
};

struct site_tls {
    struct site_set *sites;
    struct tls_set *set;
    struct site_choices *choices; /* one for each site */
    size_t fallback;              /* the site whose certificates are shown otherwise */
    struct certificates_shown shown;
};

bool site_tls_is_wanted(const struct config *cfg)
{
    for (size_t i = 0; i < cfg->listen_count; i++)
        if (cfg->listens[i].tls)
            return true;
    return false;
}

bool site_tls_is_loaded(const struct config *cfg)
{
    for (size_t i = 0; i < cfg->site_count; i++)
        if (cfg->sites[i].certificate_count > 0)
            return true;
    return site_tls_is_wanted(cfg);
}

/* Clients that name no site, or one that shows nothing of its own, are shown its certificates. */
static size_t fallback_of(const struct site_set *sites)
{
    const struct config *cfg = sites->cfg;
    size_t first = 0;

    if (sites->fallback && sites->fallback->cfg->certificate_count > 0)
        return (size_t)(sites->fallback - sites->sites);
    while (first + 1 < cfg->site_count && cfg->sites[first].certificate_count == 0)
        first++;
    return first;
}

/* --- making a context ------------------------------------------------------------------------ */

static const struct named_file *authorities_of(const struct site_set *sites, size_t site)
{
    const struct config_site *cfg = &sites->cfg->sites[site];

    if (cfg->client_certificates.mode == CLIENT_CERTIFICATES_OFF)
        return NULL;
    return named_files_find(&sites->files, NAMED_AUTHORITIES, cfg->client_certificates.ca_file,
                            NULL);
}

/* Sessions may be resumed at any site that asks for no client's certificate; where one is asked
 * for, only at the same site with the same authorities. */
static void make_id(unsigned char id[32], const struct config_site *cfg,
                    const struct named_file *authorities)
{
    char digest[DIGEST_LEN + 1];
    struct buf text;

    buf_init(&text);
    for (size_t i = 0; authorities && i < cfg->host_count; i++)
        buf_printf(&text, "%s\n", cfg->hosts[i]);
    if (authorities)
        buf_append(&text, authorities->bytes, authorities->len);
    digest_sha256(digest, text.data, text.len);
    memcpy(id, digest + DIGEST_LEN - 32, 32);
    buf_fini(&text);
}

/* A context of those of `shown` that cover `name`, NULL: of all, and of each kind of key the
 * first. NULL if none can be used. */
static struct tls_context *make_context(struct site_tls *tls, size_t site,
                                        const struct site_choices *from, const char *name)
{
    const struct named_file *authorities = authorities_of(tls->sites, site);
    int kinds[KINDS_MAX];
    struct tls_pair pairs[KINDS_MAX];
    struct tls_plan plan = {.pairs = pairs};

    for (size_t i = 0; i < from->shown_count && plan.pair_count < KINDS_MAX; i++) {
        const struct shown *shown = &from->shown[i];
        int kind = tls_certificate_kind(shown->certificate);
        size_t other = 0;
        while (other < plan.pair_count && kinds[other] != kind)
            other++;
        if (other < plan.pair_count || (name && !tls_certificate_covers(shown->certificate, name)))
            continue;
        kinds[plan.pair_count] = kind;
        pairs[plan.pair_count++] =
            (struct tls_pair){named_file_chain(shown->file), named_file_key(shown->file)};
    }
    if (plan.pair_count == 0)
        return NULL;
    if (authorities)
        plan.authorities = (struct span){(const char *)authorities->bytes, authorities->len};
    make_id(plan.id, &tls->sites->cfg->sites[site], authorities);
    return tls_set_add(tls->set, &plan);
}

/* --- a site's choices ------------------------------------------------------------------------ */

static struct shown note_certificate(struct site_tls *tls, const struct config_certificate *cfg,
                                     const struct named_file *file)
{
    bool has_name = cfg->name[0] != '\0';
    struct shown shown = {
        .file = file,
        .certificate = tls_certificate_read(named_file_chain(file), named_file_key(file), 0)};

    shown.place = certificates_shown_load(&tls->shown, has_name ? cfg->name : cfg->chain_file,
                                          has_name, shown.certificate);
    return shown;
}

static void read_shown(struct site_tls *tls, size_t site)
{
    const struct site_set *sites = tls->sites;
    struct site_choices *choices = &tls->choices[site];
    const struct config_site *cfg = &sites->cfg->sites[site];

    choices->has_certificates = cfg->certificate_count > 0;
    choices->shown = xcalloc(cfg->certificate_count, sizeof(*choices->shown));
    for (size_t i = 0; i < cfg->certificate_count; i++) {
        struct certificate_paths paths;
        const struct named_file *file;
        certificate_paths_of(&paths, &cfg->certificates[i]);
        file = named_files_find(&sites->files, NAMED_CERTIFICATE, paths.chain, paths.key);
        certificate_paths_fini(&paths);
        if (!file || file->len == 0)
            continue;
        choices->shown[choices->shown_count++] = note_certificate(tls, &cfg->certificates[i], file);
    }
}

static void free_shown(struct site_choices *choices)
{
    for (size_t i = 0; i < choices->shown_count; i++)
        tls_certificate_free(choices->shown[i].certificate);
    free(choices->shown);
    choices->shown = NULL;
    choices->shown_count = 0;
}

static bool needs_tables(const struct site_choices *choices)
{
    for (size_t i = 1; i < choices->shown_count; i++)
        for (size_t j = 0; j < i; j++)
            if (tls_certificate_kind(choices->shown[i].certificate) ==
                tls_certificate_kind(choices->shown[j].certificate))
                return true;
    return false;
}

struct naming {
    struct site_tls *tls;
    struct site_choices *choices;
    size_t site;
};

static bool has_name(const struct choice *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return true;
    return false;
}

static void add_name(void *arg, const char *certified)
{
    const struct naming *naming = arg;
    struct site_choices *choices = naming->choices;
    char name[SITE_HOST_MAX + 1];
    bool is_wildcard = certified[0] == '*';
    struct choice **table = is_wildcard ? &choices->wildcard : &choices->exact;
    size_t *count = is_wildcard ? &choices->wildcard_count : &choices->exact_count;

    if (site_host_normalise(name, (struct span){certified, strlen(certified)}) == 0 ||
        has_name(*table, *count, name + is_wildcard))
        return;
    *table = xreallocarray(*table, *count + 1, sizeof(**table));
    (*table)[*count] =
        (struct choice){.name = xstrdup(name + is_wildcard),
                        .context = make_context(naming->tls, naming->site, choices, name)};
    (*count)++;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct choice *)a)->name, ((const struct choice *)b)->name);
}

static void make_tables(struct site_tls *tls, size_t site)
{
    struct site_choices *choices = &tls->choices[site];
    struct naming naming = {tls, choices, site};

    for (size_t i = 0; i < choices->shown_count; i++)
        tls_certificate_names(choices->shown[i].certificate, add_name, &naming);
    if (choices->exact_count > 0)
        qsort(choices->exact, choices->exact_count, sizeof(*choices->exact), compare_names);
    if (choices->wildcard_count > 0)
        qsort(choices->wildcard, choices->wildcard_count, sizeof(*choices->wildcard),
              compare_names);
}

/* A site without certificates that asks for clients' ones shows the fallback's. */
static void make_choices(struct site_tls *tls, size_t site)
{
    struct site_choices *choices = &tls->choices[site];
    const struct site_choices *from =
        choices->has_certificates ? choices : &tls->choices[tls->fallback];

    if (!choices->has_certificates && !authorities_of(tls->sites, site))
        return;
    choices->context = make_context(tls, site, from, NULL);
    if (choices->has_certificates && needs_tables(choices))
        make_tables(tls, site);
}

/* --- what is shown --------------------------------------------------------------------------- */

/* Those that cover the host or, if none does, all: one of them will be shown. */
static void note_host(struct site_tls *tls, const struct site_choices *choices, const char *host)
{
    bool is_covered = false;

    for (size_t i = 0; i < choices->shown_count; i++)
        is_covered |= tls_certificate_covers(choices->shown[i].certificate, host);
    for (size_t i = 0; i < choices->shown_count; i++) {
        const struct shown *shown = &choices->shown[i];
        if (!is_covered || tls_certificate_covers(shown->certificate, host))
            certificates_shown_for(&tls->shown, host, shown->place);
    }
}

/* Of a site for which there is no context no handshake comes to its end. */
static void note_shown(struct site_tls *tls)
{
    const struct config *cfg = tls->sites->cfg;
    const struct site_choices *fallback = &tls->choices[tls->fallback];

    if (!site_tls_is_wanted(cfg))
        return;
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct site_choices *choices = &tls->choices[i];
        if (!choices->has_certificates)
            choices = fallback;
        for (size_t j = 0; choices->context && j < cfg->sites[i].host_count; j++)
            if (strcmp(cfg->sites[i].hosts[j], "*") != 0)
                note_host(tls, choices, cfg->sites[i].hosts[j]);
    }
    if (fallback->context)
        note_host(tls, fallback, "*");
}

const struct certificates_shown *site_tls_shown(const struct tls_set *set)
{
    return &((const struct site_tls *)tls_set_arg(set))->shown;
}

/* --- choosing -------------------------------------------------------------------------------- */

static struct tls_context *find(const struct choice *table, size_t count, const char *name)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, table[middle].name);
        if (order == 0)
            return table[middle].context;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static struct tls_context *choose_of(const struct site_choices *choices, struct span asked)
{
    struct tls_context *context = NULL;
    char name[SITE_HOST_MAX + 1];
    const char *dot;

    if (choices->exact_count + choices->wildcard_count == 0 ||
        site_host_normalise(name, asked) == 0)
        return choices->context;
    context = find(choices->exact, choices->exact_count, name);
    dot = strchr(name, '.');
    if (!context && dot)
        context = find(choices->wildcard, choices->wildcard_count, dot);
    return context ? context : choices->context;
}

const struct site *site_tls_site(const struct site_set *sites, struct span name)
{
    const struct site *site = name.len > 0 ? site_set_find(sites, name) : NULL;

    return site ? site : &sites->sites[fallback_of(sites)];
}

static struct tls_context *choose(void *arg, struct span name)
{
    const struct site_tls *tls = arg;
    size_t site = (size_t)(site_tls_site(tls->sites, name)->origin - tls->sites->sites);
    const struct site_choices *choices = &tls->choices[site];

    if (!choices->has_certificates && !choices->context)
        choices = &tls->choices[tls->fallback];
    return choose_of(choices, name);
}

/* --- the set --------------------------------------------------------------------------------- */

static void free_table(struct choice *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(table[i].name);
    free(table);
}

static void free_tls(void *arg)
{
    struct site_tls *tls = arg;

    for (size_t i = 0; i < tls->sites->cfg->site_count; i++) {
        free_table(tls->choices[i].exact, tls->choices[i].exact_count);
        free_table(tls->choices[i].wildcard, tls->choices[i].wildcard_count);
    }
    free(tls->choices);
    certificates_shown_fini(&tls->shown);
    site_set_put(tls->sites);
    free(tls);
}

struct tls_set *site_tls_new(struct site_set *sites, struct tls_engine *engine)
{
    struct site_tls *tls = xcalloc(1, sizeof(*tls));
    const struct tls_settings settings = {
        .is_modern = sites->cfg->tls.profile == TLS_PROFILE_MODERN,
        .speaks_http2 = sites->cfg->http2,
        .choose = choose,
        .free_arg = free_tls,
        .arg = tls,
    };

    tls->sites = site_set_get(sites);
    tls->choices = xcalloc(sites->cfg->site_count, sizeof(*tls->choices));
    tls->fallback = fallback_of(sites);
    tls->set = tls_set_new(engine, &settings);
    if (!tls->set) {
        free_tls(tls);
        return NULL;
    }
    for (size_t i = 0; i < sites->cfg->site_count; i++)
        read_shown(tls, i);
    for (size_t i = 0; i < sites->cfg->site_count; i++)
        make_choices(tls, i);
    note_shown(tls);
    for (size_t i = 0; i < sites->cfg->site_count; i++)
        free_shown(&tls->choices[i]);
    return tls->set;
}
