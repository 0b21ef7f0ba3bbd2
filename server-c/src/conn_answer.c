/* SPDX-License-Identifier: MIT */
/* conn_answer.c — from a parsed head to the response: which site, which file, which answer.
 *
 * A request goes on in one go while everything is at hand, and in steps when a lane has to be
 * asked: the state (conn.c) says which step is awaited. */
#include "conn_state.h"

#include "mime.h"
#include "response.h"
#include "url_path.h"

#include <string.h>

#define FIND_ATTEMPTS 3 /* of a file that changes while we look */

static void find_file(struct conn *c);
static void answer_file(struct conn *c, struct file_entry *entry);

/* --- sending --------------------------------------------------------------------------------- */

void conn_continue_sending(struct conn *c, enum body_step step)
{
    c->state = CONN_SENDING;
    switch (step) {
    case BODY_SENT:
        conn_finish_response(c);
        break;
    case BODY_WANTS_WRITE:
        conn_arm(c, TIMEOUT_WRITE);
        break;
    case BODY_WAITING:
        conn_arm(c, TIMEOUT_NONE);
        break;
    case BODY_FAILED:
        conn_close(c);
        break;
    }
}

void conn_on_body_ready(struct body *body)
{
    struct conn *c = container_of(body, struct conn, body);

    conn_continue_sending(c, body_send(&c->body, c->loop, c->fd));
    conn_run(c);
}

static struct response_scope scope_of(const struct conn *c)
{
    return (struct response_scope){.rules = c->site ? &c->site->rules : NULL};
}

static struct response_head start_head(struct conn *c, enum http_status status)
{
    struct response_head head = {.out = c->loop->head, .cap = c->loop->head_cap};
    enum response_connection connection = CONNECTION_DEFAULT;

    if (c->loop->is_stopping && !c->close_after) /* the next request may be on its way */
        c->close_after = c->linger_after = true;
    if (c->close_after)
        connection = CONNECTION_CLOSE;
    else if (c->req.minor == 0)
        connection = CONNECTION_KEEP_ALIVE;
    c->status = status;
    response_head_start(&head, status, loop_date(c->loop), connection);
    return head;
}

static void send_response(struct conn *c, const struct response_head *head,
                          const struct body_part *part)
{
    static const struct body_part nothing = {0};

    if (head->overflow) { /* reserve_scratch() makes room for whatever a config asks for */
        conn_close(c);
        return;
    }
    c->body.clock = &c->clock;
    conn_continue_sending(
        c, body_start(&c->body, c->loop, c->fd, head->out, head->len, part ? part : &nothing));
}

static void answer_page(struct conn *c, struct response_page page)
{
    struct response_head head = start_head(c, page.status);
    struct response_scope scope = scope_of(c);

    page.head_only = c->req.method == HTTP_HEAD;
    response_head_page(&head, &scope, &page);
    send_response(c, &head, NULL);
}

static void answer_status(struct conn *c, enum http_status status)
{
    answer_page(c, (struct response_page){.status = status});
}

/* --- files ----------------------------------------------------------------------------------- */

static struct response_file file_of(const struct conn *c, const struct file_entry *entry)
{
    return (struct response_file){.facts = &entry->facts,
                                  .type = mime_type(c->live->cfg, file_entry_name(entry))};
}

/* The part of a 200's head that is the same each time is made once per entry and site. */
static void append_prepared(struct conn *c, struct response_head *head, struct file_entry *entry)
{
    size_t start = head->len;
    struct response_scope scope = scope_of(c);
    struct response_file file;

    if (entry->head_site == c->site->id) {
        response_append(head, entry->head, entry->head_len);
        return;
    }
    file = file_of(c, entry);
    response_head_whole_file(head, &scope, &file, c->loop->date_second);
    if (head->overflow || head->is_momentary)
        return;
    free(entry->head);
    entry->head_len = head->len - start;
    entry->head = malloc(entry->head_len);
    entry->head_site = entry->head ? c->site->id : 0;
    if (entry->head)
        memcpy(entry->head, head->out + start, entry->head_len);
}

