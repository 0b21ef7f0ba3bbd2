/* SPDX-License-Identifier: MIT */
/* agent_host.h — facts about this machine, for enrol and hello. */
#ifndef FARMSTEAD_AGENT_HOST_H
#define FARMSTEAD_AGENT_HOST_H

struct agent_host {
    char hostname[256];
    char os[129];
    char arch[33];
};

/* Never fails: what can't be found out is "unknown" or empty. Any thread. */
void agent_host_read(struct agent_host *out);

#endif
