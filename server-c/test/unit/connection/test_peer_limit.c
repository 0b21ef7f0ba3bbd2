/* SPDX-License-Identifier: MIT */
/* How many connections an address may have. */
#include "connection/peer_limit.c"

#include "base/util.h"
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static void test_auto_limit_of_an_address(void)
{
    static const struct {
        const char *name;
        uint32_t limit, per_address, open, address, want;
    } rows[] = {
        {"few are open", 4000, CONFIG_AUTO_PER_ADDRESS, 999, 0xcb007101, 0},
        {"a quarter is open", 4000, CONFIG_AUTO_PER_ADDRESS, 1000, 0xcb007101, 1000},
        {"this host", 4000, CONFIG_AUTO_PER_ADDRESS, 1000, INADDR_LOOPBACK, 0},
        {"few for all: an office's", 100, CONFIG_AUTO_PER_ADDRESS, 25, 0xcb007101, PER_ADDRESS_MIN},
        {"as configured, always", 4000, 7, 0, INADDR_LOOPBACK, 7},
        {"none, by config", 4000, 0, 4000, 0xcb007101, 0},
        {"a trusted proxy", 4000, CONFIG_AUTO_PER_ADDRESS, 4000, 0x0a010203, 0},
        {"a trusted proxy, by config", 4000, 7, 4000, 0x0a010203, 0},
    };
    static char block[] = "10.0.0.0/8", *proxies[] = {block};
    struct config cfg = {.trusted_proxies = proxies, .trusted_proxy_count = 1};
    struct site_set sites = {.cfg = &cfg};
    struct live_config some = {.cfg = &cfg, .sites = &sites};
    struct loop_shared all = {0};
    struct loop loop = {.live = &some, .shared = &all};

    trusted_proxies_init(&sites.proxies, &cfg);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sockaddr_in peer = {.sin_family = AF_INET};
        peer.sin_addr.s_addr = htonl(rows[i].address);
        cfg.limits.connections = rows[i].limit;
        cfg.limits.connections_per_address = rows[i].per_address;
        all.connections = rows[i].open;
        CHECK_INT((int)i, rows[i].name, limit_of(&loop, (struct sockaddr *)&peer), rows[i].want);
    }
    trusted_proxies_fini(&sites.proxies);
}

static void test_counting(void)
{
    struct config cfg = {.limits.connections = 100, .limits.connections_per_address = 2};
    struct site_set sites = {.cfg = &cfg};
    struct live_config some = {.cfg = &cfg, .sites = &sites};
    struct loop_shared all = {.peers = peer_table_new()};
    struct loop loop = {.live = &some, .shared = &all};
    struct sockaddr_in peer = {.sin_family = AF_INET};
    bool is_counted = false;

    peer.sin_addr.s_addr = htonl(0xcb007101);
    for (int i = 0; i < 2; i++)
        CHECK_TRUE(peer_limit_enter(&loop, (struct sockaddr *)&peer, &is_counted) && is_counted,
                   "the %d.", i + 1);
    CHECK_TRUE(!peer_limit_enter(&loop, (struct sockaddr *)&peer, &is_counted) && !is_counted,
               "the third is refused, and not counted");
    cfg.limits.connections_per_address = 0;
    CHECK_TRUE(peer_limit_enter(&loop, (struct sockaddr *)&peer, &is_counted) && !is_counted,
               "without a limit it is not counted");
    peer_table_leave(all.peers, (struct sockaddr *)&peer);
    peer_table_leave(all.peers, (struct sockaddr *)&peer);
    CHECK_INT(__LINE__, "nobody is left", peer_table_size(all.peers), 0);
    peer_table_free(all.peers);
}

int main(void)
{
    test_auto_limit_of_an_address();
    test_counting();
    return check_end("peer_limit");
}
