/* SPDX-License-Identifier: MIT */
/* accept_deferral.h — when a loop has the kernel hold new connections back until their first bytes
 * are there (TCP_DEFER_ACCEPT), for `deferAccept` "auto".
 *
 * It spares the loop being woken for a connection that has nothing to say yet, which is worth it
 * only where many are made. It is harmless only where they all speak: one that says nothing is in
 * none of our limits for a second, and takes a place in a queue that others need. So it is on while
 * the loop is busy and everybody speaks, and off for a minute when some do not. Loop thread only. */
#ifndef FARMSTEAD_ACCEPT_DEFERRAL_H
#define FARMSTEAD_ACCEPT_DEFERRAL_H

#include <stdbool.h>
#include <stdint.h>

struct accept_deferral {
    bool is_on;
    uint32_t accepted, spoke; /* TCP connections, and first requests of them, since the last tick */
    uint32_t ticks_off;       /* for which it stays off whatever happens */
};

static inline void accept_deferral_accepted(struct accept_deferral *deferral)
{
    deferral->accepted++;
}

static inline void accept_deferral_spoke(struct accept_deferral *deferral)
{
    deferral->spoke++;
}

/* Call it every LOOP_TICK_MS: sets is_on. */
void accept_deferral_tick(struct accept_deferral *deferral);

#endif
