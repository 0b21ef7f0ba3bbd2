/* SPDX-License-Identifier: MIT */
/* agent_turns.c — turns on the one connection. A look at four numbers, each time something may be
 * said. */
#include "agent/agent_turns.h"

void agent_turns_begin(struct agent_turns *turns, enum agent_slot slot, uint64_t now_ms,
                       uint32_t wait_ms)
{
    turns->over_ms[slot] = now_ms + wait_ms + AGENT_TURN_MS;
    if (slot == AGENT_SLOT_DESIRED)
        turns->is_poll_owed = false;
    if (slot == AGENT_SLOT_REPORT)
        turns->is_poll_owed = true;
}

void agent_turns_end(struct agent_turns *turns, enum agent_slot slot)
{
    turns->over_ms[slot] = 0;
}

bool agent_turns_is_free(const struct agent_turns *turns, uint64_t now_ms)
{
    for (int i = 0; i < AGENT_SLOT_COUNT; i++)
        if (now_ms < turns->over_ms[i])
            return false;
    return true;
}

bool agent_turns_poll(const struct agent_turns *turns, uint64_t now_ms, uint64_t next_ms,
                      uint32_t most_ms, uint32_t *wait_ms)
{
    uint64_t left_ms = next_ms > now_ms ? next_ms - now_ms : 0;
    *wait_ms = left_ms < most_ms ? (uint32_t)left_ms : most_ms;
    return *wait_ms >= AGENT_POLL_LEAST_MS || turns->is_poll_owed;
}

uint64_t agent_turns_patience(uint64_t since_ms, uint64_t now_ms)
{
    uint64_t taken_ms = now_ms > since_ms ? now_ms - since_ms : 0;
    return now_ms + (taken_ms > AGENT_POLL_LEAST_MS ? taken_ms : AGENT_POLL_LEAST_MS);
}
