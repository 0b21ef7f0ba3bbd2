/* SPDX-License-Identifier: MIT */
/* tcp_waits.c — differences between two readings. */
#include "net/tcp_waits.h"

#include "net/loop.h"

#define NS_PER_US 1000

void tcp_waits_begin(struct tcp_waits *waits, int fd)
{
    if (waits->is_counting || waits->is_unknown)
        return;
    waits->is_counting = tcp_reading_take(&waits->last, fd);
    waits->is_unknown = !waits->is_counting;
}

/* The kernel reads its clock anew for each of its sums, so that one may be a tick ahead of another. */
static uint64_t more_ns(uint64_t now_us, uint64_t then_us)
{
    return now_us > then_us ? (now_us - then_us) * NS_PER_US : 0;
}

static uint64_t rest(uint64_t all, uint64_t parts)
{
    return all > parts ? all - parts : 0;
}

void tcp_waits_take(struct tcp_waits *waits, int fd, bool goes_on, struct live_config *live)
{
    struct tcp_reading now, *last = &waits->last;
    uint64_t client_ns, buffer_ns;

    if (!waits->is_counting)
        return;
    waits->is_counting = goes_on;
    if (!tcp_reading_take(&now, fd))
        return;
    client_ns = more_ns(now.client_us, last->client_us);
    buffer_ns = more_ns(now.buffer_us, last->buffer_us);
    waits->sums.client_ns += client_ns;
    waits->sums.buffer_ns += buffer_ns;
    waits->sums.network_ns += rest(more_ns(now.busy_us, last->busy_us), client_ns + buffer_ns);
    waits->sums.takings++;
    loop_count(live, COUNTER_RETRANSMITTED_BYTES, now.repeated_bytes - last->repeated_bytes);
    loop_count(live, COUNTER_RETRANSMITTED_SEGMENTS,
               now.repeated_segments - last->repeated_segments);
    *last = now;
}

void tcp_waits_add_client(struct tcp_waits *waits, uint64_t ns)
{
    waits->sums.client_ns += ns;
}

void tcp_waits_tell(const struct tcp_waits *waits, const struct tcp_waited *from,
                    struct stage_clock *clock)
{
    const struct tcp_waited *sums = &waits->sums;

    if (sums->takings == from->takings)
        return;
    clock->waited = true;
    clock->client_ns += sums->client_ns - from->client_ns;
    clock->buffer_ns = sums->buffer_ns - from->buffer_ns;
    clock->network_ns = sums->network_ns - from->network_ns;
    clock->round_trip_ns = (uint64_t)waits->last.round_trip_us * NS_PER_US;
}
