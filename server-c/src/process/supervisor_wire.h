/* SPDX-License-Identifier: MIT */
/* supervisor_wire.h — what the parent of `farmstead-node run` and the process that serves say to
 * each other, over a pair of SOCK_SEQPACKET sockets: a record per datagram.
 *
 * Both are the same program (the child is executed from /proc/self/exe), so records are structs. The
 * parent gives one order before the child starts; after that only the child speaks. Nothing either
 * says is needed to be safe: what may be served is said by the state folder's files. */
#ifndef FARMSTEAD_SUPERVISOR_WIRE_H
#define FARMSTEAD_SUPERVISOR_WIRE_H

#include <stdint.h>

#define SUPERVISOR_ENDING_LEN 128
#define SUPERVISOR_BEAT_MS 5000

/* How the child is to begin. */
enum supervisor_start {
    SUPERVISOR_START_PLAIN,     /* with the confirmed config */
    SUPERVISOR_START_RESUME,    /* with the unconfirmed one, once more */
    SUPERVISOR_START_CRASH_LOOP /* with the confirmed one, and the other is to be told as crashing */
};

struct supervisor_order {
    int64_t parent_pid;
    uint32_t start;                     /* enum supervisor_start */
    uint32_t within_ms;                 /* the unconfirmed config had to be confirmed */
    uint32_t remaining_ms;              /* … and what is left of that */
    uint64_t generation;                /* of the unconfirmed config */
    char ending[SUPERVISOR_ENDING_LEN]; /* of the process before, "" for the first */
};

enum supervisor_said {
    SUPERVISOR_SAID_READY,  /* it serves, or waits for its first config; also after a reload */
    SUPERVISOR_SAID_BEAT,   /* every event loop has answered */
    SUPERVISOR_SAID_AGENT,  /* the agent's thread goes round */
    SUPERVISOR_SAID_TRIAL,  /* a config is about to run that is not confirmed */
    SUPERVISOR_SAID_SETTLED /* … that is over: confirmed and on the disk, or taken back */
};

struct supervisor_note {
    uint32_t said; /* enum supervisor_said */
    uint32_t within_ms;
    uint64_t generation;
};

#endif
