/* SPDX-License-Identifier: MIT */
/* conn_state.h — one connection, as conn.c (states and events), conn_input.c, conn_end.c,
 * conn_timeout.c, conn_answer.c (request → response) and conn_send.c (the response's way out) share
 * it. Nobody else includes this. */
#ifndef FARMSTEAD_CONN_STATE_H
#define FARMSTEAD_CONN_STATE_H

#include "auth/auth_check.h"
#include "body/body.h"
#include "connection/sink.h"
#include "http/http_coding.h"
#include "http/http_parser.h"
#include "net/loop.h"
#include "site/dir_listing.h"
#include "site/rate_limit.h"

#include <netinet/in.h>

enum conn_state {
    CONN_READING,
    CONN_FINDING,
    CONN_SOURCING,
    CONN_SENDING,
    CONN_DRAINING,
    CONN_LINGERING,
    CONN_CLOSED
};

/* What a look-up under way is for. */
enum conn_search {
    SEARCH_FILE,  /* what was asked for */
    SEARCH_CODED, /* its precompressed sibling; c->plain is the file itself */
    SEARCH_PAGE   /* the site's page for c->page_status */
};

/* A request under way and its response. A connection that idles has none. */
struct exchange {
    struct conn *conn;
    struct http_request req;
    struct live_config *live; /* referenced; NULL while the head is not whole */
    const struct site *site;  /* NULL: no site answers */
    struct response_scope scope;
    enum conn_search search;
    enum http_status status;
    const struct file_place *place; /* of the look-up */
    struct file_waiter waiter;
    struct file_entry *entry; /* referenced while its body is fetched */
    struct file_entry *plain; /* referenced: SEARCH_CODED, and while its sibling is sent */
    enum http_coding coding;  /* of what is sent */
    enum http_status page_status;
    uint64_t file_size;             /* for 416 */
    const struct config_auth *rule; /* by which the client must sign in */
    bool is_signed_in;
    bool is_limited; /* the response has a rate limit */
    uint8_t attempts;
    struct auth_waiter auth_waiter;
    struct dir_listing_job *listing;
    size_t listing_bytes; /* of the listing that is sent */
    size_t head_len;      /* of the response, for the log */
    struct body body;
    struct sink sink;
    struct stage_clock clock;
    struct span user; /* who signed in, for the log; on the heap */

    /* Of a response the client does not take at once. */
    uint64_t progress_ms;     /* when it was last seen to take enough; 0: not looked yet */
    int64_t taken;            /* bytes of the response its kernel had acknowledged then */
    uint64_t looked_ms;       /* when it was last looked at, or first waited for; 0: neither */
    int64_t offered;          /* bytes of the response that the socket had been given then */
    bool was_held_back;       /* since then, by a rate of ours or by a disk */
    struct list throttled;    /* in loop->throttled while the quota is used up */
    uint64_t share_from_ns;   /* it had its share of the site's rate up to then */
    uint64_t drawn, drawn_ns; /* the quota it drew last, and when */

    struct exchange *next_spare;
};

struct conn {
    struct poller_watch watch;
    struct loop *loop;
    struct exchange *ex; /* NULL between requests */
    struct list link;    /* loop->connections[timeout] */
    uint64_t deadline_ms;
    int fd;
    uint32_t served;
    uint32_t armed_tick;  /* of the loop, when it got its place in the list */
    uint8_t state;        /* enum conn_state */
    uint8_t timeout;      /* enum timeout */
    bool input_is_shared; /* `in` is the loop's, valid until the event is dealt with */
    bool close_after;     /* this response */
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
    return c->ex && c->ex->live;
}

/* conn_exchange.c */
bool conn_take_exchange(struct conn *c); /* for a head to come; false: no memory */
/* All that it held was given back. Its memory stays for this turn. */
void conn_give_exchange_back(struct conn *c);

/* conn.c */
/* Does all that can be done with what has been received. Whoever was called back by a lane calls
 * this last. */
void conn_run(struct conn *c);
/* The socket took less than it was given: whoever waits for it to take more calls this first. */
void conn_watch_output(struct conn *c);

/* conn_end.c */
void conn_close(struct conn *c); /* harmless when it is closed already */
/* The response's last byte was given to the socket: on to the next request, or to the end. */
void conn_finish_response(struct conn *c);

/* conn_input.c */
enum conn_input { INPUT_SOME, INPUT_NONE, INPUT_END };
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

/* conn_answer.c */
/* Answers the head that was parsed, or refuses it. The state says how far that went. */
void conn_begin_request(struct conn *c, enum parse parsed);
/* Answers a request under way that can't be answered as it should; what it waited for was
 * given up before (conn_stop_waiting). */
void conn_answer_status(struct conn *c, enum http_status status);

/* Nobody is to call it back any more about what it waits for, and what it holds for that is given
 * back. */
void conn_stop_waiting(struct conn *c);

/* conn_file.c */
/* The status for a file that was found and can't be read: 503 when it changes, else 500. */
enum http_status conn_why_unreadable(const struct file_entry *entry);

/* conn_send.c */
/* Begins the response under way: all that was prepared is sent, within the site's and the
 * connection's rates. Takes over the part's text and pieces; NULL: a head only. */
void conn_send(struct conn *c, const char *head, size_t head_len, const struct body_part *part);
/* The socket takes bytes again. */
void conn_send_more(struct conn *c);
/* The file's bytes can't be had. The client is told so with `status` while nothing was sent, else the
 * connection ends. */
void conn_give_up_sending(struct conn *c, enum http_status status);
void conn_unthrottle(struct conn *c); /* harmless when it is not throttled */
void conn_on_body_ready(struct body *body);

#endif
