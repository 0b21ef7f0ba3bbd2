/* SPDX-License-Identifier: MIT */
/* answer_route.c — from a parsed head to the place of the answer: applies the site's rules and
 * checks who asks.
 *
 * A request runs through in one go while everything is in memory. When a lane has to be asked it
 * goes on from the waiter's callback. The path that the rules produce is in memory that all
 * requests of the loop share, so it is computed again after a wait; the result is the same, because
 * the config is. */
#include "answer/answer.h"

#include "http/http_auth.h"

#include <string.h>

struct span answer_asked_path(struct exchange *ex)
{
    struct loop *loop = ex->loop;
    struct url_path path;
    enum http_status status =
        url_path_resolve(&path, loop->path, loop->path_cap, exchange_slice(ex, ex->req.path));

    return (struct span){loop->path, status == HTTP_OK ? path.len : 0};
}

/* --- rules ----------------------------------------------------------------------------------- */

/* The host as the rules know it, in lower case and without a final dot: "EXAMPLE.org." means the
 * same folder as "example.org" (RFC 3986 section 3.2.2). */
static struct span host_of(struct exchange *ex)
{
    char *host = ex->loop->scratch.host;

    return (struct span){host, site_host_normalise(host, exchange_slice(ex, ex->req.host))};
}

static void describe(struct exchange *ex, struct site_request *request,
                     uint8_t address[ADDRESS_LEN])
{
    const char *head = ex->head;

    loop_date(ex->loop);
    *request = (struct site_request){
        .host = host_of(ex),
        .query = http_slice_of(head, ex->req.query),
        .referer = http_request_field(&ex->req, head, FIELD_REFERER),
        .target = http_slice_of(head, ex->req.path),
        .address = visitor_address(ex->peer, address),
        .now = ex->loop->date_second,
    };
}

/* Rules that need a description of the request, which is made only for sites that have such
 * rules. */
static enum http_status apply_rules(struct exchange *ex, struct url_path *path,
                                    struct span *location)
{
    struct loop *loop = ex->loop;
    const struct config_maintenance *closed;
    uint8_t address[ADDRESS_LEN];
    enum http_status status = HTTP_OK;
    struct site_request request;

    describe(ex, &request, address);
    closed = site_policy_maintenance(&ex->site->policy, request.address,
                                     (struct span){loop->path, path->len});
    if (closed) {
        ex->retry_seconds = closed->retry_seconds;
        return site_policy_maintenance_status(closed);
    }
    if (ex->site->policy.has_maps)
        status = site_policy_map(&ex->site->policy, &request, &loop->scratch, path, loop->path,
                                 loop->path_cap, location);
    if (status == HTTP_OK)
        status = site_policy_check(&ex->site->policy, &request, &loop->scratch,
                                   (struct span){loop->path, path->len});
    return status;
}

enum http_status answer_map(struct exchange *ex, struct url_path *path, struct span *location)
{
    struct loop *loop = ex->loop;
    enum http_status status =
        url_path_resolve_as(path, loop->path, loop->path_cap, exchange_slice(ex, ex->req.path),
                            ex->site->cfg->encoded_slash);

    if (status == HTTP_OK && ex->site->policy.has_rules)
        status = apply_rules(ex, path, location);
    if (status != HTTP_OK)
        return status;
    ex->scope.match = response_rules_match(&ex->site->rules, (struct span){loop->path, path->len});
    return path->is_hidden && !ex->site->cfg->hidden_files ? HTTP_NOT_FOUND : HTTP_OK;
}

/* --- who asks -------------------------------------------------------------------------------- */

void answer_forget_user(struct exchange *ex)
{
    free((void *)(uintptr_t)ex->user.ptr);
    ex->user = (struct span){0};
}

static bool remember_user(struct exchange *ex, struct span user)
{
    char *copy = malloc(user.len);

    answer_forget_user(ex); /* of an earlier rule for the same request */
    if (!copy)
        return false;
    memcpy(copy, user.ptr, user.len);
    ex->user = (struct span){copy, user.len};
    return true;
}

/* True: go on. False: the request was answered, or will be when the verdict is there. */
static bool take_verdict(struct exchange *ex, enum auth_verdict verdict)
{
    switch (verdict) {
    case AUTH_PASSED:
        ex->is_signed_in = true;
        return true;
    case AUTH_REFUSED:
        answer_forget_user(ex);
        answer_refuse(ex, HTTP_UNAUTHORIZED);
        return false;
    case AUTH_UNAVAILABLE:
        answer_forget_user(ex);
        answer_refuse(ex, HTTP_UNAVAILABLE);
        return false;
    case AUTH_WAIT:
        carrier_wait(ex->carrier);
        return false;
    }
    return false;
}

