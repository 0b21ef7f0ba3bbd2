/* SPDX-License-Identifier: MIT */
/* neighbour_giver.h — the port at which other nodes of the farm get contents of releases, and its bounds.
 *
 * A thread for the port, and one for each connection, of which there are at most NEIGHBOUR_CONNECTIONS_MAX: another one is
 * closed at once. They take what processor and disk have left over, share one rate, and give nothing while the node's
 * loops are late. Who shows no certificate of the farm within some seconds is let go.
 *
 * All functions: one thread, the agent's. */
#ifndef FARMSTEAD_NEIGHBOUR_GIVER_H
#define FARMSTEAD_NEIGHBOUR_GIVER_H

#include "base/address.h"
#include "neighbours/neighbour_bounds.h"

#include <stdbool.h>
#include <stdint.h>

#define NEIGHBOUR_CONNECTIONS_MAX 8

struct neighbour_giver;

/* `address` is IPv6, or IPv4 as ::ffff:a.b.c.d; all zeros: any. `state_fd` and `arg` must live until
 * neighbour_giver_stop(). `is_late` is asked while something is given, and may wait. NULL: no thread is to be had. A port
 * that is in use is tried again from time to time. */
struct neighbour_giver *neighbour_giver_start(int state_fd, const uint8_t address[ADDRESS_LEN],
                                              uint16_t port, bool (*is_late)(void *arg), void *arg);
/* NULL is allowed. */
void neighbour_giver_stop(struct neighbour_giver *giver);

/* Who we are, and whom we believe, from the next connection on. Texts in PEM. False: OpenSSL can't use them. */
bool neighbour_giver_identify(struct neighbour_giver *giver, const char *certificate,
                              const char *key, const char *ca);
/* For what is given from now on. */
void neighbour_giver_rule(struct neighbour_giver *giver, const struct neighbour_rules *rules);

/* Is the port open? */
bool neighbour_giver_listens(struct neighbour_giver *giver);

struct neighbour_given {
    uint64_t bytes, refusals;
};
void neighbour_giver_count(struct neighbour_giver *giver, struct neighbour_given *out);

#endif
