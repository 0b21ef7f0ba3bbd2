/* SPDX-License-Identifier: MIT */
/* agent_turns.h — who speaks when, so that one connection to the control plane is enough.
 *
 * One exchange at a time: a report, or a poll by itself, waits for orders when nothing else is to
 * be said, and asks to be answered by the time that something will be. An exchange that takes longer than it should no
 * longer keeps others waiting: they get a second connection, which is closed after each answer.
 * No clock, no I/O. */
#ifndef FARMSTEAD_AGENT_TURNS_H
#define FARMSTEAD_AGENT_TURNS_H

#include "agent/agent_http.h"

#include <stdbool.h>
#include <stdint.h>

/* An exchange keeps others waiting for so long at most; a poll, for so long beyond its time. */
#define AGENT_TURN_MS 1000
/* A poll that would be shorter is not worth its request. */
#define AGENT_POLL_LEAST_MS 50

struct agent_turns {
    uint64_t over_ms[AGENT_SLOT_COUNT]; /* until then others wait for this slot; 0: for none */
    /* Polls and reports alternate, however slow reports are and however many wait to be sent. */
    bool is_poll_owed;
};

/* An exchange begins, whose answer may take `wait_ms` by itself. */
void agent_turns_begin(struct agent_turns *turns, enum agent_slot slot, uint64_t now_ms,
                       uint32_t wait_ms);
void agent_turns_end(struct agent_turns *turns, enum agent_slot slot);

/* May another exchange begin? */
bool agent_turns_is_free(const struct agent_turns *turns, uint64_t now_ms);

/* May a poll by itself begin, when the next thing is to be said at `next_ms`? If so, `wait_ms` is what it
 * asks for, `most_ms` at most. */
bool agent_turns_poll(const struct agent_turns *turns, uint64_t now_ms, uint64_t next_ms,
                      uint32_t most_ms, uint32_t *wait_ms);

/* While something comes that must be told of once it is here, and has come for `since_ms` till now: when a poll must have
 * ended at the latest. It waits as long again, so it tells by twice the time that it took, and asks seldom for what takes
 * hours. */
uint64_t agent_turns_patience(uint64_t since_ms, uint64_t now_ms);

#endif
