/* SPDX-License-Identifier: MIT */
/* conn.h — a client's connection: read, parse, answer, again or close. Loop thread only. */
#ifndef FARMSTEAD_CONN_H
#define FARMSTEAD_CONN_H

#include "net/loop.h"
#include "net/transport.h"

#include <sys/socket.h>

/* Takes over the transport; on failure closes it. It is among the connections
 * counted in `shared`, and `is_counted` in the table of peers, too. */
void conn_start(struct loop *loop, struct transport transport, const struct sockaddr_storage *peer,
                bool is_counted);

/* Closes connections whose deadline has passed. Call it every LOOP_TICK_MS. */
void conn_check_timeouts(struct loop *loop);

/* Lets those that wait for their rate send their shares. Call it every LOOP_TICK_MS. */
void conn_retry_throttled(struct loop *loop);

/* After a swap: shorter time-outs count for those who wait already, too. */
void conn_apply_timeouts(struct loop *loop);

/* Makes room: closes the connection that has been open longest without a word, else the one that has
 * idled longest between requests; never one with a request under way. False when there is neither. */
bool conn_make_room(struct loop *loop);

void conn_close_idle(struct loop *loop); /* all that are between requests */
void conn_close_all(struct loop *loop);  /* whatever they are doing */

/* Frees memory that is kept for requests to come, but for `keep` of them. Call it every LOOP_TICK_MS,
 * so that a crowd leaves nothing behind. */
void conn_trim_spares(struct loop *loop, size_t keep);

#endif
