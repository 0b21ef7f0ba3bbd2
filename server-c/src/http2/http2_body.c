/* SPDX-License-Identifier: MIT */
/* http2_body.c — a response's way into frames: its head when the first bytes of the body are there,
 * then DATA frames, each made when the library asks for it.
 *
 * The library asks when the client's windows have room and when it is the stream's turn (RFC 9218).
 * A body that has nothing to show now is put off until it has. Bytes of files in memory are not
 * copied: the batch refers to them. */
#include "http2/http2_state.h"

#include "http2/http2.h"

#define FRAME_HEAD_BYTES 9

/* --- waiting --------------------------------------------------------------------------------- */

static void stop_waiting(struct http2_stream *stream)
{
    list_remove(&stream->wait);
    stream->is_waiting = false;
}

static void throttle(struct http2_stream *stream)
{
    list_remove(&stream->wait);
    list_append(&stream->conn->loop->http2.throttled, &stream->wait);
    stream->is_waiting = true;
    if (stream->is_limited)
        pace_wait(&stream->pace);
}

void http2_body_unthrottle(struct http2_stream *stream)
{
    if (stream->is_limited)
        pace_stop_waiting(&stream->pace);
    stop_waiting(stream);
}

/* --- what a body can't do -------------------------------------------------------------------- */

/* Nothing was sent yet: another response takes its place. */
static void answer_instead(struct http2_stream *stream, enum http_status status)
{
    body_end(&stream->ex.body, stream->conn->loop);
    stream->has_text = false;
    exchange_answer_status(&stream->ex, status);
}

/* The body failed: the file changed, or there is no memory. */
static void give_up(struct http2_stream *stream)
{
    const struct file_entry *entry = stream->ex.body.entry;

    if (entry && !stream->has_begun)
        answer_instead(stream, exchange_why_unreadable(entry));
    else
        http2_stream_abort(stream, NGHTTP2_INTERNAL_ERROR, entry ? END_FILE : END_NO_RESOURCES);
}

void http2_body_give_up_disk(struct http2_stream *stream)
{
    stop_waiting(stream);
    loop_count(stream->ex.live, COUNTER_TIMEOUTS, 1);
    if (stream->has_begun) {
        http2_stream_abort(stream, NGHTTP2_INTERNAL_ERROR, END_DISK);
    } else if (stream->has_text) {
        answer_instead(stream, HTTP_UNAVAILABLE);
    } else {
        exchange_stop_waiting(&stream->ex);
        exchange_answer_status(&stream->ex, HTTP_UNAVAILABLE);
    }
}

/* --- DATA frames ----------------------------------------------------------------------------- */

/* True if the slice's bytes stay where they are as long as the stream holds the file. */
static bool stays(const struct body *body)
{
    return body->from_memory && !body->text.bytes && !body->chunk.bytes;
}

static size_t length_of(const struct body_slice *slice)
{
    size_t len = 0;

    for (int i = 0; i < slice->count; i++)
        len += slice->bytes[i].iov_len;
    return len;
}

