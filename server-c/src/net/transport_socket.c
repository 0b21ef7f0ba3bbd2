/* SPDX-License-Identifier: MIT */
/* transport_socket.c — the transport over a plain socket: each operation is one system call. */
#include "net/transport.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/* A read that returns less than there was room for has emptied the socket, and the poller announces
 * whatever comes later. */
static ssize_t receive(struct transport *transport, void *room, size_t cap, bool *has_more)
{
    ssize_t n = recv(transport->fd, room, cap, 0);

    *has_more = n == (ssize_t)cap || (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

/* For a single piece of memory send() costs the kernel less than sendmsg(). */
static ssize_t send_bytes(struct transport *transport, const struct iovec *bytes, int count,
                          bool goes_on)
{
    int flags = MSG_NOSIGNAL | (goes_on ? MSG_MORE : 0);
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)bytes,
                             .msg_iovlen = (size_t)count};
    ssize_t n = count == 1 ? send(transport->fd, bytes->iov_base, bytes->iov_len, flags)
                           : sendmsg(transport->fd, &message, flags);

    return n < 0 ? -errno : n;
}

static ssize_t send_file(struct transport *transport, int fd, uint64_t offset, size_t len)
{
    off_t at = (off_t)offset;
    ssize_t n = sendfile(transport->fd, fd, &at, len);

    return n < 0 ? -errno : n;
}

static int64_t unsent(struct transport *transport)
{
    int bytes = 0;

    return ioctl(transport->fd, SIOCOUTQ, &bytes) == 0 ? bytes : -errno;
}

static int end(struct transport *transport)
{
    return shutdown(transport->fd, SHUT_WR) == 0 ? 0 : -errno;
}

static void close_socket(struct transport *transport)
{
    close(transport->fd);
}

#define QUEUE_BYTES 262144

void transport_keep_queue_short(struct transport *transport)
{
    const int bytes = QUEUE_BYTES;

    setsockopt(transport->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof(bytes));
}

struct transport transport_of_socket(int fd)
{
    static const struct transport_kind socket_kind = {
        .receive = receive,
        .send = send_bytes,
        .send_file = send_file,
        .unsent = unsent,
        .end = end,
        .close = close_socket,
    };

    return (struct transport){.kind = &socket_kind, .fd = fd};
}
