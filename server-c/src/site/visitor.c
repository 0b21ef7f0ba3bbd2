/* SPDX-License-Identifier: MIT */
/* visitor.c — the list is read from the client's end, as it is written: the last one that is no trusted proxy
 * is the first from ours. */
#include "site/visitor.h"

#include "base/mem.h"
#include "base/util.h"
#include "http/http_forwarded.h"

/* --- proxies --------------------------------------------------------------------------------- */

void trusted_proxies_init(struct trusted_proxies *proxies, const struct config *cfg)
{
    *proxies = (struct trusted_proxies){
        .blocks = xcalloc(cfg->trusted_proxy_count, sizeof(*proxies->blocks)),
        .field = cfg->trusted_proxy_field == PROXY_FIELD_FORWARDED ? FIELD_FORWARDED
                                                                   : FIELD_X_FORWARDED_FOR,
    };
    for (size_t i = 0; i < cfg->trusted_proxy_count; i++) {
        if (strcmp(cfg->trusted_proxies[i], "unix") == 0)
            proxies->has_unix = true;
        else
            CHECK(
                !address_block_parse(&proxies->blocks[proxies->count++], cfg->trusted_proxies[i]));
    }
}

void trusted_proxies_fini(struct trusted_proxies *proxies)
{
    free(proxies->blocks);
}

static bool hold(const struct trusted_proxies *proxies, const uint8_t address[ADDRESS_LEN])
{
    for (size_t i = 0; i < proxies->count; i++)
        if (address_block_holds(&proxies->blocks[i], address))
            return true;
    return false;
}

bool trusted_proxies_hold(const struct trusted_proxies *proxies, const struct sockaddr *peer)
{
    uint8_t bytes[ADDRESS_LEN];
    const uint8_t *address;

    if (peer->sa_family == AF_UNIX)
        return proxies->has_unix;
    if (proxies->count == 0)
        return false;
    address = visitor_address(peer, bytes);
    return address && hold(proxies, address);
}

/* --- the visitor ----------------------------------------------------------------------------- */

const uint8_t *visitor_address(const struct sockaddr *visitor, uint8_t out[ADDRESS_LEN])
{
    const union visitor *peer = (const union visitor *)(const void *)visitor;

    if (visitor->sa_family == AF_INET) {
        memcpy(address_begin_v4(out), &peer->v4.sin_addr, 4);
        return out;
    }
    if (visitor->sa_family != AF_INET6)
        return NULL;
    memcpy(out, &peer->v6.sin6_addr, ADDRESS_LEN);
    return out;
}

void visitor_set(union visitor *visitor, const uint8_t address[ADDRESS_LEN], uint16_t port)
{
    const uint8_t *v4 = address_v4(address);

    memset(visitor, 0, sizeof(*visitor));
    if (v4) {
        visitor->v4.sin_family = AF_INET;
        visitor->v4.sin_port = htons(port);
        memcpy(&visitor->v4.sin_addr, v4, 4);
    } else {
        visitor->v6.sin6_family = AF_INET6;
        visitor->v6.sin6_port = htons(port);
        memcpy(&visitor->v6.sin6_addr, address, ADDRESS_LEN);
    }
}

static void set_hop(union visitor *visitor, const struct forwarded_hop *hop)
{
    if (hop->is_known)
        visitor_set(visitor, hop->address, 0);
    else
        *visitor = (union visitor){.any.sa_family = AF_UNSPEC};
}

const struct sockaddr *visitor_find(union visitor *visitor, const struct trusted_proxies *proxies,
                                    const struct sockaddr *peer, const struct http_request *req,
                                    const char *head)
{
    struct span line, element;
    bool has_any = false;
    uint32_t cursor = 0;

    if (!http_request_has(req, proxies->field) || !trusted_proxies_hold(proxies, peer))
        return peer;
    while (http_request_next_value(req, head, proxies->field, &cursor, &line)) {
        while (http_forwarded_next(proxies->field, &line, &element)) {
            struct forwarded_hop hop = http_forwarded_hop(proxies->field, element);
            /* Of proxies alone it is the one at the client's end. */
            if (!has_any || !hop.is_known || !hold(proxies, hop.address))
                set_hop(visitor, &hop);
            has_any = true;
        }
    }
    return has_any ? &visitor->any : peer;
}

bool visitor_came_by_https(const struct trusted_proxies *proxies, const struct sockaddr *peer,
                           const struct http_request *req, const char *head)
{
    enum http_field field =
        proxies->field == FIELD_FORWARDED ? FIELD_FORWARDED : FIELD_X_FORWARDED_PROTO;
    struct span line, element;
    bool is_https = false;
    uint32_t cursor = 0;

    if (!http_request_has(req, field) || !trusted_proxies_hold(proxies, peer))
        return false;
    while (http_request_next_value(req, head, field, &cursor, &line))
        while (http_forwarded_next(field, &line, &element))
            is_https = http_forwarded_is_https(field, element);
    return is_https;
}
