/* SPDX-License-Identifier: MIT */
/* agent_report.h — windows of measurements, kept until the control plane has taken them.
 *
 * A window is the difference between two snapshots of the server's totals, with one entry for each
 * generation of the config. Windows are numbered from 1 within a boot, encoded at once, and kept as
 * JSON text for at most 15 minutes and AGENT_REPORT_MAX_BYTES; older ones are dropped and counted.
 * No clock, no I/O. One thread at a time. */
#ifndef FARMSTEAD_AGENT_REPORT_H
#define FARMSTEAD_AGENT_REPORT_H

#include "base/buf.h"
#include "server/server.h"

#include <stddef.h>
#include <stdint.h>

#define AGENT_REPORT_MAX_AGE_MS 900000u /* 15 minutes */
#define AGENT_REPORT_MAX_BYTES (4u << 20)
/* Limits of a request: the 180 windows of the schema, and a body that even a slow control plane can
 * take. */
#define AGENT_REPORT_BATCH_WINDOWS 180
#define AGENT_REPORT_BATCH_BYTES (1u << 20)

struct agent_window;

struct agent_report_ring {
    struct agent_window *first, *last; /* oldest first */
    size_t bytes;                      /* of the text of all windows */
    uint64_t next_seq;
    uint64_t lost_windows;
    char *slow;                     /* what goes with the next window; NULL: nothing */
    struct server_metrics *earlier; /* the snapshot at the beginning of the next window */
};

void agent_report_init(struct agent_report_ring *ring);
void agent_report_fini(struct agent_report_ring *ring);

/* The slowest requests of the window that is closed next: a list of JSON objects without its
 * brackets, which it takes over. */
void agent_report_slow(struct agent_report_ring *ring, char *items);

/* Closes a window with the snapshot `now`, unless that is of the same millisecond as the last
 * one. */
void agent_report_add(struct agent_report_ring *ring, const struct server_metrics *now);

/* Appends the oldest windows to `out`, separated by commas, as many as fit in one request. Returns
 * the number of the last one, 0 if there is none. */
uint64_t agent_report_batch(const struct agent_report_ring *ring, struct buf *out);

/* The control plane has all windows up to `seq`. */
void agent_report_acknowledge(struct agent_report_ring *ring, uint64_t seq);

/* The control plane will never take the windows up to `seq`: they are dropped and counted as
 * lost. */
void agent_report_lose(struct agent_report_ring *ring, uint64_t seq);

#endif
