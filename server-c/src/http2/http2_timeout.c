/* SPDX-License-Identifier: MIT */
/* http2_timeout.c — what happens to connections and streams whose time is up.
 *
 * A connection is idle (no request: limits.keepAliveIdleSeconds) or busy. Busy ones are looked at
 * four times per limits.writeSeconds: who has held us back all that time, by a socket that is full or a
 * window that is closed, and taken less than limits.minBytesPerSecond, is let go. That holds for a
 * stream by itself, too: it is reset when the client opens its window too slowly. Part of a head has
 * a time of its own, limits.headerSeconds, and so has a stream that waits for a disk. */
#include "http2/http2.h"
#include "http2/http2_state.h"

#define LEAVE_MS 1000 /* for the answer to a ping */

static void arm(struct http2_conn *c, struct list *all, uint64_t in_ms)
{
    c->deadline_ms = uv_now(&c->loop->uv) + in_ms;
    list_remove(&c->link);
    list_append(all, &c->link);
}

static bool is_busy(const struct http2_conn *c)
{
    return c->stream_count > 0 || c->left;
}

/* A busy connection keeps its deadline: it must be looked at however many requests it makes. */
void http2_arm(struct http2_conn *c)
{
    struct loop *loop = c->loop;

    if (is_busy(c)) {
        if (c->is_busy)
            return;
        c->is_busy = true;
        c->progress = (struct progress){uv_now(&loop->uv), (int64_t)c->given};
        arm(c, &loop->http2.busy, loop->timeout_ms[TIMEOUT_WRITE]);
    } else if (c->is_busy || list_empty(&c->link)) {
        c->is_busy = false;
        arm(c, &loop->http2.idle, loop->timeout_ms[TIMEOUT_IDLE]);
    }
}

void http2_arm_linger(struct http2_conn *c)
{
    arm(c, &c->loop->http2.lingering, c->loop->timeout_ms[TIMEOUT_LINGER]);
}

void http2_arm_head(struct http2_conn *c)
{
    c->head_deadline_ms = uv_now(&c->loop->uv) + c->loop->timeout_ms[TIMEOUT_HEADER];
    list_remove(&c->head_link);
    list_append(&c->loop->http2.in_head, &c->head_link);
}

void http2_arm_leave(struct http2_conn *c)
{
    c->leave_deadline_ms = uv_now(&c->loop->uv) + LEAVE_MS;
    list_remove(&c->leave_link);
    list_append(&c->loop->http2.leaving, &c->leave_link);
}

void http2_arm_disk(struct http2_stream *stream)
{
    struct loop *loop = stream->conn->loop;

    stream->disk_deadline_ms = uv_now(&loop->uv) + loop->timeout_ms[TIMEOUT_DISK];
    stream->is_waiting = true;
    list_remove(&stream->wait);
    list_append(&loop->http2.at_disk, &stream->wait);
}

/* --- clients that take slowly ---------------------------------------------------------------- */

static uint64_t least_rate(const struct http2_stream *stream)
{
    uint64_t least = stream->ex.live->cfg->limits.min_bytes_per_second;

    return stream->is_limited ? pace_least(&stream->pace, least) : least;
}

/* Does the client's window for this stream hold its response back? */
static bool is_held(const struct http2_stream *stream)
{
    return stream->has_begun && !stream->is_complete && !stream->is_waiting &&
           nghttp2_session_get_stream_remote_window_size(stream->conn->protocol, stream->id) <= 0;
}

/* False when the client has kept its window too small for all of writeSeconds. */
static bool stream_goes_on(struct http2_stream *stream, uint64_t now_ms)
{
    struct progress *progress = &stream->progress;
    int64_t taken = (int64_t)stream->sent;

    if (!exchange_is_open(&stream->ex))
        return true;
    if (progress->since_ms == 0 || !is_held(stream) ||
        progress_suffices(progress, taken, least_rate(stream), now_ms)) {
        *progress = (struct progress){now_ms, taken};
        return true;
    }
    return !progress_is_over(progress, stream->conn->loop);
}

/* Is every response that could go on held back by the client, be it by its socket or its windows? */
static bool client_holds_us(const struct http2_conn *c)
{
    if (c->is_blocked)
        return true;
    if (nghttp2_session_get_remote_window_size(c->protocol) > 0)
        return false;
    for (struct list *link = c->streams.next; link != &c->streams; link = link->next) {
        const struct http2_stream *stream = container_of(link, struct http2_stream, link);
        if (stream->has_begun && !stream->is_complete && !stream->is_waiting)
            return true;
    }
    return false;
}

