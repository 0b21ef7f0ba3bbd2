/* SPDX-License-Identifier: MIT */
/* site_forecast.c — does what answer_route.c and answer_file.c do for a request, in the same order.
 * A file that would be sent is a 200 whatever its coding, and so is a listing. */
#include "site/site_forecast.h"

#include "base/mem.h"
#include "files/file_lookup.h"
#include "site/dir_listing.h"
#include "site/site_host.h"
#include "site/site_try.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATH_EXTRA 4096 /* what rules, user folders and index names can add to a path */
#define PATH_BYTES (4 * SITE_FORECAST_TARGET_MAX + PATH_EXTRA)

struct forecast {
    const struct config *cfg;
    const struct site *site;
    struct span host; /* as in the request */
    struct site_request request;
    struct site_scratch scratch;
    bool is_in_root; /* the last look-up was */
    struct url_path path;
    char path_bytes[PATH_BYTES];
};

static enum http_status pass_rules(struct forecast *forecast, struct span path)
{
    const struct site_policy *policy = &forecast->site->policy;
    enum http_status status = HTTP_OK;

    if (policy->has_rules)
        status = site_policy_check(policy, &forecast->request, &forecast->scratch, path);
    if (status == HTTP_OK && site_policy_auth(policy, forecast->request.address, path))
        status = HTTP_UNAUTHORIZED;
    return status;
}

static enum http_status map(struct forecast *forecast)
{
    const struct site_policy *policy = &forecast->site->policy;
    const struct config_maintenance *rule = site_policy_maintenance(
        policy, forecast->request.address, (struct span){forecast->path_bytes, forecast->path.len});
    struct span location = {0};
    enum http_status status = HTTP_OK;

    if (rule)
        return site_policy_maintenance_status(rule);
    if (policy->has_rules)
        status = site_policy_map(policy, &forecast->request, &forecast->scratch, &forecast->path,
                                 forecast->path_bytes, sizeof(forecast->path_bytes), &location);
    if (status == HTTP_OK)
        status = pass_rules(forecast, (struct span){forecast->path_bytes, forecast->path.len});
    if (status == HTTP_OK && forecast->path.is_hidden && !forecast->site->cfg->hidden_files)
        status = HTTP_NOT_FOUND;
    return status;
}

/* A rule for "*.html" covers also the index.html that is sent for a folder. */
static enum http_status pass_index(struct forecast *forecast, const struct file_found *found)
{
    const struct config_site *cfg = forecast->site->cfg;
    struct span path = {forecast->path_bytes, forecast->path.len};

    if (found->index >= cfg->index_count)
        return !found->is_folder || dir_listing_may_show(cfg, path) ? HTTP_OK : HTTP_NOT_FOUND;
    size_t len = strlen(cfg->index[found->index]);
    if (forecast->path.len + len >= sizeof(forecast->path_bytes))
        return HTTP_URI_TOO_LONG;
    memcpy(forecast->path_bytes + forecast->path.len, cfg->index[found->index], len + 1);
    return pass_rules(forecast, (struct span){forecast->path_bytes, forecast->path.len + len});
}

/* What is at one place: `found` says of a 200 what it is. */
static enum http_status look(struct forecast *forecast, const struct site_location *location,
                             struct file_found *found)
{
    struct folder_chain chain = {.inotify = -1};

    file_lookup_run(found, location->place, &location->key, &chain);
    if (found->fd >= 0)
        close(found->fd);
    forecast->is_in_root = location->place == &forecast->site->places.root;
    if (found->status == HTTP_FORBIDDEN && location->place == &forecast->site->places.homes)
        return HTTP_NOT_FOUND;
    return found->status;
}

/* The file at the path itself was not found: is it one of another version of the release? */
static enum http_status look_in_fallbacks(struct forecast *forecast)
{
    const struct site_fallbacks *fallbacks = &forecast->site->fallbacks;
    struct site_location location = {.key.path = {forecast->path_bytes, forecast->path.len}};

    if (fallbacks->count == 0 || !forecast->is_in_root ||
        !site_fallbacks_have(forecast->site->cfg, location.key.path))
        return HTTP_NOT_FOUND;
    for (size_t i = 0; i < fallbacks->count; i++) {
        struct file_found found;
        enum http_status status;
        location.place = &fallbacks->items[i].place;
        status = look(forecast, &location, &found);
        if (!site_try_is_miss(status))
            return status;
    }
    return HTTP_NOT_FOUND;
}

