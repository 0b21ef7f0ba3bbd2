/* SPDX-License-Identifier: MIT */
/* explain_route.c — asks a site's rules in the order of answer_route.c. Lists of rules are asked in order, and the first that
 * fits decides: so the rule that decides is the last one of the shortest beginning of its list that gives the same answer. */
#include "explain/explain_route.h"

#include "base/mem.h"
#include "files/file_place.h"
#include "response/mime.h"
#include "site/site_try.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATH_BYTES                                                                                 \
    (4 * EXPLAIN_URL_MAX + 4096) /* rules, user folders and index names add to a path */

struct explain_router {
    const struct config *cfg;
    struct site_scratch scratch;
    char path[PATH_BYTES];
};

/* A site of which a rule may be left out. */
struct trial {
    const struct config *cfg;
    struct config_site site;
    struct site_policy policy;
    struct site_places places;
};

static void trial_init(struct trial *trial, const struct explain_router *router,
                       const struct site *site)
{
    trial->cfg = router->cfg;
    trial->site = *site->cfg;
    trial->policy = site->policy;
    trial->policy.cfg = &trial->site;
    trial->places = site->places;
    trial->places.root.site = &trial->site;
}

struct explain_router *explain_router_new(const struct site_set *sites)
{
    struct explain_router *router = xcalloc(1, sizeof(*router));

    router->cfg = sites->cfg;
    router->scratch.cap = PATH_BYTES;
    router->scratch.bytes = xmalloc(PATH_BYTES);
    router->scratch.rules = url_rule_scratch_new();
    return router;
}

void explain_router_free(struct explain_router *router)
{
    url_rule_scratch_free(router->scratch.rules);
    free(router->scratch.bytes);
    free(router);
}

void explain_routed_init(struct explain_routed *routed)
{
    *routed = (struct explain_routed){.status = HTTP_OK};
    buf_init(&routed->location);
    buf_init(&routed->path);
    buf_init(&routed->matched);
    buf_init(&routed->files);
}

void explain_routed_fini(struct explain_routed *routed)
{
    buf_fini(&routed->location);
    buf_fini(&routed->path);
    buf_fini(&routed->matched);
    buf_fini(&routed->files);
}

static void set(struct buf *buf, struct span text)
{
    buf_clear(buf);
    buf_append(buf, text.ptr, text.len);
}

/* --- to HTTPS -------------------------------------------------------------------------------- */

static bool to_https(const struct trial *trial, const struct explain_asked *asked,
                     struct explain_routed *routed)
{
    uint16_t port = site_https_port(trial->cfg);

    if (asked->is_secure || !site_leads_to_https(&trial->site, asked->path))
        return false;
    buf_printf(&routed->location, "https://%.*s", (int)asked->host.len, asked->host.ptr);
    if (port != HTTPS_PORT)
        buf_printf(&routed->location, ":%u", (unsigned)port);
    buf_append(&routed->location, asked->path.ptr, asked->path.len);
    if (asked->query.len > 0)
        buf_printf(&routed->location, "?%.*s", (int)asked->query.len, asked->query.ptr);
    routed->status = HTTP_MOVED_PERMANENTLY;
    return true;
}

/* --- rules ----------------------------------------------------------------------------------- */

/* Who may not see the path, or has to sign in first. */
static enum http_status admit(const struct trial *trial, struct explain_router *router,
                              const struct site_request *request, struct span path,
                              struct explain_routed *routed)
{
    enum http_status status = site_policy_check(&trial->policy, request, &router->scratch, path);
    const struct config_auth *rule =
        status == HTTP_OK ? site_policy_auth(&trial->policy, NULL, path) : NULL;

    if (!rule)
        return status;
    routed->realm = rule->realm;
    return HTTP_UNAUTHORIZED;
}

static enum http_status apply_rules(const struct trial *trial, struct explain_router *router,
                                    const struct site_request *request, struct url_path *path,
                                    struct explain_routed *routed)
{
    struct span location = {0};
    enum http_status status = url_path_resolve_as(path, router->path, sizeof(router->path),
                                                  request->target, trial->site.encoded_slash);
    const struct config_maintenance *closed;

