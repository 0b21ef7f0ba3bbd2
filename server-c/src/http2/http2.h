/* SPDX-License-Identifier: MIT */
/* http2.h — a client's connection of HTTP/2 (RFC 9113): many requests at the same time. Loop thread
 * only. */
#ifndef FARMSTEAD_HTTP2_H
#define FARMSTEAD_HTTP2_H

#include "net/loop.h"
#include "net/transport.h"

#include <sys/socket.h>

/* The first line of what a client of HTTP/2 says first (RFC 9113 section 3.4). In HTTP/1.1 it would
 * be a request for version 2.0. */
#define HTTP2_FIRST_LINE "PRI * HTTP/2.0\r\n"

/* A connection whose client speaks HTTP/2. */
struct http2_handover {
    struct transport transport;
    const struct sockaddr *peer;
    const struct tls_session *tls; /* of the transport; NULL: the client does not speak TLS */
    bool is_secure;                /* as of a carrier */
    bool is_counted;               /* in the table of peers */
    bool is_watched;               /* its descriptor is in the loop's poller, for another watch */
    const void *input;             /* bytes received, from the first one on */
    size_t input_len;
};

/* Goes on with a connection, which is counted in loop->connection_count and shared->connections
 * already, until its end. Takes over the transport, and closes it on failure. `input` is not used
 * after the return. */
void http2_take_over(struct loop *loop, const struct http2_handover *from);

/* Acts on connections and streams whose deadline has passed. Call it every LOOP_TICK_MS. */
void http2_check_timeouts(struct loop *loop);

/* Lets streams that wait for a rate send what they may. Call it every LOOP_TICK_MS. */
void http2_retry_throttled(struct loop *loop);

/* Call it after a new config is in force: shorter time-outs then hold for connections that wait
 * already. */
void http2_apply_timeouts(struct loop *loop);

/* Closes the connection that has been idle longest. False if none is idle. */
bool http2_make_room(struct loop *loop);

/* Asks all clients to make no more requests on these connections, which end when those that are
 * under way have been answered: no request is lost (RFC 9113 section 6.8). */
void http2_leave_all(struct loop *loop);
void http2_close_all(struct loop *loop); /* all, whatever they are doing */

/* Frees all but `keep` of the streams kept for later requests, and memory that was not used lately. Call it
 * every LOOP_TICK_MS; with 0 when all connections have ended. */
void http2_trim_spares(struct loop *loop, size_t keep);

#endif
