/* SPDX-License-Identifier: MIT */
/* conn_state.h — one connection, as conn.c (input, time-outs, end) and conn_answer.c (request →
 * response) share it. Nobody else includes this. */
#ifndef FARMSTEAD_CONN_STATE_H
#define FARMSTEAD_CONN_STATE_H

#include "body.h"
#include "http_parser.h"
#include "loop.h"

#include <netinet/in.h>

#define CONN_DRAIN_MAX 65536 /* a longer request body costs the connection */

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

/* conn.c */
void conn_close(struct conn *c); /* harmless when it is closed already */
void conn_arm(struct conn *c, enum timeout timeout);
/* The response's last byte was given to the socket: on to the next request, or to the end. */
void conn_finish_response(struct conn *c);
/* Does all that can be done with what has been received, then waits for the right event. Whoever
 * was called back by a lane calls this last. */
void conn_run(struct conn *c);

/* conn_answer.c */
/* Answers the head that was parsed, or refuses it. The state says how far that went. */
void conn_begin_request(struct conn *c, enum parse parsed);
/* `step` is what the body just came to. */
void conn_continue_sending(struct conn *c, enum body_step step);
void conn_on_body_ready(struct body *body);

#endif
