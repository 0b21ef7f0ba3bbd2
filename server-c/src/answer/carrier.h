/* SPDX-License-Identifier: MIT */
/* carrier.h — what carries an exchange's response to the client: an HTTP/1.1 connection, or a
 * stream of another protocol.
 *
 * These functions are all that answers know of their carrier. So answers are the same for every
 * protocol, and are tested without a socket. Loop thread. */
#ifndef FARMSTEAD_CARRIER_H
#define FARMSTEAD_CARRIER_H

#include "http/http_status.h"
#include "net/loop.h"

#include <sys/socket.h>

struct carrier;
struct response_head;
struct tls_session;

struct carrier_kind {
    /* Writes the status line or its equivalent, Date (RFC 9110 section 6.6.1) and what else
     * precedes the other fields. */
    void (*start_head)(struct carrier *carrier, enum http_status status,
                       struct response_head *head);
    /* Would start_head write "HTTP/1.1 200 OK", Date and nothing else? Then `send` may be given a
     * head that was kept in that form. */
    bool (*takes_ready_head)(const struct carrier *carrier);
    /* Sends the head, then the exchange's body, for which body_begin() was called. The head's
     * memory may be reused as soon as this returns. Ends the exchange when everything has been
     * sent. */
    void (*send)(struct carrier *carrier, const char *head, size_t head_len);
    /* Sends a 103 (RFC 8297) that has these lines and nothing else, at once or not at all: it must not
     * wait behind what was sent before. Call it while the exchange waits, before `send`, at most once.
     * Returns whether it was sent. The exchange may be over. */
    bool (*hint)(struct carrier *carrier, const char *lines, size_t len);
    /* The exchange waits for a lane. The carrier allows it time, but not for ever: when time is up
     * it calls exchange_stop_waiting(). */
    void (*wait)(struct carrier *carrier);
    /* A lane's callback calls this last, and the carrier goes on. The exchange may be over when
     * this returns. */
    void (*resume)(struct carrier *carrier);
    /* There is no response, for lack of memory (END_NO_RESOURCES). Ends the exchange. */
    void (*fail)(struct carrier *carrier);
};

struct carrier {
    const struct carrier_kind *kind;
    struct loop *loop;
    const struct sockaddr *peer;
    const struct tls_session *tls; /* NULL: the client does not speak TLS */
    bool is_secure;                /* it does to a proxy, which said so as the connection began */
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
