/* SPDX-License-Identifier: MIT */
/* What is read of TCP_INFO: from kernels of any age, from sockets of any kind. */
#include "net/tcp_reading.c"

#include "base/util.h"
#include "check.h"

#include <unistd.h>

/* Linux gives as much as it has: 104 bytes of old, 192 with 4.10, 232 with 4.19, more today. */
static void test_lengths(void)
{
    static const struct {
        int line;
        size_t len;
        bool is_known;
        uint64_t repeated_segments, repeated_bytes;
    } rows[] = {
        {__LINE__, 0, false, 0, 0},
        {__LINE__, 104, false, 7, 0},
        {__LINE__, offsetof(struct tcp_info, tcpi_sndbuf_limited) + 7, false, 7, 0},
        {__LINE__, offsetof(struct tcp_info, tcpi_sndbuf_limited) + 8, true, 7, 0},
        {__LINE__, offsetof(struct tcp_info, tcpi_bytes_retrans) + 8, true, 7, 9000},
        {__LINE__, sizeof(struct tcp_info), true, 7, 9000},
    };
    const struct tcp_info info = {
        .tcpi_total_retrans = 7,
        .tcpi_busy_time = 5000,
        .tcpi_rwnd_limited = 3000,
        .tcpi_sndbuf_limited = 1000,
        .tcpi_bytes_retrans = 9000,
        .tcpi_rtt = 120,
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct tcp_reading reading;
        CHECK_INT(rows[i].line, "known", tcp_reading_parse(&reading, &info, rows[i].len),
                  rows[i].is_known);
        CHECK_INT(rows[i].line, "bytes", reading.repeated_bytes, rows[i].repeated_bytes);
        CHECK_INT(rows[i].line, "segments", reading.repeated_segments, rows[i].repeated_segments);
        if (!rows[i].is_known)
            continue;
        CHECK_INT(rows[i].line, "busy", reading.busy_us, 5000);
        CHECK_INT(rows[i].line, "client", reading.client_us, 3000);
        CHECK_INT(rows[i].line, "buffer", reading.buffer_us, 1000);
        CHECK_INT(rows[i].line, "round trip", reading.round_trip_us, 120);
    }
}

static void test_sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    int server, pair[2];
    struct tcp_reading reading;

    CHECK(listen(listening, 1) == 0);
    CHECK(getsockname(listening, (struct sockaddr *)&address, &len) == 0);
    CHECK(connect(client, (struct sockaddr *)&address, len) == 0);
    server = accept(listening, NULL, NULL);
    CHECK_TRUE(tcp_reading_take(&reading, server), "a connection of TCP");
    CHECK_TRUE(reading.round_trip_us > 0, "its round trip");
    close(client);
    close(server);
    CHECK_TRUE(!tcp_reading_take(&reading, server), "a closed descriptor");
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK_TRUE(!tcp_reading_take(&reading, pair[0]), "a Unix socket");
    close(pair[0]);
    close(pair[1]);
    close(listening);
}

int main(void)
{
    test_lengths();
    test_sockets();
    return check_end("tcp_reading");
}
