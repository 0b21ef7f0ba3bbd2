/* SPDX-License-Identifier: MIT */
/* Wherever a client's bytes are cut, the same comes of them. */
#include "tls_talk.h"

/* Every cut of every flight. */
static void test_cuts_of(const char *name, struct client_wish wish, bool is_resumed)
{
    size_t flights[8];
    int flight_count;

    start(&wish);
    shake(-1, 0);
    check_works(__LINE__, name);
    CHECK_INT(wish.version, name, tls_session_facts(talk.session).is_resumed, is_resumed);
    memcpy(flights, talk.flights, sizeof(flights));
    flight_count = talk.flight_count;
    finish();
    CHECK_TRUE(flight_count >= 2, "%s: %d flights", name, flight_count);
    for (int flight = 0; flight < flight_count; flight++)
        for (size_t at = 0; at < flights[flight]; at++) {
            start(&wish);
            shake(flight, at);
            if (!talk.is_open || at % 50 == 0)
                check_works((int)at, name);
            finish();
        }
}

static void test_cuts(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

    begin_set(false, false);
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        struct client_wish wish = {.version = versions[i], .name = "a.example"};
        test_cuts_of("full", wish, false);
        wish.session = session_of(&wish);
        test_cuts_of("resumed", wish, true);
        SSL_SESSION_free(wish.session);
    }
    choices = 0;
    test_cuts_of("another group is asked for (HelloRetryRequest)",
                 (struct client_wish){
                     .version = TLS1_3_VERSION, .name = "a.example", .groups = "P-521:P-256"},
                 false);
    end_set();
}

int main(void)
{
    begin_talks();
    test_cuts();
    return end_talks("tls_session_cuts");
}
