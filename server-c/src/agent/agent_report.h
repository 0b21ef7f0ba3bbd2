/* SPDX-License-Identifier: MIT */
/* agent_report.h — windows of measurements, kept until the control plane has taken them.
 *
 * A window is the difference of two snapshots of the server's totals, one entry per config
 * generation. Windows are numbered from 1 within a boot, encoded at once and kept as JSON text, for
 * at most 15 minutes and AGENT_REPORT_MAX_BYTES; older ones are dropped and counted. No clock, no
 * I/O. One thread at a time. */
#ifndef FARMSTEAD_AGENT_REPORT_H
#define FARMSTEAD_AGENT_REPORT_H

#include "base/buf.h"
#include "server/server.h"

#include <stddef.h>
#include <stdint.h>

#define AGENT_REPORT_MAX_AGE_MS 900000u /* 15 minutes */
#define AGENT_REPORT_MAX_BYTES (2u << 20)
/* Of one request: the schema's 180 windows, and a body that a slow control plane can still take. */
#define AGENT_REPORT_BATCH_WINDOWS 180
#define AGENT_REPORT_BATCH_BYTES (1u << 20)

struct agent_window;

struct agent_report_ring {
    struct agent_window *first, *last; /* oldest first */
    size_t bytes;                      /* of text, all windows together */
    uint64_t next_seq;
    uint64_t lost_windows;
    struct server_metrics *earlier; /* the snapshot that the next window begins with */
};

void agent_report_init(struct agent_report_ring *ring);
void agent_report_fini(struct agent_report_ring *ring);

/* Close a window with `now`. A snapshot of the same millisecond as the last closes none. */
void agent_report_add(struct agent_report_ring *ring, const struct server_metrics *now);

/* Append the oldest windows to `out`, commas between, as many as one request may hold. Returns the
 * seq of the last, 0 when there is none. */
uint64_t agent_report_batch(const struct agent_report_ring *ring, struct buf *out);

/* The control plane has everything up to `seq`. */
void agent_report_acknowledge(struct agent_report_ring *ring, uint64_t seq);

/* The control plane will never take what is up to `seq`: dropped and counted as lost. */
void agent_report_lose(struct agent_report_ring *ring, uint64_t seq);

#endif
