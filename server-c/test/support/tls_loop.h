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

/* After begin(). */
static void begin_tls(void)
{
    const struct tls_settings settings = {.choose = loop_on_choice, .free_arg = loop_on_free};
    struct tls_pair shown;
    struct tls_plan plan = {.pairs = &shown, .pair_count = 1};
    struct tls_set *set;

    pki_pair_init(&loop_pair, PKI_P256, "DNS:a.test");
    shown = (struct tls_pair){pki_span(&loop_pair.chain), pki_span(&loop_pair.key_text)};
    shared.tickets = tls_tickets_new();
    CHECK_TRUE(loop_start_tls(&the_loop), "memory");
    set = tls_set_new(the_loop.tls->engine, &settings);
    loop_context = tls_set_add(set, &plan);
    loop_set_tls(&the_loop, set);
}

/* Before end(). */
static void end_tls(void)
{
    pki_pair_fini(&loop_pair);
    loop_set_live(&the_loop, NULL, 0, 1);
    tls_tickets_free(shared.tickets);
}

#endif
