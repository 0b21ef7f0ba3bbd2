/* SPDX-License-Identifier: MIT */
/* conn_proxy.c — before anything else of the client's, not even its handshake of TLS, comes what a
 * proxy says of it (listen[].proxyProtocol).
 *
 * The header is looked at where it lies in the socket until it is whole, so that what follows it is
 * left for whoever reads next. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "connection/peer_limit.h"

#include "http/proxy_header.h"
#include "log/log.h"

#include <errno.h>
#include <sys/socket.h>

/* From here on the connection is the client's, and counts as one of its own. */
static void become_client(struct conn *c, const struct proxy_header *header)
{
    loop_leave_peer(c->loop, &c->peer.any, c->is_counted);
    visitor_set(&c->peer, header->client, header->port);
    if (peer_limit_enter(c->loop, &c->peer.any, &c->is_counted))
        return;
    loop_count(c->loop->live, COUNTER_REFUSED, 1);
    conn_say_no(c->transport.fd, transport_has_handshake(&c->transport));
    conn_close(c, END_ADDRESS_LIMIT);
}

static void refuse(struct conn *c)
{
    if (loop_may_warn(c->loop, &c->loop->warned_proxy_ms))
        log_warn(
            "listener: a connection was closed, since its proxy did not begin it with a header "
            "of the PROXY protocol, as proxyProtocol asks");
    conn_close(c, END_PROXY_HEADER);
}

static void take(struct conn *c, const struct proxy_header *header)
{
    ssize_t n = recv(c->transport.fd, c->loop->input, header->len, 0);

    if (n != (ssize_t)header->len) { /* urgent data lies between */
        refuse(c);
        return;
    }
    c->carrier.is_secure = header->is_secure;
    c->state = transport_has_handshake(&c->transport) ? CONN_HANDSHAKE : CONN_READING;
    c->has_input = true; /* what follows has often come with it */
    conn_arm(c, TIMEOUT_SILENT);
    if (header->has_client)
        become_client(c, header);
}

void conn_read_proxy_header(struct conn *c, bool is_last)
{
    struct proxy_header header;
    ssize_t n = recv(c->transport.fd, c->loop->input, PROXY_HEADER_MAX, MSG_PEEK);

    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            conn_close(c, conn_left(c)); /* a check whether we are there */
        return;
    }
    if (!c->loop->live) {
        conn_close(c, END_STOPPING);
        return;
    }
    switch (proxy_header_parse(&header, (const uint8_t *)c->loop->input, (size_t)n)) {
    case PROXY_HEADER_OK:
        take(c, &header);
        break;
    case PROXY_HEADER_MORE:
        if (is_last)
            conn_close(c, conn_left(c));
        else if (c->timeout != TIMEOUT_HEADER)
            conn_arm(c, TIMEOUT_HEADER);
        break;
    case PROXY_HEADER_BAD:
        refuse(c);
        break;
    }
}
