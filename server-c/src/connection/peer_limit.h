/* SPDX-License-Identifier: MIT */
/* peer_limit.h — how many connections a client's address may have (limits.connectionsPerAddress). Loop
 * thread only. */
#ifndef FARMSTEAD_PEER_LIMIT_H
#define FARMSTEAD_PEER_LIMIT_H

#include "net/loop.h"

#include <sys/socket.h>

/* Counts one more connection of `peer`, if it has a limit: then *is_counted. False when it has as many as
 * it may. While a config is in force. */
bool peer_limit_enter(struct loop *loop, const struct sockaddr *peer, bool *is_counted);

#endif
