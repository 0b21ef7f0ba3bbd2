/* SPDX-License-Identifier: MIT */
/* request_table.h — how often each client address has asked lately, across all loops: a token bucket
 * for each address and rule, of which one number is kept, the time at which it is full again.
 *
 * Addresses are counted as in peer_table.h: IPv6 by its /64 network. The table has a fixed size: a
 * bucket that is full needs no place, and when there is none left the one that is fullest goes, whose
 * client then begins anew. */
#ifndef FARMSTEAD_REQUEST_TABLE_H
#define FARMSTEAD_REQUEST_TABLE_H

#include <stdint.h>
#include <sys/socket.h>

struct request_table;

struct request_rate {
    uint64_t interval_ns; /* in which one request is added to the bucket */
    uint32_t burst;       /* requests that it holds */
};

struct request_table *request_table_new(void); /* call it at start-up */
void request_table_free(struct request_table *table);

/* Takes one request out of the bucket of `peer` for the rule that `mark` stands for. Returns 0, or in
 * how many seconds there is one. Peers of Unix sockets are not counted. Any thread. */
uint32_t request_table_take(struct request_table *table, const struct sockaddr *peer, uint64_t mark,
                            const struct request_rate *rate, uint64_t now_ns);

#endif
