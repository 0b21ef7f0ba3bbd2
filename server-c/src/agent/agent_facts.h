/* SPDX-License-Identifier: MIT */
/* agent_facts.h — the state of this machine and process: processors, memory, descriptors, and the
 * disks of the roots (agent_disks.h). Counters run from the machine's start; the control plane
 * computes rates.
 *
 * Reads /proc, which never waits. One thread at a time. */
#ifndef FARMSTEAD_AGENT_FACTS_H
#define FARMSTEAD_AGENT_FACTS_H

#include "agent/agent_disks.h"

#include <jansson.h>
#include <stdint.h>

/* What the kernel does not tell is AGENT_FACT_UNKNOWN, or negative. */
struct agent_facts {
    uint64_t cpu_count;
    double load_average_1m;
    double cpu_busy_seconds;
    uint64_t memory_total_bytes;
    uint64_t memory_available_bytes;
    uint64_t resident_bytes;
    uint64_t open_descriptors;
    uint64_t descriptor_limit;
    uint64_t open_connections; /* set by the caller */
    int64_t unix_time_ms;      /* by this machine's clock */
    struct agent_roots roots;

    unsigned reads; /* how many reads until the descriptors are counted again */
};

/* Must be all zero before the first call. */
void agent_facts_read(struct agent_facts *facts);
/* Returns the member "host" of the message. */
json_t *agent_facts_json(const struct agent_facts *facts);

#endif
