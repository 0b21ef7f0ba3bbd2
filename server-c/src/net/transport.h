/* SPDX-License-Identifier: MIT */
/* transport.h — how bytes get to a client and from it: by a socket, or by what stands between one and the
 * connection.
 *
 * Nothing here waits. Loop thread, all of it. */
#ifndef FARMSTEAD_TRANSPORT_H
#define FARMSTEAD_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct transport;

struct transport_kind {
    /* Bytes received, 0 at their end, or a negative errno; -EAGAIN: none are there. *has_more: there may be
     * more, of which no event will tell. */
    ssize_t (*receive)(struct transport *transport, void *room, size_t cap, bool *has_more);
    /* How many it took, or a negative errno; -EAGAIN: none now. What it took it answers for: it is not sent
     * again. `goes_on`: more follows at once, or the end. */
    ssize_t (*send)(struct transport *transport, const struct iovec *bytes, int count,
                    bool goes_on);
    /* The same with a file's bytes, which are in the page cache; 0: the file is shorter. NULL: it takes
     * memory only. */
    ssize_t (*send_file)(struct transport *transport, int fd, uint64_t offset, size_t len);
    /* Bytes that it took and the client's host has not acknowledged; a negative errno when it can't say. */
    int64_t (*unsent)(struct transport *transport);
    int (*end)(
        struct transport *transport); /* nothing will be sent any more. 0 or a negative errno */
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_kind *kind;
    void *state; /* the kind's own */
    int fd;      /* whose events tell of it (poller.h) */
};

/* A connected, non-blocking stream socket, as it is. Takes it over. */
struct transport transport_of_socket(int fd);

static inline ssize_t transport_receive(struct transport *transport, void *room, size_t cap,
                                        bool *has_more)
{
    return transport->kind->receive(transport, room, cap, has_more);
}

static inline ssize_t transport_send(struct transport *transport, const struct iovec *bytes,
                                     int count, bool goes_on)
{
    return transport->kind->send(transport, bytes, count, goes_on);
}

static inline ssize_t transport_send_file(struct transport *transport, int fd, uint64_t offset,
                                          size_t len)
{
    return transport->kind->send_file(transport, fd, offset, len);
}

static inline bool transport_takes_files(const struct transport *transport)
{
    return transport->kind->send_file != NULL;
}

static inline int64_t transport_unsent(struct transport *transport)
{
    return transport->kind->unsent(transport);
}

static inline int transport_end(struct transport *transport)
{
    return transport->kind->end(transport);
}

static inline void transport_close(struct transport *transport)
{
    transport->kind->close(transport);
}

#endif
