/* SPDX-License-Identifier: MIT */
/* conn_end.c — how requests and connections end: counted, logged, given back. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "net/peer_table.h"

#include <sys/socket.h>
#include <unistd.h>

#define LINGER_BYTES_MAX 262144
#define SILENT_MS 250 /* a lost packet is sent again sooner */

static void take_sample(struct conn *c, uint64_t end_ns, bool is_aborted)
{
    struct sample sample = {
        .ended_ns = end_ns,
        .generation = c->ex->live->series->data.generation,
        .bytes = c->ex->sink.sent,
        .status = c->ex->sink.sent > 0 ? (uint16_t)c->ex->status : 0,
        .is_aborted = is_aborted,
    };

    sample.start_us = wall_clock_us() - (monotonic_ns() - c->ex->clock.head_ns) / 1000;
    stages_split(sample.stage_ns, &c->ex->clock, end_ns);
    samples_add(&c->loop->samples, &sample);
}

static void write_access_log(struct conn *c, uint64_t end_ns)
{
    const struct config *cfg = c->ex->live->cfg;
    const char *head = c->in + c->in_pos;
    struct access_record record;

    if (!cfg->access_log.path[0])
        return;
    record = (struct access_record){
        .peer = &c->peer.any,
        .request_line = http_slice_of(head, c->ex->req.request_line),
        .host = http_slice_of(head, c->ex->req.host),
        .referer = http_request_field(&c->ex->req, head, FIELD_REFERER),
        .user_agent = http_request_field(&c->ex->req, head, FIELD_USER_AGENT),
        .user = c->ex->user,
        .status = (int)c->ex->status,
        .bytes = c->ex->sink.sent,
        .body_bytes = c->ex->sink.sent > c->ex->head_len ? c->ex->sink.sent - c->ex->head_len : 0,
        .total_ns = end_ns - c->ex->clock.head_ns,
        .now = c->loop->date_second,
    };
    if (!access_ring_write(c->loop->access_ring, cfg->access_log.format, &record))
        loop_count(c->ex->live, COUNTER_LOG_DROPPED, 1);
}

/* Gives back what the request under way holds. */
static void end_request(struct conn *c)
{
    if (!c->ex)
        return;
    conn_stop_waiting(c);
    conn_unthrottle(c);
    body_end(&c->ex->body, c->loop);
    sink_end(&c->ex->sink);
    if (c->ex->live)
        live_config_put(c->ex->live);
    c->ex->live = NULL;
    conn_give_exchange_back(c);
}

/* --- the connection -------------------------------------------------------------------------- */

void conn_close(struct conn *c)
{
    struct loop *loop = c->loop;

    if (c->state == CONN_CLOSED)
        return;
    if (conn_is_answering(c)) {
        uint64_t end_ns = stage_now();
        loop_count(c->ex->live, COUNTER_ABORTED, 1);
        loop_count(c->ex->live, COUNTER_BYTES_SENT, c->ex->sink.sent);
        if (c->ex->sink.sent > 0) /* the log shows the bytes that left */
            write_access_log(c, end_ns);
        if (samples_want(&loop->samples, end_ns - c->ex->clock.head_ns))
            take_sample(c, end_ns, true);
    }
    c->state = CONN_CLOSED;
    end_request(c);
    conn_release_input(c);
    list_remove(&c->link);
    loop->connection_count--;
    atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
    if (c->is_counted)
        peer_table_leave(loop->shared->peers, &c->peer.any);
    poller_forget(&loop->poller, &c->watch);
    close(c->fd);
}

/* The first of a list of those that only wait; NULL: nobody does. */
static struct conn *oldest(struct loop *loop, enum timeout timeout)
{
    struct list *all = &loop->connections[timeout];

    return list_empty(all) ? NULL : container_of(all->next, struct conn, link);
}

/* A client's first bytes come right behind its connection: who has just come may yet speak. */
static bool is_silent(const struct conn *c)
{
    uint64_t for_ms = uv_now(&c->loop->uv) + c->loop->timeout_ms[TIMEOUT_SILENT] - c->deadline_ms;

    return !c->has_input && for_ms >= SILENT_MS;
}

bool conn_make_room(struct loop *loop)
{
    struct conn *c = oldest(loop, TIMEOUT_SILENT);

    if (!c || !is_silent(c))
        c = oldest(loop, TIMEOUT_IDLE);
    if (!c)
        return false;
    conn_close(c);
    return true;
}

void conn_close_idle(struct loop *loop)
{
    struct conn *c;

    while ((c = oldest(loop, TIMEOUT_IDLE)) != NULL)
        conn_close(c);
}

void conn_close_all(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_COUNT; kind++)
        while (!list_empty(&loop->connections[kind]))
            conn_close(container_of(loop->connections[kind].next, struct conn, link));
}

/* --- the response ---------------------------------------------------------------------------- */

static bool is_probe(const struct conn *c)
{
    struct span agent = http_request_field(&c->ex->req, c->in + c->in_pos, FIELD_USER_AGENT);
    size_t len = strlen(METRICS_PROBE_AGENT);

    return agent.len > len && memcmp(agent.ptr, METRICS_PROBE_AGENT, len) == 0;
}

static void count_response(struct conn *c)
{
    uint64_t end_ns = stage_now();

    loop_count(c->ex->live, COUNTER_REQUESTS, 1);
    if (is_probe(c))
        loop_count(c->ex->live, COUNTER_PROBE_REQUESTS, 1);
    loop_count(c->ex->live, (enum counter)(COUNTER_RESPONSES_2XX + c->ex->status / 100 - 2), 1);
    if (c->ex->status == HTTP_NOT_MODIFIED)
        loop_count(c->ex->live, COUNTER_RESPONSES_304, 1);
    else if (c->ex->status == HTTP_NOT_FOUND)
        loop_count(c->ex->live, COUNTER_RESPONSES_404, 1);
    loop_count(c->ex->live, COUNTER_BYTES_SENT, c->ex->sink.sent);
    stages_record(c->ex->live->series->data.stages, &c->ex->clock, end_ns);
    if (samples_want(&c->loop->samples, end_ns - c->ex->clock.head_ns))
        take_sample(c, end_ns, false);
    write_access_log(c, end_ns);
}

/* Closing a socket with unread input makes the kernel send a reset, which may overtake the
 * response: so stop sending, and read on until the client has seen it. */
static void finish_connection(struct conn *c)
{
    if (!c->linger_after && c->in_pos == c->in_len) {
        conn_close(c);
        return;
    }
    conn_release_input(c);
    if (shutdown(c->fd, SHUT_WR) != 0) {
        conn_close(c);
        return;
    }
    c->state = CONN_LINGERING;
    c->drain = LINGER_BYTES_MAX;
    conn_arm(c, TIMEOUT_LINGER);
}

void conn_finish_response(struct conn *c)
{
    count_response(c);
    c->in_pos += c->ex->req.head_len;
    c->drain = c->ex->req.content_length;
    end_request(c);
    if (c->close_after || c->loop->is_stopping || !c->loop->live) {
        if (!c->close_after) /* the client was not told: it may be sending on */
            c->linger_after = true;
        finish_connection(c);
        return;
    }
    conn_skip_body(c);
    conn_arm(c, c->state == CONN_DRAINING ? TIMEOUT_BODY : TIMEOUT_IDLE);
}
