/* SPDX-License-Identifier: MIT */
/* http2_conn.c — a connection of HTTP/2: its events, and how it begins and ends.
 *
 * state     | entered when                              | left when
 * OPEN      | a client has begun to speak HTTP/2        | the library is done: LINGERING
 * LINGERING | GOAWAY was sent and all is answered       | the client is done or time is up: CLOSED
 * CLOSED    | failure, end or time-out                  | this turn of the loop is over: freed */
#include "http2/http2.h"
#include "http2/http2_memory.h"
#include "http2/http2_state.h"

#include "net/accept_deferral.h"

#include <string.h>

#define LINGER_BYTES_MAX 262144

/* --- the end --------------------------------------------------------------------------------- */

/* Those that are complete were answered, even if the last bytes were never taken. */
static void free_streams(struct http2_conn *c, struct list *streams, enum end_reason reason)
{
    while (!list_empty(streams)) {
        struct http2_stream *stream = container_of(streams->next, struct http2_stream, link);
        if (!stream->ends_for)
            stream->ends_for = (uint8_t)reason;
        stream->is_complete = stream->is_complete && !c->left;
        http2_stream_free(stream);
    }
}

void http2_close(struct http2_conn *c, enum end_reason reason)
{
    struct loop *loop = c->loop;

    if (c->state == HTTP2_CLOSED)
        return;
    c->state = HTTP2_CLOSED;
    free_streams(c, &c->streams, reason);
    free_streams(c, &c->over, reason);
    nghttp2_session_del(c->protocol);
    c->protocol = NULL;
    free(c->left);
    c->left = NULL;
    list_remove(&c->link);
    list_remove(&c->head_link);
    list_remove(&c->leave_link);
    loop->connection_count--;
    loop->ends[reason]++;
    loop_uncount_connection(loop, &c->peer.any, c->is_counted);
    poller_forget(&loop->poller, &c->watch);
    transport_close(&c->transport);
}

static enum end_reason reason_of_end(const struct http2_conn *c, enum end_reason otherwise)
{
    return c->ends_for ? (enum end_reason)c->ends_for : otherwise;
}

/* Why a connection ends that the client closed. */
static enum end_reason left(const struct http2_conn *c)
{
    return reason_of_end(c, c->stream_count > 0 ? END_CLIENT_GONE : END_CLIENT_CLOSED);
}

/* Everything was said. A socket closed with unread input would be reset, and the client might never
 * read the last frames. */
static void finish(struct http2_conn *c)
{
    if (!c->ends_for)
        c->ends_for = END_CLIENT_LAST;
    if (transport_end(&c->transport) != 0) {
        http2_close(c, (enum end_reason)c->ends_for);
        return;
    }
    c->state = HTTP2_LINGERING;
    c->skip = LINGER_BYTES_MAX;
    progress_begin_lingering(&c->progress, c->loop);
    http2_arm_linger(c);
}

void http2_give_up(struct http2_conn *c, uint32_t code, enum end_reason reason)
{
    if (!c->ends_for)
        c->ends_for = (uint8_t)reason;
    nghttp2_session_terminate_session(c->protocol, code);
    http2_run(c);
}

void http2_leave(struct http2_conn *c, enum end_reason reason)
{
    if (c->state != HTTP2_OPEN || c->farewell != FAREWELL_NONE)
        return;
    if (!c->ends_for)
        c->ends_for = (uint8_t)reason;
    c->farewell = FAREWELL_SOON;
    /* When the answer to this ping is here, all requests are that were sent before the notice was
     * read. */
    nghttp2_submit_shutdown_notice(c->protocol);
    nghttp2_submit_ping(c->protocol, NGHTTP2_FLAG_NONE, NULL);
    http2_arm_leave(c);
}

void http2_say_last(struct http2_conn *c)
{
    if (c->state != HTTP2_OPEN || c->farewell == FAREWELL_SAID)
        return;
    c->farewell = FAREWELL_SAID;
    list_remove(&c->leave_link);
    nghttp2_submit_goaway(c->protocol, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(c->protocol), NGHTTP2_NO_ERROR,
                          NULL, 0);
}

/* --- input ----------------------------------------------------------------------------------- */