static void send_file_response(struct conn *c, struct file_entry *entry,
                               const struct response_plan *plan, bool from_memory)
{
    struct response_head head = start_head(c, plan->status);
    struct body_part part = {entry, from_memory, plan->offset, plan->length};
    struct response_scope scope = scope_of(c);
    struct response_file file;

    if (plan->status == HTTP_OK) {
        append_prepared(c, &head, entry);
    } else {
        file = file_of(c, entry);
        response_head_file(&head, &scope, &file, plan, c->loop->date_second);
    }
    if (c->req.method == HTTP_HEAD)
        part.len = 0;
    send_response(c, &head, &part);
}

static void on_source_ready(struct file_waiter *waiter, struct file_entry *entry)
{
    struct conn *c = container_of(waiter, struct conn, waiter);

    c->clock.read_disk = true;
    c->clock.read_wait_ns += waiter->wait_ns;
    c->clock.read_ns += waiter->work_ns;
    file_cache_put(&c->loop->files, c->entry);
    c->entry = NULL;
    c->loop->files.now_ms = uv_now(&c->loop->uv);
    if (entry)
        answer_file(c, entry);
    else
        find_file(c); /* it became shorter, or the disk fails: look again, a few times */
    conn_run(c);
}

/* Takes over the reference to `entry`. */
static void answer_file(struct conn *c, struct file_entry *entry)
{
    struct response_plan plan;
    enum file_source source = FILE_FROM_MEMORY;

    loop_date(c->loop);
    response_plan_file(&plan, &c->req, c->in + c->in_pos, &entry->facts, c->loop->date_second);
    if (plan.is_multipart)
        plan = (struct response_plan){.status = HTTP_OK, .length = entry->facts.size};
    if (plan.status == HTTP_PRECONDITION_FAILED || plan.status == HTTP_RANGE_NOT_SATISFIABLE) {
        answer_page(c,
                    (struct response_page){.status = plan.status, .file_size = entry->facts.size});
        file_cache_put(&c->loop->files, entry);
        return;
    }
    if (plan.length > 0 && c->req.method == HTTP_GET) {
        c->waiter.on_ready = on_source_ready;
        source = file_cache_source(&c->loop->files, entry, &c->waiter);
    }
    switch (source) {
    case FILE_FROM_MEMORY:
    case FILE_FROM_DESCRIPTOR:
        send_file_response(c, entry, &plan, source == FILE_FROM_MEMORY);
        break;
    case FILE_SOURCE_WAIT:
        c->state = CONN_SOURCING;
        c->entry = entry;
        conn_arm(c, TIMEOUT_NONE);
        return;
    case FILE_SOURCE_BUSY:
        loop_count(c->live, COUNTER_LANE_REJECTED, 1);
        answer_status(c, HTTP_UNAVAILABLE);
        break;
    case FILE_SOURCE_CHANGED:
        find_file(c);
        break;
    }
    file_cache_put(&c->loop->files, entry);
}

/* A folder without its slash: relative links in its index would lead elsewhere. */
static void answer_redirect(struct conn *c, const struct file_entry *entry)
{
    struct span query = http_slice_of(c->in + c->in_pos, c->req.query);
    char *location = c->loop->path;
    size_t len =
        url_path_encode(location, c->loop->path_cap, (struct span){entry->path, entry->path_len});

    if (len == 0 || len + 2 + query.len > c->loop->path_cap) {
        answer_status(c, HTTP_NOT_FOUND);
        return;
    }
    location[len++] = '/';
    if (c->req.query.off > 0) {
        location[len++] = '?';
        memcpy(location + len, query.ptr, query.len);
        len += query.len;
    }
    answer_page(
        c, (struct response_page){.status = HTTP_MOVED_PERMANENTLY, .location = {location, len}});
}

/* Takes over the reference to `entry`. */
static void answer_entry(struct conn *c, struct file_entry *entry)
{
    if (entry->status == HTTP_OK) {
        answer_file(c, entry);
        return;
    }
    if (entry->status == HTTP_MOVED_PERMANENTLY)
        answer_redirect(c, entry);
    else
        answer_status(c, entry->status);
    file_cache_put(&c->loop->files, entry);
}