static enum http_status look_for(struct forecast *forecast, enum site_candidate kind,
                                 struct file_found *found)
{
    struct span path = {forecast->path_bytes, forecast->path.len};
    struct site_location location;
    enum http_status status = site_try_locate(&forecast->site->places, kind, forecast->host, path,
                                              &forecast->scratch, &location);

    return status == HTTP_OK ? look(forecast, &location, found) : status;
}

/* The path is that of candidate `index`, which is there. */
static enum http_status judge_found(struct forecast *forecast, const struct site_try *tries,
                                    size_t index, struct span asked, const struct file_found *found)
{
    const struct site_page page = {asked, tries->candidates[index], found->is_folder};
    bool is_index = found->index < forecast->site->cfg->index_count;
    enum http_status status = pass_index(forecast, found);

    if (!is_index && !site_try_is_same(tries, index))
        status = pass_rules(forecast, (struct span){forecast->path_bytes, forecast->path.len});
    if (status != HTTP_OK)
        return status;
    return site_try_address(tries, &page) == ADDRESS_RIGHT ? HTTP_OK : HTTP_MOVED_PERMANENTLY;
}

static enum http_status try_all(struct forecast *forecast, const struct site_try *tries)
{
    struct url_path mapped = forecast->path;
    char *asked = xmalloc(mapped.len + 1);
    enum http_status status = HTTP_NOT_FOUND;

    memcpy(asked, forecast->path_bytes, mapped.len + 1);
    for (size_t i = 0; i < tries->count; i++) {
        struct file_found found;
        enum site_candidate kind;
        forecast->path = mapped;
        memcpy(forecast->path_bytes, asked, mapped.len + 1);
        kind = site_try_path(tries, i, &forecast->path, forecast->path_bytes,
                             sizeof(forecast->path_bytes), &status);
        if (kind == CANDIDATE_STATUS)
            break;
        if (kind == CANDIDATE_NONE)
            continue;
        status = look_for(forecast, kind, &found);
        if (status == HTTP_NOT_FOUND && site_try_is_same(tries, i)) {
            status = look_in_fallbacks(forecast);
            if (status != HTTP_NOT_FOUND)
                break;
        }
        if (site_try_is_miss(status)) {
            status = HTTP_NOT_FOUND;
            continue;
        }
        if (status == HTTP_OK)
            status = judge_found(forecast, tries, i, (struct span){asked, mapped.len}, &found);
        break;
    }
    free(asked);
    return status;
}

static enum http_status find(struct forecast *forecast)
{
    struct span path = {forecast->path_bytes, forecast->path.len};
    struct site_try tries;
    struct file_found found;
    enum http_status status;

    site_try_init(&tries, forecast->cfg, forecast->site->cfg, path);
    if (tries.count > 0)
        return try_all(forecast, &tries);
    status = look_for(forecast, CANDIDATE_PATH, &found);
    if (status == HTTP_NOT_FOUND)
        return look_in_fallbacks(forecast);
    return status == HTTP_OK ? pass_index(forecast, &found) : status;
}

static enum http_status answer(struct forecast *forecast, struct span path)
{
    enum http_status status =
        url_path_resolve_as(&forecast->path, forecast->path_bytes, sizeof(forecast->path_bytes),
                            path, forecast->site->cfg->encoded_slash);

    if (status == HTTP_OK)
        status = map(forecast);
    return status == HTTP_OK ? find(forecast) : status;
}

enum http_status site_forecast(const struct site_set *sites, struct span host, struct span target)
{
    const struct site *site = site_set_find(sites, host);
    const char *mark = memchr(target.ptr, '?', target.len);
    struct span path = {target.ptr, mark ? (size_t)(mark - target.ptr) : target.len};

    if (target.len > SITE_FORECAST_TARGET_MAX)
        return HTTP_URI_TOO_LONG;
    if (!site)
        return HTTP_MISDIRECTED_REQUEST;
    struct forecast *forecast = xcalloc(1, sizeof(*forecast));
    forecast->cfg = sites->cfg;
    forecast->site = site;
    forecast->host = host;
    forecast->scratch.cap = PATH_BYTES;
    forecast->scratch.bytes = xmalloc(PATH_BYTES);
    forecast->scratch.rules = url_rule_scratch_new();
    size_t host_len = site_host_normalise(forecast->scratch.host, host);
    forecast->request = (struct site_request){
        .host = {forecast->scratch.host, host_len},
        .query = {mark ? mark + 1 : "", mark ? target.len - path.len - 1 : 0},
        .target = path,
        .now = time(NULL),
    };
    enum http_status status = answer(forecast, path);
    url_rule_scratch_free(forecast->scratch.rules);
    free(forecast->scratch.bytes);
    free(forecast);
    return status;
}
