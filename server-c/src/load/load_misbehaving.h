/* SPDX-License-Identifier: MIT */
/* load_misbehaving.h — clients that read slowly, and clients that go away within an answer.
 *
 * They run beside the others, who are the ones that are timed, and are looked after ten times a
 * second: a slow one takes a tenth of its bytes per second each time, out of a small buffer, so
 * that the server has to wait for it; an aborting one resets its connection after a number of bytes
 * drawn by lot, maybe none. */
#ifndef FARMSTEAD_LOAD_MISBEHAVING_H
#define FARMSTEAD_LOAD_MISBEHAVING_H

#include "load/load_run.h"

#define LOAD_TICKS_PER_SECOND 10
#define LOAD_TICK_NS (NS_PER_SECOND / LOAD_TICKS_PER_SECOND)

void load_misbehaving_init(struct load_run *run);
void load_misbehaving_fini(struct load_run *run);
void load_misbehaving_tick(struct load_run *run, uint64_t now_ns);

#endif
