/* SPDX-License-Identifier: MIT */
/* neighbour_port.c — one socket for both versions of IP, where there are both. */
#include "neighbours/neighbour_port.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 16

static int listen_at(const struct sockaddr *address, socklen_t len)
{
    int on = 1, off = 0;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int err;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address->sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, address, len) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    err = errno;
    close(fd);
    errno = err;
    return -1;
}

static bool is_any(const uint8_t address[ADDRESS_LEN])
{
    static const uint8_t any[ADDRESS_LEN];

    return memcmp(address, any, sizeof(any)) == 0;
}

/* A machine may have no IPv6: who said "any address" has those of IPv4 then, and nobody who named one. */
int neighbour_port_open(const uint8_t address[ADDRESS_LEN], uint16_t port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    const uint8_t *v4 = address_v4(address);
    int fd = -1;

    if (v4) {
        memcpy(&four.sin_addr, v4, sizeof(four.sin_addr));
    } else {
        memcpy(&six.sin6_addr, address, ADDRESS_LEN);
        fd = listen_at((const struct sockaddr *)&six, sizeof(six));
        if (fd >= 0 || errno != EAFNOSUPPORT || !is_any(address))
            return fd;
    }
    return listen_at((const struct sockaddr *)&four, sizeof(four));
}
