/* SPDX-License-Identifier: MIT */
/* agent_looks.h — what the control plane wants to see of single requests (`samples` in the
 * protocol): for how long some of all, and which are searched for. Pure. Any thread. */
#ifndef FARMSTEAD_AGENT_LOOKS_H
#define FARMSTEAD_AGENT_LOOKS_H

#include "agent/agent_json.h"
#include "measure/request_searches.h"

struct agent_looks {
    bool is_said;    /* there was such a member */
    uint32_t for_ms; /* some of all; 0: none */
    size_t search_count;
    struct request_search searches[REQUEST_SEARCHES_MAX];
    uint32_t searches_for_ms[REQUEST_SEARCHES_MAX];
};

/* Reads `reader` itself: forMs and searches. `out` is empty after a failure. */
void agent_looks_read(struct agent_reader *reader, struct agent_looks *out);

#endif
