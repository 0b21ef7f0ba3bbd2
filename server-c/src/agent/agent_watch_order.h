/* SPDX-License-Identifier: MIT */
/* agent_watch_order.h — an order of the control plane to count requests below some paths (`watch` in the
 * protocol). Pure. Any thread. */
#ifndef FARMSTEAD_AGENT_WATCH_ORDER_H
#define FARMSTEAD_AGENT_WATCH_ORDER_H

#include "agent/agent_json.h"
#include "measure/path_watch.h"

struct agent_watch_order {
    uint32_t for_ms; /* 0: nothing was said */
    struct path_watch watch;
};

/* Reads the member `watch` of `outer`, if there is one. */
void agent_watch_read(struct agent_reader *outer, struct agent_watch_order *out);

#endif
