/* SPDX-License-Identifier: MIT */
/* sink.h — HTTP/1.1's way to the transport: a head, then the bytes of a body, as many as may be sent now.
 *
 * Never waits: what the transport does not take is kept for later, and what the body does not have yet is
 * asked for again when it is ready. Loop thread. */
#ifndef FARMSTEAD_SINK_H
#define FARMSTEAD_SINK_H

#include "body/body.h"
#include "net/transport.h"

enum sink_step {
    SINK_SENT,        /* all of it was given to the transport */
    SINK_WANTS_WRITE, /* it took less than it was given: call again when it takes more */
    SINK_WANTS_TURN,  /* call again when others had their turn */
    SINK_THROTTLED,   /* the quota is used up: give another, then call again */
    SINK_WAITING,     /* the body's on_ready will be called; then call again */
    SINK_REFUSED,     /* nothing was sent, and the body won't be had now (BODY_REFUSED) */
    SINK_UNSURE,      /* call again in a moment (BODY_UNSURE) */
    SINK_GONE,        /* the client is */
    SINK_FAILED       /* the file is not what it was, or there is no memory (BODY_FAILED) */
};

struct sink {
    struct stage_clock *clock;
    uint64_t quota;         /* bytes that may be sent before SINK_THROTTLED; counts down. Set it
                               before sink_start(); UINT64_MAX: as many as there are */
    bool ends_connection;   /* it is closed after the last byte, at once. Set it, too */
    bool receiver_is_local; /* a program on this host takes the bytes. Set it, too */
    uint64_t sent;          /* bytes the transport took so far, the head's among them */
    const char *head;       /* what is left of it */
    size_t head_len;
    char *kept; /* the memory `head` is in, when it is ours; NULL: the caller's */
};

/* Begins with `head`, then what the body has, which was begun. The first step is taken at once; the
 * head's memory is the caller's again afterwards. */
enum sink_step sink_start(struct sink *sink, struct body *body, struct loop *loop,
                          struct transport *transport, const char *head, size_t head_len);
enum sink_step sink_send(struct sink *sink, struct body *body, struct loop *loop,
                         struct transport *transport);
void sink_end(struct sink *sink); /* at any time; harmless when not started */

#endif
