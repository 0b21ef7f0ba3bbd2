/* SPDX-License-Identifier: MIT */
/* pace.h — how many bytes of a response may be sent now, if its site or its connection has a rate.
 *
 * While responses wait for the rate of their site, each may take an equal share, across all loops,
 * of the bytes that have become available since its last share. The time in which a response waits
 * for the disk counts too: bytes that it drew but did not send are still due. Loop thread. */
#ifndef FARMSTEAD_PACE_H
#define FARMSTEAD_PACE_H

#include "site/rate_limit.h"

struct pace {
    struct rate_bucket *of_site; /* not a reference, the response holds its site; NULL: no limit */
    struct rate_limit *of_connection;
    uint64_t share_from_ns;   /* it has had its share of the site's rate up to this time */
    uint64_t drawn, drawn_ns; /* how many bytes it drew last, and when */
    bool is_waiting;          /* counted in of_site->waiting */
};

void pace_begin(struct pace *pace, struct rate_bucket *of_site, struct rate_limit *of_connection,
                uint64_t now_ns);
/* Draws the bytes that may be sent now from the rates of site and connection; 0: none, wait. */
uint64_t pace_draw(struct pace *pace, uint64_t now_ns);
/* Returns `unused` bytes of the last draw. The time for which they were drawn is still due. */
void pace_settle(struct pace *pace, uint64_t unused);
/* Call it when the response can't send: it shares with others from now on. */
void pace_wait(struct pace *pace);
void pace_stop_waiting(struct pace *pace); /* does nothing if it does not wait */
/* The bytes per second that it gets at least, or `most` if that is less. */
uint64_t pace_least(const struct pace *pace, uint64_t most);

#endif
