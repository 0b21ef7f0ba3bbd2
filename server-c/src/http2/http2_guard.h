/* SPDX-License-Identifier: MIT */
/* http2_guard.h — how much a client may ask of us that leads to no response: one budget for all that
 * floods of HTTP/2 are made of.
 *
 * Cheap frames to send (PING, SETTINGS, PRIORITY, WINDOW_UPDATE, empty DATA), requests that are
 * cancelled at once (CVE-2023-44487) and errors for which we reset a stream (CVE-2025-8671) cost
 * something. Time and bytes that the client takes give it back, up to the full budget. Pure. */
#ifndef FARMSTEAD_HTTP2_GUARD_H
#define FARMSTEAD_HTTP2_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GUARD_FULL 3000
#define GUARD_PER_SECOND 100
#define GUARD_BYTES_PER_POINT 1024 /* of responses */

enum guard_cost {
    GUARD_FRAME = 1,  /* a frame that only manages the connection */
    GUARD_RESET = 10, /* a request that the client cancelled */
    GUARD_ERROR = 20  /* a stream that we reset for an error of the client's */
};

struct http2_guard {
    uint32_t left;
    uint64_t filled_ms; /* the time up to which it was given back */
    uint32_t bytes;     /* of the next point */
};

void http2_guard_init(struct http2_guard *guard, uint64_t now_ms);
bool http2_guard_spend(struct http2_guard *guard, uint64_t now_ms,
                       enum guard_cost cost); /* false: it is spent */
void http2_guard_earn(struct http2_guard *guard, uint32_t bytes);

#endif
