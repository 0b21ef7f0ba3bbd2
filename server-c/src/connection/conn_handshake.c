/* SPDX-License-Identifier: MIT */
/* conn_handshake.c — the handshake of TLS, before the first request.
 *
 * A full one costs as much as dozens of requests. So in each turn of the loop only so many are
 * done: those that want one wait in the order they came, while connections that have theirs are
 * served. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "net/transport_tls.h"

#include <errno.h>
#include <sys/socket.h>

#define TURN_NS 200000 /* for handshakes, in each turn: one or two */

static void count_success(struct conn *c)
{
    struct tls_facts facts = tls_session_facts(transport_tls_session(&c->transport));

    c->loop->tls->counts.handshakes[facts.cipher][facts.is_resumed]++;
    if (!c->loop->live)
        return;
    loop_count(c->loop->live, COUNTER_TLS_HANDSHAKES, 1);
    loop_count(c->loop->live, COUNTER_TLS_FULL_HANDSHAKES, !facts.is_resumed);
    histogram_record(&c->loop->live->series->data.stages[STAGE_HANDSHAKE],
                     monotonic_ns() - transport_tls_began_ns(&c->transport));
}

void conn_count_failed_handshake(struct conn *c, enum tls_failure without_alert)
{
    const struct tls_session *session = transport_tls_session(&c->transport);
    struct tls_alert alert = session ? tls_session_alert(session) : (struct tls_alert){0};

    if (!alert.is_any) {
        c->loop->tls->counts.failures[without_alert]++;
        return;
    }
    c->loop->tls->counts.alerts[alert.from_client][alert.number]++;
    if (c->loop->live)
        loop_count(c->loop->live, COUNTER_TLS_HANDSHAKE_FAILURES, 1);
}

/* A person has probably typed http:// and this port: tell in a way that a browser shows. */
static void answer_plain_http(const struct conn *c)
{
    static const char answer[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 53\r\nConnection: close\r\n\r\n"
        "This address speaks HTTPS: write https:// before it.\n";

    (void)!send(c->transport.fd, answer, sizeof(answer) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(c->transport.fd, SHUT_WR);
}

void conn_fail_handshake(struct conn *c, int err)
{
    bool has_gone = err == -ECONNRESET || err == -EPIPE;

    if (transport_tls_got_plain_http(&c->transport)) {
        conn_count_failed_handshake(c, TLS_FAILURE_PLAIN_HTTP);
        answer_plain_http(c);
    } else if (has_gone && !transport_tls_session(&c->transport)) {
        conn_close(c, END_CLIENT_CLOSED); /* it has never said anything */
        return;
    } else {
        conn_count_failed_handshake(c, has_gone ? TLS_FAILURE_CLIENT_GONE : TLS_FAILURE_OTHER);
    }
    conn_close(c, err == -ENOMEM ? END_NO_RESOURCES : END_HANDSHAKE);
}

/* --- turns ----------------------------------------------------------------------------------- */

/* Is there time left in this turn? */
static bool has_time(struct loop *loop)
{
    if (loop->tls->turn != loop->poller.turn) {
        loop->tls->turn = loop->poller.turn;
        loop->tls->spent_ns = 0;
    }
    return loop->tls->spent_ns < TURN_NS;
}

/* Those that wait go on in their order, as long as there is time. */
static void on_turn(struct poller_watch *watch, uint32_t events)
{
    struct loop_tls *tls = container_of(watch, struct loop_tls, pump);

    (void)events;
    while (!list_empty(&tls->waiting)) {
        struct conn *c = container_of(tls->waiting.next, struct conn, waiting);
        if (!has_time(c->loop)) {
            poller_call_again(&c->loop->poller, watch);
            return;
        }
        list_remove(&c->waiting);
        c->has_turn = true;
        c->watch.kind->on_ready(&c->watch, 0);
    }
}

/* True: now. False: the connection is called when it is its turn. */
static bool take_turn(struct conn *c)
{
    static const struct poller_kind pump_kind = {.on_ready = on_turn};
    struct loop_tls *tls = c->loop->tls;

    if (c->has_turn || (list_empty(&tls->waiting) && has_time(c->loop))) {
        c->has_turn = false;
        return true;
    }
    if (!list_empty(&c->waiting))
        return false;
    if (list_empty(&tls->waiting)) {
        tls->pump.kind = &pump_kind;
        poller_call_again(&c->loop->poller, &tls->pump);
    }
    list_append(&tls->waiting, &c->waiting);
    return false;
}

/* --- the handshake --------------------------------------------------------------------------- */

void conn_shake_hands(struct conn *c)
{
    struct loop *loop = c->loop;
    uint64_t start_ns;
    int err;

    if (!take_turn(c))
        return;
    start_ns = monotonic_ns();
    c->has_input = false;
    err = c->transport.kind->handshake(&c->transport, &c->watch);
    loop->tls->spent_ns += monotonic_ns() - start_ns;
    if (err == -EINTR) {
        c->has_input = true;
        poller_call_again(&loop->poller, &c->watch);
        return;
    }
    if (err == -EAGAIN || err == -EINPROGRESS) {
        if (c->timeout == TIMEOUT_SILENT && transport_tls_session(&c->transport))
            conn_arm(c, TIMEOUT_HEADER);
        conn_flush(c);
        return;
    }
    if (err) {
        conn_fail_handshake(c, err);
        return;
    }
    count_success(c);
    c->carrier.tls = transport_tls_session(&c->transport);
    if (tls_session_facts(c->carrier.tls).is_http2) {
        conn_become_http2(c);
        return;
    }
    c->state = CONN_READING;
    c->has_input = true; /* the first request often comes with the end of the handshake */
    conn_arm(c, TIMEOUT_SILENT);
}