static bool conn_goes_on(struct http2_conn *c, uint64_t now_ms)
{
    struct progress *progress = &c->progress;
    int64_t unsent = transport_unsent(&c->transport);
    int64_t taken = (int64_t)c->given - (unsent > 0 ? unsent : 0);
    uint64_t least = c->loop->live ? c->loop->live->cfg->limits.min_bytes_per_second : 0;

    if (unsent < 0)
        return false;
    if (!client_holds_us(c) || progress_suffices(progress, taken, least, now_ms)) {
        *progress = (struct progress){now_ms, taken};
        return true;
    }
    return !progress_is_over(progress, c->loop);
}

static void look_at_streams(struct http2_conn *c, uint64_t now_ms)
{
    for (struct list *link = c->streams.next, *next; link != &c->streams; link = next) {
        struct http2_stream *stream = container_of(link, struct http2_stream, link);
        next = link->next;
        if (stream_goes_on(stream, now_ms))
            continue;
        loop_count(stream->ex.live, COUNTER_TIMEOUTS, 1);
        http2_stream_abort(stream, NGHTTP2_CANCEL, END_SLOW_CLIENT);
    }
}

static void look_at(struct http2_conn *c)
{
    uint64_t now_ms = uv_now(&c->loop->uv);

    if (!conn_goes_on(c, now_ms)) {
        if (c->loop->live)
            loop_count(c->loop->live, COUNTER_TIMEOUTS, 1);
        http2_close(c, c->ends_for ? (enum end_reason)c->ends_for : END_SLOW_CLIENT);
        return;
    }
    look_at_streams(c, now_ms);
    arm(c, &c->loop->http2.busy, c->loop->timeout_ms[TIMEOUT_WRITE]);
    http2_run(c);
}

/* --- the others ------------------------------------------------------------------------------ */

static void end_idle(struct http2_conn *c)
{
    if (c->farewell == FAREWELL_SAID || c->ends_for) { /* it was told, and does not leave */
        http2_close(c, c->ends_for ? (enum end_reason)c->ends_for : END_IDLE);
        return;
    }
    c->ends_for = END_IDLE;
    http2_say_last(c);
    arm(c, &c->loop->http2.idle, c->loop->timeout_ms[TIMEOUT_IDLE]);
    http2_run(c);
}

static void end_linger(struct http2_conn *c)
{
    if (progress_lingers(&c->progress, c->loop, &c->transport)) {
        http2_arm_linger(c);
        return;
    }
    http2_close(c, (enum end_reason)c->ends_for);
}

static void check(struct loop *loop, struct list *all, void (*time_out)(struct http2_conn *c))
{
    while (!list_empty(all)) {
        struct http2_conn *c = container_of(all->next, struct http2_conn, link);
        if (c->deadline_ms > uv_now(&loop->uv))
            break;
        time_out(c);
    }
}

static void check_heads(struct loop *loop)
{
    struct list *all = &loop->http2.in_head;

    while (!list_empty(all)) {
        struct http2_conn *c = container_of(all->next, struct http2_conn, head_link);
        if (c->head_deadline_ms > uv_now(&loop->uv))
            break;
        list_remove(&c->head_link);
        if (loop->live)
            loop_count(loop->live, COUNTER_TIMEOUTS, 1);
        http2_give_up(c, NGHTTP2_NO_ERROR, END_SLOW_HEAD);
    }
}

static void check_leaving(struct loop *loop)
{
    struct list *all = &loop->http2.leaving;

    while (!list_empty(all)) {
        struct http2_conn *c = container_of(all->next, struct http2_conn, leave_link);
        if (c->leave_deadline_ms > uv_now(&loop->uv))
            break;
        http2_say_last(c);
        http2_run(c);
    }
}

static void check_disks(struct loop *loop)
{
    struct list *all = &loop->http2.at_disk;

    while (!list_empty(all)) {
        struct http2_stream *stream = container_of(all->next, struct http2_stream, wait);
        struct http2_conn *c = stream->conn;
        if (stream->disk_deadline_ms > uv_now(&loop->uv))
            break;
        http2_body_give_up_disk(stream);
        http2_run(c);
    }
}

void http2_check_timeouts(struct loop *loop)
{
    check_disks(loop);
    check_heads(loop);
    check_leaving(loop);
    check(loop, &loop->http2.busy, look_at);
    check(loop, &loop->http2.idle, end_idle);
    check(loop, &loop->http2.lingering, end_linger);
}

static void shorten(struct list *all, uint64_t latest)
{
    for (struct list *link = all->next; link != all; link = link->next) {
        struct http2_conn *c = container_of(link, struct http2_conn, link);
        if (c->deadline_ms > latest)
            c->deadline_ms = latest;
    }
}

void http2_apply_timeouts(struct loop *loop)
{
    uint64_t now_ms = uv_now(&loop->uv);

    shorten(&loop->http2.idle, now_ms + loop->timeout_ms[TIMEOUT_IDLE]);
    shorten(&loop->http2.busy, now_ms + loop->timeout_ms[TIMEOUT_WRITE]);
}