static void on_found(struct file_waiter *waiter, struct file_entry *entry)
{
    struct conn *c = container_of(waiter, struct conn, waiter);

    c->clock.looked_up = true;
    c->clock.stat_wait_ns += waiter->wait_ns;
    c->clock.stat_ns += waiter->work_ns;
    c->loop->files.now_ms = uv_now(&c->loop->uv);
    if (entry)
        answer_entry(c, entry);
    else
        answer_status(c, HTTP_UNAVAILABLE);
    conn_run(c);
}

static void find_file(struct conn *c)
{
    struct loop *loop = c->loop;
    struct file_entry *entry = NULL;
    struct url_path path;
    enum http_status status = url_path_resolve(&path, loop->path, loop->path_cap,
                                               http_slice_of(c->in + c->in_pos, c->req.path));

    if (status == HTTP_OK && path.is_hidden && !c->site->cfg->hidden_files)
        status = HTTP_NOT_FOUND;
    if (status == HTTP_OK && c->attempts++ >= FIND_ATTEMPTS)
        status = HTTP_INTERNAL_ERROR;
    if (status != HTTP_OK) {
        answer_status(c, status);
        return;
    }
    loop->files.now_ms = uv_now(&loop->uv);
    c->waiter.on_ready = on_found;
    switch (file_cache_find(&loop->files, c->live->sites, c->site,
                            (struct span){loop->path, path.len}, &c->waiter, &entry)) {
    case FILE_HIT:
        loop_count(c->live, COUNTER_CACHE_HITS, 1);
        answer_entry(c, entry);
        break;
    case FILE_WAIT:
        loop_count(c->live, COUNTER_CACHE_MISSES, 1);
        c->state = CONN_FINDING;
        conn_arm(c, TIMEOUT_NONE);
        break;
    case FILE_BUSY:
        loop_count(c->live, COUNTER_LANE_REJECTED, 1);
        answer_status(c, HTTP_UNAVAILABLE);
        break;
    }
}

/* --- requests -------------------------------------------------------------------------------- */

static void answer_options(struct conn *c)
{
    struct response_head head = start_head(c, HTTP_NO_CONTENT);
    struct response_scope scope = scope_of(c);

    response_head_options(&head, &scope);
    send_response(c, &head, NULL);
}

/* What the client may still be sending decides whether the connection can go on. */
static void decide_connection(struct conn *c)
{
    const struct http_request *req = &c->req;
    bool has_body = req->chunked || req->content_length > 0;

    c->close_after = !req->keep_alive;
    c->linger_after = false;
    if (++c->served >= c->live->cfg->limits.keep_alive_requests && req->keep_alive)
        c->close_after = c->linger_after = true;
    /* A client that waits for 100 gets the answer instead and may send the body all the same. */
    if (req->chunked || req->content_length > CONN_DRAIN_MAX || (req->expects_continue && has_body))
        c->close_after = c->linger_after = true;
    else if (has_body && c->close_after)
        c->linger_after = true;
}

void conn_begin_request(struct conn *c, enum parse parsed)
{
    struct span host = http_slice_of(c->in + c->in_pos, c->req.host);

    memset(&c->clock, 0, sizeof(c->clock));
    c->clock.head_ns = monotonic_ns();
    c->live = live_config_get(c->loop->live);
    c->attempts = 0;
    c->body.sent = 0;
    c->site = site_set_find(c->live->sites, host);
    if (parsed == PARSE_BAD) {
        c->close_after = c->linger_after = true;
        loop_count(c->live, COUNTER_BAD_REQUESTS, 1);
        answer_status(c, c->req.status);
        return;
    }
    decide_connection(c);
    if (!c->site)
        answer_status(c, HTTP_MISDIRECTED_REQUEST);
    else if (c->req.method == HTTP_OTHER_METHOD)
        answer_status(c, HTTP_NOT_IMPLEMENTED);
    else if (c->req.method == HTTP_KNOWN_METHOD)
        answer_status(c, HTTP_METHOD_NOT_ALLOWED);
    else if (c->req.method == HTTP_OPTIONS)
        answer_options(c);
    else
        find_file(c);
}
