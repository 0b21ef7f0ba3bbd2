/* SPDX-License-Identifier: MIT */
/* conn.c — the connection's state machine.
 *
 * state      | entered when                        | left when
 * READING    | accepted; a response has ended      | a head is whole → FINDING, SENDING; idle →
 * CLOSED FINDING    | the stat lane looks the path up     | it answered → SOURCING, SENDING
 * SOURCING   | the read lane fetches a small file  | it answered → SENDING
 * SENDING    | a response was begun                | sent → READING, DRAINING, LINGERING; failed →
 * CLOSED DRAINING   | a request's body is left to read    | read → READING LINGERING  | we close,
 * but the client may send   | it is silent, done or late → CLOSED CLOSED     | any failure or
 * time-out             | the poll handle is closed → freed
 *
 * Input is received into the loop's shared buffer; only what is left over when the event is dealt
 * with is copied into memory of the connection's own, so one that idles has none. */
#include "conn.h"

#include "body.h"
#include "http_parser.h"
#include "mime.h"
#include "response.h"
#include "url_path.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_MAX 65536 /* a request body we read to keep the connection */
#define LINGER_BYTES_MAX 262144
#define FIND_ATTEMPTS 3 /* of a file that changes while we look */

enum conn_state {
    CONN_READING,
    CONN_FINDING,
    CONN_SOURCING,
    CONN_SENDING,
    CONN_DRAINING,
    CONN_LINGERING,
    CONN_CLOSED
};

struct conn {
    uv_poll_t poll;
    struct loop *loop;
    struct list link; /* loop->connections[timeout] */
    enum timeout timeout;
    uint64_t deadline_ms;
    int fd, events;
    enum conn_state state;
    bool input_is_shared; /* `in` is the loop's, valid until the event is dealt with */
    bool close_after;     /* this response */
    bool linger_after;    /* the client may still be sending then */
    uint8_t attempts;
    uint32_t served;
    char *in; /* bytes received: [in_pos, in_len) are not yet consumed */
    size_t in_pos, in_len, in_cap;
    uint64_t drain; /* body bytes to skip */

    /* Of the request under way. */
    struct http_request req;
    struct live_config *live; /* referenced; NULL between requests */
    const struct site *site;  /* NULL: no site answers */
    struct file_waiter waiter;
    struct file_entry *entry; /* referenced while its body is fetched */
    struct body body;
    struct stage_clock clock;
    enum http_status status;

    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer;
};

static void run(struct conn *c);
static void find_file(struct conn *c);
static void answer_file(struct conn *c, struct file_entry *entry);

/* --- time-outs and closing ------------------------------------------------------------------- */

static void arm(struct conn *c, enum timeout timeout)
{
    struct loop *loop = c->loop;

    c->timeout = timeout;
    c->deadline_ms = uv_now(&loop->uv) + loop->timeout_ms[timeout];
    list_remove(&c->link);
    list_append(&loop->connections[timeout], &c->link);
}

static void on_poll_closed(uv_handle_t *handle)
{
    free(container_of(handle, struct conn, poll));
}

static void release_input(struct conn *c)
{
    if (!c->input_is_shared)
        free(c->in);
    c->in = NULL;
    c->in_pos = c->in_len = c->in_cap = 0;
    c->input_is_shared = false;
}

/* Gives back what the request under way holds. */
static void end_request(struct conn *c)
{
    file_cache_cancel(&c->waiter);
    body_end(&c->body, c->loop);
    if (c->entry)
        file_cache_put(&c->loop->files, c->entry);
    c->entry = NULL;
    if (c->live)
        live_config_put(c->live);
    c->live = NULL;
}

static void close_conn(struct conn *c)
{
    struct loop *loop = c->loop;

    if (c->state == CONN_CLOSED)
        return;
    if (c->live) {
        loop_count(c->live, COUNTER_ABORTED, 1);
        loop_count(c->live, COUNTER_BYTES_SENT, c->body.sent);
    }
    c->state = CONN_CLOSED;
    end_request(c);
    release_input(c);
    list_remove(&c->link);
    loop->connection_count--;
    atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
    uv_close((uv_handle_t *)&c->poll, on_poll_closed);
    close(c->fd);
}

static void time_out(struct conn *c)
{
    bool under_way = c->state == CONN_SENDING || c->state == CONN_DRAINING ||
                     (c->state == CONN_READING && c->in_len > c->in_pos);

    if (under_way && (c->live || c->loop->live))
        loop_count(c->live ? c->live : c->loop->live, COUNTER_TIMEOUTS, 1);
    close_conn(c);
}

void conn_check_timeouts(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_NONE; kind++) {
        struct list *head = &loop->connections[kind];
        while (!list_empty(head)) {
            struct conn *c = container_of(head->next, struct conn, link);
            if (c->deadline_ms > uv_now(&loop->uv))
                break;
            time_out(c);
        }
    }
}

