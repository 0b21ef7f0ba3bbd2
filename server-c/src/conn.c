/* SPDX-License-Identifier: MIT */
/* conn.c — the connection's state machine.
 *
 * state     | entered when                    | left when
 * READING   | accepted; a response has ended  | a head is whole: FINDING, SOURCING, SENDING
 * FINDING   | the stat lane looks a path up   | it answered: SOURCING, SENDING
 * SOURCING  | the read lane fetches a file    | it answered: SENDING; it could not: FINDING
 * SENDING   | a response was begun            | sent: READING, DRAINING, LINGERING, CLOSED
 * DRAINING  | a request's body is left        | read: READING
 * LINGERING | we close, the client still talks| it is silent, done or late: CLOSED
 * CLOSED    | any failure, end or time-out    | the poll handle is closed: freed
 *
 * Input is received into the loop's shared buffer; only what is left over when the event is dealt
 * with is copied into memory of the connection's own, so one that idles has none. */
#include "conn.h"

#include "conn_state.h"
#include "peer_table.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define LINGER_BYTES_MAX 262144

/* --- closing --------------------------------------------------------------------------------- */

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

static void take_sample(struct conn *c, uint64_t end_ns, bool is_aborted)
{
    struct sample sample = {
        .ended_ns = end_ns,
        .generation = c->live->series->data.generation,
        .bytes = c->body.sent,
        .status = c->body.sent > 0 ? (uint16_t)c->status : 0,
        .is_aborted = is_aborted,
    };

    sample.start_us = wall_clock_us() - (monotonic_ns() - c->clock.head_ns) / 1000;
    stages_split(sample.stage_ns, &c->clock, end_ns);
    samples_add(&c->loop->samples, &sample);
}

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
        .user = c->user,
        .status = (int)c->status,
        .bytes = c->body.sent,
        .total_ns = end_ns - c->clock.head_ns,
        .now = c->loop->date_second,
    };

    if (cfg->access_log.path[0] &&
        !access_ring_write(c->loop->access_ring, cfg->access_log.format, &record))
        loop_count(c->live, COUNTER_LOG_DROPPED, 1);
}

/* Gives back what the request under way holds. */
static void end_request(struct conn *c)
{
    conn_stop_waiting(c);
    conn_unthrottle(c);
    body_end(&c->body, c->loop);
    if (c->live)
        live_config_put(c->live);
    c->live = NULL;
}

void conn_close(struct conn *c)
{
    struct loop *loop = c->loop;

    if (c->state == CONN_CLOSED)
        return;
    if (c->live) {
        uint64_t end_ns = stage_now();
        loop_count(c->live, COUNTER_ABORTED, 1);
        loop_count(c->live, COUNTER_BYTES_SENT, c->body.sent);
        if (c->body.sent > 0) /* the log shows the bytes that left */
            write_access_log(c, end_ns);
        if (samples_want(&loop->samples, end_ns - c->clock.head_ns))
            take_sample(c, end_ns, true);
    }
    c->state = CONN_CLOSED;
    end_request(c);
    release_input(c);
    list_remove(&c->link);
    loop->connection_count--;
    atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
    if (c->is_counted)
        peer_table_leave(loop->shared->peers, &c->peer.any);
    uv_close((uv_handle_t *)&c->poll, on_poll_closed);
    close(c->fd);
}

