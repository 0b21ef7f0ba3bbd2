/* SPDX-License-Identifier: MIT */
/* conn_request.c — the HTTP/1.1 connection as carrier of an exchange: what depends on the protocol
 * in a request and its response, and whether another request may follow (RFC 9112 section 9). */
#include "connection/conn_state.h"

#include "http2/http2.h"
#include "net/accept_deferral.h"
#include "response/response.h"

#define HINT_BEHIND_MOST 4096 /* bytes under way, such as tickets of TLS, that a 103 may follow */

/* A client may send bytes for the tunnel right after CONNECT (RFC 9110 section 9.3.6), and they
 * must not be read as a request. */
static bool asks_for_tunnel(const struct exchange *ex)
{
    struct span line = exchange_slice(ex, ex->req.request_line);

    return line.len > 8 && memcmp(line.ptr, "CONNECT ", 8) == 0;
}

/* Ends the connection after this response. The client may still be sending at that moment. */
static void end_after(struct conn *c, enum end_reason reason)
{
    c->ends_for = (uint8_t)reason;
    c->linger_after = true;
}

/* Decides whether the connection persists (RFC 9112 section 9.3). It can't if there may be content
 * that we don't want to read. */
static void decide_connection(struct conn *c, const struct exchange *ex)
{
    const struct http_request *req = &ex->req;
    bool has_body = req->chunked || req->content_length > 0;

    c->ends_for = req->keep_alive ? END_NONE : END_CLIENT_LAST;
    c->linger_after = false;
    if (c->served == 0 && c->peer.any.sa_family != AF_UNIX)
        accept_deferral_spoke(&c->loop->deferral);
    if (++c->served >= ex->live->cfg->limits.keep_alive_requests && req->keep_alive)
        end_after(c, END_REQUEST_LIMIT);
    /* A client that waits for 100 (Continue) gets the final response instead, and may then send its
     * content or not (RFC 9110 section 10.1.1). Nobody can tell where a next request would begin,
     * so the connection ends. */
    if (req->chunked || req->content_length > ex->live->cfg->limits.body_bytes ||
        (req->expects_continue && has_body) || asks_for_tunnel(ex))
        end_after(c, END_UNREAD_BODY);
    else if (has_body && c->ends_for)
        c->linger_after = true;
}

/* The first line of what a client of HTTP/2 says first is refused by the parser as a version that is
 * not spoken: so nothing else has to look for it. */
static bool begins_http2(const struct conn *c)
{
    static const char line[] = HTTP2_FIRST_LINE;

    return c->transfer->ex.req.status == HTTP_VERSION_NOT_SUPPORTED && c->served == 0 &&
           c->loop->live->cfg->http2 && c->in_len - c->in_pos >= sizeof(line) - 1 &&
           memcmp(c->in + c->in_pos, line, sizeof(line) - 1) == 0;
}

void conn_begin_request(struct conn *c, enum parse parsed)
{
    struct exchange *ex = &c->transfer->ex;

    if (parsed == PARSE_BAD && begins_http2(c)) {
        conn_become_http2(c);
        return;
    }
    c->transfer->sink.sent = 0;
    exchange_begin(ex, &c->carrier, c->in + c->in_pos);
    if (parsed == PARSE_BAD) {
        end_after(c, ex->req.status == HTTP_REQUEST_TIMEOUT ? END_SLOW_HEAD : END_BAD_REQUEST);
        exchange_answer_broken(ex);
        return;
    }
    decide_connection(c, ex);
    exchange_answer(ex);
}

/* --- the carrier ----------------------------------------------------------------------------- */

static struct conn *conn_of(struct carrier *carrier)
{
    return container_of(carrier, struct conn, carrier);
}

/* "close" announces the end (RFC 9112 section 9.6). A client of HTTP/1.0 is told that the
 * connection stays (section 9.3); one of HTTP/1.1 expects that. */
static void start_head(struct carrier *carrier, enum http_status status, struct response_head *head)
{
    struct conn *c = conn_of(carrier);
    enum response_connection connection = CONNECTION_DEFAULT;

    if (c->loop->is_stopping && !c->ends_for) /* the client may be sending its next request */
        end_after(c, END_STOPPING);
    if (c->ends_for)
        connection = CONNECTION_CLOSE;
    else if (c->transfer->ex.req.minor == 0)
        connection = CONNECTION_KEEP_ALIVE;
    response_head_start(head, status, loop_date(c->loop), connection);
}

static bool takes_ready_head(const struct carrier *carrier)
{
    const struct conn *c = container_of(carrier, struct conn, carrier);

    return c->transfer->ex.req.minor == 1 && !c->ends_for && !c->loop->is_stopping;
}

static void send_answer(struct carrier *carrier, const char *head, size_t head_len)
{
    conn_send(conn_of(carrier), head, head_len);
}

/* Browsers ask for keep-alive, and a proxy that passes their fields on must not pass that one (RFC 9110
 * section 7.6.1): who does not ask may be a proxy that shows by nothing else, and knows no 1xx.
 * The kernel has all but a little of what was sent before, so that it takes the whole 103. Should it take
 * a part, for lack of memory, nothing can follow. */
static bool hint(struct carrier *carrier, const char *lines, size_t len)
{
    static const char first[] = "HTTP/1.1 103 Early Hints\r\n", last[] = "\r\n";
    struct conn *c = conn_of(carrier);
    const struct iovec parts[] = {{(void *)(uintptr_t)first, sizeof(first) - 1},
                                  {(void *)(uintptr_t)lines, len},
                                  {(void *)(uintptr_t)last, sizeof(last) - 1}};
    const size_t whole = sizeof(first) + sizeof(last) - 2 + len;
    int64_t before;
    ssize_t n;

    if (!c->transfer->ex.req.says_keep_alive)
        return false;
    before = transport_unsent(&c->transport);
    if (before < 0 || before > HINT_BEHIND_MOST)
        return false;
    n = transport_send(&c->transport, parts, 3, false);
    if (n > 0)
        loop_count(c->transfer->ex.live, COUNTER_BYTES_SENT, (uint64_t)n);
    if (n > 0 && (size_t)n < whole)
        conn_close(c, END_NO_RESOURCES);
    return n == (ssize_t)whole;
}

static void wait_for_lane(struct carrier *carrier)
{
    struct conn *c = conn_of(carrier);

    c->state = CONN_ANSWERING;
    conn_arm(c, TIMEOUT_DISK);
}

static void resume(struct carrier *carrier)
{
    conn_run(conn_of(carrier));
}

static void fail(struct carrier *carrier)
{
    conn_close(conn_of(carrier), END_NO_RESOURCES);
}

const struct carrier_kind conn_carrier = {
    .start_head = start_head,
    .takes_ready_head = takes_ready_head,
    .send = send_answer,
    .hint = hint,
    .wait = wait_for_lane,
    .resume = resume,
    .fail = fail,
};
