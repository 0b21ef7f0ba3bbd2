/* SPDX-License-Identifier: MIT */
/* carrier.h — what brings an answer to its client, as the answer sees it: a connection of HTTP/1.1, or a
 * stream of another protocol.
 *
 * An answer knows this much of it and no more, so it is the same for all of them, and is tested without
 * a socket. Loop thread. */
#ifndef FARMSTEAD_CARRIER_H
#define FARMSTEAD_CARRIER_H

#include "http/http_status.h"
#include "net/loop.h"

#include <sys/socket.h>

struct carrier;
struct response_head;

struct carrier_kind {
    /* Writes what precedes the fields, the Date among it. */
    void (*start_head)(struct carrier *carrier, enum http_status status,
                       struct response_head *head);
    /* Would it write "HTTP/1.1 200 OK", a Date and nothing else? Then it may be given such a head as it
     * is kept. */
    bool (*takes_ready_head)(const struct carrier *carrier);
    /* Sends a whole head, then the exchange's body, which was begun. The head's memory is free again
     * afterwards. It ends the exchange when all was sent. */
    void (*send)(struct carrier *carrier, const char *head, size_t head_len);
    /* A lane was asked: it is to be patient, but not for ever (exchange_stop_waiting()). */
    void (*wait)(struct carrier *carrier);
    /* Whoever was called back by a lane calls this last: on to what follows. The exchange may be over
     * by then. */
    void (*resume)(struct carrier *carrier);
    /* There is no answer: END_NO_RESOURCES. It ends the exchange. */
    void (*fail)(struct carrier *carrier);
};

struct carrier {
    const struct carrier_kind *kind;
    struct loop *loop;
    const struct sockaddr *peer;
};

static inline void carrier_wait(struct carrier *carrier)
{
    carrier->kind->wait(carrier);
}

static inline void carrier_resume(struct carrier *carrier)
{
    carrier->kind->resume(carrier);
}

static inline void carrier_fail(struct carrier *carrier)
{
    carrier->kind->fail(carrier);
}

#endif
