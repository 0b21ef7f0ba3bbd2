/* SPDX-License-Identifier: MIT */
/* http2_stream.c — a stream as the carrier of an exchange, and how it ends. */
#include "http2/http2.h"
#include "http2/http2_memory.h"
#include "http2/http2_state.h"

#include "response/response.h"

#include <stdlib.h>

/* --- the carrier ----------------------------------------------------------------------------- */

static struct http2_stream *stream_of(struct carrier *carrier)
{
    return container_of(carrier, struct http2_stream, carrier);
}

/* The status is a field of its own, and nothing is said of the connection (RFC 9113 section
 * 8.2.2). */
static void start_head(struct carrier *carrier, enum http_status status, struct response_head *head)
{
    (void)status;
    response_append(head, "Date: ", 6);
    response_append(head, loop_date(carrier->loop), HTTP_DATE_LEN);
    response_append(head, "\r\n", 2);
}

static bool takes_ready_head(const struct carrier *carrier)
{
    (void)carrier;
    return false;
}

static void send_answer(struct carrier *carrier, const char *head, size_t head_len)
{
    struct http2_stream *stream = stream_of(carrier);

    list_remove(&stream->wait);
    stream->is_waiting = false;
    http2_body_begin(stream, head, head_len);
}

static bool hint(struct carrier *carrier, const char *lines, size_t len)
{
    struct http2_stream *stream = stream_of(carrier);
    const struct http2_conn *c = stream->conn;

    return !c->left && !c->is_blocked && http2_head_hint(stream, lines, len);
}

static void wait_for_lane(struct carrier *carrier)
{
    http2_arm_disk(stream_of(carrier));
}

static void resume(struct carrier *carrier)
{
    http2_run_later(stream_of(carrier)->conn);
}

static void fail(struct carrier *carrier)
{
    http2_stream_abort(stream_of(carrier), NGHTTP2_INTERNAL_ERROR, END_NO_RESOURCES);
}

static const struct carrier_kind stream_carrier = {
    .start_head = start_head,
    .takes_ready_head = takes_ready_head,
    .send = send_answer,
    .hint = hint,
    .wait = wait_for_lane,
    .resume = resume,
    .fail = fail,
};

/* --- begin ----------------------------------------------------------------------------------- */

static struct http2_stream *take_spare(struct loop *loop)
{
    struct http2_stream *stream = loop->http2.spare_streams;

    if (!stream)
        return NULL;
    loop->http2.spare_streams = stream->next_spare;
    loop->http2.spare_count--;
    return stream;
}

static struct http2_stream *allocate(void)
{
    struct http2_stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    exchange_init(&stream->ex);
    stream->ex.body.on_ready = http2_body_on_ready;
    list_init(&stream->link);
    list_init(&stream->wait);
    return stream;
}

struct http2_stream *http2_stream_new(struct http2_conn *c, int32_t id)
{
    struct http2_stream *stream = take_spare(c->loop);

    if (!stream)
        stream = allocate();
    if (!stream)
        return NULL;
    stream->carrier = (struct carrier){.kind = &stream_carrier,
                                       .loop = c->loop,
                                       .peer = &c->peer.any,
                                       .tls = c->tls,
                                       .is_secure = c->is_secure};
    stream->conn = c;
    stream->id = id;
    stream->received = stream->sent = stream->held_ns = 0;
    stream->has_begun = stream->is_complete = stream->is_limited = stream->is_waiting = false;
    stream->ends_for = END_NONE;
    stream->progress = (struct progress){0, 0};
    http2_head_init(&stream->head, c->loop->live->cfg->limits.head_bytes);
    list_append(&c->streams, &stream->link);
    c->stream_count++;
    return stream;
}

void http2_stream_answer(struct http2_stream *stream)
{
    struct http2_conn *c = stream->conn;
    struct exchange *ex = &stream->ex;
    enum parse parsed;

    if (!http2_head_parse(&stream->head, &ex->req, c->loop->live->cfg->limits.target_bytes,
                          &parsed)) {
        http2_stream_abort(stream, NGHTTP2_INTERNAL_ERROR, END_NO_RESOURCES);
        return;
    }
    exchange_begin(ex, &stream->carrier, stream->head.bytes);
    loop_count(ex->live, COUNTER_HTTP2_REQUESTS, 1);
    if (parsed == PARSE_BAD)
        exchange_answer_broken(ex);
    else
        exchange_answer(ex);
    if (++c->served >= c->loop->live->cfg->limits.keep_alive_requests)
        http2_leave(c, END_REQUEST_LIMIT);
}

/* --- end ------------------------------------------------------------------------------------- */

/* The exchange holds nothing any more, and no callback will come. */
static void end_exchange(struct http2_stream *stream)
{
    http2_body_unthrottle(stream);
    if (!exchange_is_open(&stream->ex))
        return;
    if (stream->has_begun)
        http2_waits_end(stream);
    if (stream->is_complete)
        exchange_record_end(&stream->ex, stream->sent);
    else
        exchange_record_abort(&stream->ex, stream->sent,
                              stream->ends_for ? (enum end_reason)stream->ends_for
                                               : END_CLIENT_GONE);
    exchange_end(&stream->ex);
}

void http2_stream_free(struct http2_stream *stream)
{
    struct http2_conn *c = stream->conn;
    struct loop *loop = c->loop;

    end_exchange(stream);
    http2_head_forget(stream);
    http2_head_reset(&stream->head);
    list_remove(&stream->link);
    c->stream_count--;
    stream->next_spare = loop->http2.spare_streams;
    loop->http2.spare_streams = stream;
    loop->http2.spare_count++;
}

void http2_stream_closed(struct http2_stream *stream, uint32_t code)
{
    struct http2_conn *c = stream->conn;

    if (code != NGHTTP2_NO_ERROR && !stream->is_complete && !stream->ends_for)
        stream->ends_for = END_CLIENT_GONE;
    if (!http2_output_is_empty(c) || (stream->is_complete && c->left)) {
        list_remove(&stream->link);
        list_append(&c->over, &stream->link);
        http2_body_unthrottle(stream);
        return;
    }
    http2_stream_free(stream);
}

void http2_stream_abort(struct http2_stream *stream, uint32_t code, enum end_reason reason)
{
    if (!stream->ends_for)
        stream->ends_for = (uint8_t)reason;
    end_exchange(stream);
    nghttp2_submit_rst_stream(stream->conn->protocol, NGHTTP2_FLAG_NONE, stream->id, code);
}

void http2_trim_spares(struct loop *loop, size_t keep)
{
    struct http2_stream *stream;

    while (loop->http2.spare_count > keep && (stream = take_spare(loop)) != NULL) {
        http2_head_free(stream);
        http2_head_fini(&stream->head);
        free(stream);
    }
    if (!loop->http2.memory)
        return;
    http2_memory_trim(loop->http2.memory);
    if (keep > 0)
        return;
    http2_memory_free(loop->http2.memory);
    loop->http2.memory = NULL;
}
