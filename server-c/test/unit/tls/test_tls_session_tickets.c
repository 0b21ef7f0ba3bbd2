/* SPDX-License-Identifier: MIT */
/* Who is resumed where, with which ticket, and that nothing said early is heard. */
#include "tls_talk.h"

static void test_resuming(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    struct tls_ticket_key given[2];

    memset(&given[0], 7, sizeof(given[0]));
    memset(&given[1], 8, sizeof(given[1]));
    for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
        struct client_wish wish = {.version = versions[v], .name = "a.example"};
        SSL_SESSION *session;
        begin_set(false, false);
        session = session_of(&wish);
        CHECK_INT((int)v, "no early data", SSL_SESSION_get_max_early_data(session), 0);
        CHECK_TRUE(resumes(wish, session), "version %zu", v);
        chosen = club_context;
        CHECK_TRUE(!resumes(wish, session), "version %zu: not in another scope", v);
        chosen = plain_context;
        end_set();
        begin_set(false, false); /* as after a reload */
        CHECK_TRUE(resumes(wish, session), "version %zu: after a reload", v);
        tls_tickets_rotate(tickets, 1);
        for (int turn = 1; turn <= TLS_TICKET_OWN_KEYS; turn++) {
            tls_tickets_rotate(tickets, 2 + TLS_TICKET_SECONDS * UINT64_C(1000) *
                                                (uint64_t)(turn + 10 * (int)v));
            CHECK_INT(turn, "an older key", resumes(wish, session), turn < TLS_TICKET_OWN_KEYS);
        }
        SSL_SESSION_free(session);

        tls_tickets_set(tickets, given, 1);
        session = session_of(&wish);
        CHECK_TRUE(resumes(wish, session), "version %zu: a key that was given", v);
        tls_tickets_set(tickets, given + 1, 1);
        CHECK_TRUE(!resumes(wish, session), "version %zu: which is no more", v);
        tls_tickets_set(tickets, given, 2);
        CHECK_TRUE(resumes(wish, session), "version %zu: and is again", v);
        tls_tickets_set(tickets, NULL, 0);
        SSL_SESSION_free(session);
        end_set();
    }
}

/* Does the client have another ticket than the one it came with? */
static bool has_new_ticket(const SSL_SESSION *before)
{
    const unsigned char *old, *now;
    size_t old_len = 0, len = 0;

    SSL_SESSION_get0_ticket(before, &old, &old_len);
    SSL_SESSION_get0_ticket(
        talk.client.session ? talk.client.session : SSL_get0_session(talk.client.ssl), &now, &len);
    return len > 0 && (len != old_len || memcmp(old, now, len) != 0);
}

/* A ticket of an older key is good, and its client gets a newer one. */
static void test_new_tickets(void)
{
    struct client_wish wish = {.version = TLS1_2_VERSION};
    struct tls_ticket_key given[2];

    memset(&given[0], 3, sizeof(given[0]));
    memset(&given[1], 4, sizeof(given[1]));
    begin_set(false, false);
    tls_tickets_set(tickets, given, 1);
    wish.session = session_of(&wish);
    start(&wish);
    shake(-1, 0);
    CHECK_TRUE(!has_new_ticket(wish.session), "with the newest key none is sent");
    finish();
    given[0] = given[1];
    memset(&given[1], 3, sizeof(given[1]));
    tls_tickets_set(tickets, given, 2);
    start(&wish);
    shake(-1, 0);
    CHECK_INT(__LINE__, "an older key", tls_session_facts(talk.session).is_resumed, 1);
    CHECK_TRUE(has_new_ticket(wish.session), "another ticket");
    finish();
    SSL_SESSION_free(wish.session);
    wish = (struct client_wish){.version = TLS1_3_VERSION};
    wish.session = session_of(&wish);
    start(&wish);
    shake(-1, 0);
    CHECK_TRUE(has_new_ticket(wish.session), "in TLS 1.3 always");
    finish();
    SSL_SESSION_free(wish.session);
    tls_tickets_set(tickets, NULL, 0);
    end_set();
}

static void test_early_data(void)
{
    struct client_wish wish = {.version = TLS1_3_VERSION};
    size_t n = 0;

    begin_set(false, false);
    wish.session = session_of(&wish);
    SSL_SESSION_set_max_early_data(wish.session, 1000);
    start(&wish);
    CHECK_INT(__LINE__, "said early", SSL_write_early_data(talk.client.ssl, "replayed", 8, &n), 1);
    shake(-1, 0);
    CHECK_INT(__LINE__, "not taken", SSL_get_early_data_status(talk.client.ssl),
              SSL_EARLY_DATA_REJECTED);
    CHECK_INT(__LINE__, "not heard", talk.plain_len, 0);
    check_works(__LINE__, "early data");
    finish();
    SSL_SESSION_free(wish.session);
    end_set();
}

int main(void)
{
    begin_talks();
    test_resuming();
    test_new_tickets();
    test_early_data();
    return end_talks("tls_session_tickets");
}
