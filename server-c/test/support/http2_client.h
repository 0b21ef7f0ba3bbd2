/* SPDX-License-Identifier: MIT */
/* A client of HTTP/2 without a socket, on libnghttp2's other side: what it says is made at once, and
 * what it hears is read at the end. */
#ifndef FARMSTEAD_HTTP2_CLIENT_H
#define FARMSTEAD_HTTP2_CLIENT_H

#include "base/buf.h"
#include "check.h"

#include <nghttp2/nghttp2.h>
#include <string.h>

#define CLIENT_STREAMS_MAX 300 /* ids 1, 3, … */

struct http2_heard {
    struct buf head, body; /* "name: value\n" for each field */
    bool is_closed;
    uint32_t code; /* of its end */
};

struct http2_client {
    nghttp2_session *session;
    struct buf says;
    struct http2_heard streams[CLIENT_STREAMS_MAX];
    int order[CLIENT_STREAMS_MAX]; /* streams by their end */
    int ended;
    int goaways;
    uint32_t goaway_code;
    int32_t goaway_last;
    int pings; /* that the server acknowledged */
};

static struct http2_heard *heard_on(struct http2_client *client, int32_t id)
{
    CHECK(id > 0 && id / 2 < CLIENT_STREAMS_MAX);
    return &client->streams[id / 2];
}

static int client_on_header(nghttp2_session *session, const nghttp2_frame *frame,
                            const uint8_t *name, size_t name_len, const uint8_t *value,
                            size_t value_len, uint8_t flags, void *user)
{
    struct buf *head = &heard_on(user, frame->hd.stream_id)->head;

    (void)session;
    (void)flags;
    buf_append(head, (const char *)name, name_len);
    buf_append(head, ": ", 2);
    buf_append(head, (const char *)value, value_len);
    buf_append(head, "\n", 1);
    return 0;
}

static int client_on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                          size_t len, void *user)
{
    (void)session;
    (void)flags;
    buf_append(&heard_on(user, id)->body, (const char *)bytes, len);
    return 0;
}

static int client_on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2_client *client = user;

    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        client->goaways++;
        client->goaway_code = frame->goaway.error_code;
        client->goaway_last = frame->goaway.last_stream_id;
    }
    if (frame->hd.type == NGHTTP2_PING && frame->hd.flags & NGHTTP2_FLAG_ACK)
        client->pings++;
    return 0;
}

static int client_on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    struct http2_client *client = user;
    struct http2_heard *heard = heard_on(client, id);

    (void)session;
    heard->is_closed = true;
    heard->code = code;
    client->order[client->ended++] = id;
    return 0;
}

/* Its windows are wide open. */
static void client_open(struct http2_client *client)
{
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 30},
                                               {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
    nghttp2_session_callbacks *callbacks;

    memset(client, 0, sizeof(*client));
    buf_init(&client->says);
    for (int i = 0; i < CLIENT_STREAMS_MAX; i++) {
        buf_init(&client->streams[i].head);
        buf_init(&client->streams[i].body);
    }
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, client_on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, client_on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, client_on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, client_on_close);
    nghttp2_session_client_new(&client->session, callbacks, client);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, settings, 3);
    nghttp2_session_set_local_window_size(client->session, NGHTTP2_FLAG_NONE, 0, 1 << 30);
}

/* `fields`: "name: value\n" and so on; the pseudo-header fields of a GET of `path` precede them. */
static inline int32_t client_ask(struct http2_client *client, const char *method, const char *path,
                                 const char *fields, const nghttp2_data_provider *content)
{
    static char copy[65536];
    nghttp2_nv all[64] = {0};
    size_t count = 4;
    const char *const usual[4][2] = {
        {":method", method}, {":scheme", "http"}, {":authority", "a.test"}, {":path", path}};

    for (size_t i = 0; i < 4; i++)
        all[i] = (nghttp2_nv){(uint8_t *)(uintptr_t)usual[i][0], (uint8_t *)(uintptr_t)usual[i][1],
                              strlen(usual[i][0]), strlen(usual[i][1]), 0};
    snprintf(copy, sizeof(copy), "%s", fields);
    for (char *line = copy; *line; line = strchr(line, '\n') + 1) {
        char *colon = strchr(line + 1, ':');
        all[count++] = (nghttp2_nv){(uint8_t *)line, (uint8_t *)colon + 2, (size_t)(colon - line),
                                    (size_t)(strchr(line, '\n') - colon - 2), 0};
    }
    return nghttp2_submit_request(client->session, NULL, all, count, content, NULL);
}

static inline int32_t client_get(struct http2_client *client, const char *path)
{
    return client_ask(client, "GET", path, "", NULL);
}

/* Makes frames of all that was asked so far, behind what was said before. */
static inline void client_say(struct http2_client *client)
{
    const uint8_t *bytes;
    ssize_t n;

    while ((n = nghttp2_session_mem_send(client->session, &bytes)) > 0)
        buf_append(&client->says, (const char *)bytes, (size_t)n);
}

/* False: the server broke a rule. */
static inline bool client_hear(struct http2_client *client, const char *bytes, size_t len)
{
    return nghttp2_session_mem_recv(client->session, (const uint8_t *)bytes, len) == (ssize_t)len;
}

static inline void client_close(struct http2_client *client)
{
    nghttp2_session_del(client->session);
    for (int i = 0; i < CLIENT_STREAMS_MAX; i++) {
        buf_fini(&client->streams[i].head);
        buf_fini(&client->streams[i].body);
    }
    buf_fini(&client->says);
}

#endif