    if (status != HTTP_OK)
        return status;
    closed = site_policy_maintenance(&trial->policy, NULL, (struct span){router->path, path->len});
    if (closed) {
        routed->retry_seconds = closed->retry_seconds;
        return site_policy_maintenance_status(closed);
    }
    status = site_policy_map(&trial->policy, request, &router->scratch, path, router->path,
                             sizeof(router->path), &location);
    if (location.ptr)
        set(&routed->location, location);
    if (status == HTTP_OK)
        status = admit(trial, router, request, (struct span){router->path, path->len}, routed);
    return status == HTTP_OK && path->is_hidden && !trial->site.hidden_files ? HTTP_NOT_FOUND
                                                                             : status;
}

/* --- files ----------------------------------------------------------------------------------- */

static void append_file(struct buf *out, const struct site_location *location,
                        const struct config_site *site, const char *index)
{
    struct file_folder folder;

    if (*location->place->folder == '\0')
        buf_printf(out, "%s (release)", site->release);
    else if (file_place_expand(&folder, location->place, location->key.variable) == 0)
        buf_append_str(out, folder.path);
    buf_printf(out, "%.*s%s\n", (int)location->key.path.len, location->key.path.ptr, index);
}

/* A name whose suffix nobody knows is more often a page's address than a file's. */
static bool is_likely(const struct trial *trial, const struct buf *path)
{
    struct mime_type type = mime_type(trial->cfg, (struct span){path->data, path->len});

    return strcmp(type.name, trial->cfg->default_type) != 0;
}

/* The first candidate is taken to be there, or a later one that is likelier. */
static void choose(const struct trial *trial, struct span path, const char *index,
                   struct explain_routed *routed)
{
    struct buf whole;

    buf_init(&whole);
    buf_append(&whole, path.ptr, path.len);
    buf_append_str(&whole, index);
    if (routed->path.len == 0 || (!is_likely(trial, &routed->path) && is_likely(trial, &whole)))
        set(&routed->path, (struct span){whole.data, whole.len});
    buf_fini(&whole);
}

/* Notes the file at the path, or, of a folder, its index files. */
static enum http_status look(const struct trial *trial, struct explain_router *router,
                             const struct explain_asked *asked, enum site_candidate kind,
                             struct span path, struct explain_routed *routed)
{
    size_t indexes = path.ptr[path.len - 1] == '/' ? trial->site.index_count : 0;
    struct site_location location;
    enum http_status status =
        site_try_locate(&trial->places, kind, asked->host, path, &router->scratch, &location);

    if (status != HTTP_OK)
        return status;
    if (indexes == 0)
        append_file(&routed->files, &location, &trial->site, "");
    for (size_t i = 0; i < indexes; i++)
        append_file(&routed->files, &location, &trial->site, trial->site.index[i]);
    choose(trial, path, indexes > 0 ? trial->site.index[0] : "", routed);
    return HTTP_OK;
}

/* Returns the status of a candidate that is one, when nothing is looked for before it. */
static enum http_status try_all(const struct trial *trial, struct explain_router *router,
                                const struct explain_asked *asked, const struct site_try *tries,
                                struct explain_routed *routed)
{
    for (size_t i = 0; i < tries->count; i++) {
        enum http_status status;
        struct url_path path = {.len = routed->matched.len};
        enum site_candidate kind;

        memcpy(router->path, routed->matched.data, routed->matched.len);
        router->path[path.len] = '\0';
        kind = site_try_path(tries, i, &path, router->path, sizeof(router->path), &status);
        if (kind == CANDIDATE_STATUS) {
            if (routed->files.len == 0)
                return status;
            buf_printf(&routed->files, "%d\n", (int)status);
            break;
        }
        if (kind != CANDIDATE_NONE)
            look(trial, router, asked, kind, (struct span){router->path, path.len}, routed);
    }
    return routed->files.len > 0 ? HTTP_OK : HTTP_NOT_FOUND;
}

static enum http_status find(const struct trial *trial, struct explain_router *router,
                             const struct explain_asked *asked, const struct site_request *request,
                             struct explain_routed *routed)
{
    struct span matched = {routed->matched.data, routed->matched.len};
    struct site_try tries;
    enum http_status status;

    site_try_init(&tries, trial->cfg, &trial->site, matched);
    status = tries.count > 0 ? try_all(trial, router, asked, &tries, routed)
                             : look(trial, router, asked, CANDIDATE_PATH, matched, routed);
    if (status != HTTP_OK)
        return status;
    /* A rule for "*.html" covers also the index file that is sent for a folder. */
    return admit(trial, router, request, (struct span){routed->path.data, routed->path.len},
                 routed);
}

