/* SPDX-License-Identifier: MIT */
/* Keys of tickets: which is used for new ones, which are still taken, and when there is another. */
#include "tls/tls_tickets.c"

#include "check.h"

#define TURN_MS (TLS_TICKET_SECONDS * UINT64_C(1000))

static bool is_newest(struct tls_tickets *tickets, const struct tls_ticket_key *key)
{
    struct tls_ticket_key newest;

    return tls_tickets_newest(tickets, &newest) && memcmp(&newest, key, sizeof(*key)) == 0;
}

/* 0: it is not taken; 1: it is; 2: and is the newest. */
static int find(struct tls_tickets *tickets, const struct tls_ticket_key *key)
{
    struct tls_ticket_key found;
    bool newest = false;

    if (!tls_tickets_find(tickets, key->name, &found, &newest))
        return 0;
    CHECK_TRUE(memcmp(&found, key, sizeof(found)) == 0, "another key of that name");
    return newest ? 2 : 1;
}

static void test_rotation(void)
{
    struct tls_tickets *tickets = tls_tickets_new();
    struct tls_ticket_key keys[5] = {{{0}, {0}, {0}}};
    uint64_t now = 5000;

    CHECK_TRUE(tls_tickets_newest(tickets, &keys[0]), "there is one at once");
    tls_tickets_rotate(tickets, now); /* from here its time runs */
    tls_tickets_rotate(tickets, now + TURN_MS - 1);
    CHECK_INT(__LINE__, "not yet", find(tickets, &keys[0]), 2);
    for (int i = 1; i < 5; i++) {
        now += TURN_MS;
        tls_tickets_rotate(tickets, now);
        CHECK_TRUE(tls_tickets_newest(tickets, &keys[i]), "turn %d", i);
        CHECK_TRUE(memcmp(&keys[i], &keys[i - 1], sizeof(keys[i])) != 0, "turn %d: another", i);
        for (int j = 0; j <= i; j++)
            CHECK_INT(i, "what is taken", find(tickets, &keys[j]),
                      j == i ? 2 : i - j < TLS_TICKET_OWN_KEYS);
        tls_tickets_rotate(tickets, now + TURN_MS - 1);
        CHECK_TRUE(is_newest(tickets, &keys[i]), "turn %d: it stays so long", i);
    }
    tls_tickets_free(tickets);
    tls_tickets_free(NULL);
}

static void test_given(void)
{
    struct tls_tickets *tickets = tls_tickets_new();
    struct tls_ticket_key own, given[TLS_TICKET_KEYS + 1];

    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        memset(&given[i], (int)i + 1, sizeof(given[i]));
    tls_tickets_newest(tickets, &own);
    tls_tickets_set(tickets, given, 2);
    CHECK_INT(__LINE__, "the first is for new ones", find(tickets, &given[0]), 2);
    CHECK_INT(__LINE__, "the second is taken", find(tickets, &given[1]), 1);
    CHECK_INT(__LINE__, "the third was not given", find(tickets, &given[2]), 0);
    CHECK_INT(__LINE__, "its own is no more", find(tickets, &own), 0);
    tls_tickets_rotate(tickets, 1);
    tls_tickets_rotate(tickets, 10 * TURN_MS);
    CHECK_INT(__LINE__, "none is made now", find(tickets, &given[0]), 2);
    tls_tickets_set(tickets, given, ARRAY_LEN(given));
    CHECK_INT(__LINE__, "so many", find(tickets, &given[TLS_TICKET_KEYS - 1]), 1);
    CHECK_INT(__LINE__, "and no more", find(tickets, &given[TLS_TICKET_KEYS]), 0);
    tls_tickets_set(tickets, given, 1);
    CHECK_INT(__LINE__, "fewer again", find(tickets, &given[1]), 0);

    tls_tickets_set(tickets, NULL, 0);
    tls_tickets_newest(tickets, &own);
    CHECK_TRUE(memcmp(&own, &given[0], sizeof(own)) != 0, "its own again");
    CHECK_INT(__LINE__, "which is the newest", find(tickets, &own), 2);
    CHECK_INT(__LINE__, "those given are no more", find(tickets, &given[0]), 0);
    tls_tickets_rotate(tickets, 20 * TURN_MS);
    CHECK_TRUE(is_newest(tickets, &own), "its time runs from now");
    tls_tickets_rotate(tickets, 21 * TURN_MS);
    CHECK_TRUE(!is_newest(tickets, &own), "and is over");
    tls_tickets_free(tickets);
}

int main(void)
{
    test_rotation();
    test_given();
    return check_end("tls_tickets");
}
