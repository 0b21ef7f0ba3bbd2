/* SPDX-License-Identifier: MIT */
/* accept_deferral.c — compares, four times a second, how many connections were accepted and how
 * many of them have sent a request. */
#include "net/accept_deferral.h"

/* Connections per tick of 250 ms; deferring them then saves about 0.2 % of a core. */
#define ON_FROM 64
#define OFF_BELOW 32
/* One connection in sixteen may be silent. Silent ones wait in the kernel's queue for a second; its
 * length of 4,096 is enough for that up to 65,000 connections a second on one loop, more than a
 * core accepts. */
#define MAY_BE_SILENT 16
/* When the program ends, connections in the queue that have sent nothing are lost. Up to this many
 * per tick fill at most a quarter of the queue: they switch deferring off, but not for a minute. */
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
