/* SPDX-License-Identifier: MIT */
/* conn_end.c — how requests and connections end: they are counted and logged, and what they hold is
 * given back. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "http2/http2.h"
#include "net/accept_deferral.h"

#include <sys/socket.h>

#define LINGER_BYTES_MAX 262144
#define SILENT_MS 250 /* long enough for a lost packet to be sent again */

/* Gives back what the current request holds. */
static void end_request(struct conn *c)
{
    if (!c->transfer)
        return;
    conn_unthrottle(c);
    exchange_end(&c->transfer->ex);
    sink_end(&c->transfer->sink);
    conn_give_transfer_back(c);
}

/* Call it before the end of a request is recorded. */
static void settle_waits(struct conn *c)
{
    struct transfer *transfer = c->transfer;
    struct tcp_waits *waits = &transfer->waits;

    if (!waits->is_counting && !waits->is_unknown)
        return;
    tcp_waits_take(waits, c->transport.fd, false, transfer->ex.live);
    tcp_waits_tell(waits, &(struct tcp_waited){0}, &transfer->ex.clock);
    *waits = (struct tcp_waits){0};
}

/* --- the connection -------------------------------------------------------------------------- */

void conn_close(struct conn *c, enum end_reason reason)
{
    struct loop *loop = c->loop;

    if (c->state == CONN_CLOSED)
        return;
    if (conn_is_answering(c)) {
        settle_waits(c);
        exchange_record_abort(&c->transfer->ex, c->transfer->sink.sent, reason);
    }
    c->state = CONN_CLOSED;
    end_request(c);
    conn_release_input(c);
    list_remove(&c->link);
    list_remove(&c->waiting);
    loop->connection_count--;
    loop->ends[reason]++;
    loop_uncount_connection(loop, &c->peer.any, c->is_counted);
    poller_forget(&loop->poller, &c->watch);
    transport_close(&c->transport);
}

void conn_say_no(int fd, bool speaks_tls)
{
    static const char answer[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
                                 "Content-Length: 0\r\nConnection: close\r\n\r\n";

    if (!speaks_tls)
        (void)!send(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
}

void conn_become_http2(struct conn *c)
{
    struct loop *loop = c->loop;
    const struct http2_handover handover = {
        .transport = c->transport,
        .peer = &c->peer.any,
        .tls = c->carrier.tls,
        .is_secure = c->carrier.is_secure,
        .is_counted = c->is_counted,
        .is_watched = c->is_watched,
        .input = c->in + c->in_pos,
        .input_len = c->in_len - c->in_pos,
    };

    if (c->peer.any.sa_family != AF_UNIX)
        accept_deferral_spoke(&loop->deferral);
    c->state = CONN_CLOSED;
    end_request(c);
    list_remove(&c->link);
    list_remove(&c->waiting);
    poller_forget(&loop->poller, &c->watch);
    http2_take_over(loop, &handover);
    conn_release_input(c);
}

/* Why a connection ends that the client closed. After our last response the reason is set
 * already. */
enum end_reason conn_left(const struct conn *c)
{
    if (c->state == CONN_LINGERING)
        return (enum end_reason)c->ends_for;
    return conn_is_answering(c) || c->state == CONN_DRAINING || c->in_len > c->in_pos
               ? END_CLIENT_GONE
               : END_CLIENT_CLOSED;
}

/* The connection that has waited longest, or NULL if none waits for this. */
static struct conn *oldest(struct loop *loop, enum timeout timeout)
{
    struct list *all = &loop->connections[timeout];

    return list_empty(all) ? NULL : container_of(all->next, struct conn, link);
}

/* A client's first bytes follow its connection closely, so one that has only just connected may
 * still send them. */
static bool is_silent(const struct conn *c)
{
    uint64_t for_ms = uv_now(&c->loop->uv) + c->loop->timeout_ms[TIMEOUT_SILENT] - c->deadline_ms;

    return !c->has_input && for_ms >= SILENT_MS;
}

bool conn_make_room(struct loop *loop)
{
    struct conn *c = oldest(loop, TIMEOUT_SILENT);

    if (!c || !is_silent(c))
        c = oldest(loop, TIMEOUT_IDLE);
    if (!c)
        return http2_make_room(loop);
    conn_close(c, END_MADE_ROOM);
    return true;
}

void conn_close_idle(struct loop *loop)
{
    struct conn *c;

    while ((c = oldest(loop, TIMEOUT_IDLE)) != NULL)
        conn_close(c, END_STOPPING);
}

void conn_close_all(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_COUNT; kind++)
        while (!list_empty(&loop->connections[kind]))
            conn_close(container_of(loop->connections[kind].next, struct conn, link), END_STOPPING);
}

/* --- the response ---------------------------------------------------------------------------- */

/* Closing a socket with unread input makes the kernel send a reset, which can destroy the response
 * before the client has read it. So we first end only our sending side, and read on until the
 * client is done (RFC 9112 section 9.6). */
static void finish_connection(struct conn *c)
{
    if (!c->linger_after && c->in_pos == c->in_len) {
        conn_close(c, c->ends_for);
        return;
    }
    conn_release_input(c);
    if (transport_end(&c->transport) != 0) {
        conn_close(c, c->ends_for);
        return;
    }
    c->state = CONN_LINGERING;
    c->drain = LINGER_BYTES_MAX;
    progress_begin_lingering(&c->lingering, c->loop);
    conn_arm(c, TIMEOUT_LINGER);
}

void conn_break_off(struct conn *c, enum end_reason reason)
{
    settle_waits(c);
    exchange_record_abort(&c->transfer->ex, c->transfer->sink.sent, reason);
    end_request(c);
    c->ends_for = (uint8_t)reason;
    c->linger_after = true;
    finish_connection(c);
}

void conn_finish_response(struct conn *c)
{
    settle_waits(c);
    exchange_record_end(&c->transfer->ex, c->transfer->sink.sent);
    c->in_pos += c->transfer->ex.req.head_len;
    c->drain = c->transfer->ex.req.content_length;
    end_request(c);
    if (c->ends_for || c->loop->is_stopping || !c->loop->live) {
        if (!c->ends_for) { /* "Connection: close" was not sent, so the client may be sending */
            c->ends_for = END_STOPPING;
            c->linger_after = true;
        }
        finish_connection(c);
        return;
    }
    conn_skip_body(c);
    conn_arm(c, c->state == CONN_DRAINING ? TIMEOUT_BODY : TIMEOUT_IDLE);
}
