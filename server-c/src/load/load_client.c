/* SPDX-License-Identifier: MIT */
/* load_client.c — what a client does when its socket is ready.
 *
 * state      | entered when                       | left when
 * FREE       | begun, or its request has ended    | a request is due → CONNECTING or SENDING
 * CONNECTING | it has no connection to the target | connected → SHAKING or SENDING
 * SHAKING    | connected, and the target has TLS  | the handshake is over → SENDING
 * SENDING    | a connection is ready              | all of the request is written → READING
 * READING    | the request is sent                | the answer is whole → FREE
 * A fault in any of them, and the time-out, end the connection → FREE, for a while at rest.
 *
 * Sockets are watched edge-triggered, once for all that may happen, so a request costs one send and
 * one recv where its answer comes in one piece. */
#include "load/load_client.h"

#include "load/load_http2.h"

#include <openssl/evp.h>
#include <sys/epoll.h>

#define ENDS (EPOLLRDHUP | EPOLLHUP | EPOLLERR)

void load_client_fini(struct load_client *c)
{
    load_link_close(&c->io);
    EVP_MD_CTX_free(c->digest);
}

static const struct load_target *target_of(const struct load_run *run, const struct load_client *c)
{
    return &run->plan->targets[c->record.url->target];
}

/* --- the end of a request -------------------------------------------------------------------- */

/* The request is counted, and the client free. */
static void end(struct load_run *run, struct load_client *c, uint64_t now_ns)
{
    struct load_record *record = &c->record;

    record->stages_ns[LOAD_LATENCY] = now_ns - c->due_ns;
    load_result_add(&run->result, &run->schedule, record);
    c->state = CLIENT_FREE;
    c->free_ns = now_ns;
    list_remove(&c->link);
    run->active_count--;
}

void load_client_fail(struct load_run *run, struct load_client *c, enum load_fault fault)
{
    uint64_t now_ns = monotonic_ns();

    if (c->session)
        load_http2_drop(run, c);
    else
        load_link_close(&c->io);
    c->record.fault = fault;
    c->record.status = 0; /* a part of an answer is none */
    end(run, c, now_ns);
    if (fault == FAULT_TIMEOUT) {
        load_run_next(run, c);
        return;
    }
    c->free_ns = now_ns + LOAD_REST_NS;
    list_append(&run->resting, &c->link);
}

static enum load_fault judge(struct load_client *c)
{
    const struct load_url *url = c->record.url;
    unsigned char digest[EVP_MAX_MD_SIZE];

    if (c->reader.status >= 400)
        return FAULT_STATUS;
    if (c->reader.status != 200 || url->is_head)
        return FAULT_NONE;
    if (url->knows_bytes && c->reader.body_bytes != url->bytes)
        return FAULT_WRONG_BYTES;
    if (!url->knows_digest)
        return FAULT_NONE;
    CHECK(EVP_DigestFinal_ex(c->digest, digest, NULL) == 1);
    return memcmp(digest, url->digest, LOAD_DIGEST_BYTES) == 0 ? FAULT_NONE : FAULT_WRONG_DIGEST;
}

void load_client_finish(struct load_run *run, struct load_client *c, bool may_keep)
{
    uint64_t now_ns = monotonic_ns();
    uint64_t *stages_ns = c->record.stages_ns;

    c->record.status = c->reader.status;
    c->record.fault = judge(c);
    stages_ns[LOAD_FIRST_BYTE] = c->first_ns - c->sent_ns;
    stages_ns[LOAD_BODY] = now_ns - c->first_ns;
    stages_ns[LOAD_SERVICE] = now_ns - c->sent_ns;
    run->result.body_bytes += c->reader.body_bytes;
    if (!may_keep || !c->reader.may_keep || !run->plan->keep_alive || c->has_ended)
        load_link_close(&c->io);
    end(run, c, now_ns);
    load_run_next(run, c);
}

/* --- its steps ------------------------------------------------------------------------------- */

