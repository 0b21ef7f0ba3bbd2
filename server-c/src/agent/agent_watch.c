/* SPDX-License-Identifier: MIT */
/* agent_watch.c — tells the loops. */
#include "agent/agent_watch.h"

bool agent_watch_take(struct agent_watch *watch, struct server *server,
                      const struct agent_watch_order *order, uint64_t now_ms)
{
    if (order->for_ms == 0)
        return false;
    watch->until_ms =
        now_ms + (order->for_ms < AGENT_WATCH_FOR_MAX_MS ? order->for_ms : AGENT_WATCH_FOR_MAX_MS);
    server_watch_paths(server, &order->watch);
    return true;
}

void agent_watch_on_time(struct agent_watch *watch, struct server *server, uint64_t now_ms)
{
    static const struct path_watch none;

    if (watch->until_ms == 0 || now_ms < watch->until_ms)
        return;
    watch->until_ms = 0;
    server_watch_paths(server, &none);
}
