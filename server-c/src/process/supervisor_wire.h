/* SPDX-License-Identifier: MIT */
/* supervisor_wire.h — messages between the parent of `farmstead-node run` and the process that
 * serves, over a pair of SOCK_SEQPACKET sockets: one record per datagram.
 *
 * Both are the same program (the child is executed from /proc/self/exe), so records are structs.
 * The parent gives one order before the child starts; after that only the child sends. Safety
 * depends on none of this: the files in the state folder determine what may be served. */
#ifndef FARMSTEAD_SUPERVISOR_WIRE_H
#define FARMSTEAD_SUPERVISOR_WIRE_H

#include <stdint.h>

#define SUPERVISOR_ENDING_LEN 128
#define SUPERVISOR_BEAT_MS 5000

/* How the child has to start. */
enum supervisor_start {
    SUPERVISOR_START_PLAIN,     /* serve the confirmed config */
    SUPERVISOR_START_RESUME,    /* serve the unconfirmed config once more */
    SUPERVISOR_START_CRASH_LOOP /* serve the confirmed config, and report the other as crashing */
};

struct supervisor_order {
    int64_t parent_pid;
    uint32_t start;                     /* enum supervisor_start */
    uint32_t within_ms;                 /* the time the unconfirmed config had to be confirmed */
    uint32_t remaining_ms;              /* what is left of that time */
    uint64_t generation;                /* that of the unconfirmed config */
    char ending[SUPERVISOR_ENDING_LEN]; /* how the previous process ended; "" for the first one */
};

enum supervisor_said {
    SUPERVISOR_SAID_READY,  /* it serves or waits for its first config; also after a reload */
    SUPERVISOR_SAID_BEAT,   /* every event loop has answered */
    SUPERVISOR_SAID_AGENT,  /* the agent's thread is alive */
    SUPERVISOR_SAID_TRIAL,  /* a config is about to run that is not confirmed */
    SUPERVISOR_SAID_SETTLED /* that is over: confirmed and written, or reverted */
};

struct supervisor_note {
    uint32_t said; /* enum supervisor_said */
    uint32_t within_ms;
    uint64_t generation;
};

#endif