static ssize_t show(struct http2_stream *stream, size_t most, uint32_t *flags)
{
    const struct body_want want = {.most = most, .in_memory = true};
    struct body_slice *shown = &stream->conn->shown;
    size_t len, n;

    switch (body_next(&stream->ex.body, stream->conn->loop, &want, shown)) {
    case BODY_BYTES:
        break;
    case BODY_WAITING:
        http2_arm_disk(stream);
        return NGHTTP2_ERR_DEFERRED;
    case BODY_UNSURE:
        throttle(stream);
        return NGHTTP2_ERR_DEFERRED;
    case BODY_REFUSED: /* only before the head is sent */
    case BODY_FAILED:
        stream->ends_for = stream->ex.body.entry ? END_FILE : END_NO_RESOURCES;
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    len = length_of(shown);
    n = (size_t)smaller_of(len, most);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (shown->is_last && n == len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    else if (n == most)
        http2_waits_use_window(stream, n);
    return (ssize_t)n;
}

static ssize_t make_frame(nghttp2_session *protocol, int32_t id, uint8_t *unused, size_t most,
                          uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct http2_stream *stream = source->ptr;

    (void)protocol;
    (void)id;
    (void)unused;
    if (!exchange_is_open(&stream->ex)) /* it was aborted, and its reset is on the way */
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (!http2_output_has_room(user, FRAME_HEAD_BYTES + most))
        return NGHTTP2_ERR_PAUSE;
    if (stream->held_ns || stream->conn->held_ns)
        http2_waits_reopen(stream);
    if (!stream->is_limited)
        return show(stream, most, flags);
    stream->quota = pace_draw(&stream->pace, monotonic_ns());
    if (stream->quota > 0) {
        ssize_t n = show(stream, (size_t)smaller_of(most, stream->quota), flags);
        pace_settle(&stream->pace, stream->quota - (uint64_t)(n > 0 ? n : 0));
        return n;
    }
    throttle(stream);
    return NGHTTP2_ERR_DEFERRED;
}

int http2_body_send_frame(nghttp2_session *protocol, nghttp2_frame *frame, const uint8_t *head,
                          size_t len, nghttp2_data_source *source, void *user)
{
    struct http2_stream *stream = source->ptr;
    struct http2_conn *c = user;
    const struct body_slice *shown = &c->shown;
    bool refers = stays(&stream->ex.body);
    size_t left = len;

    (void)protocol;
    (void)frame;
    http2_output_copy(c, head, FRAME_HEAD_BYTES);
    for (int i = 0; i < shown->count && left > 0; i++) {
        size_t n = (size_t)smaller_of(shown->bytes[i].iov_len, left);
        if (refers)
            http2_output_refer(c, shown->bytes[i].iov_base, n);
        else
            http2_output_copy(c, shown->bytes[i].iov_base, n);
        left -= n;
    }
    body_took(&stream->ex.body, len);
    stream->sent += len;
    http2_guard_earn(&c->guard, (uint32_t)len);
    return 0;
}

/* --- the beginning --------------------------------------------------------------------------- */

static void begin_pace(struct http2_stream *stream)
{
    const struct site *site = stream->ex.site;
    struct rate_limit *of_connection = &stream->conn->rate;

    stream->is_limited = site && (site->rate || site->cfg->connection_bytes_per_second > 0);
    if (!stream->is_limited)
        return;
    rate_limit_set(of_connection, site->cfg->connection_bytes_per_second);
    pace_begin(&stream->pace, site->rate, of_connection, monotonic_ns());
}

static void submit(struct http2_stream *stream)
{
    const nghttp2_data_provider body = {.source.ptr = stream, .read_callback = make_frame};
    bool is_empty = body_is_spent(&stream->ex.body);

    http2_waits_begin(stream);
    stream->ex.clock.first_ns = stage_now();
    stream->has_begun = true;
    begin_pace(stream);
    if (!http2_head_submit(stream, is_empty ? NULL : &body))
        http2_stream_abort(stream, NGHTTP2_INTERNAL_ERROR, END_NO_RESOURCES);
}

/* Are bytes of the body at hand? While none were, the client may still get another response. Asks
 * for a single byte, since nobody says yet how many may be sent. */
static enum body_step first_step(struct http2_stream *stream)
{
    const struct body_want want = {.most = 1, .in_memory = true};
    struct body *body = &stream->ex.body;
    struct body_slice slice;

    if (body->from_memory || !body->entry)
        return BODY_BYTES;
    return body_next(body, stream->conn->loop, &want, &slice);
}

static void try_to_begin(struct http2_stream *stream)
{
    switch (first_step(stream)) {
    case BODY_BYTES:
        body_took(&stream->ex.body, 0);
        submit(stream);
        break;
    case BODY_WAITING:
        http2_arm_disk(stream);
        break;
    case BODY_UNSURE:
        throttle(stream);
        break;
    case BODY_REFUSED:
        loop_count(stream->ex.live, COUNTER_LANE_REJECTED, 1);
        answer_instead(stream, HTTP_UNAVAILABLE);
        break;
    case BODY_FAILED:
        give_up(stream);
        break;
    }
}

void http2_body_begin(struct http2_stream *stream, const char *head, size_t head_len)
{
    if (http2_head_keep(stream, head, head_len))
        try_to_begin(stream);
    else
        http2_stream_abort(stream, NGHTTP2_INTERNAL_ERROR, END_NO_RESOURCES);
}

/* --- going on -------------------------------------------------------------------------------- */

static void go_on(struct http2_stream *stream)
{
    if (!stream->has_begun)
        try_to_begin(stream);
    else
        nghttp2_session_resume_data(stream->conn->protocol, stream->id);
}

void http2_body_on_ready(struct body *body)
{
    struct http2_stream *stream = container_of(body, struct http2_stream, ex.body);
    struct http2_conn *c = stream->conn;

    stop_waiting(stream);
    go_on(stream);
    http2_run_later(c);
}

/* Each that may send a byte goes on; those that may not are first in the next tick. */
void http2_retry_throttled(struct loop *loop)
{
    struct list waiting;

    list_init(&waiting);
    list_move_all(&waiting, &loop->http2.throttled);
    while (!list_empty(&waiting)) {
        struct http2_stream *stream = container_of(waiting.next, struct http2_stream, wait);
        struct http2_conn *c = stream->conn;
        http2_body_unthrottle(stream);
        go_on(stream);
        http2_run(c);
    }
}
