/* SPDX-License-Identifier: MIT */
/* accept_deferral.c — looks at how many came and how many of them spoke, four times a second. */
#include "net/accept_deferral.h"

#define ON_FROM 64 /* connections in a tick of 250 ms; about 0.2 % of a core is spared then */
#define OFF_BELOW 32
/* One in sixteen may say nothing: so many wait in the kernel's queue for a second. Its length of
 * 4,096 has room for that at 65,000 connections a second on one loop, more than a core accepts. */
#define MAY_BE_SILENT 16
/* A program that goes takes the connections with it that have said nothing yet. So few in a tick
 * are a quarter of the queue at the most: they end it, but not for a minute. */
#define FEW_SILENT 256
#define TICKS_OFF 240

static bool all_speak(const struct accept_deferral *deferral)
{
    uint32_t accepted = deferral->accepted;

    return deferral->spoke >= accepted - accepted / MAY_BE_SILENT;
}

void accept_deferral_tick(struct accept_deferral *deferral)
{
    bool is_busy = deferral->accepted >= (deferral->is_on ? OFF_BELOW : ON_FROM);
    bool is_crowd_silent =
        !all_speak(deferral) && deferral->accepted - deferral->spoke > FEW_SILENT;

    if (deferral->is_on && is_crowd_silent)
        deferral->ticks_off = TICKS_OFF;
    else if (deferral->ticks_off > 0)
        deferral->ticks_off--;
    deferral->is_on = is_busy && all_speak(deferral) && deferral->ticks_off == 0;
    deferral->accepted = deferral->spoke = 0;
}
