/* SPDX-License-Identifier: MIT */
/* conn_state.h — one connection, as conn.c (input, end), conn_timeout.c, conn_answer.c (request →
 * response) and conn_send.c (the response's way out) share it. Nobody else includes this. */
#ifndef FARMSTEAD_CONN_STATE_H
#define FARMSTEAD_CONN_STATE_H

#include "auth_check.h"
#include "body.h"
#include "dir_listing.h"
#include "http_coding.h"
#include "http_parser.h"
#include "loop.h"
#include "rate_limit.h"

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
    bool is_counted;      /* in the peer table */
    bool is_limited;      /* the response under way has a rate limit */
    bool is_watched;      /* its wait for a disk has lasted for a tick */
    bool is_half_closed;  /* the client has ended its side: no news of that again */
    uint8_t attempts;
    uint32_t served;
    char *in; /* bytes received: [in_pos, in_len) are not yet consumed */
    size_t in_pos, in_len, in_cap;
    uint64_t drain; /* body bytes to skip */

    /* Of the request under way. */
    struct http_request req;
    struct live_config *live; /* referenced; NULL between requests */
    const struct site *site;  /* NULL: no site answers */
    struct response_scope scope;
    enum conn_search search;
    const struct file_place *place; /* of the look-up */
    struct file_waiter waiter;
    struct file_entry *entry; /* referenced while its body is fetched */
    struct file_entry *plain; /* referenced: SEARCH_CODED, and while its sibling is sent */
    enum http_coding coding;  /* of what is sent */
    enum http_status page_status;
    uint64_t file_size;             /* for 416 */
    const struct config_auth *rule; /* by which the client must sign in */
    bool is_signed_in;
    struct auth_waiter auth_waiter;
    struct dir_listing_job *listing;
    size_t listing_bytes; /* of the listing that is sent */
    struct body body;
    struct stage_clock clock;
    enum http_status status;
    struct span user; /* who signed in, for the log; on the heap */

    /* Of a response the client does not take at once. */
    uint64_t progress_ms;     /* when it was last seen to take enough; 0: not looked yet */
    int64_t taken;            /* bytes of the response its kernel had acknowledged then */
    struct list throttled;    /* in loop->throttled while the quota is used up */
    uint64_t share_from_ns;   /* it had its share of the site's rate up to then */
    uint64_t drawn, drawn_ns; /* the quota it drew last, and when */
    struct rate_limit rate;

    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer;
};

/* conn.c */
void conn_close(struct conn *c); /* harmless when it is closed already */
/* The response's last byte was given to the socket: on to the next request, or to the end. */
void conn_finish_response(struct conn *c);
/* Does all that can be done with what has been received, then waits for the right event. Whoever
 * was called back by a lane calls this last. */
void conn_run(struct conn *c);

/* conn_timeout.c */
void conn_arm(struct conn *c, enum timeout timeout);

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
void conn_unthrottle(struct conn *c); /* harmless when it is not throttled */
void conn_on_body_ready(struct body *body);

#endif
