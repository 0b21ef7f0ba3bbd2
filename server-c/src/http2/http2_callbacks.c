/* SPDX-License-Identifier: MIT */
/* http2_callbacks.c — what the library tells us while it reads and makes frames, and how it is set
 * up.
 *
 * It checks what RFC 9113 demands of frames, states and messages, and answers errors. We count what
 * a client costs us (http2_guard.h), and leave the connection when that is too much. */
#include "http2/http2_memory.h"
#include "http2/http2_state.h"

#define MAX_SETTINGS 32 /* in one frame */
#define MAX_ACKS 1000   /* that wait to be sent */
#define FRAME_HEAD_BYTES 9
#define CONTENT_AFTER 32768 /* half of a stream's window: content that may follow a response */

static struct http2_stream *stream_at(nghttp2_session *protocol, int32_t id)
{
    return nghttp2_session_get_stream_user_data(protocol, id);
}

/* Ends the connection when the client costs more than it may. */
static void charge(struct http2_conn *c, enum guard_cost cost)
{
    if (http2_guard_spend(&c->guard, uv_now(&c->loop->uv), cost))
        return;
    if (!c->ends_for)
        c->ends_for = END_FLOOD;
    nghttp2_session_terminate_session(c->protocol, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* --- requests -------------------------------------------------------------------------------- */

/* Of this head nothing more is reported, not even its end. */
static int reset(struct http2_conn *c, int32_t id, uint32_t code)
{
    list_remove(&c->head_link);
    nghttp2_submit_rst_stream(c->protocol, NGHTTP2_FLAG_NONE, id, code);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int on_begin_headers(nghttp2_session *protocol, const nghttp2_frame *frame, void *user)
{
    struct http2_conn *c = user;
    struct http2_stream *stream;

    http2_arm_head(c);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    if (!c->loop->live) /* nothing is served any more */
        return reset(c, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    stream = http2_stream_new(c, frame->hd.stream_id);
    if (!stream)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    nghttp2_session_set_stream_user_data(protocol, frame->hd.stream_id, stream);
    return 0;
}

/* Fields of trailers are read by nobody. */
static int on_header(nghttp2_session *protocol, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *user)
{
    struct http2_conn *c = user;
    struct http2_stream *stream = stream_at(protocol, frame->hd.stream_id);

    (void)flags;
    if (!stream || exchange_is_open(&stream->ex))
        return 0;
    switch (http2_head_add(&stream->head, name, value)) {
    case HTTP2_FIELD_OK:
        break;
    case HTTP2_FIELD_MALFORMED:
        return reset(c, frame->hd.stream_id, NGHTTP2_PROTOCOL_ERROR);
    case HTTP2_FIELD_ENDLESS:
        if (!c->ends_for)
            c->ends_for = END_FLOOD;
        nghttp2_session_terminate_session(protocol, NGHTTP2_ENHANCE_YOUR_CALM);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    case HTTP2_FIELD_NO_MEMORY:
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
}

/* The library would ignore such a field. */
static int on_invalid_header(nghttp2_session *protocol, const nghttp2_frame *frame,
                             nghttp2_rcbuf *name, nghttp2_rcbuf *value, uint8_t flags, void *user)
{
    (void)name;
    (void)value;
    (void)protocol;
    (void)flags;
    return reset(user, frame->hd.stream_id, NGHTTP2_PROTOCOL_ERROR);
}

static void take_request(struct http2_conn *c, int32_t id)
{
    struct http2_stream *stream = stream_at(c->protocol, id);

    if (stream && c->loop->live)
        http2_stream_answer(stream);
    else if (stream)
        http2_stream_abort(stream, NGHTTP2_REFUSED_STREAM, END_STOPPING);
}

/* --- frames ---------------------------------------------------------------------------------- */

/* Is it a frame on a stream that the client itself had closed (RFC 9113 section 5.1)? Of streams that
 * we closed frames may still be on their way: once there is one nobody can tell. */
static bool is_of_closed(const struct http2_conn *c, const nghttp2_frame_hd *frame)
{
    return (frame->type == NGHTTP2_HEADERS || frame->type == NGHTTP2_DATA) && !c->has_reset &&
           frame->stream_id <= nghttp2_session_get_last_proc_stream_id(c->protocol) &&
           nghttp2_session_get_stream_local_close(c->protocol, frame->stream_id) < 0;
}

/* What the library lets pass. */
static int on_begin_frame(nghttp2_session *protocol, const nghttp2_frame_hd *frame, void *user)
{
    if (frame->type == NGHTTP2_PRIORITY && frame->stream_id == 0) /* section 6.3 */
        nghttp2_session_terminate_session(protocol, NGHTTP2_PROTOCOL_ERROR);
    else if (frame->type == NGHTTP2_PRIORITY)
        charge(user, GUARD_FRAME);
    else if (frame->stream_id > 0 && is_of_closed(user, frame))
        nghttp2_session_terminate_session(protocol, NGHTTP2_STREAM_CLOSED);
    return 0;
}

static int on_frame_received(nghttp2_session *protocol, const nghttp2_frame *frame, void *user)
{
    struct http2_conn *c = user;

    (void)protocol;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        list_remove(&c->head_link);
        if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
            take_request(c, frame->hd.stream_id);
        break;
    case NGHTTP2_DATA:
        if (frame->hd.length - frame->data.padlen == 0 &&
            !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
            charge(c, GUARD_FRAME);
        break;
    case NGHTTP2_RST_STREAM:
        charge(c, GUARD_RESET);
        break;
    case NGHTTP2_PING:
        charge(c, GUARD_FRAME);
        if (frame->hd.flags & NGHTTP2_FLAG_ACK && c->farewell == FAREWELL_SOON)
            http2_say_last(c);
        break;
    default:
        charge(c, GUARD_FRAME);
        break;
    }
    return 0;
}

/* The library answers it with RST_STREAM or GOAWAY. */
static int on_invalid_frame(nghttp2_session *protocol, const nghttp2_frame *frame, int error,
                            void *user)
{
    struct http2_conn *c = user;

    (void)protocol;
    (void)error;
    if (frame->hd.type == NGHTTP2_HEADERS)
        list_remove(&c->head_link);
    return 0;
}

/* The client is asked to send no more on this stream (RFC 9113 section 8.1). */
static void stop_content(nghttp2_session *protocol, int32_t id)
{
    nghttp2_submit_rst_stream(protocol, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
}

/* Content of a request has no meaning here, and is thrown away. After limits.bodyBytes the client gets
 * no room to send more on this stream. When the response is complete, it may send what it has room for, in
 * case this is the end; it is stopped when it is not. */
static int on_content(nghttp2_session *protocol, uint8_t flags, int32_t id, const uint8_t *bytes,
                      size_t len, void *user)
{
    struct http2_conn *c = user;
    struct http2_stream *stream = stream_at(protocol, id);

    (void)flags;
    (void)bytes;
    nghttp2_session_consume_connection(protocol, len);
    if (!stream) {
        if (nghttp2_session_get_stream_effective_recv_data_length(protocol, id) > CONTENT_AFTER)
            stop_content(protocol, id);
        return 0;
    }
    stream->received += len;
    if (c->loop->live && stream->received <= c->loop->live->cfg->limits.body_bytes)
        nghttp2_session_consume_stream(protocol, id, len);
    return 0;
}

/* The response is complete: the stream is no longer the library's, whatever the client has still to
 * send. */
static void complete(struct http2_conn *c, int32_t id)
{
    struct http2_stream *stream = stream_at(c->protocol, id);

    if (!stream)
        return;
    if (c->loop->live && stream->received > c->loop->live->cfg->limits.body_bytes)
        stop_content(c->protocol, id);
    stream->is_complete = true;
    nghttp2_session_set_stream_user_data(c->protocol, id, NULL);
    http2_stream_closed(stream, NGHTTP2_NO_ERROR);
}

/* Is it a 103, and not the response's own head? */
static bool is_hint(const nghttp2_frame *frame)
{
    return frame->headers.nvlen > 0 && frame->headers.nva[0].value[0] == '1';
}

/* What the response's head took on the way is known now. A 103 is no part of the response. */
static void count_head(nghttp2_session *protocol, const nghttp2_frame *frame)
{
    struct http2_stream *stream = stream_at(protocol, frame->hd.stream_id);

    if (!stream)
        return;
    if (is_hint(frame)) {
        if (exchange_is_open(&stream->ex))
            loop_count(stream->ex.live, COUNTER_BYTES_SENT, FRAME_HEAD_BYTES + frame->hd.length);
        return;
    }
    stream->ex.head_len = FRAME_HEAD_BYTES + frame->hd.length;
    stream->sent += stream->ex.head_len;
}

/* A response's head that is too long for the library, by a site's rules. */
static int on_frame_not_sent(nghttp2_session *protocol, const nghttp2_frame *frame, int error,
                             void *user)
{
    struct http2_stream *stream = stream_at(protocol, frame->hd.stream_id);

    (void)user;
    if (frame->hd.type == NGHTTP2_HEADERS && stream && error != NGHTTP2_ERR_STREAM_CLOSING &&
        error != NGHTTP2_ERR_STREAM_CLOSED && error != NGHTTP2_ERR_SESSION_CLOSING)
        http2_stream_abort(stream, NGHTTP2_INTERNAL_ERROR, END_NO_RESOURCES);
    return 0;
}

/* The library or we have reset a stream. It costs when an error of the client's was the reason. */
static void count_reset(struct http2_conn *c, uint32_t code)
{
    c->has_reset = true;
    if (code != NGHTTP2_NO_ERROR && code != NGHTTP2_INTERNAL_ERROR && code != NGHTTP2_CANCEL)
        charge(c, GUARD_ERROR);
}

static int on_frame_sent(nghttp2_session *protocol, const nghttp2_frame *frame, void *user)
{
    struct http2_conn *c = user;

    /* The library ends the connection for an error of the client's. */
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR &&
        !c->ends_for)
        c->ends_for = END_PROTOCOL_ERROR;
    if (frame->hd.type == NGHTTP2_RST_STREAM)
        count_reset(c, frame->rst_stream.error_code);
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS)
        count_head(protocol, frame);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        complete(c, frame->hd.stream_id);
    return 0;
}

static int on_stream_close(nghttp2_session *protocol, int32_t id, uint32_t code, void *user)
{
    struct http2_stream *stream = stream_at(protocol, id);

    (void)user;
    if (!stream)
        return 0;
    nghttp2_session_set_stream_user_data(protocol, id, NULL);
    http2_stream_closed(stream, code);
    return 0;
}

/* --- set up ---------------------------------------------------------------------------------- */

static nghttp2_session_callbacks *callbacks_new(void)
{
    nghttp2_session_callbacks *callbacks;

    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return NULL;
    nghttp2_session_callbacks_set_send_callback(callbacks, http2_output_take);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, http2_body_send_frame);
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback2(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_received);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_content);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    return callbacks;
}

static nghttp2_option *options_new(void)
{
    nghttp2_option *options;

    if (nghttp2_option_new(&options) != 0)
        return NULL;
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_option_set_max_settings(options, MAX_SETTINGS);
    nghttp2_option_set_max_outbound_ack(options, MAX_ACKS);
    nghttp2_option_set_builtin_recv_extension_type(options, NGHTTP2_PRIORITY_UPDATE);
    return options;
}

/* With SETTINGS_NO_RFC7540_PRIORITIES the library orders streams by RFC 9218. */
static bool submit_settings(nghttp2_session *protocol, const struct config *cfg)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, cfg->limits.http2_streams},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, cfg->limits.head_bytes},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };

    return nghttp2_submit_settings(protocol, NGHTTP2_FLAG_NONE, settings, ARRAY_LEN(settings)) == 0;
}

nghttp2_session *http2_protocol_new(struct http2_conn *c)
{
    nghttp2_session_callbacks *callbacks = callbacks_new();
    nghttp2_option *options = options_new();
    nghttp2_mem memory = http2_memory_of(c->loop->http2.memory);
    nghttp2_session *protocol = NULL;

    if (callbacks && options &&
        nghttp2_session_server_new3(&protocol, callbacks, c, options, &memory) == 0 &&
        !submit_settings(protocol, c->loop->live->cfg)) {
        nghttp2_session_del(protocol);
        protocol = NULL;
    }
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    return protocol;
}
