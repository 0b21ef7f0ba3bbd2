/* SPDX-License-Identifier: MIT */
/* conn.c — the connection's state machine.
 *
 * state     | entered when                        | left when
 * PROXIED   | accepted with proxyProtocol         | the header is whole: HANDSHAKE or READING
 * HANDSHAKE | accepted, and the client speaks TLS | it is over, perhaps by a lane: READING
 * READING   | accepted; a response has ended      | the head is whole: ANSWERING or SENDING
 * ANSWERING | the exchange asked a lane           | the lane has answered: SENDING
 * SENDING   | a response was begun                | sent: READING, DRAINING, LINGERING, CLOSED
 * DRAINING  | part of a request's body is to come | the body was skipped: READING
 * LINGERING | we are closing, the client may send | the client is done or time is up: CLOSED
 * CLOSED    | failure, end or time-out            | this turn of the loop is over: freed
 *
 * The socket is watched for changes (EPOLLET), so that going from one state to another needs no
 * system call. In return `has_input` has to remember that bytes may have arrived that nobody has
 * received yet. */
#include "connection/conn.h"

#include "connection/conn_state.h"

#include <errno.h>
#include <string.h>

static bool is_reading(const struct conn *c)
{
    return c->state == CONN_READING || c->state == CONN_DRAINING || c->state == CONN_LINGERING;
}

static void use_input(struct conn *c)
{
    while (c->state == CONN_READING && c->in_pos < c->in_len && c->loop->live) {
        enum parse parsed;
        if (!c->transfer && !conn_take_transfer(c)) {
            conn_close(c, END_NO_RESOURCES);
            return;
        }
        parsed = http_parse_request(&c->transfer->ex.req, c->in + c->in_pos, c->in_len - c->in_pos);
        if (parsed == PARSE_MORE) {
            if (c->timeout != TIMEOUT_HEADER) /* the time runs from the first byte of a head */
                conn_arm(c, TIMEOUT_HEADER);
            break;
        }
        conn_begin_request(c, parsed);
    }
}

void conn_run(struct conn *c)
{
    use_input(c);
    if (c->state == CONN_READING &&
        (!c->loop->live || (c->loop->is_stopping && c->in_pos == c->in_len)))
        conn_close(c, END_STOPPING);
    if (c->state == CONN_CLOSED)
        return;
    conn_settle_input(c);
    conn_flush(c);
    if (c->has_input && is_reading(c))
        poller_call_again(&c->loop->poller, &c->watch);
}

static void take_input(struct conn *c)
{
    enum conn_input input = conn_receive(c);

    if (input == INPUT_END || input == INPUT_BROKEN) {
        conn_close(c, conn_left(c));
        return;
    }
    if (input == INPUT_NO_ROOM) {
        conn_close(c, END_NO_RESOURCES);
        return;
    }
    if (input == INPUT_SOME && c->state == CONN_DRAINING) {
        conn_skip_body(c);
        if (c->state == CONN_READING) /* else one time limit goes on for the whole body */
            conn_arm(c, TIMEOUT_IDLE);
    }
    conn_run(c);
}

void conn_flush(struct conn *c)
{
    int err = transport_flush(&c->transport);

    if (err == -EAGAIN)
        conn_watch_output(c);
    else if (err)
        conn_close(c, conn_left(c));
}

/* --- events ---------------------------------------------------------------------------------- */

static void begin_watching(struct conn *c)
{
    c->is_watched = true;
    if (poller_add(&c->loop->poller, c->transport.fd,
                   POLLER_STREAM | (c->is_output_watched ? EPOLLOUT : 0), &c->watch) != 0)
        conn_close(c, END_NO_RESOURCES);
}

static void on_ready(struct poller_watch *watch, uint32_t events)
{
    struct conn *c = container_of(watch, struct conn, watch);

    if (c->state == CONN_CLOSED)
        return;
    if (events & POLLER_STREAM_INPUT)
        c->has_input = true;
    if (events & (POLLER_STREAM_LAST | EPOLLPRI))
        c->reads_to_end = true;
    if (events & EPOLLOUT && is_reading(c) && c->transport.kind->flush) {
        c->has_input = true; /* was not read while output was held */
        conn_flush(c);
    }
    if (c->state == CONN_PROXIED)
        conn_read_proxy_header(c, events & POLLER_STREAM_LAST);
    if (c->state == CONN_HANDSHAKE)
        conn_shake_hands(c);
    if (c->state == CONN_LINGERING) {
        conn_linger(c);
        conn_run(c);
    } else if (events & (EPOLLHUP | EPOLLERR)) { /* no one is left to answer */
        if (c->state == CONN_HANDSHAKE)
            conn_fail_handshake(c, -ECONNRESET);
        else
            conn_close(c, conn_left(c));
    } else if (is_reading(c)) {
        if (c->has_input)
            take_input(c);
    } else if (c->state == CONN_SENDING && c->timeout == TIMEOUT_WRITE &&
               (events == 0 || events & EPOLLOUT) && list_empty(&c->transfer->throttled)) {
        conn_send_more(c);
        conn_run(c);
    }
    if (!c->is_watched && c->state != CONN_CLOSED)
        begin_watching(c);
}

static void on_forgotten(struct poller_watch *watch)
{
    free(container_of(watch, struct conn, watch));
}

static const struct poller_kind conn_kind = {on_ready, on_forgotten};

void conn_watch_output(struct conn *c)
{
    if (c->is_output_watched)
        return;
    c->is_output_watched = true;
    if (c->is_watched &&
        poller_change(&c->loop->poller, c->transport.fd, POLLER_STREAM | EPOLLOUT, &c->watch) != 0)
        conn_close(c, END_NO_RESOURCES);
}

void conn_start(struct loop *loop, struct transport transport, const struct sockaddr_storage *peer,
                bool is_counted, bool has_proxy_header)
{
    struct conn *c = calloc(1, sizeof(*c));

    if (!c) {
        transport_close(&transport);
        loop_uncount_connection(loop, (const struct sockaddr *)peer, is_counted);
        return;
    }
    poller_watch_init(&c->watch, &conn_kind);
    c->loop = loop;
    c->carrier = (struct carrier){.kind = &conn_carrier, .loop = loop, .peer = &c->peer.any};
    c->transport = transport;
    c->is_counted = is_counted;
    memcpy(&c->peer, peer, sizeof(c->peer));
    /* Each write of the client may be received singly. */
    c->reads_to_end = c->peer.any.sa_family == AF_UNIX;
    list_init(&c->link);
    list_init(&c->waiting);
    loop->connection_count++;
    c->state = has_proxy_header                      ? CONN_PROXIED
               : transport_has_handshake(&transport) ? CONN_HANDSHAKE
                                                     : CONN_READING;
    conn_arm(c, TIMEOUT_SILENT);
    /* Its first event comes after those that are waiting now, when the request has often arrived.
     * So a connection may be answered and closed without ever having been added to the poller. */
    c->has_input = true;
    poller_call_again(&loop->poller, &c->watch);
}
