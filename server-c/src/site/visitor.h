/* SPDX-License-Identifier: MIT */
/* visitor.h — who a request comes from: the client at the other end of the connection, or, when that is a
 * proxy that the config trusts, the one whom that says it asks for.
 *
 * From anybody else a field that says so changes nothing. */
#ifndef FARMSTEAD_VISITOR_H
#define FARMSTEAD_VISITOR_H

#include "config/config.h"
#include "http/http_parser.h"
#include "match/address_block.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* The proxies that a config trusts, made ready. Immutable. */
struct trusted_proxies {
    struct address_block *blocks;
    size_t count;
    bool has_unix; /* who connects to a Unix socket */
    enum http_field field;
};
void trusted_proxies_init(struct trusted_proxies *proxies, const struct config *cfg);
void trusted_proxies_fini(struct trusted_proxies *proxies);
bool trusted_proxies_hold(const struct trusted_proxies *proxies, const struct sockaddr *peer);

/* Who is at the other end of a connection, or whom a proxy names, who has no port then. AF_UNSPEC: the proxy does not say, or not in a way that is an address. */
union visitor {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

void visitor_set(union visitor *visitor, const uint8_t address[ADDRESS_LEN], uint16_t port);

/* Of a request of `peer`: itself, or *visitor, which is set then. Read from our end of the list, the
 * client is the first that is no trusted proxy. */
const struct sockaddr *visitor_find(union visitor *visitor, const struct trusted_proxies *proxies,
                                    const struct sockaddr *peer, const struct http_request *req,
                                    const char *head);

/* Does a trusted proxy say that the client asked it by https? The last one's word counts, in
 * X-Forwarded-Proto or, if the config says so, in Forwarded. */
bool visitor_came_by_https(const struct trusted_proxies *proxies, const struct sockaddr *peer,
                           const struct http_request *req, const char *head);

/* For address blocks; NULL: it has none. */
const uint8_t *visitor_address(const struct sockaddr *visitor, uint8_t out[ADDRESS_LEN]);

#endif
