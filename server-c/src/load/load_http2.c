/* SPDX-License-Identifier: MIT */
/* load_http2.c — see the header.
 *
 * state      | entered when                     | left when
 * CLOSED     | begun, lost, or over             | a client has a request → CONNECTING
 * CONNECTING | being connected                  | connected → SHAKING or OPEN
 * SHAKING    | connected, and it has TLS        | h2 agreed on → OPEN
 * OPEN       | requests may be sent             | the server goes away, and all answers came; a fault → CLOSED
 *
 * libnghttp2 must not be called for bytes within its callbacks: what ends or begins there only marks
 * the connection, which is written at the end of the turn. */
#include "load/load_http2.h"

#include "base/mem.h"

#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <strings.h>
#include <sys/epoll.h>

#define ENDS (EPOLLRDHUP | EPOLLHUP | EPOLLERR)
#define WINDOW (1 << 30) /* a client's own window never holds the server up */
#define OUT_BYTES 16384  /* are written together */
#define FIELDS_MAX 64

enum session_state { SESSION_CLOSED, SESSION_CONNECTING, SESSION_SHAKING, SESSION_OPEN };

struct load_session {
    struct load_watch watch;
    struct load_run *run;
    struct load_link io;
    enum session_state state;
    nghttp2_session *protocol;  /* when OPEN */
    struct list waiting;        /* clients whose request is not submitted yet */
    struct list asked;          /* clients with a stream */
    struct list marked;         /* in run->marked: there is something to write */
    struct load_client *opener; /* whose request this connection was opened for; NULL */
    struct buf out;
    uint64_t opened_ns, connected_ns;
    bool is_leaving; /* the server takes no more requests on it */
};

static struct load_client *client_in(struct list *link)
{
    return container_of(link, struct load_client, in_session);
}

static void mark(struct load_session *s)
{
    list_remove(&s->marked);
    list_append(&s->run->marked, &s->marked);
}

static void close_session(struct load_session *s)
{
    nghttp2_session_del(s->protocol);
    s->protocol = NULL;
    load_link_close(&s->io);
    buf_clear(&s->out);
    s->state = SESSION_CLOSED;
    s->opener = NULL;
    s->is_leaving = false;
    list_remove(&s->marked);
}

static void open_session(struct load_session *s, struct load_client *c);

/* The connection is gone, and with it what its clients asked for. Who was not asked for before the server said that it
 * goes away has lost nothing: the next connection is theirs. */
static void lose(struct load_session *s, enum load_fault fault)
{
    bool was_leaving = s->is_leaving;
    struct list gone;

    close_session(s);
    list_init(&gone);
    list_move_all(&gone, &s->asked);
    if (!was_leaving)
        list_move_all(&gone, &s->waiting);
    while (!list_empty(&gone))
        load_client_fail(s->run, client_in(gone.next), fault);
    if (s->state == SESSION_CLOSED && !list_empty(&s->waiting))
        open_session(s, client_in(s->waiting.next));
}

/* --- what libnghttp2 tells ------------------------------------------------------------------- */

static struct load_client *client_of(nghttp2_session *protocol, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(protocol, stream);
}

static int on_begin_headers(nghttp2_session *protocol, const nghttp2_frame *frame, void *user)
{
    struct load_client *c = client_of(protocol, frame->hd.stream_id);

    (void)user;
    if (c && !c->first_ns)
        c->first_ns = monotonic_ns();
    return 0;
}

