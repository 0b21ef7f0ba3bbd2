/* SPDX-License-Identifier: MIT */
/* tcp_waits.h — what a response waited for while its socket took no more bytes: the client's window, the
 * send buffer, or the network. The kernel knows (TCP_INFO), and it is asked only about sockets that have
 * made a response wait: when that begins, and when the response ends. Whatever waits for the same socket
 * meanwhile (streams of HTTP/2) takes its part of one sum. Loop thread only. */
#ifndef FARMSTEAD_TCP_WAITS_H
#define FARMSTEAD_TCP_WAITS_H

#include "measure/stages.h"
#include "net/tcp_reading.h"

#include <stdbool.h>
#include <stdint.h>

struct live_config;

/* Sums that only grow. */
struct tcp_waited {
    uint64_t client_ns, buffer_ns, network_ns;
    uint32_t takings; /* how often something was added */
};

struct tcp_waits {
    struct tcp_waited sums;
    bool is_counting; /* `last` is what is subtracted from the next reading */
    bool is_unknown;  /* no TCP, or a kernel that does not count this */
    struct tcp_reading last;
};

/* Call it when the socket took less than it was given. */
void tcp_waits_begin(struct tcp_waits *waits, int fd);
/* Adds what was waited for since the last call of one of the two, and counts what was sent again for `live`.
 * `goes_on`: the socket still takes nothing. */
void tcp_waits_take(struct tcp_waits *waits, int fd, bool goes_on, struct live_config *live);
/* Adds a time in which the client let nothing be sent by other means than TCP's. */
void tcp_waits_add_client(struct tcp_waits *waits, uint64_t ns);
/* Tells a request's clock what was added since the sums were `from`: nothing if the request never waited. */
void tcp_waits_tell(const struct tcp_waits *waits, const struct tcp_waited *from,
                    struct stage_clock *clock);

#endif
