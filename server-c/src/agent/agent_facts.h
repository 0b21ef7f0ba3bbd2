/* SPDX-License-Identifier: MIT */
/* agent_facts.h — how this machine and this process are: processors, memory, descriptors, and the
 * disks beneath the roots (agent_disks.h). Counters since the machine's start; rates are the control
 * plane's to compute.
 *
 * Reads /proc, which never waits. One thread at a time. */
#ifndef FARMSTEAD_AGENT_FACTS_H
#define FARMSTEAD_AGENT_FACTS_H

#include "agent/agent_disks.h"

#include <jansson.h>
#include <stdint.h>

/* What the kernel does not say is AGENT_FACT_UNKNOWN, or below zero. */
struct agent_facts {
    uint64_t cpu_count;
    double load_average_1m;
    double cpu_busy_seconds;
    uint64_t memory_total_bytes;
    uint64_t memory_available_bytes;
    uint64_t resident_bytes;
    uint64_t open_descriptors;
    uint64_t descriptor_limit;
    uint64_t open_connections; /* the caller's */
    int64_t unix_time_ms;      /* by this machine's clock */
    struct agent_roots roots;

    unsigned reads; /* … before which the descriptors are not counted again */
};

/* All zero before the first. */
void agent_facts_read(struct agent_facts *facts);
/* The message's member "host". */
json_t *agent_facts_json(const struct agent_facts *facts);

#endif