static void open_link(struct load_run *run, struct load_client *c)
{
    enum load_fault fault;

    load_link_close(&c->io);
    c->opened_ns = monotonic_ns();
    c->target = c->record.url->target;
    c->was_used = c->has_ended = false;
    c->record.has_new_connection = true;
    c->state = CLIENT_CONNECTING;
    fault = load_link_open(&c->io, target_of(run, c), 0);
    if (fault == FAULT_NONE && !load_run_watch(run, c->io.fd, &c->watch))
        fault = FAULT_CONNECT;
    if (fault != FAULT_NONE)
        load_client_fail(run, c, fault);
}

/* The connection ended. A kept one may do so while a request is on its way, and then the request is
 * sent once more (RFC 9112 section 9.3.1). */
static void lose(struct load_run *run, struct load_client *c, enum load_fault fault)
{
    if (!c->was_used || c->first_ns || c->is_second_time) {
        load_client_fail(run, c, fault);
        return;
    }
    c->is_second_time = true;
    run->result.sent_again++;
    open_link(run, c);
}

static void send_request(struct load_run *run, struct load_client *c)
{
    const struct load_url *url = c->record.url;
    ssize_t n;

    c->state = CLIENT_SENDING;
    /* Until all of it is written or there is no room, as the kernel then says when there is: TLS
     * takes 16 KiB at a time whatever room there is. */
    while (c->sent < url->request_len) {
        n = load_link_write(&c->io, url->request + c->sent, url->request_len - c->sent);
        if (n == LINK_AGAIN)
            return;
        if (n <= 0) {
            lose(run, c, FAULT_RESET);
            return;
        }
        c->sent += (size_t)n;
    }
    c->state = CLIENT_READING;
    c->sent_ns = monotonic_ns();
    c->record.is_sent = true;
}

static void begin_request(struct load_run *run, struct load_client *c)
{
    c->sent = 0;
    c->first_ns = 0;
    send_request(run, c);
}

static void shake(struct load_run *run, struct load_client *c)
{
    char *why = run->result.handshake_fault;
    char unused[sizeof(run->result.handshake_fault)];
    int done = load_link_shake(&c->io, *why ? unused : why, sizeof(unused));

    if (done == LINK_AGAIN)
        return;
    if (done != 1) {
        load_client_fail(run, c, FAULT_HANDSHAKE);
        return;
    }
    c->record.stages_ns[LOAD_HANDSHAKE] = monotonic_ns() - c->connected_ns;
    begin_request(run, c);
}

static void on_connected(struct load_run *run, struct load_client *c)
{
    enum load_fault fault = load_link_connected(&c->io);

    if (fault != FAULT_NONE) {
        load_client_fail(run, c, fault);
        return;
    }
    run->result.connections++;
    c->connected_ns = monotonic_ns();
    c->record.stages_ns[LOAD_CONNECT] = c->connected_ns - c->opened_ns;
    if (!target_of(run, c)->tls) {
        begin_request(run, c);
        return;
    }
    load_link_begin_tls(&c->io, run->tls, target_of(run, c));
    c->state = CLIENT_SHAKING;
    shake(run, c);
}

void load_client_take_body(struct load_client *c, struct span body)
{
    if (c->record.url->knows_digest && body.len)
        CHECK(EVP_DigestUpdate(c->digest, body.ptr, body.len) == 1);
}

/* True: the request has ended, and another one may have begun. */
static bool take_input(struct load_run *run, struct load_client *c, size_t len)
{
    for (size_t at = 0; at < len;) {
        struct span body;
        size_t used;
        enum response_answer answer =
            response_reader_feed(&c->reader, run->input + at, len - at, &used, &body);
        at += used;
        load_client_take_body(c, body);
        if (answer == RESPONSE_BAD) {
            if (!run->result.bad_answer)
                run->result.bad_answer = c->reader.fault;
            load_client_fail(run, c, FAULT_BAD_ANSWER);
            return true;
        }
        if (answer == RESPONSE_DONE) {
            load_client_finish(run, c, at == len); /* nobody asked for what is behind it */
            return true;
        }
    }
    return false;
}