static ssize_t receive_into(struct http2_conn *c)
{
    bool has_more = false;
    ssize_t n = transport_receive(&c->transport, c->loop->input, LOOP_INPUT_BYTES, &has_more);

    c->has_input = has_more || (n > 0 && c->reads_to_end);
    return n;
}

/* What the library does not answer by itself. The floods it knows are acknowledgements that wait, and
 * CONTINUATION frames. */
static void take_failure(struct http2_conn *c, ssize_t err)
{
    if (err == NGHTTP2_ERR_NOMEM || err == NGHTTP2_ERR_CALLBACK_FAILURE)
        http2_close(c, END_NO_RESOURCES);
    else
        http2_close(c, err == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? END_PROTOCOL_ERROR : END_FLOOD);
}

static void take(struct http2_conn *c, const void *bytes, size_t len)
{
    ssize_t n;

    c->is_calling = true;
    n = nghttp2_session_mem_recv(c->protocol, bytes, len);
    c->is_calling = false;
    if (n < 0)
        take_failure(c, n);
}

static void take_input(struct http2_conn *c)
{
    ssize_t n = receive_into(c);

    if (n > 0)
        take(c, c->loop->input, (size_t)n);
    else if (!transport_is_for_later(n))
        http2_close(c, left(c));
}

/* What comes now is dropped. */
static void linger(struct http2_conn *c)
{
    ssize_t n = receive_into(c);

    if ((n <= 0 && !transport_is_for_later(n)) || (n > 0 && (uint64_t)n > c->skip))
        http2_close(c, (enum end_reason)c->ends_for);
    else if (n > 0)
        c->skip -= (uint64_t)n;
}

/* --- events ---------------------------------------------------------------------------------- */

static void watch_output(struct http2_conn *c)
{
    if (c->is_output_watched)
        return;
    c->is_output_watched = true;
    if (c->is_watched &&
        poller_change(&c->loop->poller, c->transport.fd, POLLER_STREAM | EPOLLOUT, &c->watch) != 0)
        http2_close(c, END_NO_RESOURCES);
}

static void send_out(struct http2_conn *c)
{
    switch (http2_output_send(c)) {
    case OUTPUT_ALL:
        break;
    case OUTPUT_BLOCKED:
        c->is_blocked = true;
        tcp_waits_begin(&c->waits, c->transport.fd);
        watch_output(c);
        break;
    case OUTPUT_WANTS_TURN:
        poller_call_again(&c->loop->poller, &c->watch);
        break;
    case OUTPUT_GONE:
        http2_close(c, reason_of_end(c, END_CLIENT_GONE));
        break;
    case OUTPUT_FAILED:
        http2_close(c, END_NO_RESOURCES);
        break;
    }
}

/* The library has closed the connection: it says nothing more and wants to hear nothing. */
static bool is_done(const struct http2_conn *c)
{
    return !c->left && !nghttp2_session_want_read(c->protocol) &&
           !nghttp2_session_want_write(c->protocol);
}

void http2_run(struct http2_conn *c)
{
    if (c->is_calling || c->state != HTTP2_OPEN)
        return;
    if (!c->is_blocked)
        send_out(c);
    if (c->state != HTTP2_OPEN)
        return;
    if (is_done(c))
        finish(c);
    else
        http2_arm(c);
    if (c->state != HTTP2_CLOSED && c->has_input)
        poller_call_again(&c->loop->poller, &c->watch);
}

void http2_run_later(struct http2_conn *c)
{
    if (c->state == HTTP2_OPEN)
        poller_call_again(&c->loop->poller, &c->watch);
}

static void on_ready(struct poller_watch *watch, uint32_t events)
{
    struct http2_conn *c = container_of(watch, struct http2_conn, watch);

    if (c->state == HTTP2_CLOSED)
        return;
    if (events & POLLER_STREAM_INPUT)
        c->has_input = true;
    if (events & (POLLER_STREAM_LAST | EPOLLPRI))
        c->reads_to_end = true;
    if (events & EPOLLOUT) {
        c->is_blocked = false;
        c->has_input = true; /* a transport that held output was not read */
    }
    if (c->state == HTTP2_LINGERING)
        linger(c);
    else if (events & (EPOLLHUP | EPOLLERR)) /* no one is left to answer */
        http2_close(c, left(c));
    else if (c->has_input)
        take_input(c);
    http2_run(c);
}

