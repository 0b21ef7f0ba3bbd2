/* SPDX-License-Identifier: MIT */
/* accept_deferral.h — decides for `deferAccept` "auto" when the kernel is to hold back new
 * connections until their first bytes have arrived (TCP_DEFER_ACCEPT).
 *
 * Deferring spares the loop from being woken for connections that have nothing to say yet, which
 * pays only when there are many. It is harmless only when they all send a request: for a second a
 * silent connection counts in none of our limits and takes a place in a queue that others need. So
 * deferring is on while the loop is busy and all clients send requests, and off for a minute when
 * some do not. Loop thread only. */
#ifndef FARMSTEAD_ACCEPT_DEFERRAL_H
#define FARMSTEAD_ACCEPT_DEFERRAL_H

#include <stdbool.h>
#include <stdint.h>

struct accept_deferral {
    bool is_on;
    uint32_t accepted, spoke; /* TCP connections and their first requests since the last tick */
    uint32_t ticks_off;       /* for so many ticks it stays off */
};

static inline void accept_deferral_accepted(struct accept_deferral *deferral)
{
    deferral->accepted++;
}

static inline void accept_deferral_spoke(struct accept_deferral *deferral)
{
    deferral->spoke++;
}

/* Sets is_on. Call it every LOOP_TICK_MS. */
void accept_deferral_tick(struct accept_deferral *deferral);

#endif
