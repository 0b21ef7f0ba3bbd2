/* SPDX-License-Identifier: MIT */
/* conn_state.h — one connection of HTTP/1.1, as conn*.c share it. Nobody else includes this. */
#ifndef FARMSTEAD_CONN_STATE_H
#define FARMSTEAD_CONN_STATE_H

#include "answer/exchange.h"
#include "connection/sink.h"
#include "net/transport.h"
#include "site/pace.h"

#include <netinet/in.h>

enum conn_state {
    CONN_READING,
    CONN_ANSWERING,
    CONN_SENDING,
    CONN_DRAINING,
    CONN_LINGERING,
    CONN_CLOSED
};

/* How a client takes a response that it does not take at once. */
struct progress {
    uint64_t since_ms;  /* when it was last seen to take enough; 0: not looked yet */
    int64_t taken;      /* bytes of the response its kernel had acknowledged then */
    uint64_t looked_ms; /* when it was last looked at, or first waited for; 0: neither */
    int64_t offered;    /* bytes of the response that the socket had been given then */
    bool was_held_back; /* since then, by a rate of ours or by a disk */
};

/* A request under way, and its response's way out. A connection that idles has none. */
struct transfer {
    struct exchange ex;
    struct conn *conn;
    struct sink sink;
    bool is_limited; /* the response has a rate: */
    struct pace pace;
    struct list throttled; /* in loop->throttled while it may not send */
    struct progress progress;
    struct transfer *next_spare;
};

struct conn {
    struct poller_watch watch;
    struct carrier carrier;
    struct loop *loop;
    struct transfer *transfer; /* NULL between requests */
    struct list link;          /* loop->connections[timeout] */
    uint64_t deadline_ms;
    struct transport transport;
    uint32_t served;
    uint32_t armed_tick;  /* of the loop, when it got its place in the list */
    uint8_t state;        /* enum conn_state */
    uint8_t timeout;      /* enum timeout */
    bool input_is_shared; /* `in` is the loop's, valid until the event is dealt with */
    uint8_t ends_for;     /* after this response, enum end_reason; END_NONE: it goes on */
    bool linger_after;    /* the client may still be sending then */
    bool is_counted;      /* in the peer table */
    bool has_input;       /* there may be bytes to receive, or the end */
    bool reads_to_end;    /* until the kernel says that there is nothing: see receive_into() */
    bool is_watched, is_output_watched;
    uint32_t in_pos, in_len, in_cap;
    char *in;       /* bytes received: [in_pos, in_len) are not yet consumed */
    uint64_t drain; /* body bytes to skip */
    struct rate_limit rate;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer;
};

/* Is a request under way whose head is whole? */
static inline bool conn_is_answering(const struct conn *c)
{
    return c->transfer && exchange_is_open(&c->transfer->ex);
}

/* conn_transfer.c */
bool conn_take_transfer(struct conn *c); /* for a head to come; false: no memory */
/* All that it held was given back. Its memory stays for this turn. */
void conn_give_transfer_back(struct conn *c);

/* conn.c */
/* Does all that can be done with what has been received. Whoever was called back by a lane calls
 * this last. */
void conn_run(struct conn *c);
/* The socket took less than it was given: whoever waits for it to take more calls this first. */
void conn_watch_output(struct conn *c);

/* conn_end.c */
void conn_close(struct conn *c, enum end_reason reason); /* harmless when it is closed already */
/* The client did: what that means. */
enum end_reason conn_left(const struct conn *c);
/* The response's last byte was given to the socket: on to the next request, or to the end. */
void conn_finish_response(struct conn *c);

/* conn_input.c */
enum conn_input { INPUT_SOME, INPUT_NONE, INPUT_END, INPUT_BROKEN, INPUT_NO_ROOM };
enum conn_input conn_receive(struct conn *c);
void conn_skip_body(
    struct conn *c); /* what has been received of it; the state says if that was all */
/* The shared buffer is the next event's: what is not consumed moves into memory of our own. */
void conn_settle_input(struct conn *c);
void conn_release_input(struct conn *c);
void conn_linger(struct conn *c); /* receives what nobody wants */

/* conn_timeout.c */
void conn_arm(struct conn *c, enum timeout timeout);
/* The client is to take bytes. What it was given a while ago and has not taken is held against it,
 * whatever else was waited for in between. */
void conn_await_client(struct conn *c);

/* conn_request.c */
extern const struct carrier_kind conn_carrier;
/* Answers the head that was parsed, or refuses it. The state says how far that went. */
void conn_begin_request(struct conn *c, enum parse parsed);

/* conn_send.c */
/* Begins the response under way: all that was prepared is sent, within the site's and the
 * connection's rates. */
void conn_send(struct conn *c, const char *head, size_t head_len);
/* The socket takes bytes again. */
void conn_send_more(struct conn *c);
/* The file's bytes can't be had. The client is told so with `status` while nothing was sent, else the
 * connection ends, for `reason`. */
void conn_give_up_sending(struct conn *c, enum http_status status, enum end_reason reason);
void conn_unthrottle(struct conn *c); /* harmless when it is not throttled */
void conn_on_body_ready(struct body *body);

#endif
