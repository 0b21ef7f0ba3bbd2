/* SPDX-License-Identifier: MIT */
/* conn_answer.c — from a parsed head to the place where the answer lies: which site, what its rules
 * say, who asks.
 *
 * A request goes on in one go while everything is at hand, and in steps when a lane has to be
 * asked: the state (conn.c) says which step is awaited. What rules make of a path lies in the
 * loop's memory, so after a wait it is made again: the same, as the config is. */
#include "connection/conn_answer.h"

#include "http/http_auth.h"

#include <string.h>

/* --- rules ----------------------------------------------------------------------------------- */

const uint8_t *conn_address(const struct conn *c, uint8_t out[ADDRESS_LEN])
{
    static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff};

    if (c->peer.any.sa_family == AF_INET) {
        memcpy(out, v4_mapped, sizeof(v4_mapped));
        memcpy(out + sizeof(v4_mapped), &c->peer.v4.sin_addr, 4);
        return out;
    }
    if (c->peer.any.sa_family != AF_INET6)
        return NULL;
    memcpy(out, &c->peer.v6.sin6_addr, ADDRESS_LEN);
    return out;
}

/* The host as every rule has it: "EXAMPLE.org." is no other folder than "example.org". */
static struct span host_of(struct conn *c)
{
    char *host = c->loop->scratch.host;

    return (struct span){
        host, site_host_normalise(host, http_slice_of(c->in + c->in_pos, c->ex->req.host))};
}

static void describe(struct conn *c, struct site_request *request, uint8_t address[ADDRESS_LEN])
{
    const char *head = c->in + c->in_pos;

    loop_date(c->loop);
    *request = (struct site_request){
        .host = host_of(c),
        .query = http_slice_of(head, c->ex->req.query),
        .referer = http_request_field(&c->ex->req, head, FIELD_REFERER),
        .target = http_slice_of(head, c->ex->req.path),
        .address = conn_address(c, address),
        .now = c->loop->date_second,
    };
}

/* The rules that cost something only where a site has them. */
static enum http_status apply_rules(struct conn *c, struct url_path *path, struct span *location)
{
    const struct config_site *cfg = c->ex->site->cfg;
    struct loop *loop = c->loop;
    uint8_t address[ADDRESS_LEN];
    enum http_status status = HTTP_OK;
    struct site_request request;

    describe(c, &request, address);
    if (cfg->redirect_count + cfg->rewrite_count + cfg->signed_url_count > 0)
        status = site_policy_map(&c->ex->site->policy, &request, &loop->scratch, path, loop->path,
                                 loop->path_cap, location);
    if (status == HTTP_OK)
        status = site_policy_check(&c->ex->site->policy, &request, &loop->scratch,
                                   (struct span){loop->path, path->len});
    return status;
}

enum http_status conn_map(struct conn *c, struct url_path *path, struct span *location)
{
    struct loop *loop = c->loop;
    enum http_status status = url_path_resolve(path, loop->path, loop->path_cap,
                                               http_slice_of(c->in + c->in_pos, c->ex->req.path));

    if (status == HTTP_OK && c->ex->site->policy.has_rules)
        status = apply_rules(c, path, location);
    if (status != HTTP_OK)
        return status;
    c->ex->scope.match =
        response_rules_match(&c->ex->site->rules, (struct span){loop->path, path->len});
    return path->is_hidden && !c->ex->site->cfg->hidden_files ? HTTP_NOT_FOUND : HTTP_OK;
}

/* --- who asks -------------------------------------------------------------------------------- */

static void forget_user(struct conn *c)
{
    free((void *)(uintptr_t)c->ex->user.ptr);
    c->ex->user = (struct span){0};
}

static bool remember_user(struct conn *c, struct span user)
{
    char *copy = malloc(user.len);

    forget_user(c); /* of another rule for the same file */
    if (!copy)
        return false;
    memcpy(copy, user.ptr, user.len);
    c->ex->user = (struct span){copy, user.len};
    return true;
}