/* The address of a folder whose final slash is missing, as the request has it. */
static void add_slash(const struct explain_asked *asked, struct explain_routed *routed)
{
    buf_printf(&routed->location, "%.*s/", (int)asked->path.len, asked->path.ptr);
    if (asked->query.len > 0)
        buf_printf(&routed->location, "?%.*s", (int)asked->query.len, asked->query.ptr);
}

static void run(const struct trial *trial, struct explain_router *router,
                const struct explain_asked *asked, struct explain_routed *routed)
{
    struct url_path path;
    char host[SITE_HOST_MAX + 1];
    const struct site_request request = {
        .host = {host, site_host_normalise(host, asked->host)},
        .query = asked->query,
        .target = asked->path,
        .now = time(NULL),
    };

    if (to_https(trial, asked, routed))
        return;
    routed->status = apply_rules(trial, router, &request, &path, routed);
    if (routed->status != HTTP_OK)
        return;
    set(&routed->matched, (struct span){router->path, path.len});
    routed->status = find(trial, router, asked, &request, routed);
    if (routed->status == HTTP_MOVED_PERMANENTLY)
        add_slash(asked, routed);
    if (routed->status != HTTP_OK)
        buf_clear(&routed->files);
}

void explain_route(struct explain_router *router, const struct site *site,
                   const struct explain_asked *asked, struct explain_routed *routed)
{
    struct trial trial;

    trial_init(&trial, router, site);
    run(&trial, router, asked, routed);
}

/* --- which rule ------------------------------------------------------------------------------ */

#define LIST(name, member)                                                                         \
    {                                                                                              \
        name, offsetof(struct config_site, member)                                                 \
    }
static const struct {
    const char *name;
    size_t count_at; /* of how many there are, in a site's config */
} lists[] = {
    LIST("maintenance", maintenance_count),
    LIST("redirects", redirect_count),
    LIST("signedUrls", signed_url_count),
    LIST("rewrites", rewrite_count),
    LIST("access", access_count),
    LIST("hotlink", hotlink_count),
    LIST("auth", auth_count),
    LIST("tryFiles", try_files_count),
    LIST("aliases", alias_count),
};

static bool is_same_text(const struct buf *a, const struct buf *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool is_same(const struct explain_routed *a, const struct explain_routed *b)
{
    return a->status == b->status && is_same_text(&a->location, &b->location) &&
           is_same_text(&a->files, &b->files);
}

static bool answers_same(const struct trial *trial, struct explain_router *router,
                         const struct explain_asked *asked, const struct explain_routed *wanted)
{
    struct explain_routed routed;
    bool is_right;

    explain_routed_init(&routed);
    run(trial, router, asked, &routed);
    is_right = is_same(&routed, wanted);
    explain_routed_fini(&routed);
    return is_right;
}

/* How much of a list is needed for the same answer: beyond the rule that decides, more of it changes nothing. */
static size_t needed(struct trial *trial, size_t *count, struct explain_router *router,
                     const struct explain_asked *asked, const struct explain_routed *wanted)
{
    size_t low = 0, high = *count;

    while (low < high) {
        *count = (low + high) / 2;
        if (answers_same(trial, router, asked, wanted))
            high = *count;
        else
            low = *count + 1;
    }
    return low;
}

void explain_route_rules(struct explain_router *router, const struct site *site,
                         const struct explain_asked *asked, const struct explain_routed *routed,
                         void (*on_rule)(void *to, const char *pointer), void *to)
{
    size_t number = (size_t)(site->cfg - router->cfg->sites);
    char pointer[80];

    if (!asked->is_secure && site_leads_to_https(site->cfg, asked->path)) {
        snprintf(pointer, sizeof(pointer), "/sites/%zu/redirectToHttps", number);
        on_rule(to, pointer);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        struct trial trial;
        size_t *count = (size_t *)(void *)((char *)&trial.site + lists[i].count_at), rules;

        trial_init(&trial, router, site);
        rules = needed(&trial, count, router, asked, routed);
        if (rules == 0)
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/%s/%zu", number, lists[i].name, rules - 1);
        on_rule(to, pointer);
    }
}
