/* SPDX-License-Identifier: MIT */
/* peer_limit.c — with "auto" no address can take all connections: once a quarter of limits.connections
 * is in use, each address may have a quarter more. Before that nothing is counted, which costs nothing.
 * The share is large since offices and mobile networks have many clients behind one address. */
#include "connection/peer_limit.h"

#include "log/log.h"
#include "net/peer_table.h"

/* The least that "auto" allows an address, for an office behind one address when limits.connections
 * is small. */
#define PER_ADDRESS_MIN 50

/* 0: no limit, and the connection is not counted. Peers on this host are taken to be a proxy. */
static uint32_t limit_of(const struct loop *loop, const struct sockaddr *peer)
{
    const struct config *cfg = loop->live->cfg;
    uint32_t quarter = cfg->limits.connections / 4;

    if (trusted_proxies_hold(&loop->live->sites->proxies, peer))
        return 0;
    if (cfg->limits.connections_per_address != CONFIG_AUTO_PER_ADDRESS)
        return cfg->limits.connections_per_address;
    if (atomic_load_explicit(&loop->shared->connections, memory_order_relaxed) < quarter ||
        peer_is_local(peer))
        return 0;
    return quarter > PER_ADDRESS_MIN ? quarter : PER_ADDRESS_MIN;
}

/* An operator with a proxy in front has to know this. */
static void warn(struct loop *loop)
{
    if (!loop_may_warn(loop, &loop->warned_address_ms))
        return;
    log_warn("listener: an address has as many connections as limits.connectionsPerAddress lets it "
             "have; more of it are refused. If it is a proxy's, name it in trustedProxies.");
}

bool peer_limit_enter(struct loop *loop, const struct sockaddr *peer, bool *is_counted)
{
    uint32_t limit = limit_of(loop, peer);

    *is_counted = limit > 0;
    if (limit == 0 || peer_table_enter(loop->shared->peers, peer, limit))
        return true;
    *is_counted = false;
    warn(loop);
    return false;
}
