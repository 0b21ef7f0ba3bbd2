/* SPDX-License-Identifier: MIT */
/* conn_send.c — sends a response: what each step of the sink means for the connection, and how much
 * may be sent when the site or the connection has a rate.
 *
 * Who may not send for now waits in loop->throttled for the next tick, be it for a rate (pace.h) or for a
 * file to be what it was; who got nothing then, or what the others left, is first in the next one. Without
 * a rate there is nothing of this but one branch. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "net/peer_table.h"

/* --- rates ----------------------------------------------------------------------------------- */

static void draw_quota(struct transfer *transfer)
{
    transfer->sink.quota = pace_draw(&transfer->pace, monotonic_ns());
}

static void throttle(struct conn *c)
{
    list_append(&c->loop->throttled, &c->transfer->throttled);
    if (c->transfer->is_limited)
        pace_wait(&c->transfer->pace);
    c->transfer->taking.was_held_back = true;
    conn_await_client(c);
}

void conn_unthrottle(struct conn *c)
{
    if (list_empty(&c->transfer->throttled))
        return;
    list_remove(&c->transfer->throttled);
    if (c->transfer->is_limited)
        pace_stop_waiting(&c->transfer->pace);
}

/* --- steps ----------------------------------------------------------------------------------- */

static void end_sending(struct conn *c)
{
    body_end(&c->transfer->ex.body, c->loop);
    sink_end(&c->transfer->sink);
}

void conn_give_up_sending(struct conn *c, enum http_status status, enum end_reason reason)
{
    bool may_say_so = c->transfer->ex.body.entry && c->transfer->sink.sent == 0;

    end_sending(c);
    if (may_say_so)
        exchange_answer_status(&c->transfer->ex, status);
    else
        conn_break_off(c, reason);
}

static void give_up(struct conn *c)
{
    const struct file_entry *entry = c->transfer->ex.body.entry;

    conn_give_up_sending(c, entry ? exchange_why_unreadable(entry) : HTTP_OK,
                         entry ? END_FILE : END_NO_RESOURCES);
}

static void refuse(struct conn *c)
{
    loop_count(c->transfer->ex.live, COUNTER_LANE_REJECTED, 1);
    end_sending(c);
    exchange_answer_status(&c->transfer->ex, HTTP_UNAVAILABLE);
}

static void continue_sending(struct conn *c, enum sink_step step)
{
    c->state = CONN_SENDING;
    if (c->transfer->is_limited)
        pace_settle(&c->transfer->pace, c->transfer->sink.quota);
    switch (step) {
    case SINK_SENT:
        conn_finish_response(c);
        break;
    case SINK_WANTS_WRITE:
        if (c->transfer->sink.sent > 0)
            tcp_waits_begin(&c->transfer->waits, c->transport.fd);
        conn_await_client(c);
        conn_watch_output(c);
        break;
    case SINK_WANTS_TURN:
        conn_await_client(c);
        poller_call_again(&c->loop->poller, &c->watch);
        break;
    case SINK_WAITING:
        c->transfer->taking.was_held_back = true;
        conn_arm(c, TIMEOUT_DISK);
        break;
    case SINK_THROTTLED:
    case SINK_UNSURE:
        throttle(c);
        break;
    case SINK_REFUSED:
        refuse(c);
        break;
    case SINK_GONE:
        conn_close(c, END_CLIENT_GONE);
        break;
    case SINK_FAILED:
        give_up(c);
        break;
    }
}

void conn_send(struct conn *c, const char *head, size_t head_len)
{
    struct transfer *transfer = c->transfer;
    const struct site *site = transfer->ex.site;

    transfer->taking.looked_ms = transfer->taking.last.since_ms = 0;
    transfer->sink.quota = UINT64_MAX;
    transfer->sink.ends_connection = c->ends_for != END_NONE;
    transfer->sink.receiver_is_local = peer_is_local(&c->peer.any);
    transfer->is_limited = site && (site->rate || site->cfg->connection_bytes_per_second > 0);
    if (transfer->is_limited) {
        rate_limit_set(&c->rate, site->cfg->connection_bytes_per_second);
        pace_begin(&transfer->pace, site->rate, &c->rate, monotonic_ns());
        draw_quota(transfer);
    }
    continue_sending(
        c, sink_start(&transfer->sink, &transfer->ex.body, c->loop, &c->transport, head, head_len));
}

static void send_more(struct conn *c)
{
    struct transfer *transfer = c->transfer;

    continue_sending(c, sink_send(&transfer->sink, &transfer->ex.body, c->loop, &c->transport));
}

void conn_send_more(struct conn *c)
{
    if (c->transfer->is_limited)
        draw_quota(c->transfer);
    send_more(c);
}

void conn_on_body_ready(struct body *body)
{
    struct conn *c = container_of(body, struct transfer, ex.body)->conn;

    conn_send_more(c);
    conn_run(c);
}

/* Each may take a little more than its share, and the last has what is left: not the same one each time. */
static void put_last_first(struct list *throttled)
{
    struct list *last = throttled->prev;

    list_remove(last);
    list_append(throttled->next, last);
}

void conn_retry_throttled(struct loop *loop)
{
    struct list waiting, starved;

    list_init(&waiting);
    list_init(&starved);
    list_move_all(&waiting, &loop->throttled);
    while (!list_empty(&waiting)) {
        struct transfer *transfer = container_of(waiting.next, struct transfer, throttled);
        struct conn *c = transfer->conn;
        if (transfer->is_limited)
            draw_quota(transfer);
        if (transfer->sink.quota == 0) {
            list_remove(&transfer->throttled);
            list_append(&starved, &transfer->throttled);
            continue;
        }
        conn_unthrottle(c);
        send_more(c);
        conn_run(c);
    }
    if (list_empty(&starved) && !list_empty(&loop->throttled))
        put_last_first(&loop->throttled);
    list_move_all(&starved, &loop->throttled);
    list_move_all(&loop->throttled, &starved);
}