static void on_forgotten(struct poller_watch *watch)
{
    free(container_of(watch, struct http2_conn, watch));
}

/* --- the beginning --------------------------------------------------------------------------- */

static void begin_watching(struct http2_conn *c, bool is_watched)
{
    struct poller *poller = &c->loop->poller;
    int fd = c->transport.fd;
    int err = is_watched ? poller_change(poller, fd, POLLER_STREAM, &c->watch)
                         : poller_add(poller, fd, POLLER_STREAM, &c->watch);

    c->is_watched = true;
    if (err)
        http2_close(c, END_NO_RESOURCES);
}

static void give_back(struct loop *loop, const struct http2_handover *from)
{
    struct transport transport = from->transport;

    transport_close(&transport);
    loop->connection_count--;
    loop->ends[END_NO_RESOURCES]++;
    loop_uncount_connection(loop, from->peer, from->is_counted);
}

static size_t size_of(const struct sockaddr *peer)
{
    return peer->sa_family == AF_INET6  ? sizeof(struct sockaddr_in6)
           : peer->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                        : sizeof(struct sockaddr);
}

static struct http2_conn *allocate(struct loop *loop, const struct http2_handover *from)
{
    static const struct poller_kind kind = {on_ready, on_forgotten};
    struct http2_conn *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->loop = loop;
    c->transport = from->transport;
    c->tls = from->tls;
    c->is_secure = from->is_secure;
    c->is_counted = from->is_counted;
    memcpy(&c->peer, from->peer, size_of(from->peer));
    poller_watch_init(&c->watch, &kind);
    list_init(&c->link);
    list_init(&c->head_link);
    list_init(&c->leave_link);
    list_init(&c->streams);
    list_init(&c->over);
    http2_guard_init(&c->guard, uv_now(&loop->uv));
    c->protocol = http2_protocol_new(c);
    if (c->protocol)
        return c;
    free(c);
    return NULL;
}

/* What all connections of a loop share is made with the first. */
static bool prepare(struct loop *loop)
{
    if (!loop->http2.memory)
        loop->http2.memory = http2_memory_new();
    return loop->http2.memory && http2_output_init(loop);
}

void http2_take_over(struct loop *loop, const struct http2_handover *from)
{
    struct http2_conn *c = prepare(loop) ? allocate(loop, from) : NULL;

    if (!c) {
        give_back(loop, from);
        return;
    }
    transport_keep_queue_short(&c->transport); /* what is urgent can't pass what is in there */
    c->has_input = true;                       /* its events so far went to another watch */
    c->reads_to_end = true;
    begin_watching(c, from->is_watched);
    if (c->state == HTTP2_OPEN)
        take(c, from->input, from->input_len);
    if (c->state == HTTP2_OPEN)
        http2_run(c);
}

/* --- all of a loop --------------------------------------------------------------------------- */

static struct http2_conn *first_of(struct list *all)
{
    return container_of(all->next, struct http2_conn, link);
}

bool http2_make_room(struct loop *loop)
{
    if (list_empty(&loop->http2.idle))
        return false;
    http2_close(first_of(&loop->http2.idle), END_MADE_ROOM);
    return true;
}

static void leave_those(struct list *all)
{
    struct list those;

    list_init(&those);
    list_move_all(&those, all);
    while (!list_empty(&those)) {
        struct http2_conn *c = first_of(&those);
        list_remove(&c->link);
        list_append(all, &c->link);
        http2_leave(c, END_STOPPING);
        http2_run(c);
    }
}

void http2_leave_all(struct loop *loop)
{
    leave_those(&loop->http2.idle);
    leave_those(&loop->http2.busy);
}

void http2_close_all(struct loop *loop)
{
    struct list *const all[] = {&loop->http2.idle, &loop->http2.busy, &loop->http2.lingering};

    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        while (!list_empty(all[i]))
            http2_close(first_of(all[i]), reason_of_end(first_of(all[i]), END_STOPPING));
}
