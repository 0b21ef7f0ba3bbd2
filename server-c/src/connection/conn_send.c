/* SPDX-License-Identifier: MIT */
/* conn_send.c — the response's way out: what the sink's steps mean for the connection, and how much
 * it may send when its site or itself has a rate.
 *
 * Who may not send for now waits in loop->throttled for the next tick, be it for a rate or for a file
 * to be what it was. While some wait for one site,
 * each may take an equal share, over all loops, of what came together since it had its last one; who
 * got nothing is first in the next tick. Time spent waiting for the disk counts: a share that was
 * drawn and not sent is still due. Without a rate there is nothing of this but one branch. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "net/peer_table.h"

/* --- rates ----------------------------------------------------------------------------------- */

/* The bytes it may send now, from both buckets or from the one there is. */
static uint64_t draw(struct conn *c, uint64_t now_ns)
{
    struct rate_bucket *bucket = c->ex->site->rate;
    uint64_t wanted = UINT64_MAX, of_site;

    if (bucket && atomic_load_explicit(&bucket->waiting, memory_order_relaxed) > 0)
        wanted = rate_bucket_share(bucket, now_ns - c->ex->share_from_ns);
    wanted = rate_limit_take(&c->rate, wanted, now_ns);
    if (!bucket || wanted == 0)
        return wanted;
    of_site = rate_bucket_take(bucket, wanted, now_ns);
    rate_limit_give_back(&c->rate, wanted - of_site);
    return of_site;
}

static void draw_quota(struct conn *c)
{
    c->ex->drawn_ns = monotonic_ns();
    c->ex->drawn = c->ex->sink.quota = draw(c, c->ex->drawn_ns);
}

/* What was not sent goes back, and the time it was the share of is still due. */
static void settle_quota(struct conn *c)
{
    uint64_t unused = c->ex->sink.quota, due_ns = c->ex->drawn_ns - c->ex->share_from_ns;

    if (c->ex->drawn > 0)
        c->ex->share_from_ns =
            c->ex->drawn_ns - (uint64_t)((double)due_ns * (double)unused / (double)c->ex->drawn);
    rate_limit_give_back(&c->rate, unused);
    if (c->ex->site->rate)
        rate_bucket_give_back(c->ex->site->rate, unused);
}

static void throttle(struct conn *c)
{
    list_append(&c->loop->throttled, &c->ex->throttled);
    if (c->ex->site->rate)
        atomic_fetch_add_explicit(&c->ex->site->rate->waiting, 1, memory_order_relaxed);
    c->ex->was_held_back = true;
    conn_await_client(c);
}

void conn_unthrottle(struct conn *c)
{
    if (list_empty(&c->ex->throttled))
        return;
    list_remove(&c->ex->throttled);
    if (c->ex->site->rate)
        atomic_fetch_sub_explicit(&c->ex->site->rate->waiting, 1, memory_order_relaxed);
}

/* --- steps ----------------------------------------------------------------------------------- */

static void end_sending(struct conn *c)
{
    body_end(&c->ex->body, c->loop);
    sink_end(&c->ex->sink);
}

void conn_give_up_sending(struct conn *c, enum http_status status)
{
    bool may_say_so = c->ex->body.entry && c->ex->sink.sent == 0;

    end_sending(c);
    if (may_say_so)
        conn_answer_status(c, status);
    else
        conn_close(c);
}

static void give_up(struct conn *c)
{
    const struct file_entry *entry = c->ex->body.entry;

    conn_give_up_sending(c, entry ? conn_why_unreadable(entry) : HTTP_OK);
}

static void refuse(struct conn *c)
{
    loop_count(c->ex->live, COUNTER_LANE_REJECTED, 1);
    end_sending(c);
    conn_answer_status(c, HTTP_UNAVAILABLE);
}

static void continue_sending(struct conn *c, enum sink_step step)
{
    c->state = CONN_SENDING;
    if (c->ex->is_limited)
        settle_quota(c);
    switch (step) {
    case SINK_SENT:
        conn_finish_response(c);
        break;
    case SINK_WANTS_WRITE:
        conn_await_client(c);
        conn_watch_output(c);
        break;
    case SINK_WANTS_TURN:
        conn_await_client(c);
        poller_call_again(&c->loop->poller, &c->watch);
        break;
    case SINK_WAITING:
        c->ex->was_held_back = true;
        conn_arm(c, TIMEOUT_DISK);
        break;
    case SINK_THROTTLED:
    case SINK_UNSURE:
        throttle(c);
        break;
    case SINK_REFUSED:
        refuse(c);
        break;
    case SINK_FAILED:
        give_up(c);
        break;
    }
}

void conn_send(struct conn *c, const char *head, size_t head_len, const struct body_part *part)
{
    static const struct body_part nothing = {0};

    c->ex->looked_ms = c->ex->progress_ms = 0;
    c->ex->head_len = head_len;
    c->ex->sink.quota = UINT64_MAX;
    c->ex->sink.ends_connection = c->close_after;
    c->ex->sink.receiver_is_local = peer_is_local(&c->peer.any);
    c->ex->is_limited =
        c->ex->site && (c->ex->site->rate || c->ex->site->cfg->connection_bytes_per_second > 0);
    if (c->ex->is_limited) {
        rate_limit_set(&c->rate, c->ex->site->cfg->connection_bytes_per_second);
        c->ex->share_from_ns = monotonic_ns();
        draw_quota(c);
    }
    body_begin(&c->ex->body, part ? part : &nothing);
    continue_sending(c, sink_start(&c->ex->sink, &c->ex->body, c->loop, c->fd, head, head_len));
}

void conn_send_more(struct conn *c)
{
    if (c->ex->is_limited)
        draw_quota(c);
    continue_sending(c, sink_send(&c->ex->sink, &c->ex->body, c->loop, c->fd));
}

void conn_on_body_ready(struct body *body)
{
    struct conn *c = container_of(body, struct exchange, body)->conn;

    conn_send_more(c);
    conn_run(c);
}

void conn_retry_throttled(struct loop *loop)
{
    struct list waiting, starved;

    list_init(&waiting);
    list_init(&starved);
    list_move_all(&waiting, &loop->throttled);
    while (!list_empty(&waiting)) {
        struct conn *c = container_of(waiting.next, struct exchange, throttled)->conn;
        draw_quota(c);
        if (c->ex->sink.quota == 0) {
            list_remove(&c->ex->throttled);
            list_append(&starved, &c->ex->throttled);
            continue;
        }
        conn_unthrottle(c);
        continue_sending(c, sink_send(&c->ex->sink, &c->ex->body, loop, c->fd));
        conn_run(c);
    }
    list_move_all(&starved, &loop->throttled);
    list_move_all(&loop->throttled, &starved);
}
