/* SPDX-License-Identifier: MIT */
/* agent_disks.h — how full the file systems of the roots are, and how much their disks have read.
 *
 * Asks on its own thread, because a dead disk or network file system may never answer, and the
 * agent must go on talking. So the facts are one request old when they are used. */
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
    char device[129]; /* "nvme0n1p2"; "": no device that the kernel counts for */
    uint64_t total_bytes, free_bytes;
    uint64_t read_bytes, reads, read_millis; /* of the device, since the machine was started */
};

struct agent_roots {
    struct agent_root *items;
    size_t count;
};
void agent_roots_fini(struct agent_roots *roots);

struct agent_disks;

/* NULL: no thread was available. */
struct agent_disks *agent_disks_start(void);
/* Joins the thread and frees. A thread that is waiting for a disk is left alone until the process
 * ends. NULL is allowed. */
void agent_disks_stop(struct agent_disks *disks);

/* Puts what has been found since the last call into `roots`, and asks for the roots of `cfg` (NULL:
 * none). While a disk does not answer, only the paths are known. */
void agent_disks_ask(struct agent_disks *disks, const struct config *cfg,
                     struct agent_roots *roots);

#endif