void conn_apply_timeouts(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_NONE; kind++) {
        struct list *head = &loop->connections[kind];
        uint64_t latest = uv_now(&loop->uv) + loop->timeout_ms[kind];
        for (struct list *link = head->next; link != head; link = link->next) {
            struct conn *c = container_of(link, struct conn, link);
            if (c->deadline_ms > latest)
                c->deadline_ms = latest;
        }
    }
}

bool conn_close_oldest_idle(struct loop *loop)
{
    struct list *idle = &loop->connections[TIMEOUT_IDLE];

    if (list_empty(idle))
        return false;
    close_conn(container_of(idle->next, struct conn, link));
    return true;
}

void conn_close_idle(struct loop *loop)
{
    while (conn_close_oldest_idle(loop))
        ;
}

void conn_close_all(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_COUNT; kind++)
        while (!list_empty(&loop->connections[kind]))
            close_conn(container_of(loop->connections[kind].next, struct conn, link));
}

/* --- events ---------------------------------------------------------------------------------- */

static void on_poll(uv_poll_t *poll, int status, int events);

static void want(struct conn *c, int events)
{
    if (c->events == events)
        return;
    c->events = events;
    if (events == 0)
        uv_poll_stop(&c->poll);
    else
        uv_poll_start(&c->poll, events, on_poll);
}

/* --- the end of a response ------------------------------------------------------------------- */

static void write_access_log(struct conn *c, uint64_t end_ns)
{
    const struct config *cfg = c->live->cfg;
    const char *head = c->in + c->in_pos;
    struct access_record record = {
        .peer = &c->peer.any,
        .request_line = http_slice_of(head, c->req.request_line),
        .host = http_slice_of(head, c->req.host),
        .referer = http_request_field(&c->req, head, FIELD_REFERER),
        .user_agent = http_request_field(&c->req, head, FIELD_USER_AGENT),
        .status = (int)c->status,
        .bytes = c->body.sent,
        .total_ns = end_ns - c->clock.head_ns,
        .now = c->loop->date_second,
    };

    if (cfg->access_log.path[0] &&
        !access_ring_write(c->loop->access_ring, cfg->access_log.format, &record))
        loop_count(c->live, COUNTER_LOG_DROPPED, 1);
}

static void count_response(struct conn *c)
{
    uint64_t end_ns = monotonic_ns();

    loop_count(c->live, COUNTER_REQUESTS, 1);
    loop_count(c->live, (enum counter)(COUNTER_RESPONSES_2XX + c->status / 100 - 2), 1);
    if (c->status == HTTP_NOT_MODIFIED)
        loop_count(c->live, COUNTER_RESPONSES_304, 1);
    else if (c->status == HTTP_NOT_FOUND)
        loop_count(c->live, COUNTER_RESPONSES_404, 1);
    loop_count(c->live, COUNTER_BYTES_SENT, c->body.sent);
    stages_record(c->live->series->data.stages, &c->clock, end_ns);
    write_access_log(c, end_ns);
}

/* Closing a socket with unread input makes the kernel send a reset, which may overtake the
 * response: so stop sending, and read on until the client has seen it. */
static void finish_connection(struct conn *c)
{
    if (!c->linger_after && c->in_pos == c->in_len) {
        close_conn(c);
        return;
    }
    release_input(c);
    if (shutdown(c->fd, SHUT_WR) != 0) {
        close_conn(c);
        return;
    }
    c->state = CONN_LINGERING;
    c->drain = LINGER_BYTES_MAX;
    arm(c, TIMEOUT_LINGER);
}

static void skip_body(struct conn *c)
{
    size_t available = c->in_len - c->in_pos;
    size_t skipped = c->drain < available ? (size_t)c->drain : available;

    c->in_pos += skipped;
    c->drain -= skipped;
    c->state = c->drain > 0 ? CONN_DRAINING : CONN_READING;
}

static void begin_reading(struct conn *c)
{
    const struct config *cfg = c->loop->live ? c->loop->live->cfg : NULL;

    c->state = CONN_READING;
    http_request_init(&c->req, cfg ? cfg->limits.head_bytes : 0,
                      cfg ? cfg->limits.target_bytes : 0);
}

static void finish_response(struct conn *c)
{
    count_response(c);
    c->in_pos += c->req.head_len;
    c->drain = c->req.content_length;
    end_request(c);
    if (c->close_after || c->loop->is_stopping || !c->loop->live) {
        finish_connection(c);
        return;
    }
    begin_reading(c);
    skip_body(c);
    arm(c, c->state == CONN_DRAINING ? TIMEOUT_WRITE : TIMEOUT_IDLE);
}

