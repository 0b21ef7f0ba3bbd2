/* SPDX-License-Identifier: MIT */
/* A carrier that keeps what it is given, for unit tests of exchanges without a connection. */
#ifndef FARMSTEAD_FAKE_CARRIER_H
#define FARMSTEAD_FAKE_CARRIER_H

#include "answer/exchange.h"
#include "body_slice.h"
#include "loop_fixture.h"
#include "response/response.h"

#include <unistd.h>

#define ANSWER_BYTES_MAX 400000

/* An exchange, and everything that it did. */
struct fake_carrier {
    struct carrier carrier;
    struct exchange ex;
    char request[4096];
    struct body_want want; /* how it pulls the body */
    bool takes_ready_head; /* it speaks HTTP/1.1; else its first line is "FAKE 200" */
    char head[8192], hint[1024], *body;
    size_t head_len, body_len;
    int waits, resumes, fails;
    bool is_over;
};

static struct fake_carrier *fake_of(struct carrier *carrier)
{
    return container_of(carrier, struct fake_carrier, carrier);
}

static void fake_end(struct fake_carrier *fake)
{
    exchange_record_end(&fake->ex, fake->head_len + fake->body_len);
    exchange_end(&fake->ex);
    fake->is_over = true;
}

static void fake_take(struct fake_carrier *fake, const struct body_slice *slice, size_t n)
{
    CHECK_TRUE(fake->body_len + n <= ANSWER_BYTES_MAX, "too long a body");
    slice_copy(fake->body + fake->body_len, slice, n);
    fake->body_len += n;
    body_took(&fake->ex.body, n);
}

static void fake_pull(struct fake_carrier *fake)
{
    while (!body_is_spent(&fake->ex.body)) {
        struct body_slice slice = {.fd = -1};
        enum body_step step = body_next(&fake->ex.body, &the_loop, &fake->want, &slice);
        if (step == BODY_WAITING)
            return;
        CHECK_INT(__LINE__, "bytes", step, BODY_BYTES);
        if (step != BODY_BYTES)
            break;
        fake_take(fake, &slice, (size_t)smaller_of(slice_len(&slice), fake->want.most));
    }
    fake_end(fake);
}

static void fake_start_head(struct carrier *carrier, enum http_status status,
                            struct response_head *head)
{
    if (container_of(carrier, struct fake_carrier, carrier)->takes_ready_head) {
        response_head_start(head, status, loop_date(carrier->loop), CONNECTION_DEFAULT);
        return;
    }
    head->len +=
        (size_t)snprintf(head->out + head->len, head->cap - head->len, "FAKE %d\r\n", (int)status);
}

static bool fake_takes_ready_head(const struct carrier *carrier)
{
    return container_of(carrier, struct fake_carrier, carrier)->takes_ready_head;
}

static void fake_send(struct carrier *carrier, const char *head, size_t head_len)
{
    struct fake_carrier *fake = fake_of(carrier);

    CHECK_INT(__LINE__, "one answer", fake->head_len, 0);
    CHECK_TRUE(head_len < sizeof(fake->head), "a head of %zu bytes", head_len);
    memcpy(fake->head, head, head_len);
    fake->head_len = head_len;
    fake_pull(fake);
}

static bool fake_hint(struct carrier *carrier, const char *links, size_t len)
{
    struct fake_carrier *fake = fake_of(carrier);

    CHECK_STR(__LINE__, "one hint", fake->hint, "");
    CHECK_INT(__LINE__, "before the answer", fake->head_len, 0);
    CHECK_TRUE(len < sizeof(fake->hint), "a hint of %zu bytes", len);
    memcpy(fake->hint, links, len);
    fake->hint[len] = '\0';
    return true;
}

static void fake_wait(struct carrier *carrier)
{
    fake_of(carrier)->waits++;
}

static void fake_resume(struct carrier *carrier)
{
    fake_of(carrier)->resumes++;
}

static void fake_fail(struct carrier *carrier)
{
    struct fake_carrier *fake = fake_of(carrier);

    fake->fails++;
    exchange_record_abort(&fake->ex, fake->head_len + fake->body_len, END_NO_RESOURCES);
    exchange_end(&fake->ex);
    fake->is_over = true;
}

static const struct carrier_kind fake_kind = {
    .start_head = fake_start_head,
    .takes_ready_head = fake_takes_ready_head,
    .send = fake_send,
    .hint = fake_hint,
    .wait = fake_wait,
    .resume = fake_resume,
    .fail = fake_fail,
};

static void fake_on_body_ready(struct body *body)
{
    fake_pull(container_of(body, struct fake_carrier, ex.body));
}

static struct fake_carrier *fake_new(void)
{
    struct fake_carrier *fake = calloc(1, sizeof(*fake));

    fake->carrier = (struct carrier){
        .kind = &fake_kind, .loop = &the_loop, .peer = (const struct sockaddr *)&fake_peer};
    fake->want.most = UINT64_MAX;
    fake->body = malloc(ANSWER_BYTES_MAX);
    exchange_init(&fake->ex);
    fake->ex.body.on_ready = fake_on_body_ready;
    return fake;
}

static void fake_free(struct fake_carrier *fake)
{
    free(fake->body);
    free(fake);
}

/* Begins the exchange with `request`, whose lines end in "\n", and does not answer it yet. */
static enum parse fake_open(struct fake_carrier *fake, const char *request)
{
    size_t len = 0;
    enum parse parsed;

    fake->head_len = fake->body_len = 0;
    fake->waits = fake->resumes = fake->fails = 0;
    fake->is_over = false;
    fake->hint[0] = '\0';
    for (const char *at = request; *at; at++) {
        if (*at == '\n')
            fake->request[len++] = '\r';
        fake->request[len++] = *at;
    }
    http_request_init(&fake->ex.req, sizeof(fake->request), sizeof(fake->request));
    parsed = http_parse_request(&fake->ex.req, fake->request, len);
    CHECK_TRUE(parsed != PARSE_MORE, "half a head: %s", request);
    exchange_begin(&fake->ex, &fake->carrier, fake->request);
    return parsed;
}

static inline void fake_begin(struct fake_carrier *fake, const char *request)
{
    if (fake_open(fake, request) == PARSE_BAD)
        exchange_answer_broken(&fake->ex);
    else
        exchange_answer(&fake->ex);
}

static inline void fake_run_to_the_end(struct fake_carrier *fake)
{
    for (int turns = 0; !fake->is_over && turns < 10000; turns++)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
    CHECK_TRUE(fake->is_over, "no end of \"%.40s\"", fake->request);
    fake->head[fake->head_len] = '\0';
    fake->body[fake->body_len] = '\0';
}

#endif