/* True: go on. False: it was answered, or will be. */
static bool take_verdict(struct conn *c, enum auth_verdict verdict)
{
    switch (verdict) {
    case AUTH_PASSED:
        c->ex->is_signed_in = true;
        return true;
    case AUTH_REFUSED:
        forget_user(c);
        conn_refuse(c, HTTP_UNAUTHORIZED);
        return false;
    case AUTH_UNAVAILABLE:
        forget_user(c);
        conn_refuse(c, HTTP_UNAVAILABLE);
        return false;
    case AUTH_WAIT:
        c->state = CONN_FINDING;
        conn_arm(c, TIMEOUT_DISK);
        return false;
    }
    return false;
}

static void on_verdict(struct auth_waiter *waiter, enum auth_verdict verdict)
{
    struct conn *c = container_of(waiter, struct exchange, auth_waiter)->conn;

    if (take_verdict(c, verdict))
        conn_find(c);
    conn_run(c);
}

static bool sign_in(struct conn *c, const struct config_auth *rule)
{
    char buffer[HTTP_AUTH_BUFFER];
    struct http_credentials who;
    enum auth_verdict verdict = AUTH_REFUSED;

    c->ex->rule = rule;
    if (http_auth_parse_basic(
            &who, buffer,
            http_request_field(&c->ex->req, c->in + c->in_pos, FIELD_AUTHORIZATION))) {
        c->ex->auth_waiter.on_verdict = on_verdict;
        verdict = remember_user(c, who.user) ? auth_check(c->loop->shared->auth, &c->loop->port,
                                                          rule, &who, &c->ex->auth_waiter)
                                             : AUTH_UNAVAILABLE;
        explicit_bzero(buffer, sizeof(buffer));
    }
    return take_verdict(c, verdict);
}

/* A rule about "*.html" is also one about the index.html that a folder stands for. */
bool conn_admit_index(struct conn *c, const char *index, enum http_status *status)
{
    struct loop *loop = c->loop;
    size_t index_len = strlen(index);
    const struct config_auth *rule;
    uint8_t address[ADDRESS_LEN];
    struct site_request request;
    struct url_path path;
    struct span unused, full;

    *status = conn_map(c, &path, &unused);
    if (*status == HTTP_OK && path.len + index_len >= loop->path_cap)
        *status = HTTP_URI_TOO_LONG;
    if (*status != HTTP_OK)
        return true;
    memcpy(loop->path + path.len, index, index_len + 1);
    full = (struct span){loop->path, path.len + index_len};
    c->ex->scope.match =
        response_match_join(c->ex->scope.match, response_rules_match(&c->ex->site->rules, full));
    describe(c, &request, address);
    *status = site_policy_check(&c->ex->site->policy, &request, &loop->scratch, full);
    rule = *status == HTTP_OK ? site_policy_auth(&c->ex->site->policy, full) : NULL;
    if (!rule || (c->ex->is_signed_in && c->ex->rule == rule))
        return true;
    return sign_in(c, rule);
}

/* --- where ----------------------------------------------------------------------------------- */

static void locate(struct conn *c, struct span path)
{
    struct site_location location;
    enum http_status status =
        site_places_locate(&c->ex->site->places, http_slice_of(c->in + c->in_pos, c->ex->req.host),
                           path, &c->loop->scratch, &location);

    if (status == HTTP_OK)
        conn_search(c, &location);
    else if (status == HTTP_MOVED_PERMANENTLY)
        conn_redirect_to_folder(c);
    else
        conn_refuse(c, status);
}

void conn_find(struct conn *c)
{
    struct url_path path;
    struct span location = {0};
    enum http_status status = conn_map(c, &path, &location);
    const struct config_auth *rule;

    c->ex->search = SEARCH_FILE;
    if (status != HTTP_OK) {
        if (location.ptr)
            conn_redirect(c, status, location);
        else
            conn_refuse(c, status);
        return;
    }
    if (c->ex->site->cfg->auth_count > 0 && !c->ex->is_signed_in) {
        rule = site_policy_auth(&c->ex->site->policy, (struct span){c->loop->path, path.len});
        if (rule && !sign_in(c, rule))
            return;
    }
    locate(c, (struct span){c->loop->path, path.len});
}