static void on_verdict(struct auth_waiter *waiter, enum auth_verdict verdict)
{
    struct exchange *ex = container_of(waiter, struct exchange, auth_waiter);
    struct carrier *carrier = ex->carrier;

    if (take_verdict(ex, verdict))
        answer_find(ex);
    carrier_resume(carrier);
}

static bool sign_in(struct exchange *ex, const struct config_auth *rule)
{
    char buffer[HTTP_AUTH_BUFFER];
    struct http_credentials who;
    enum auth_verdict verdict = AUTH_REFUSED;

    ex->rule = rule;
    if (http_auth_parse_basic(&who, buffer,
                              http_request_field(&ex->req, ex->head, FIELD_AUTHORIZATION))) {
        ex->auth_waiter.on_verdict = on_verdict;
        verdict = remember_user(ex, who.user) ? auth_check(ex->loop->shared->auth, &ex->loop->port,
                                                           rule, &who, &ex->auth_waiter)
                                              : AUTH_UNAVAILABLE;
        explicit_bzero(buffer, sizeof(buffer));
    }
    return take_verdict(ex, verdict);
}

/* A rule for "*.html" covers also the index.html that is sent for a folder. */
bool answer_admit_found(struct exchange *ex, const char *index, enum http_status *status)
{
    struct loop *loop = ex->loop;
    size_t index_len = strlen(index);
    const struct config_auth *rule;
    uint8_t address[ADDRESS_LEN];
    struct site_request request;
    struct url_path path;
    struct span unused, full;

    *status = answer_map(ex, &path, &unused);
    if (*status == HTTP_OK && !answer_try_path(ex, &path))
        *status = HTTP_NOT_FOUND;
    if (*status == HTTP_OK && path.len + index_len >= loop->path_cap)
        *status = HTTP_URI_TOO_LONG;
    if (*status != HTTP_OK)
        return true;
    memcpy(loop->path + path.len, index, index_len + 1);
    full = (struct span){loop->path, path.len + index_len};
    ex->scope.match =
        response_match_join(ex->scope.match, response_rules_match(&ex->site->rules, full));
    describe(ex, &request, address);
    *status = site_policy_check(&ex->site->policy, &request, &loop->scratch, full);
    rule = *status == HTTP_OK ? site_policy_auth(&ex->site->policy, request.address, full) : NULL;
    if (!rule || (ex->is_signed_in && ex->rule == rule))
        return true;
    return sign_in(ex, rule);
}

/* --- where ----------------------------------------------------------------------------------- */

static void locate(struct exchange *ex, struct span path)
{
    struct site_location location;
    enum http_status status = site_places_locate(
        &ex->site->places, exchange_slice(ex, ex->req.host), path, &ex->loop->scratch, &location);

    if (status == HTTP_OK)
        answer_search(ex, &location);
    else if (status == HTTP_MOVED_PERMANENTLY)
        answer_redirect_page(ex, ADDRESS_ADD_SLASH);
    else
        answer_refuse(ex, status);
}

void answer_find(struct exchange *ex)
{
    struct url_path path;
    struct span location = {0};
    enum http_status status = answer_map(ex, &path, &location);
    const struct config_auth *rule;
    uint8_t address[ADDRESS_LEN];

    ex->search = SEARCH_FILE;
    ex->fallback = 0;
    if (status != HTTP_OK) {
        if (location.ptr)
            answer_redirect(ex, status, location);
        else
            answer_refuse(ex, status);
        return;
    }
    if (ex->site->cfg->auth_count > 0 && !ex->is_signed_in) {
        rule = site_policy_auth(&ex->site->policy, visitor_address(ex->peer, address),
                                (struct span){ex->loop->path, path.len});
        if (rule && !sign_in(ex, rule))
            return;
    }
    site_try_init(&ex->tries, ex->live->cfg, ex->site->cfg,
                  (struct span){ex->loop->path, path.len});
    ex->candidate = 0;
    if (ex->tries.count > 0)
        answer_try(ex);
    else
        locate(ex, (struct span){ex->loop->path, path.len});
}
