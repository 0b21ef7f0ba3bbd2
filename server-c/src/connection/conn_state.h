/* SPDX-License-Identifier: MIT */
/* conn_state.h — one HTTP/1.1 connection, shared by conn*.c; nobody else includes this. */
#ifndef FARMSTEAD_CONN_STATE_H
#define FARMSTEAD_CONN_STATE_H

#include "answer/exchange.h"
#include "connection/sink.h"
#include "net/progress.h"
#include "net/tcp_waits.h"
#include "net/transport.h"
#include "site/pace.h"

#include <netinet/in.h>

enum conn_state {
    CONN_PROXIED,
    CONN_HANDSHAKE,
    CONN_READING,
    CONN_ANSWERING,
    CONN_SENDING,
    CONN_DRAINING,
    CONN_LINGERING,
    CONN_CLOSED
};

/* How fast a client takes a response that it did not take at once. "Looked at" means that
 * conn_timeout.c asked the kernel what the client has acknowledged. */
struct taking {
    struct progress last; /* when it had acknowledged enough, and how much of the response */
    uint64_t looked_ms;   /* when it was last looked at, or when waiting began; 0: neither */
    int64_t offered;      /* bytes of the response given to the socket at looked_ms */
    bool was_held_back;   /* by a rate of ours or by a disk, since looked_ms */
};

/* What a request under way needs. A connection between requests has none. */
struct transfer {
    struct exchange ex;
    struct conn *conn;
    struct sink sink;
    bool is_limited; /* `pace` is in use: the site or the connection has a rate */
    struct pace pace;
    struct list throttled; /* in loop->throttled while it may not send */
    struct taking taking;
    struct tcp_waits waits; /* what this response waited for; zero until it does */
    struct transfer *next_spare;
};

struct conn {
    struct poller_watch watch;
    struct carrier carrier;
    struct loop *loop;
    struct transfer *transfer; /* NULL between requests */
    struct list link;          /* loop->connections[timeout] */
    uint64_t deadline_ms;
    struct list waiting; /* in loop->tls->waiting */
    struct transport transport;
    uint32_t served;
    uint32_t armed_tick;  /* value of loop->tick_count when `link` was put in its list */
    uint8_t state;        /* enum conn_state */
    uint8_t timeout;      /* enum timeout */
    bool input_is_shared; /* `in` is the loop's buffer, valid until the event is over */
    uint8_t ends_for;     /* an enum end_reason to end for after this response; or END_NONE */
    bool linger_after;    /* at that end the client may still be sending */
    bool has_turn;        /* to go on with its handshake */
    bool is_counted;      /* in the peer table */
    bool has_input;       /* there may be bytes or the end of input to receive */
    bool reads_to_end;    /* receive until the kernel has nothing left, see receive_into() */
    bool is_watched, is_output_watched;
    uint32_t in_pos, in_len, in_cap;
    char *in;                  /* bytes received: [in_pos, in_len) are not yet consumed */
    uint64_t drain;            /* bytes of a request's body still to be skipped */
    struct progress lingering; /* in CONN_LINGERING */
    struct rate_limit rate;
    union visitor peer;
};

/* Is a request with a complete head under way? */
static inline bool conn_is_answering(const struct conn *c)
{
    return c->transfer && exchange_is_open(&c->transfer->ex);
}

/* conn_transfer.c */
bool conn_take_transfer(struct conn *c); /* for the next head; false: no memory */
/* Call it when the transfer holds nothing any more. Its memory is valid until the end of this turn
 * of the loop. */
void conn_give_transfer_back(struct conn *c);

/* conn.c */
/* Does all that can be done with the bytes received. A lane's callback calls this last. */
void conn_run(struct conn *c);
/* Has the poller report when the socket takes bytes again. Call it when it took less than it was
 * given. */
void conn_watch_output(struct conn *c);

/* Sends what the transport holds, and watches for when it can. Does nothing for one that holds
 * nothing. */
void conn_flush(struct conn *c);

/* conn_proxy.c */
/* In CONN_PROXIED, when there may be input. `is_last`: nothing will come after it. */
void conn_read_proxy_header(struct conn *c, bool is_last);

/* conn_handshake.c */
void conn_shake_hands(struct conn *c);             /* in CONN_HANDSHAKE, when there may be input */
void conn_fail_handshake(struct conn *c, int err); /* counts it and closes; a negative errno */
void conn_count_failed_handshake(struct conn *c, enum tls_failure without_alert);

/* conn_end.c */
void conn_close(struct conn *c, enum end_reason reason); /* does nothing if it is closed already */
/* Ends a response that can't be completed, and the connection. The client gets what was sent before
 * and sees from its Content-Length that there should be more (RFC 9112 section 8). */
void conn_break_off(struct conn *c, enum end_reason reason);
/* Hands the connection over to HTTP/2 with all that was received. It is not this one's any more. */
void conn_become_http2(struct conn *c);
/* The reason to record when the client has closed the connection. */
enum end_reason conn_left(const struct conn *c);
/* Call it when the socket was given the last byte of a response. Goes on to the next request, or
 * ends the connection. */
void conn_finish_response(struct conn *c);

/* conn_input.c */
enum conn_input { INPUT_SOME, INPUT_NONE, INPUT_END, INPUT_BROKEN, INPUT_NO_ROOM };
enum conn_input conn_receive(struct conn *c);
/* Skips what was received of a request's body. The state tells if the body goes on. */
void conn_skip_body(struct conn *c);
/* Call it at the end of an event: the next one reuses the shared buffer, so bytes that are left
 * move to memory of the connection. */
void conn_settle_input(struct conn *c);
void conn_release_input(struct conn *c);
void conn_linger(struct conn *c); /* receives bytes and drops them */

/* conn_timeout.c */
void conn_arm(struct conn *c, enum timeout timeout);
/* The client now has to take bytes. Bytes that it was given earlier and has not taken count against
 * it, even if a rate or a disk was waited for in between. */
void conn_await_client(struct conn *c);

/* conn_request.c */
extern const struct carrier_kind conn_carrier;
/* Answers or refuses the head that was parsed. Afterwards the state says what is awaited. */
void conn_begin_request(struct conn *c, enum parse parsed);

/* conn_send.c */
/* Starts to send the response of the current exchange, as fast as the rates of site and connection
 * allow. */
void conn_send(struct conn *c, const char *head, size_t head_len);
/* Call it when the socket takes bytes again. */
void conn_send_more(struct conn *c);
/* Call it when the file's bytes can't be had. If nothing was sent, the client gets `status`; else
 * the connection ends for `reason`. */
void conn_give_up_sending(struct conn *c, enum http_status status, enum end_reason reason);
void conn_unthrottle(struct conn *c); /* does nothing if it is not throttled */
void conn_on_body_ready(struct body *body);

#endif