/* --- sending --------------------------------------------------------------------------------- */

static void continue_sending(struct conn *c, enum body_step step)
{
    c->state = CONN_SENDING;
    switch (step) {
    case BODY_SENT:
        finish_response(c);
        break;
    case BODY_WANTS_WRITE:
        arm(c, TIMEOUT_WRITE);
        break;
    case BODY_WAITING:
        arm(c, TIMEOUT_NONE);
        break;
    case BODY_FAILED:
        close_conn(c);
        break;
    }
}

static void on_body_ready(struct body *body)
{
    struct conn *c = container_of(body, struct conn, body);

    continue_sending(c, body_send(&c->body, c->loop, c->fd));
    run(c);
}

static const struct response_rules *rules_of(const struct conn *c)
{
    return c->site ? &c->site->rules : NULL;
}

static struct response_head start_head(struct conn *c, enum http_status status)
{
    struct response_head head = {.out = c->loop->head, .cap = c->loop->head_cap};
    enum response_connection connection = CONNECTION_DEFAULT;

    if (c->loop->is_stopping)
        c->close_after = true;
    if (c->close_after)
        connection = CONNECTION_CLOSE;
    else if (c->req.minor == 0)
        connection = CONNECTION_KEEP_ALIVE;
    c->status = status;
    response_head_start(&head, status, rules_of(c), loop_date(c->loop), connection);
    return head;
}

static void send_response(struct conn *c, const struct response_head *head,
                          const struct body_part *part)
{
    static const struct body_part nothing = {0};

    if (head->overflow) { /* reserve_scratch() makes room for whatever a config asks for */
        close_conn(c);
        return;
    }
    c->body.clock = &c->clock;
    continue_sending(
        c, body_start(&c->body, c->loop, c->fd, head->out, head->len, part ? part : &nothing));
}

static void answer_page(struct conn *c, enum http_status status, struct span location)
{
    struct response_page page = {status, location, c->req.method == HTTP_HEAD};
    struct response_head head = start_head(c, status);

    response_head_page(&head, rules_of(c), &page);
    send_response(c, &head, NULL);
}

static void answer_status(struct conn *c, enum http_status status)
{
    answer_page(c, status, (struct span){0});
}

/* --- files ----------------------------------------------------------------------------------- */

/* The part of a 200's head that is the same each time is made once per entry and site. */
static void append_prepared(struct conn *c, struct response_head *head, struct file_entry *entry)
{
    size_t start = head->len;

    if (entry->head_site == c->site->id) {
        response_append(head, entry->head, entry->head_len);
        return;
    }
    response_head_whole_file(head, rules_of(c), &entry->facts,
                             mime_type(c->live->cfg, file_entry_name(entry)));
    if (head->overflow)
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

    if (plan->status == HTTP_OK)
        append_prepared(c, &head, entry);
    else
        response_head_file(&head, rules_of(c), &entry->facts,
                           mime_type(c->live->cfg, file_entry_name(entry)), plan);
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
    run(c);
}

/* Takes over the reference to `entry`. */
static void answer_file(struct conn *c, struct file_entry *entry)
{
    struct response_plan plan;
    enum file_source source = FILE_FROM_MEMORY;

    loop_date(c->loop);
    response_plan_file(&plan, &c->req, c->in + c->in_pos, &entry->facts, c->loop->date_second);
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
        arm(c, TIMEOUT_NONE);
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
    answer_page(c, HTTP_MOVED_PERMANENTLY, (struct span){location, len});
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
    run(c);
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
        arm(c, TIMEOUT_NONE);
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

    response_head_options(&head, rules_of(c));
    send_response(c, &head, NULL);
}

/* What the client may still be sending decides whether the connection can go on. */
static void decide_connection(struct conn *c)
{
    const struct http_request *req = &c->req;
    bool has_body = req->chunked || req->content_length > 0;

    c->close_after = !req->keep_alive || c->loop->is_stopping;
    c->linger_after = false;
    if (++c->served >= c->live->cfg->limits.keep_alive_requests && req->keep_alive)
        c->close_after = c->linger_after = true;
    /* A client that waits for 100 gets the answer instead and may send the body all the same. */
    if (req->chunked || req->content_length > DRAIN_MAX || (req->expects_continue && has_body))
        c->close_after = c->linger_after = true;
    else if (has_body && c->close_after)
        c->linger_after = true;
}

static void begin_request(struct conn *c, enum parse parsed)
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

/* --- input ----------------------------------------------------------------------------------- */