static int on_header(nghttp2_session *protocol, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *user)
{
    struct load_client *c = client_of(protocol, frame->hd.stream_id);

    (void)flags;
    (void)user;
    /* The library has checked that it is three digits. */
    if (c && name_len == 7 && memcmp(name, ":status", 7) == 0 && value_len == 3)
        c->reader.status = (value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0');
    return 0;
}

static int on_data(nghttp2_session *protocol, uint8_t flags, int32_t stream, const uint8_t *bytes,
                   size_t len, void *user)
{
    struct load_client *c = client_of(protocol, stream);

    (void)flags;
    (void)user;
    if (c) {
        c->reader.body_bytes += len;
        load_client_take_body(c, (struct span){(const char *)bytes, len});
    }
    return 0;
}

static int on_frame_sent(nghttp2_session *protocol, const nghttp2_frame *frame, void *user)
{
    struct load_client *c = client_of(protocol, frame->hd.stream_id);

    (void)user;
    if (c && frame->hd.type == NGHTTP2_HEADERS) {
        c->sent_ns = monotonic_ns();
        c->record.is_sent = true;
    }
    return 0;
}

static int on_frame(nghttp2_session *protocol, const nghttp2_frame *frame, void *user)
{
    struct load_session *s = user;

    (void)protocol;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        s->is_leaving = true;
    return 0;
}

static int on_stream_close(nghttp2_session *protocol, int32_t stream, uint32_t code, void *user)
{
    struct load_session *s = user;
    struct load_client *c = client_of(protocol, stream);

    if (!c)
        return 0;
    c->stream = 0;
    if (code == NGHTTP2_NO_ERROR && c->reader.status >= 200) {
        list_remove(&c->in_session);
        load_client_finish(s->run, c, true);
    } else if (code == NGHTTP2_REFUSED_STREAM && !c->is_second_time) {
        /* It was not begun with (RFC 9113 section 8.7). */
        c->is_second_time = true;
        s->run->result.sent_again++;
        list_remove(&c->in_session);
        list_append(&s->waiting, &c->in_session);
    } else if (code == NGHTTP2_PROTOCOL_ERROR) {
        if (!s->run->result.bad_answer)
            s->run->result.bad_answer = "its fields, or not as many bytes as its length";
        load_client_fail(s->run, c, FAULT_BAD_ANSWER);
    } else {
        load_client_fail(s->run, c, FAULT_RESET);
    }
    mark(s);
    return 0;
}

static void begin_protocol(struct load_session *s)
{
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
                                               {NGHTTP2_SETTINGS_ENABLE_PUSH, 0}};
    nghttp2_session_callbacks *callbacks;

    CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    CHECK(nghttp2_session_client_new(&s->protocol, callbacks, s) == 0);
    nghttp2_session_callbacks_del(callbacks);
    CHECK(nghttp2_submit_settings(s->protocol, NGHTTP2_FLAG_NONE, settings, 2) == 0);
    CHECK(nghttp2_session_set_local_window_size(s->protocol, NGHTTP2_FLAG_NONE, 0, WINDOW) == 0);
    s->state = SESSION_OPEN;
    mark(s);
}

/* --- requests -------------------------------------------------------------------------------- */

