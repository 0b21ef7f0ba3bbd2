/* SPDX-License-Identifier: MIT */
/* http2_guard.c — see http2_guard.h. */
#include "http2/http2_guard.h"

#include "base/util.h"

void http2_guard_init(struct http2_guard *guard, uint64_t now_ms)
{
    *guard = (struct http2_guard){.left = GUARD_FULL, .filled_ms = now_ms};
}

static void add(struct http2_guard *guard, uint64_t points)
{
    guard->left = (uint32_t)smaller_of(GUARD_FULL, guard->left + points);
}

/* Fractions of a point stay due. */
static void refill(struct http2_guard *guard, uint64_t now_ms)
{
    uint64_t points = (now_ms - guard->filled_ms) * GUARD_PER_SECOND / 1000;

    if (points == 0)
        return;
    guard->filled_ms += points * 1000 / GUARD_PER_SECOND;
    add(guard, points);
}

bool http2_guard_spend(struct http2_guard *guard, uint64_t now_ms, enum guard_cost cost)
{
    refill(guard, now_ms);
    if (guard->left < (uint32_t)cost)
        return false;
    guard->left -= (uint32_t)cost;
    return true;
}

void http2_guard_earn(struct http2_guard *guard, uint32_t bytes)
{
    uint64_t all = (uint64_t)guard->bytes + bytes;

    guard->bytes = (uint32_t)(all % GUARD_BYTES_PER_POINT);
    add(guard, all / GUARD_BYTES_PER_POINT);
}