/* The shared buffer is the next event's: what is not consumed moves into memory of our own. */
static void settle_input(struct conn *c)
{
    size_t left = c->in_len - c->in_pos;
    char *own;

    if (left == 0 && (c->state == CONN_READING || c->state == CONN_DRAINING)) {
        release_input(c);
        return;
    }
    if (!c->input_is_shared)
        return;
    own = malloc(left ? left : 1);
    if (!own) {
        close_conn(c);
        return;
    }
    memcpy(own, c->in + c->in_pos, left);
    c->in = own;
    c->in_pos = 0;
    c->in_len = c->in_cap = left;
    c->input_is_shared = false;
}

/* Does all that can be done with what has been received, then waits for the right event. */
static void run(struct conn *c)
{
    while (c->state == CONN_READING && c->in_pos < c->in_len && c->loop->live) {
        enum parse parsed = http_parse_request(&c->req, c->in + c->in_pos, c->in_len - c->in_pos);
        if (parsed == PARSE_MORE) {
            if (c->timeout != TIMEOUT_HEADER) /* counts from its first byte, not its last */
                arm(c, TIMEOUT_HEADER);
            break;
        }
        begin_request(c, parsed);
    }
    if (c->state == CONN_READING &&
        (!c->loop->live || (c->loop->is_stopping && c->in_pos == c->in_len)))
        close_conn(c);
    if (c->state == CONN_CLOSED)
        return;
    settle_input(c);
    switch (c->state) {
    case CONN_READING:
    case CONN_DRAINING:
    case CONN_LINGERING:
        want(c, UV_READABLE);
        break;
    case CONN_SENDING:
        want(c, c->timeout == TIMEOUT_WRITE ? UV_WRITABLE : 0);
        break;
    case CONN_FINDING:
    case CONN_SOURCING:
        want(c, 0);
        break;
    case CONN_CLOSED:
        break;
    }
}

/* Room behind what is there already: the head's limit stops its growth. */
static bool grow_input(struct conn *c)
{
    size_t cap = c->in_cap < 1024 ? 2048 : c->in_cap * 2;
    char *grown;

    if (c->in_pos > 0) {
        memmove(c->in, c->in + c->in_pos, c->in_len - c->in_pos);
        c->in_len -= c->in_pos;
        c->in_pos = 0;
    }
    if (c->in_len < c->in_cap)
        return true;
    grown = realloc(c->in, cap);
    if (!grown)
        return false;
    c->in = grown;
    c->in_cap = cap;
    return true;
}

/* Bytes received, 0 at the end, or -1: not now. */
static ssize_t receive(struct conn *c)
{
    ssize_t n;

    if (c->in) {
        if (!grow_input(c))
            return 0;
        n = recv(c->fd, c->in + c->in_len, c->in_cap - c->in_len, 0);
    } else {
        n = recv(c->fd, c->loop->input, LOOP_INPUT_BYTES, 0);
        if (n > 0) {
            c->in = c->loop->input;
            c->input_is_shared = true;
        }
    }
    if (n > 0)
        c->in_len += (size_t)n;
    else if (n < 0)
        n = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : 0;
    return n;
}

static void linger(struct conn *c)
{
    ssize_t n = recv(c->fd, c->loop->input, LOOP_INPUT_BYTES, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || (uint64_t)n > c->drain)
        close_conn(c);
    else
        c->drain -= (uint64_t)n;
}

static void on_readable(struct conn *c)
{
    ssize_t n;

    if (c->state == CONN_LINGERING) {
        linger(c);
        return;
    }
    n = receive(c);
    if (n == 0) {
        close_conn(c);
        return;
    }
    if (n < 0)
        return;
    if (c->state == CONN_DRAINING) {
        skip_body(c);
        arm(c, c->state == CONN_DRAINING ? TIMEOUT_WRITE : TIMEOUT_IDLE);
    }
    run(c);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct conn *c = container_of(poll, struct conn, poll);

    if (status < 0) {
        close_conn(c);
    } else if (c->state == CONN_SENDING && (events & UV_WRITABLE)) {
        continue_sending(c, body_send(&c->body, c->loop, c->fd));
        run(c);
    } else if (events & UV_READABLE) {
        on_readable(c);
    }
}

void conn_start(struct loop *loop, int fd, const struct sockaddr_storage *peer)
{
    struct conn *c = calloc(1, sizeof(*c));

    if (!c || uv_poll_init(&loop->uv, &c->poll, fd) != 0) {
        free(c);
        close(fd);
        atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
        return;
    }
    c->loop = loop;
    c->fd = fd;
    memcpy(&c->peer, peer, sizeof(c->peer));
    list_init(&c->link);
    list_init(&c->waiter.link);
    list_init(&c->body.stalled);
    c->body.on_ready = on_body_ready;
    loop->connection_count++;
    begin_reading(c);
    arm(c, TIMEOUT_HEADER);
    want(c, UV_READABLE);
}
