/* SPDX-License-Identifier: MIT */
/* Which addresses count as one peer, how many connections a peer may have, and that no entry stays
 * behind. */
#include "net/peer_table.c"

#include "check.h"

#include <arpa/inet.h>
#include <sys/un.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un un;
};

static union address address_of(const char *text)
{
    union address address = {.un = {.sun_family = AF_UNIX}};

    if (inet_pton(AF_INET, text, &address.v4.sin_addr) == 1)
        address.any.sa_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1)
        address.any.sa_family = AF_INET6;
    return address;
}

static void test_who_is_one_peer(void)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"192.0.2.1", "::ffff:192.0.2.1", true},
        {"192.0.2.1", "::192.0.2.1", false},
        {"2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true},
        {"2001:db8::1", "2001:db8:0:1::1", false},
        {"::1", "::2", true},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
        {"::ffff:0.0.0.0", "::", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        union address a = address_of(rows[i].a), b = address_of(rows[i].b);
        struct peer_table *table = peer_table_new();
        CHECK_INT((int)i, rows[i].a, peer_table_enter(table, &a.any, 1), true);
        CHECK_INT((int)i, rows[i].b, peer_table_enter(table, &b.any, 1), !rows[i].same);
        CHECK_INT((int)i, rows[i].a, peer_table_size(table), rows[i].same ? 1 : 2);
        peer_table_leave(table, &a.any);
        CHECK_INT((int)i, rows[i].b, peer_table_enter(table, &b.any, 2), true);
        peer_table_free(table);
    }
}

static void test_limits(void)
{
    struct peer_table *table = peer_table_new();
    union address a = address_of("192.0.2.1"), other = address_of("192.0.2.2");
    union address none = address_of("unix");

    for (int i = 0; i < 3; i++)
        CHECK_TRUE(peer_table_enter(table, &a.any, 3), "connection %d", i);
    CHECK_TRUE(!peer_table_enter(table, &a.any, 3), "one too many");
    CHECK_TRUE(!peer_table_enter(table, &a.any, 2), "a limit that became lower");
    CHECK_TRUE(peer_table_enter(table, &a.any, 4), "a limit that became higher");
    CHECK_TRUE(peer_table_enter(table, &other.any, 1), "another address");
    for (int i = 0; i < 4; i++)
        peer_table_leave(table, &a.any);
    peer_table_leave(table, &other.any);
    CHECK_INT(__LINE__, "nobody is left", peer_table_size(table), 0);
    for (int i = 0; i < 10; i++)
        CHECK_TRUE(peer_table_enter(table, &none.any, 1), "a Unix socket's peer is not counted");
    peer_table_leave(table, &none.any);
    CHECK_INT(__LINE__, "nor kept", peer_table_size(table), 0);
    peer_table_free(table);
}

static union address numbered(uint32_t number)
{
    union address address = {.v4 = {.sin_family = AF_INET, .sin_addr = {htonl(number)}}};
    return address;
}

static void test_many(void)
{
    struct peer_table *table = peer_table_new();

    for (uint32_t i = 0; i < 20000; i++) {
        union address address = numbered(i);
        CHECK_TRUE(peer_table_enter(table, &address.any, 2), "%u", i);
        CHECK_TRUE(peer_table_enter(table, &address.any, 2), "%u", i);
    }
    CHECK_INT(__LINE__, "all are there", peer_table_size(table), 20000);
    for (size_t i = 0; i < SHARDS; i++)
        CHECK_TRUE(table->shards[i].peers.count > 900, "shard %zu: %zu", i,
                   table->shards[i].peers.count);
    for (uint32_t i = 0; i < 20000; i++) {
        union address address = numbered(i);
        CHECK_TRUE(!peer_table_enter(table, &address.any, 2), "%u", i);
        peer_table_leave(table, &address.any);
        peer_table_leave(table, &address.any);
    }
    CHECK_INT(__LINE__, "all are gone", peer_table_size(table), 0);
    peer_table_free(table);
}

static void *come_and_go(void *arg)
{
    struct peer_table *table = arg;

    for (uint32_t i = 0; i < 20000; i++) {
        union address address = numbered(i % 7);
        if (peer_table_enter(table, &address.any, 3))
            peer_table_leave(table, &address.any);
    }
    return NULL;
}

static void test_threads(void)
{
    struct peer_table *table = peer_table_new();
    pthread_t threads[4];

    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        pthread_create(&threads[i], NULL, come_and_go, table);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(__LINE__, "all are gone", peer_table_size(table), 0);
    peer_table_free(table);
}

int main(void)
{
    test_who_is_one_peer();
    test_limits();
    test_many();
    test_threads();
    return check_end("peer_table");
}
