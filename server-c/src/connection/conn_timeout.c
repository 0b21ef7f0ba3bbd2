/* SPDX-License-Identifier: MIT */
/* conn_timeout.c — what happens to a connection whose time is up.
 *
 * Each kind of time-out has a list in the order of the deadlines, so setting a deadline is cheap
 * and a tick looks only at the front. The order is kept only to a tick: a connection that gets a
 * new deadline twice within a tick keeps its place, and so does not touch its neighbours' memory
 * for every request.
 *
 * A response that the client does not take at once is looked at four times per writeSeconds,
 * whether the socket took bytes meanwhile or a rate or a disk was waited for: only what the client
 * has acknowledged counts, and the kernel knows that. */
#include "connection/conn.h"
#include "connection/conn_state.h"

void conn_arm(struct conn *c, enum timeout timeout)
{
    struct loop *loop = c->loop;

    c->deadline_ms = uv_now(&loop->uv) + loop->timeout_ms[timeout];
    if (c->timeout == timeout && c->armed_tick == loop->tick_count && !list_empty(&c->link))
        return;
    c->timeout = (uint8_t)timeout;
    c->armed_tick = loop->tick_count;
    list_remove(&c->link);
    list_append(&loop->connections[timeout], &c->link);
}

static void count_time_out(const struct conn *c)
{
    struct live_config *live = conn_is_answering(c) ? c->transfer->ex.live : c->loop->live;

    if (live)
        loop_count(live, COUNTER_TIMEOUTS, 1);
}

/* --- a client that takes its response slowly ------------------------------------------------- */

/* Bytes per second that the client has to take: never more than our own rates allow. */
static uint64_t least_rate(const struct transfer *transfer)
{
    uint64_t least = transfer->ex.live->cfg->limits.min_bytes_per_second;

    return transfer->is_limited ? pace_least(&transfer->pace, least) : least;
}

/* When a rate of ours or a disk held the response back, the client can't have taken more than had
 * been offered at the last look. Bytes given to the socket since then may still be under way. */
static bool took_what_there_was(const struct taking *taking, int64_t taken)
{
    return taking->was_held_back && taken >= taking->offered;
}

void conn_await_client(struct conn *c)
{
    struct taking *taking = &c->transfer->taking;
    uint64_t now_ms = uv_now(&c->loop->uv);
    struct list *all = &c->loop->connections[TIMEOUT_WRITE];

    if (c->timeout == TIMEOUT_WRITE)
        return;
    conn_arm(c, TIMEOUT_WRITE);
    if (taking->looked_ms == 0) {
        taking->looked_ms = now_ms;
    } else if (now_ms - taking->looked_ms >= c->loop->timeout_ms[TIMEOUT_WRITE]) {
        /* Waiting for a disk put this off again and again: it is due now. */
        c->deadline_ms = now_ms;
        list_remove(&c->link);
        list_append(all->next, &c->link);
    }
}

/* False when the client took too little during all of writeSeconds. */
static bool still_takes(struct conn *c)
{
    struct transfer *transfer = c->transfer;
    struct taking *taking = &transfer->taking;
    struct progress *last = &taking->last;
    uint64_t now_ms = uv_now(&c->loop->uv);
    int64_t taken, unsent = transport_unsent(&c->transport);
    bool takes;

    if (unsent < 0)
        return false;
    taken = (int64_t)transfer->sink.sent - unsent;
    takes = last->since_ms == 0 || took_what_there_was(taking, taken) ||
            progress_suffices(last, taken, least_rate(transfer), now_ms);
    taking->looked_ms = now_ms;
    taking->offered = (int64_t)transfer->sink.sent;
    taking->was_held_back = !list_empty(&transfer->throttled);
    if (takes) {
        *last = (struct progress){now_ms, taken};
        return true;
    }
    return !progress_is_over(last, c->loop);
}

/* --- the other times ------------------------------------------------------------------------- */

/* Answers with 408 and closes (RFC 9110 section 15.5.9). A client that has sent nothing gets no
 * answer. */
static void refuse_slow_head(struct conn *c)
{
    c->transfer->ex.req.status = HTTP_REQUEST_TIMEOUT;
    conn_begin_request(c, PARSE_BAD);
    conn_run(c);
}

/* The disk does not answer. If nothing was sent yet the client gets 503 and the connection
 * stays. */
static void give_up_disk(struct conn *c)
{
    if (c->state == CONN_SENDING) {
        conn_give_up_sending(c, HTTP_UNAVAILABLE, END_DISK);
    } else {
        exchange_stop_waiting(&c->transfer->ex);
        exchange_answer_status(&c->transfer->ex, HTTP_UNAVAILABLE);
    }
    conn_run(c);
}

static enum end_reason reason_of(const struct conn *c)
{
    switch ((enum timeout)c->timeout) {
    case TIMEOUT_SILENT:
        return END_SILENT;
    case TIMEOUT_HEADER:
        return c->state == CONN_HANDSHAKE ? END_HANDSHAKE
               : c->state == CONN_PROXIED ? END_PROXY_HEADER
                                          : END_SLOW_HEAD;
    case TIMEOUT_IDLE:
        return END_IDLE;
    case TIMEOUT_WRITE:
        return END_SLOW_CLIENT;
    case TIMEOUT_BODY:
        return END_SLOW_BODY;
    case TIMEOUT_LINGER:
        return (enum end_reason)c->ends_for;
    case TIMEOUT_DISK:
    case TIMEOUT_COUNT:
        break;
    }
    return END_DISK;
}

static void time_out(struct conn *c)
{
    bool has_half_a_head = c->state == CONN_READING && c->in_len > c->in_pos;

    if (c->timeout == TIMEOUT_WRITE && still_takes(c)) {
        conn_arm(c, TIMEOUT_WRITE);
        return;
    }
    if (c->timeout == TIMEOUT_LINGER && progress_lingers(&c->lingering, c->loop, &c->transport)) {
        conn_arm(c, TIMEOUT_LINGER);
        return;
    }
    if (has_half_a_head || conn_is_answering(c) || c->state == CONN_DRAINING)
        count_time_out(c);
    if (c->state == CONN_HANDSHAKE && c->timeout == TIMEOUT_HEADER)
        conn_count_failed_handshake(c, TLS_FAILURE_TIME_OUT);
    if (c->timeout == TIMEOUT_DISK)
        give_up_disk(c);
    else if (has_half_a_head && c->loop->live)
        refuse_slow_head(c);
    else
        conn_close(c, reason_of(c));
}

void conn_check_timeouts(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_COUNT; kind++) {
        struct list *head = &loop->connections[kind];
        while (!list_empty(head)) {
            struct conn *c = container_of(head->next, struct conn, link);
            if (c->deadline_ms > uv_now(&loop->uv))
                break;
            time_out(c);
        }
    }
}

void conn_apply_timeouts(struct loop *loop)
{
    for (int kind = 0; kind < TIMEOUT_COUNT; kind++) {
        struct list *head = &loop->connections[kind];
        uint64_t latest = uv_now(&loop->uv) + loop->timeout_ms[kind];
        for (struct list *link = head->next; link != head; link = link->next) {
            struct conn *c = container_of(link, struct conn, link);
            if (c->deadline_ms > latest)
                c->deadline_ms = latest;
        }
    }
}
