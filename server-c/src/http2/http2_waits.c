/* SPDX-License-Identifier: MIT */
/* http2_waits.c — what responses waited for: their connection's socket (net/tcp_waits.h), or the client's windows
 * of HTTP/2, which count as its receive window does.
 *
 * Streams share one socket and one window of the connection. Each that was under way meanwhile waited for them, and
 * their writes overlap just so: each gets the whole time. */
#include "http2/http2_state.h"

static uint64_t since(uint64_t *held_ns, uint64_t now_ns)
{
    uint64_t ns = *held_ns ? now_ns - *held_ns : 0;

    *held_ns = 0;
    return ns;
}

/* What was waited for up to now. */
static void settle(struct http2_stream *stream)
{
    struct http2_conn *c = stream->conn;
    bool is_held = c->held_ns > 0;

    if (is_held || stream->held_ns > 0)
        http2_waits_reopen(stream);
    tcp_waits_take(&c->waits, c->transport.fd, c->is_blocked, stream->ex.live);
    if (is_held && nghttp2_session_get_remote_window_size(c->protocol) <= 0)
        c->held_ns = stage_now();
}

void http2_waits_begin(struct http2_stream *stream)
{
    settle(stream);
    stream->waited_before = stream->conn->waits.sums;
}

void http2_waits_end(struct http2_stream *stream)
{
    settle(stream);
    tcp_waits_tell(&stream->conn->waits, &stream->waited_before, &stream->ex.clock);
}

void http2_waits_use_window(struct http2_stream *stream, size_t len)
{
    struct http2_conn *c = stream->conn;
    nghttp2_session *protocol = c->protocol;

    if (nghttp2_session_get_remote_window_size(protocol) <= (int32_t)len)
        c->held_ns = stage_now();
    else if (nghttp2_session_get_stream_remote_window_size(protocol, stream->id) <= (int32_t)len)
        stream->held_ns = stage_now();
    else
        return;
    tcp_waits_begin(&c->waits, c->transport.fd);
}

void http2_waits_reopen(struct http2_stream *stream)
{
    struct http2_conn *c = stream->conn;
    uint64_t now_ns = stage_now();

    tcp_waits_add_client(&c->waits, since(&c->held_ns, now_ns));
    stream->ex.clock.client_ns += since(&stream->held_ns, now_ns);
}