bool conn_close_oldest_idle(struct loop *loop)
{
    struct list *idle = &loop->connections[TIMEOUT_IDLE];

    if (list_empty(idle))
        return false;
    conn_close(container_of(idle->next, struct conn, link));
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
            conn_close(container_of(loop->connections[kind].next, struct conn, link));
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

static void count_response(struct conn *c)
{
    uint64_t end_ns = stage_now();

    loop_count(c->live, COUNTER_REQUESTS, 1);
    loop_count(c->live, (enum counter)(COUNTER_RESPONSES_2XX + c->status / 100 - 2), 1);
    if (c->status == HTTP_NOT_MODIFIED)
        loop_count(c->live, COUNTER_RESPONSES_304, 1);
    else if (c->status == HTTP_NOT_FOUND)
        loop_count(c->live, COUNTER_RESPONSES_404, 1);
    loop_count(c->live, COUNTER_BYTES_SENT, c->body.sent);
    stages_record(c->live->series->data.stages, &c->clock, end_ns);
    if (samples_want(&c->loop->samples, end_ns - c->clock.head_ns))
        take_sample(c, end_ns, false);
    write_access_log(c, end_ns);
}

/* Closing a socket with unread input makes the kernel send a reset, which may overtake the
 * response: so stop sending, and read on until the client has seen it. */
static void finish_connection(struct conn *c)
{
    if (!c->linger_after && c->in_pos == c->in_len) {
        conn_close(c);
        return;
    }
    release_input(c);
    if (shutdown(c->fd, SHUT_WR) != 0) {
        conn_close(c);
        return;
    }
    c->state = CONN_LINGERING;
    c->drain = LINGER_BYTES_MAX;
    conn_arm(c, TIMEOUT_LINGER);
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

void conn_finish_response(struct conn *c)
{
    count_response(c);
    c->in_pos += c->req.head_len;
    c->drain = c->req.content_length;
    end_request(c);
    if (c->close_after || c->loop->is_stopping || !c->loop->live) {
        if (!c->close_after) /* the client was not told: it may be sending on */
            c->linger_after = true;
        finish_connection(c);
        return;
    }
    begin_reading(c);
    skip_body(c);
    conn_arm(c, c->state == CONN_DRAINING ? TIMEOUT_BODY : TIMEOUT_IDLE);
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
        conn_close(c);
        return;
    }
    memcpy(own, c->in + c->in_pos, left);
    c->in = own;
    c->in_pos = 0;
    c->in_len = c->in_cap = left;
    c->input_is_shared = false;
}

/* Does all that can be done with what has been received, then waits for the right event. */
void conn_run(struct conn *c)
{
    while (c->state == CONN_READING && c->in_pos < c->in_len && c->loop->live) {
        enum parse parsed = http_parse_request(&c->req, c->in + c->in_pos, c->in_len - c->in_pos);
        if (parsed == PARSE_MORE) {
            if (c->timeout != TIMEOUT_HEADER) /* counts from its first byte, not its last */
                conn_arm(c, TIMEOUT_HEADER);
            break;
        }
        conn_begin_request(c, parsed);
    }
    if (c->state == CONN_READING &&
        (!c->loop->live || (c->loop->is_stopping && c->in_pos == c->in_len)))
        conn_close(c);
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
        conn_close(c);
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
        conn_close(c);
        return;
    }
    if (n < 0)
        return;
    if (c->state == CONN_DRAINING) {
        skip_body(c);
        if (c->state == CONN_READING) /* else the whole body's time runs on */
            conn_arm(c, TIMEOUT_IDLE);
    }
    conn_run(c);
}

/* It has ended its side, and may want its answer all the same; or it is gone. The event would come
 * again and again. */
static void on_disconnect(struct conn *c)
{
    struct pollfd end = {.fd = c->fd};

    if (poll(&end, 1, 0) != 0) { /* POLLHUP or POLLERR */
        conn_close(c);
        return;
    }
    c->is_half_closed = true;
    want(c, 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct conn *c = container_of(poll, struct conn, poll);

    if (status < 0) {
        conn_close(c);
    } else if (c->state == CONN_SENDING && (events & UV_WRITABLE)) {
        conn_send_more(c);
        conn_run(c);
    } else if (events & UV_READABLE) {
        on_readable(c);
    } else if (events & UV_DISCONNECT) {
        on_disconnect(c);
    }
}

/* The list is in the order of arming: those before one that is watched are, too. */
void conn_watch_waiting(struct loop *loop)
{
    struct list *head = &loop->connections[TIMEOUT_DISK];

    for (struct list *link = head->prev; link != head; link = link->prev) {
        struct conn *c = container_of(link, struct conn, link);

        if (c->is_watched)
            break;
        c->is_watched = true;
        if (!c->is_half_closed)
            want(c, UV_DISCONNECT);
    }
}

void conn_start(struct loop *loop, int fd, const struct sockaddr_storage *peer, bool is_counted)
{
    struct conn *c = calloc(1, sizeof(*c));

    if (!c || uv_poll_init(&loop->uv, &c->poll, fd) != 0) {
        free(c);
        close(fd);
        atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
        if (is_counted)
            peer_table_leave(loop->shared->peers, (const struct sockaddr *)peer);
        return;
    }
    c->loop = loop;
    c->fd = fd;
    c->is_counted = is_counted;
    memcpy(&c->peer, peer, sizeof(c->peer));
    list_init(&c->link);
    list_init(&c->throttled);
    list_init(&c->waiter.link);
    c->body.on_ready = conn_on_body_ready;
    loop->connection_count++;
    begin_reading(c);
    conn_arm(c, TIMEOUT_HEADER);
    want(c, UV_READABLE);
}
