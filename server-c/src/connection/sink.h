/* SPDX-License-Identifier: MIT */
/* sink.h — sends a response over a transport, for HTTP/1.1: a head, then as many bytes of a body as
 * may be sent now.
 *
 * Never waits. What the transport does not take is kept for later, and what the body does not have
 * yet is asked for again when it is ready. Loop thread. */
#ifndef FARMSTEAD_SINK_H
#define FARMSTEAD_SINK_H

#include "body/body.h"
#include "net/transport.h"

enum sink_step {
    SINK_SENT,        /* everything was given to the transport */
    SINK_WANTS_WRITE, /* the transport took less than it was given: call again when it takes more */
    SINK_WANTS_TURN,  /* call again after other connections had their turn */
    SINK_THROTTLED,   /* the quota is used up: set a new one, then call again */
    SINK_WAITING,     /* call again when the body's on_ready has been called */
    SINK_REFUSED,     /* nothing was sent, and the body can't be had now (BODY_REFUSED) */
    SINK_UNSURE,      /* call again in a moment (BODY_UNSURE) */
    SINK_GONE,        /* the client has gone */
    SINK_FAILED       /* the file has changed, or there is no memory (BODY_FAILED) */
};

struct sink {
    struct stage_clock *clock;
    /* Set these three before sink_start(). `quota`: how many bytes may be sent before
     * SINK_THROTTLED; it counts down; UINT64_MAX: no limit. `ends_connection`: it will be closed
     * right after the last byte. `receiver_is_local`: a program on this host takes the bytes. */
    uint64_t quota;
    bool ends_connection;
    bool receiver_is_local;
    uint64_t sent;    /* bytes the transport has taken, with those of the head */
    const char *head; /* the part of the head not sent yet */
    size_t head_len;
    char *kept; /* our copy of the head; NULL: `head` is the caller's memory */
};

/* Starts to send `head` and then `body`, on which body_begin() was called. The head's memory
 * belongs to the caller again when this returns. */
enum sink_step sink_start(struct sink *sink, struct body *body, struct loop *loop,
                          struct transport *transport, const char *head, size_t head_len);
enum sink_step sink_send(struct sink *sink, struct body *body, struct loop *loop,
                         struct transport *transport);
void sink_end(struct sink *sink); /* at any time; does nothing if not started */

#endif
