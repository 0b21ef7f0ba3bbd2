/* SPDX-License-Identifier: MIT */
/* Requests of one address: bursts, the rate after them, who counts as one, and a table that is full. */
#include "net/request_table.c"

#include "check.h"

#include <arpa/inet.h>
#include <string.h>

#define START (1000 * NS_PER_SECOND)

static struct sockaddr_storage peer_of(const char *text)
{
    struct sockaddr_storage peer = {.ss_family = AF_INET6};

    if (inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)&peer)->sin6_addr) == 1)
        return peer;
    peer.ss_family = AF_INET;
    CHECK_TRUE(inet_pton(AF_INET, text, &((struct sockaddr_in *)&peer)->sin_addr) == 1, "%s", text);
    return peer;
}

static uint32_t ask(struct request_table *table, const char *text, uint64_t mark,
                    const struct request_rate *rate, uint64_t now_ns)
{
    struct sockaddr_storage peer = peer_of(text);

    return request_table_take(table, (const struct sockaddr *)&peer, mark, rate, now_ns);
}

static void test_burst(struct request_table *table)
{
    static const struct request_rate rate = {NS_PER_SECOND / 2, 3};

    for (int i = 0; i < 3; i++)
        CHECK_INT(i, "of the burst", (int)ask(table, "192.0.2.1", 1, &rate, START), 0);
    CHECK_INT(__LINE__, "one too many", (int)ask(table, "192.0.2.1", 1, &rate, START), 1);
    CHECK_INT(__LINE__, "refused ones don't count",
              (int)ask(table, "192.0.2.1", 1, &rate, START + NS_PER_SECOND / 2), 0);
    CHECK_INT(__LINE__, "one in half a second",
              (int)ask(table, "192.0.2.1", 1, &rate, START + NS_PER_SECOND / 2), 1);
    for (int i = 0; i < 3; i++)
        CHECK_INT(i, "full again", (int)ask(table, "192.0.2.1", 1, &rate, 2 * START), 0);
    CHECK_INT(__LINE__, "and no fuller", (int)ask(table, "192.0.2.1", 1, &rate, 2 * START), 1);
}

static void test_wait(struct request_table *table)
{
    static const struct request_rate rate = {60 * NS_PER_SECOND, 1};

    CHECK_INT(__LINE__, "first", (int)ask(table, "192.0.2.9", 1, &rate, START), 0);
    CHECK_INT(__LINE__, "a minute", (int)ask(table, "192.0.2.9", 1, &rate, START), 60);
    CHECK_INT(__LINE__, "rounded up",
              (int)ask(table, "192.0.2.9", 1, &rate, START + NS_PER_SECOND / 2), 60);
    CHECK_INT(__LINE__, "at its end",
              (int)ask(table, "192.0.2.9", 1, &rate, START + 60 * NS_PER_SECOND), 0);
}

static void test_who(struct request_table *table)
{
    static const struct request_rate rate = {NS_PER_SECOND, 1};
    struct sockaddr nobody = {.sa_family = AF_UNIX};

    CHECK_INT(__LINE__, "a network", (int)ask(table, "2001:db8::1", 1, &rate, START), 0);
    CHECK_INT(__LINE__, "the same", (int)ask(table, "2001:db8::ffff:1", 1, &rate, START), 1);
    CHECK_INT(__LINE__, "another", (int)ask(table, "2001:db8:0:1::1", 1, &rate, START), 0);
    CHECK_INT(__LINE__, "v4", (int)ask(table, "192.0.2.3", 1, &rate, START), 0);
    CHECK_INT(__LINE__, "mapped", (int)ask(table, "::ffff:192.0.2.3", 1, &rate, START), 1);
    CHECK_INT(__LINE__, "another rule", (int)ask(table, "192.0.2.3", 2, &rate, START), 0);
    for (int i = 0; i < 3; i++)
        CHECK_INT(i, "no address", (int)request_table_take(table, &nobody, 1, &rate, START), 0);
}

/* More addresses than places: none is refused, and who is over its limit mostly stays so. */
static void test_full(struct request_table *table)
{
    static const struct request_rate rate = {3600 * NS_PER_SECOND, 1};
    uint32_t refused = 0;

    for (uint32_t i = 0; i < 2 * SETS * WAYS; i++) {
        struct sockaddr_in peer = {.sin_family = AF_INET, .sin_addr = {htonl(i)}};
        refused += request_table_take(table, (const struct sockaddr *)&peer, 7, &rate, START) > 0;
    }
    CHECK_INT(__LINE__, "each was new", (int)refused, 0);
}

int main(void)
{
    struct request_table *table = request_table_new();

    test_burst(table);
    test_wait(table);
    test_who(table);
    test_full(table);
    request_table_free(table);
    return check_end("request_table");
}
