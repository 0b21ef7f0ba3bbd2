/* SPDX-License-Identifier: MIT */
/* tcp_reading.c — apart from others for <linux/tcp.h>: the C library's struct ends before the times that
 * matter here, and no file can include both. */
#include "net/tcp_reading.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

bool tcp_reading_parse(struct tcp_reading *reading, const void *info, size_t len)
{
    struct tcp_info all = {0};

    memcpy(&all, info, len < sizeof(all) ? len : sizeof(all));
    *reading = (struct tcp_reading){
        .busy_us = all.tcpi_busy_time,
        .client_us = all.tcpi_rwnd_limited,
        .buffer_us = all.tcpi_sndbuf_limited,
        .repeated_bytes = all.tcpi_bytes_retrans,
        .repeated_segments = all.tcpi_total_retrans,
        .round_trip_us = all.tcpi_rtt,
    };
    return len >= offsetof(struct tcp_info, tcpi_sndbuf_limited) + sizeof(all.tcpi_sndbuf_limited);
}

bool tcp_reading_take(struct tcp_reading *reading, int fd)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
           tcp_reading_parse(reading, &info, len);
}