/* --- requests -------------------------------------------------------------------------------- */

/* Who does not wait to be let through may be sending what is meant for somebody else. */
static bool asks_for_tunnel(const struct conn *c)
{
    struct span line = http_slice_of(c->in + c->in_pos, c->ex->req.request_line);

    return line.len > 8 && memcmp(line.ptr, "CONNECT ", 8) == 0;
}

/* What the client may still be sending decides whether the connection can go on. */
static void decide_connection(struct conn *c)
{
    const struct http_request *req = &c->ex->req;
    bool has_body = req->chunked || req->content_length > 0;

    c->close_after = !req->keep_alive;
    c->linger_after = false;
    if (c->served == 0 && c->peer.any.sa_family != AF_UNIX)
        accept_deferral_spoke(&c->loop->deferral);
    if (++c->served >= c->ex->live->cfg->limits.keep_alive_requests && req->keep_alive)
        c->close_after = c->linger_after = true;
    /* A client that waits for 100 gets the answer instead and may send the body all the same. */
    if (req->chunked || req->content_length > c->ex->live->cfg->limits.body_bytes ||
        (req->expects_continue && has_body) || asks_for_tunnel(c))
        c->close_after = c->linger_after = true;
    else if (has_body && c->close_after)
        c->linger_after = true;
}

static void begin(struct conn *c)
{
    memset(&c->ex->clock, 0, sizeof(c->ex->clock));
    c->ex->clock.head_ns = stage_now();
    c->ex->live = live_config_get(c->loop->live);
    c->ex->attempts = 0;
    c->ex->sink.sent = 0;
    c->ex->site =
        site_set_find(c->ex->live->sites, http_slice_of(c->in + c->in_pos, c->ex->req.host));
    c->ex->scope = (struct response_scope){.rules = c->ex->site ? &c->ex->site->rules : NULL};
    c->ex->search = SEARCH_FILE;
    c->ex->coding = CODING_IDENTITY;
    c->ex->page_status = HTTP_OK;
    c->ex->is_signed_in = false;
    c->ex->rule = NULL;
}

void conn_begin_request(struct conn *c, enum parse parsed)
{
    begin(c);
    if (parsed == PARSE_BAD) {
        c->close_after = c->linger_after = true;
        if (c->ex->req.status != HTTP_REQUEST_TIMEOUT)
            loop_count(c->ex->live, COUNTER_BAD_REQUESTS, 1);
        c->ex->page_status = c->ex->req.status;
        conn_refuse_plainly(c);
        return;
    }
    decide_connection(c);
    if (!c->ex->site)
        conn_refuse(c, HTTP_MISDIRECTED_REQUEST);
    else if (c->ex->req.method == HTTP_OTHER_METHOD)
        conn_refuse(c, HTTP_NOT_IMPLEMENTED);
    else if (c->ex->req.method == HTTP_KNOWN_METHOD)
        conn_refuse(c, HTTP_METHOD_NOT_ALLOWED);
    else if (c->ex->req.method == HTTP_OPTIONS)
        conn_answer_options(c);
    else
        conn_find(c);
}

void conn_answer_status(struct conn *c, enum http_status status)
{
    conn_refuse(c, status);
}

void conn_stop_waiting(struct conn *c)
{
    struct file_cache *files = &c->loop->files;

    file_cache_cancel(&c->ex->waiter);
    auth_cancel(&c->ex->auth_waiter);
    conn_end_listing(c);
    if (c->ex->entry)
        file_cache_put(files, c->ex->entry);
    if (c->ex->plain)
        file_cache_put(files, c->ex->plain);
    c->ex->entry = c->ex->plain = NULL;
    forget_user(c);
}
