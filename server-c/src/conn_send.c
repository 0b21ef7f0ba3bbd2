/* SPDX-License-Identifier: MIT */
/* conn_send.c — the response's way out: what the body's steps mean for the connection, and how much
 * it may send when its site or itself has a rate.
 *
 * Who may not send for now waits in loop->throttled for the next tick. While some wait for one site,
 * each may take an equal share, over all loops, of what came together since it had its last one; who
 * got nothing is first in the next tick. Time spent waiting for the disk counts: a share that was
 * drawn and not sent is still due. Without a rate there is nothing of this but one branch. */
#include "conn.h"
#include "conn_state.h"

/* --- rates ----------------------------------------------------------------------------------- */

/* The bytes it may send now, from both buckets or from the one there is. */
static uint64_t draw(struct conn *c, uint64_t now_ns)
{
    struct rate_bucket *bucket = c->site->rate;
    uint64_t wanted = UINT64_MAX, of_site;

    if (bucket && atomic_load_explicit(&bucket->waiting, memory_order_relaxed) > 0)
        wanted = rate_bucket_share(bucket, now_ns - c->share_from_ns);
    wanted = rate_limit_take(&c->rate, wanted, now_ns);
    if (!bucket || wanted == 0)
        return wanted;
    of_site = rate_bucket_take(bucket, wanted, now_ns);
    rate_limit_give_back(&c->rate, wanted - of_site);
    return of_site;
}

static void draw_quota(struct conn *c)
{
    c->drawn_ns = monotonic_ns();
    c->drawn = c->body.quota = draw(c, c->drawn_ns);
}

/* What was not sent goes back, and the time it was the share of is still due. */
static void settle_quota(struct conn *c)
{
    uint64_t unused = c->body.quota, due_ns = c->drawn_ns - c->share_from_ns;

    if (c->drawn > 0)
        c->share_from_ns =
            c->drawn_ns - (uint64_t)((double)due_ns * (double)unused / (double)c->drawn);
    rate_limit_give_back(&c->rate, unused);
    if (c->site->rate)
        rate_bucket_give_back(c->site->rate, unused);
}

static void throttle(struct conn *c)
{
    list_append(&c->loop->throttled, &c->throttled);
    if (c->site->rate)
        atomic_fetch_add_explicit(&c->site->rate->waiting, 1, memory_order_relaxed);
    conn_arm(c, TIMEOUT_NONE);
}

void conn_unthrottle(struct conn *c)
{
    if (list_empty(&c->throttled))
        return;
    list_remove(&c->throttled);
    if (c->site->rate)
        atomic_fetch_sub_explicit(&c->site->rate->waiting, 1, memory_order_relaxed);
}

/* --- steps ----------------------------------------------------------------------------------- */

/* While nothing was sent, a file that can't be read can still be said to be so. */
static void give_up(struct conn *c)
{
    bool may_say_so = c->body.entry && c->body.sent == 0;
    enum http_status status = may_say_so ? conn_why_unreadable(c->body.entry) : HTTP_OK;

    body_end(&c->body, c->loop);
    if (may_say_so)
        conn_answer_status(c, status);
    else
        conn_close(c);
}

static void refuse(struct conn *c)
{
    loop_count(c->live, COUNTER_LANE_REJECTED, 1);
    body_end(&c->body, c->loop);
    conn_answer_status(c, HTTP_UNAVAILABLE);
}

static void continue_sending(struct conn *c, enum body_step step)
{
    c->state = CONN_SENDING;
    if (c->is_limited)
        settle_quota(c);
    switch (step) {
    case BODY_SENT:
        conn_finish_response(c);
        break;
    case BODY_WANTS_WRITE:
        if (c->timeout == TIMEOUT_WRITE)
            break; /* its time runs on: conn_timeout.c sees what the client takes */
        c->progress_ms = 0;
        conn_arm(c, TIMEOUT_WRITE);
        break;
    case BODY_WAITING:
        conn_arm(c, TIMEOUT_DISK);
        break;
    case BODY_THROTTLED:
        throttle(c);
        break;
    case BODY_REFUSED:
        refuse(c);
        break;
    case BODY_FAILED:
        give_up(c);
        break;
    }
}

void conn_send(struct conn *c, const char *head, size_t head_len, const struct body_part *part)
{
    static const struct body_part nothing = {0};

    c->body.clock = &c->clock;
    c->body.quota = UINT64_MAX;
    c->is_limited = c->site && (c->site->rate || c->site->cfg->connection_bytes_per_second > 0);
    if (c->is_limited) {
        rate_limit_set(&c->rate, c->site->cfg->connection_bytes_per_second);
        c->share_from_ns = monotonic_ns();
        draw_quota(c);
    }
    continue_sending(c,
                     body_start(&c->body, c->loop, c->fd, head, head_len, part ? part : &nothing));
}

void conn_send_more(struct conn *c)
{
    if (c->is_limited)
        draw_quota(c);
    continue_sending(c, body_send(&c->body, c->loop, c->fd));
}

void conn_on_body_ready(struct body *body)
{
    struct conn *c = container_of(body, struct conn, body);

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
        struct conn *c = container_of(waiting.next, struct conn, throttled);
        draw_quota(c);
        if (c->body.quota == 0) {
            list_remove(&c->throttled);
            list_append(&starved, &c->throttled);
            continue;
        }
        conn_unthrottle(c);
        continue_sending(c, body_send(&c->body, loop, c->fd));
        conn_run(c);
    }
    list_move_all(&starved, &loop->throttled);
    list_move_all(&loop->throttled, &starved);
}
