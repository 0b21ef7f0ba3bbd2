/* SPDX-License-Identifier: MIT */
/* peer_table.h — how many connections each client address has open, across all loops.
 *
 * An IPv6 client usually has a /64 network to itself, so networks are counted. An IPv4 address
 * mapped into IPv6 counts as the IPv4 address. Peers of Unix sockets are not counted. There is one
 * entry per address with a connection, so limits.connections bounds the memory. Used only while
 * there is a limit. */
#ifndef FARMSTEAD_PEER_TABLE_H
#define FARMSTEAD_PEER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct peer_table;

/* By its address, the client runs on this host. */
bool peer_is_local(const struct sockaddr *peer);

/* A hash of what is counted as one client; 0: it is not counted. */
uint64_t peer_hash(const struct sockaddr *peer, uint64_t seed);

struct peer_table *peer_table_new(void); /* call it at start-up */
void peer_table_free(struct peer_table *table);

/* Counts one more connection of `peer`. False when it already has `limit` of them, or when there is
 * no memory. Each call that returned true must be matched by one of peer_table_leave(). Any
 * thread. */
bool peer_table_enter(struct peer_table *table, const struct sockaddr *peer, uint32_t limit);
void peer_table_leave(struct peer_table *table, const struct sockaddr *peer);

size_t peer_table_size(struct peer_table *table); /* number of addresses; any thread */

#endif
