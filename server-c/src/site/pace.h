/* SPDX-License-Identifier: MIT */
/* pace.h — how much of one response may be sent now, when its site or its connection has a rate.
 *
 * While some wait for one site, each may take an equal share, over all loops, of what came together since
 * it had its last one. Time spent waiting for the disk counts: a share that was drawn and not sent is
 * still due. Loop thread. */
#ifndef FARMSTEAD_PACE_H
#define FARMSTEAD_PACE_H

#include "site/rate_limit.h"

struct pace {
    struct rate_bucket *of_site; /* not referenced: the response has its site; NULL: no limit */
    struct rate_limit *of_connection;
    uint64_t share_from_ns;   /* it had its share of the site's rate up to then */
    uint64_t drawn, drawn_ns; /* what it drew last, and when */
    bool is_waiting;          /* counted among the site's */
};

void pace_begin(struct pace *pace, struct rate_bucket *of_site, struct rate_limit *of_connection,
                uint64_t now_ns);
/* The bytes it may send now, from both or from the one there is; 0: wait. */
uint64_t pace_draw(struct pace *pace, uint64_t now_ns);
/* What was not sent of them goes back, and the time it was the share of is still due. */
void pace_settle(struct pace *pace, uint64_t unused);
void pace_wait(struct pace *pace);         /* it could not send: others share with it now */
void pace_stop_waiting(struct pace *pace); /* harmless when it does not wait */
/* Bytes per second it gets at least; at most `most`. */
uint64_t pace_least(const struct pace *pace, uint64_t most);

#endif
