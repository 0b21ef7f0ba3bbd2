/* SPDX-License-Identifier: MIT */
/* load_misbehaving.c — see the header. Their sockets are tried at each tick, not watched: the little
 * that they do is due then anyway. */
#include "load/load_misbehaving.h"

#include "base/mem.h"

#include <poll.h>

#define SLOW_RECEIVE_BUFFER 4096
#define ABORT_WITHIN_BYTES 65536

struct load_misbehaving {
    struct load_link io;
    bool is_slow, is_connected, is_secure;
    const struct load_url *url;
    struct response_reader reader;
    size_t sent;
    uint64_t received, abort_after; /* bytes */
    uint64_t moved_ns;              /* when something last went on */
};

void load_misbehaving_init(struct load_run *run)
{
    const struct load_plan *plan = run->plan;

    run->misbehaving_count = plan->slow_clients + plan->aborting_clients;
    run->misbehaving = xcalloc(run->misbehaving_count, sizeof(*run->misbehaving));
    for (size_t i = 0; i < run->misbehaving_count; i++)
        run->misbehaving[i] =
            (struct load_misbehaving){.io = {.fd = -1}, .is_slow = i < plan->slow_clients};
}

void load_misbehaving_fini(struct load_run *run)
{
    for (size_t i = 0; i < run->misbehaving_count; i++)
        load_link_close(&run->misbehaving[i].io);
    free(run->misbehaving);
}

static struct load_misbehaved *counts_of(struct load_run *run, const struct load_misbehaving *m)
{
    return m->is_slow ? &run->result.slow : &run->result.aborting;
}

static void fail(struct load_run *run, struct load_misbehaving *m)
{
    counts_of(run, m)->failed++;
    load_link_close(&m->io);
}

static const struct load_target *target_of(const struct load_run *run,
                                           const struct load_misbehaving *m)
{
    return &run->plan->targets[m->url->target];
}

static void begin(struct load_run *run, struct load_misbehaving *m, uint64_t now_ns)
{
    m->url = load_schedule_any(&run->schedule);
    m->is_connected = m->is_secure = false;
    m->sent = 0;
    m->received = 0;
    m->abort_after = load_schedule_random(&run->schedule, ABORT_WITHIN_BYTES);
    if (m->abort_after % 4 == 0)
        m->abort_after = 0; /* before anything is read */
    m->moved_ns = now_ns;
    response_reader_init(&m->reader, m->url->is_head);
    counts_of(run, m)->requests++;
    if (load_link_open(&m->io, target_of(run, m), m->is_slow ? SLOW_RECEIVE_BUFFER : 0) !=
        FAULT_NONE)
        fail(run, m);
}

/* True: its request may be written. */
static bool is_ready(struct load_run *run, struct load_misbehaving *m)
{
    struct pollfd socket = {.fd = m->io.fd, .events = POLLOUT};
    char unused[8];
    int done;

    if (!m->is_connected) {
        if (poll(&socket, 1, 0) != 1)
            return false;
        if (load_link_connected(&m->io) != FAULT_NONE) {
            fail(run, m);
            return false;
        }
        m->is_connected = true;
        if (target_of(run, m)->tls)
            load_link_begin_tls(&m->io, run->tls, target_of(run, m));
        else
            m->is_secure = true;
    }
    if (m->is_secure)
        return true;
    done = load_link_shake(&m->io, unused, sizeof(unused));
    m->is_secure = done == 1;
    if (done != 1 && done != LINK_AGAIN)
        fail(run, m);
    return m->is_secure;
}

/* True: its request is written. */
static bool has_asked(struct load_run *run, struct load_misbehaving *m)
{
    size_t left = m->url->request_len - m->sent;
    ssize_t n = left ? load_link_write(&m->io, m->url->request + m->sent, left) : 0;

    if (n == LINK_RESET)
        fail(run, m);
    if (n > 0)
        m->sent += (size_t)n;
    return m->io.fd >= 0 && m->sent == m->url->request_len;
}

static enum response_answer read_input(struct load_run *run, struct load_misbehaving *m, size_t len)
{
    enum response_answer answer = RESPONSE_MORE;

    for (size_t at = 0; at < len && answer == RESPONSE_MORE;) {
        struct span body;
        size_t used;
        answer = response_reader_feed(&m->reader, run->input + at, len - at, &used, &body);
        at += used;
    }
    return answer;
}

static void read_some(struct load_run *run, struct load_misbehaving *m, uint64_t now_ns)
{
    uint64_t per_tick = run->plan->slow_bytes_per_second / LOAD_TICKS_PER_SECOND;
    uint64_t most = m->is_slow ? per_tick : m->abort_after - m->received;
    ssize_t n = load_link_read(&m->io, run->input, smaller_of(most, sizeof(run->input)));
    enum response_answer answer;

    if (n == LINK_AGAIN)
        return;
    if (n > 0) {
        m->moved_ns = now_ns;
        m->received += (uint64_t)n;
        counts_of(run, m)->bytes += (uint64_t)n;
        answer = read_input(run, m, (size_t)n);
    } else {
        answer = n == LINK_ENDED ? response_reader_end(&m->reader) : RESPONSE_BAD;
    }
    if (answer == RESPONSE_DONE)
        load_link_close(&m->io);
    else if (answer == RESPONSE_BAD)
        fail(run, m);
}

static void step(struct load_run *run, struct load_misbehaving *m, uint64_t now_ns)
{
    if (m->io.fd < 0) {
        begin(run, m, now_ns);
        return;
    }
    if (is_ready(run, m) && has_asked(run, m)) {
        if (!m->is_slow && m->received >= m->abort_after)
            load_link_abort(&m->io);
        else
            read_some(run, m, now_ns);
    }
    if (m->io.fd >= 0 && now_ns - m->moved_ns > run->plan->timeout_ms * NS_PER_MS)
        fail(run, m);
}

void load_misbehaving_tick(struct load_run *run, uint64_t now_ns)
{
    for (size_t i = 0; i < run->misbehaving_count; i++)
        step(run, &run->misbehaving[i], now_ns);
}