static nghttp2_nv field(const char *name, const char *value, size_t value_len)
{
    /* The plan outlives every stream, so nothing is copied. */
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
                        value_len, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

/* Those that all requests have. Names are made small by the library, in its copy. */
static size_t add_fields(nghttp2_nv *fields, size_t count, const char *text)
{
    while (*text && count < FIELDS_MAX) {
        const char *end = strstr(text, "\r\n"), *colon = strchr(text, ':');
        if (!end || !colon || colon > end)
            break;
        for (const char *value = colon + 1;; value++) {
            if (*value == ' ')
                continue;
            fields[count++] = (nghttp2_nv){(uint8_t *)(uintptr_t)text, (uint8_t *)(uintptr_t)value,
                                           (size_t)(colon - text), (size_t)(end - value), 0};
            break;
        }
        text = end + 2;
    }
    return count;
}

static void submit(struct load_session *s, struct load_client *c)
{
    const struct load_url *url = c->record.url;
    const char *scheme = s->run->plan->targets[url->target].tls ? "https" : "http";
    nghttp2_nv fields[FIELDS_MAX] = {
        field(":method", url->is_head ? "HEAD" : "GET", url->is_head ? 4 : 3),
        field(":scheme", scheme, strlen(scheme)),
        field(":authority", url->host.ptr, url->host.len),
        field(":path", url->path.ptr, url->path.len),
        field("user-agent", LOAD_USER_AGENT, sizeof(LOAD_USER_AGENT) - 1),
    };
    size_t count = add_fields(fields, 5, s->run->plan->fields);

    list_remove(&c->in_session);
    list_append(&s->asked, &c->in_session);
    c->state = CLIENT_READING;
    c->stream = nghttp2_submit_request(s->protocol, NULL, fields, count, NULL, c);
    if (c->stream < 0) { /* no numbers are left */
        s->is_leaving = true;
        c->stream = 0;
        list_remove(&c->in_session);
        list_append(&s->waiting, &c->in_session);
    }
}

/* Everything that is to be said, as far as the socket takes it. */
static void write_out(struct load_session *s)
{
    for (;;) {
        ssize_t n = 1;
        const uint8_t *piece;
        while (s->out.len < OUT_BYTES && (n = nghttp2_session_mem_send(s->protocol, &piece)) > 0)
            buf_append(&s->out, piece, (size_t)n);
        if (n < 0) {
            lose(s, FAULT_BAD_ANSWER);
            return;
        }
        if (s->out.len == 0)
            return;
        n = load_link_write(&s->io, s->out.data, s->out.len);
        if (n == LINK_AGAIN)
            return;
        if (n <= 0) {
            lose(s, FAULT_RESET);
            return;
        }
        buf_consume(&s->out, (size_t)n);
    }
}

static void flush(struct load_session *s)
{
    if (s->state != SESSION_OPEN)
        return;
    while (!s->is_leaving && !list_empty(&s->waiting))
        submit(s, client_in(s->waiting.next));
    write_out(s);
    if (s->state != SESSION_OPEN || !list_empty(&s->asked) ||
        (!s->is_leaving && nghttp2_session_want_read(s->protocol)))
        return;
    close_session(s);
    if (!list_empty(&s->waiting))
        open_session(s, client_in(s->waiting.next));
}

void load_http2_flush(struct load_run *run)
{
    while (!list_empty(&run->marked)) {
        struct load_session *s = container_of(run->marked.next, struct load_session, marked);
        list_remove(&s->marked);
        flush(s);
    }
}

/* --- the connection -------------------------------------------------------------------------- */

static void open_session(struct load_session *s, struct load_client *c)
{
    enum load_fault fault;

    s->opened_ns = monotonic_ns();
    s->opener = c;
    s->state = SESSION_CONNECTING;
    fault = load_link_open(&s->io, &s->run->plan->targets[0], 0);
    if (fault == FAULT_NONE && !load_run_watch(s->run, s->io.fd, &s->watch))
        fault = FAULT_CONNECT;
    if (fault != FAULT_NONE)
        lose(s, fault);
}

static void shake(struct load_session *s)
{
    char *why = s->run->result.handshake_fault;
    char unused[sizeof(s->run->result.handshake_fault)];
    const unsigned char *agreed;
    unsigned int len;
    int done = load_link_shake(&s->io, *why ? unused : why, sizeof(unused));

    if (done == LINK_AGAIN)
        return;
    if (done == 1) {
        SSL_get0_alpn_selected(s->io.ssl, &agreed, &len);
        if (len == 2 && memcmp(agreed, "h2", 2) == 0) {
            if (s->opener)
                s->opener->record.stages_ns[LOAD_HANDSHAKE] = monotonic_ns() - s->connected_ns;
            begin_protocol(s);
            return;
        }
        snprintf(*why ? unused : why, sizeof(unused), "the server does not agree on HTTP/2");
    }
    lose(s, FAULT_HANDSHAKE);
}

static void on_connected(struct load_session *s)
{
    static const unsigned char h2[] = "\x02h2";
    enum load_fault fault = load_link_connected(&s->io);

    if (fault != FAULT_NONE) {
        lose(s, fault);
        return;
    }
    s->run->result.connections++;
    s->connected_ns = monotonic_ns();
    if (s->opener) {
        s->opener->record.has_new_connection = true;
        s->opener->record.stages_ns[LOAD_CONNECT] = s->connected_ns - s->opened_ns;
    }
    if (!s->run->plan->targets[0].tls) {
        begin_protocol(s);
        return;
    }
    load_link_begin_tls(&s->io, s->run->tls, &s->run->plan->targets[0]);
    CHECK(SSL_set_alpn_protos(s->io.ssl, h2, sizeof(h2) - 1) == 0);
    s->state = SESSION_SHAKING;
    shake(s);
}

static void read_all(struct load_session *s)
{
    for (int reads = 0; reads < LOAD_READS_MAX; reads++) {
        ssize_t n = load_link_read(&s->io, s->run->input, sizeof(s->run->input));
        if (n == LINK_AGAIN)
            return;
        if (n <= 0) {
            lose(s, n == LINK_ENDED ? FAULT_ENDED_EARLY : FAULT_RESET);
            return;
        }
        s->run->result.wire_bytes += (uint64_t)n;
        if (nghttp2_session_mem_recv(s->protocol, (const uint8_t *)s->run->input, (size_t)n) < 0) {
            if (!s->run->result.bad_answer)
                s->run->result.bad_answer = "what came is no HTTP/2";
            lose(s, FAULT_BAD_ANSWER);
            return;
        }
    }
    load_run_look_again(s->run, s->io.fd, &s->watch);
}

static void on_ready(struct load_run *run, struct load_watch *watch, uint32_t events)
{
    struct load_session *s = container_of(watch, struct load_session, watch);

    (void)run;
    if (s->state == SESSION_CONNECTING && (events & (EPOLLOUT | ENDS)))
        on_connected(s);
    else if (s->state == SESSION_SHAKING)
        shake(s);
    if (s->state != SESSION_OPEN)
        return;
    mark(s);
    if (events & (EPOLLIN | ENDS))
        read_all(s);
}

/* --- for clients ----------------------------------------------------------------------------- */

void load_http2_init(struct load_run *run)
{
    uint64_t streams = run->plan->streams;

    list_init(&run->marked);
    run->session_count = streams ? (run->plan->clients + streams - 1) / streams : 0;
    run->sessions = xcalloc(run->session_count, sizeof(*run->sessions));
    for (uint64_t i = 0; i < run->session_count; i++) {
        struct load_session *s = &run->sessions[i];
        *s = (struct load_session){
            .watch = {on_ready}, .run = run, .io = {.fd = -1}, .state = SESSION_CLOSED};
        list_init(&s->waiting);
        list_init(&s->asked);
        list_init(&s->marked);
        buf_init(&s->out);
    }
    for (uint64_t i = 0; streams && i < run->plan->clients; i++)
        run->clients[i].session = &run->sessions[i / streams];
}

void load_http2_fini(struct load_run *run)
{
    for (uint64_t i = 0; i < run->session_count; i++) {
        close_session(&run->sessions[i]);
        buf_fini(&run->sessions[i].out);
    }
    free(run->sessions);
}

void load_http2_begin(struct load_run *run, struct load_client *c)
{
    struct load_session *s = c->session;

    (void)run;
    c->state = CLIENT_CONNECTING;
    list_append(&s->waiting, &c->in_session);
    if (s->state == SESSION_CLOSED)
        open_session(s, c);
    else if (s->state == SESSION_OPEN)
        mark(s);
}

void load_http2_drop(struct load_run *run, struct load_client *c)
{
    struct load_session *s = c->session;
    int32_t stream = c->stream;

    (void)run;
    c->stream = 0; /* also of a lost connection: on the next one the number is another client's */
    list_remove(&c->in_session);
    if (s->opener == c)
        s->opener = NULL;
    if (!s->protocol || stream == 0)
        return;
    (void)nghttp2_session_set_stream_user_data(s->protocol, stream, NULL);
    (void)nghttp2_submit_rst_stream(s->protocol, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
    mark(s);
}
