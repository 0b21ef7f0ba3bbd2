/* SPDX-License-Identifier: MIT */
/* progress.h — whether a client takes what it is sent fast enough to be waited for: at least
 * limits.minBytesPerSecond, looked at from time to time, until all of limits.writeSeconds has passed
 * without that. Loop thread only. */
#ifndef FARMSTEAD_PROGRESS_H
#define FARMSTEAD_PROGRESS_H

#include "net/loop.h"
#include "net/transport.h"

struct progress {
    uint64_t since_ms; /* when the client had last taken enough; 0: not looked at yet */
    int64_t taken;     /* bytes taken until then */
};

/* Are these enough bytes since then, at `least` per second? One byte is the least of all. */
bool progress_suffices(const struct progress *progress, int64_t taken, uint64_t least,
                       uint64_t now_ms);
/* Has all of writeSeconds passed since the client had last taken enough? */
bool progress_is_over(const struct progress *progress, const struct loop *loop);

/* A connection whose sending side has ended waits for its client. To close a socket with unread
 * input is to reset it, and a reset takes with it what the client has not received yet (RFC 9112
 * section 9.6). So it stays while the client still takes the last bytes of its response, and then a
 * little longer, for the client to notice the end. */
void progress_begin_lingering(struct progress *progress, const struct loop *loop);
/* Call it each time that timeout_ms[TIMEOUT_LINGER] has passed. False: the wait is over. */
bool progress_lingers(struct progress *progress, const struct loop *loop,
                      struct transport *transport);

#endif
