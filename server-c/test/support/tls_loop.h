/* SPDX-License-Identifier: MIT */
/* tls_loop.h — makes the loop of loop_fixture.h speak TLS, with one certificate for all names. */
#ifndef FARMSTEAD_TEST_TLS_LOOP_H
#define FARMSTEAD_TEST_TLS_LOOP_H

#include "loop_fixture.h"
#include "tls_pki.h"

static struct pki_pair loop_pair;
static struct tls_context *loop_context;

static struct tls_context *loop_on_choice(void *arg, struct span name)
{
    (void)arg;
    (void)name;
    return loop_context;
}

static void loop_on_free(void *arg)
{
    (void)arg;
}

/* From now on another certificate is shown, as after its renewal. */
static inline void show_key(enum pki_kind kind)
{
    const struct tls_settings settings = {.choose = loop_on_choice, .free_arg = loop_on_free};
    struct tls_pair shown;
    struct tls_plan plan = {.pairs = &shown, .pair_count = 1};
    struct tls_set *set;

    pki_pair_fini(&loop_pair);
    pki_pair_init(&loop_pair, kind, "DNS:a.test");
    shown = (struct tls_pair){pki_span(&loop_pair.chain), pki_span(&loop_pair.key_text)};
    set = tls_set_new(the_loop.tls->engine, &settings);
    loop_context = tls_set_add(set, &plan);
    tls_set_put(the_loop.live->tls);
    loop_set_tls(&the_loop, set);
}

/* After begin(). */
static void begin_tls(void)
{
    shared.sign_lane = io_lane_new("sign", 1, 1);
    shared.tickets = tls_tickets_new();
    CHECK_TRUE(loop_start_tls(&the_loop), "memory");
    show_key(PKI_P256);
}

/* Before end(). */
static void end_tls(void)
{
    pki_pair_fini(&loop_pair);
    loop_set_live(&the_loop, NULL, 0, 1);
    io_lane_free(shared.sign_lane);
    tls_tickets_free(shared.tickets);
}

#endif
