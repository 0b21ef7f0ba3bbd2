/* SPDX-License-Identifier: MIT */
/* transport_tls.h — the transport over a socket whose client speaks TLS. Loop thread only. */
#ifndef FARMSTEAD_TRANSPORT_TLS_H
#define FARMSTEAD_TRANSPORT_TLS_H

#include "net/loop.h"
#include "net/transport.h"

/* Takes over `fd`, a connected, non-blocking stream socket. loop_start_tls() has been called. False:
 * no memory, and `fd` is closed. */
bool transport_of_tls(struct transport *out, struct loop *loop, int fd);

/* All of these: `transport` is over TLS. */

/* NULL: nothing was received yet. */
const struct tls_session *transport_tls_session(const struct transport *transport);
/* When the client's first bytes were received, in monotonic ns. */
uint64_t transport_tls_began_ns(const struct transport *transport);
/* Why the handshake has failed: the client sent a request of HTTP without TLS. */
bool transport_tls_got_plain_http(const struct transport *transport);

#endif
