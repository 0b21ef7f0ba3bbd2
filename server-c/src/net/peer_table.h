/* SPDX-License-Identifier: MIT */
/* peer_table.h — how many connections each client address holds open, over all loops.
 *
 * An IPv6 client owns a /64, so that is what is counted; an IPv4 address mapped into IPv6 is the
 * IPv4 address; peers of a Unix socket are not counted. There is an entry per address that holds a
 * connection, so limits.connections bounds the memory. Only used while a limit is set. */
#ifndef FARMSTEAD_PEER_TABLE_H
#define FARMSTEAD_PEER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct peer_table;

/* The client runs on this host, for all that its address says. */
bool peer_is_local(const struct sockaddr *peer);

struct peer_table *peer_table_new(void); /* start-up */
void peer_table_free(struct peer_table *table);

/* Counts one more connection of `peer`; false when it has `limit` of them already (or there is no
 * memory to count it in). Each true is given back by one peer_table_leave(). Any thread. */
bool peer_table_enter(struct peer_table *table, const struct sockaddr *peer, uint32_t limit);
void peer_table_leave(struct peer_table *table, const struct sockaddr *peer);

size_t peer_table_size(struct peer_table *table); /* addresses; any thread */

#endif