static void on_input_end(struct load_run *run, struct load_client *c, ssize_t answer)
{
    if (answer == LINK_ENDED && c->first_ns && response_reader_end(&c->reader) == RESPONSE_DONE)
        load_client_finish(run, c, false);
    else
        lose(run, c, answer == LINK_ENDED ? FAULT_ENDED_EARLY : FAULT_RESET);
}

static void read_answer(struct load_run *run, struct load_client *c)
{
    for (int reads = 0; reads < LOAD_READS_MAX; reads++) {
        ssize_t n = load_link_read(&c->io, run->input, sizeof(run->input));
        if (n == LINK_AGAIN)
            return;
        if (n <= 0) {
            on_input_end(run, c, n);
            return;
        }
        if (!c->first_ns)
            c->first_ns = monotonic_ns();
        run->result.wire_bytes += (uint64_t)n;
        if (take_input(run, c, (size_t)n))
            return;
        /* The kernel gave less than there was room for: it says when there is more. */
        if (!c->io.ssl && (size_t)n < sizeof(run->input) && !c->has_ended)
            return;
    }
    load_run_look_again(run, c->io.fd, &c->watch);
}

/* Nothing was asked for: what comes is the end, or what TLS tells by itself. */
static void on_free_ready(struct load_run *run, struct load_client *c)
{
    if (c->has_ended || !c->io.ssl ||
        load_link_read(&c->io, run->input, sizeof(run->input)) != LINK_AGAIN)
        load_link_close(&c->io);
}

static void on_ready(struct load_run *run, struct load_watch *watch, uint32_t events)
{
    struct load_client *c = container_of(watch, struct load_client, watch);

    if (events & ENDS)
        c->has_ended = true;
    if (c->state == CLIENT_CONNECTING && (events & (EPOLLOUT | ENDS)))
        on_connected(run, c);
    else if (c->state == CLIENT_SHAKING)
        shake(run, c);
    else if (c->state == CLIENT_SENDING && (events & EPOLLOUT))
        send_request(run, c);
    if (!(events & (EPOLLIN | ENDS)) || c->io.fd < 0)
        return;
    if (c->state == CLIENT_READING)
        read_answer(run, c);
    else if (c->state == CLIENT_FREE)
        on_free_ready(run, c);
}

void load_client_init(struct load_client *c)
{
    *c = (struct load_client){.watch = {on_ready}, .io = {.fd = -1}};
    list_init(&c->link);
    list_init(&c->in_session);
}

/* Before the first byte of an answer; an answer that never began may be waited for again. */
static void expect_answer(struct load_client *c)
{
    c->first_ns = 0;
    response_reader_init(&c->reader, c->record.url->is_head);
    if (!c->record.url->knows_digest)
        return;
    if (!c->digest)
        c->digest = EVP_MD_CTX_new();
    CHECK(c->digest && EVP_DigestInit_ex(c->digest, EVP_sha256(), NULL) == 1);
}

void load_client_begin(struct load_run *run, struct load_client *c, const struct load_url *url,
                       uint64_t due_ns)
{
    uint64_t now_ns = monotonic_ns(), ready_ns = due_ns > c->free_ns ? due_ns : c->free_ns;

    c->due_ns = due_ns;
    c->is_second_time = false;
    c->record = (struct load_record){.url = url, .due_ns = due_ns - run->start_ns};
    c->record.stages_ns[LOAD_WAIT] = now_ns - due_ns;
    c->record.stages_ns[LOAD_LAG] = now_ns > ready_ns ? now_ns - ready_ns : 0;
    list_append(&run->active, &c->link);
    if (++run->active_count > run->result.most_under_way)
        run->result.most_under_way = run->active_count;
    expect_answer(c);
    if (c->session) {
        load_http2_begin(run, c);
        return;
    }
    if (c->io.fd < 0 || c->target != url->target) {
        open_link(run, c);
        return;
    }
    c->was_used = true;
    begin_request(run, c);
}
