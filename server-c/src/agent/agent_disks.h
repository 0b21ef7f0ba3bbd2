/* SPDX-License-Identifier: MIT */
/* agent_disks.h — how full the file systems of the roots are and what their disks have read.
 *
 * Asked on a thread of its own: a disk or a network's file system that has died answers nobody, and
 * the agent is to go on talking then. What it was asked is one question old when it is told. */
#ifndef FARMSTEAD_AGENT_DISKS_H
#define FARMSTEAD_AGENT_DISKS_H

#include "config/config.h"

#include <stddef.h>
#include <stdint.h>

#define AGENT_FACT_UNKNOWN UINT64_MAX
#define AGENT_ROOTS_MAX 64
#define AGENT_ROOT_PATH_LEN 4096

struct agent_root {
    char *path;
    char device[129]; /* "nvme0n1p2"; "": on none that the kernel counts */
    uint64_t total_bytes, free_bytes;
    uint64_t read_bytes, reads, read_millis; /* of the device, since the machine's start */
};

struct agent_roots {
    struct agent_root *items;
    size_t count;
};
void agent_roots_fini(struct agent_roots *roots);

struct agent_disks;

/* NULL when no thread is to be had. */
struct agent_disks *agent_disks_start(void);
/* Joins and frees, but not a thread that waits for a disk: that is left to the process's end. NULL
 * is allowed. */
void agent_disks_stop(struct agent_disks *disks);

/* Takes what was found out since the last time into `roots` and asks for the roots of `cfg` (NULL:
 * there are none). While a disk does not answer, all but the paths is unknown. */
void agent_disks_ask(struct agent_disks *disks, const struct config *cfg,
                     struct agent_roots *roots);

#endif
