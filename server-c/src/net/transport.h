/* SPDX-License-Identifier: MIT */
/* transport.h — how a connection's bytes get to the client and come from it: over a socket, or over
 * a layer between socket and connection.
 *
 * Nothing here waits. Loop thread only. */
#ifndef FARMSTEAD_TRANSPORT_H
#define FARMSTEAD_TRANSPORT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct poller_watch;
struct transport;

struct transport_kind {
    /* Goes on with the handshake. 0: it is over. -EAGAIN: it waits for the client. -EINTR: call
     * again after others had their turn. -EINPROGRESS: it waits for a lane, after which `watch` is
     * called again, if the transport has not been closed. -EPROTO or another negative errno: it has
     * failed. NULL if the transport needs none. */
    int (*handshake)(struct transport *transport, struct poller_watch *watch);
    /* Returns the number of bytes received, 0 at the end of input, or a negative errno; -EAGAIN: no
     * bytes have arrived. *has_more: there may be more bytes, and no event will announce them. */
    ssize_t (*receive)(struct transport *transport, void *room, size_t cap, bool *has_more);
    /* Returns the number of bytes taken, or a negative errno; -EAGAIN: it takes none now. Bytes
     * that were taken must not be sent again. `goes_on`: more bytes, or the end, will follow at
     * once. */
    ssize_t (*send)(struct transport *transport, const struct iovec *bytes, int count,
                    bool goes_on);
    /* The same for bytes of a file, which are in the page cache; 0: the file has become shorter.
     * NULL if the transport takes only memory. */
    ssize_t (*send_file)(struct transport *transport, int fd, uint64_t offset, size_t len);
    /* Sends what the transport holds of the bytes it has taken. 0: it holds nothing any more.
     * -EAGAIN: call it again when the socket takes bytes. Or another negative errno. NULL if the
     * transport never holds any. */
    int (*flush)(struct transport *transport);
    /* Bytes that were taken but not yet acknowledged by the client's host, or a negative errno if
     * that is unknown. */
    int64_t (*unsent)(struct transport *transport);
    /* Ends the sending side: nothing will be sent after this. Returns 0 or a negative errno. */
    int (*end)(struct transport *transport);
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_kind *kind;
    void *state; /* belongs to the kind */
    int fd;      /* its events are those of the transport (poller.h) */
};

/* A transport over a connected, non-blocking stream socket, without a layer. Takes over `fd`. */
struct transport transport_of_socket(int fd);

/* From now on the kernel keeps few bytes that are not on their way yet: what is sent next waits behind
 * these only. Without effect where there is no TCP. */
void transport_keep_queue_short(struct transport *transport);

/* Does a negative errno of receive or send say only that it takes or gives nothing now? */
static inline bool transport_is_for_later(ssize_t err)
{
    return err == -EAGAIN || err == -EWOULDBLOCK || err == -EINTR;
}

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

static inline bool transport_has_handshake(const struct transport *transport)
{
    return transport->kind->handshake != NULL;
}

static inline int transport_flush(struct transport *transport)
{
    return transport->kind->flush ? transport->kind->flush(transport) : 0;
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
