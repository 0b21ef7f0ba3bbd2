/* SPDX-License-Identifier: MIT */
/* tcp_reading.h — what the kernel knows of a connection of TCP (TCP_INFO). Any thread. */
#ifndef FARMSTEAD_TCP_READING_H
#define FARMSTEAD_TCP_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Since the connection began. The kernel counts in its own ticks, of 1 to 10 ms. */
struct tcp_reading {
    uint64_t busy_us;   /* bytes waited or were under way; includes the next two */
    uint64_t client_us; /* the client's window was full */
    uint64_t
        buffer_us; /* everything in the send buffer was under way, and the window had room for more */
    uint64_t repeated_bytes, repeated_segments; /* sent again; bytes: 0 before Linux 4.19 */
    uint32_t round_trip_us;                     /* smoothed */
};

/* False if it is none of TCP, or the kernel does not count these times. */
bool tcp_reading_take(struct tcp_reading *reading, int fd);
/* Reads the `len` bytes that the kernel gave. Older kernels give fewer than we know of: what is missing is 0, and
 * without the times the answer is false. */
bool tcp_reading_parse(struct tcp_reading *reading, const void *info, size_t len);

#endif
