/* SPDX-License-Identifier: MIT */
/* conn.h — a client's HTTP/1.1 connection: reads and parses requests, has them answered, stays open
 * or closes (RFC 9112 section 9). Loop thread only. */
#ifndef FARMSTEAD_CONN_H
#define FARMSTEAD_CONN_H

#include "net/loop.h"
#include "net/transport.h"

#include <sys/socket.h>

/* Starts a connection on `transport`, which it takes over and closes on failure. The caller has
 * counted it in shared->connections, and if `is_counted` in the table of peers as well.
 * `has_proxy_header`: the peer is a proxy that says first for whom the connection is; the transport's
 * descriptor is a socket then, of which nothing was read. */
void conn_start(struct loop *loop, struct transport transport, const struct sockaddr_storage *peer,
                bool is_counted, bool has_proxy_header);

/* Answers at a socket without waiting for a request: 503, and when to try again (RFC 9110 sections 15.6.4
 * and 10.2.3). Where the client speaks TLS a handshake would cost more than the answer is worth, so its
 * side just ends. */
void conn_say_no(int fd, bool speaks_tls);

/* Closes connections whose deadline has passed. Call it every LOOP_TICK_MS. */
void conn_check_timeouts(struct loop *loop);

/* Lets connections that wait for a rate send what they may. Call it every LOOP_TICK_MS. */
void conn_retry_throttled(struct loop *loop);

/* Call it after a new config is in force: shorter time-outs then hold for connections that wait
 * already. */
void conn_apply_timeouts(struct loop *loop);

/* Closes one connection to make room: the one that has been open longest without sending anything,
 * else the one that has been idle longest between requests; never one with a request under way.
 * False if there is none. */
bool conn_make_room(struct loop *loop);

void conn_close_idle(struct loop *loop); /* all connections between requests */
void conn_close_all(struct loop *loop);  /* all, whatever they are doing */

/* Frees all but `keep` of the transfers kept for later requests. Call it every LOOP_TICK_MS, so
 * that the memory of a rush of requests is given back. */
void conn_trim_spares(struct loop *loop, size_t keep);

#endif
