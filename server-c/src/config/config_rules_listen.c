/* SPDX-License-Identifier: MIT */
/* config_rules_listen.c — a listener has either an address and a port, or a socket, and no two are
 * the same. */
#include "config/config_rules_parts.h"

#include "base/mem.h"
#include "base/util.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOCKET_PATH_MAX 107 /* length of sun_path without its NUL */

/* An address and port that two listeners must not share, and where they are written. */
struct endpoint {
    unsigned char binary[16];
    bool is_v6;
    uint16_t port;
    char pointer[RULES_POINTER_LEN];
};

static bool has_socket(const struct config_listen *listen)
{
    return listen->socket != NULL && *listen->socket != '\0';
}

static bool make_endpoint(struct endpoint *endpoint, const char *address, uint16_t port)
{
    if (address == NULL || port == 0)
        return false;
    memset(endpoint, 0, sizeof(*endpoint));
    endpoint->port = port;
    endpoint->is_v6 = strchr(address, ':') != NULL;
    return inet_pton(endpoint->is_v6 ? AF_INET6 : AF_INET, address, endpoint->binary) == 1;
}

static bool is_any(const struct endpoint *endpoint)
{
    static const unsigned char any[sizeof(endpoint->binary)];

    return memcmp(endpoint->binary, any, sizeof(any)) == 0;
}

/* Would the kernel take both for the same, because they are, or because one is the wildcard
 * address? */
static bool overlap(const struct endpoint *a, const struct endpoint *b)
{
    return a->port == b->port && a->is_v6 == b->is_v6 &&
           (is_any(a) || is_any(b) || memcmp(a->binary, b->binary, sizeof(a->binary)) == 0);
}

static void report_endpoints(const struct rules *rules, const struct endpoint *endpoints,
                             size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t other = 0;

        while (other < i && !overlap(&endpoints[other], &endpoints[i]))
            other++;
        if (other < i)
            config_rules_report(rules, CONFIG_CODE_DUPLICATE_VALUE, endpoints[i].pointer,
                                "choose another port or address",
                                "port %" PRIu16 " is listened on twice: %s has it too",
                                endpoints[i].port, endpoints[other].pointer);
    }
}

static void check_endpoints(const struct rules *rules)
{
    const struct config *cfg = rules->cfg;
    struct endpoint *endpoints = xcalloc(cfg->listen_count + 1, sizeof(*endpoints));
    size_t count = 0;

    for (size_t i = 0; i < cfg->listen_count; i++) {
        const struct config_listen *listen = &cfg->listens[i];

        if (listen->socket != NULL && *listen->socket == '\0' &&
            make_endpoint(&endpoints[count], listen->address, listen->port))
            snprintf(endpoints[count++].pointer, RULES_POINTER_LEN, "/listen/%zu", i);
    }
    if (make_endpoint(&endpoints[count], cfg->admin.address, cfg->admin.port))
        snprintf(endpoints[count++].pointer, RULES_POINTER_LEN, "/admin");
    report_endpoints(rules, endpoints, count);
    free(endpoints);
}

/* An option that the listener's kind does not use is an error, because the author expects it to
 * count. */
static void check_kind(const struct rules *rules, const struct config_listen *listen, size_t index)
{
    static const char *const tcp_only[] = {"address", "port", "deferAccept", "tls"};
    char pointer[RULES_POINTER_LEN];

    for (size_t i = 0; has_socket(listen) && i < ARRAY_LEN(tcp_only); i++) {
        snprintf(pointer, sizeof(pointer), "/listen/%zu/%s", index, tcp_only[i]);
        if (config_rules_is_given(rules, pointer))
            config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                                "leave it out, or make it a listener of its own",
                                "\"%s\" has no meaning beside \"socket\"", tcp_only[i]);
    }
    snprintf(pointer, sizeof(pointer), "/listen/%zu/socketMode", index);
    if (listen->socket != NULL && *listen->socket == '\0' && config_rules_is_given(rules, pointer))
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "leave it out, or name a socket",
                            "\"socketMode\" has no meaning without \"socket\"");
}

static void check_socket(const struct rules *rules, const struct config_listen *listen,
                         size_t index)
{
    char pointer[RULES_POINTER_LEN];
    size_t len = strlen(listen->socket), other = 0;

    snprintf(pointer, sizeof(pointer), "/listen/%zu/socket", index);
    if (len > SOCKET_PATH_MAX)
        config_rules_report(rules, CONFIG_CODE_INVALID_VALUE, pointer,
                            "the system takes no longer path for a socket",
                            "\"socket\" must have at most %d bytes, found %zu", SOCKET_PATH_MAX,
                            len);
    while (other < index && (rules->cfg->listens[other].socket == NULL ||
                             strcmp(rules->cfg->listens[other].socket, listen->socket) != 0))
        other++;
    if (other < index)
        config_rules_report(rules, CONFIG_CODE_DUPLICATE_VALUE, pointer, "choose another path",
                            "the socket \"%s\" is listened on twice: /listen/%zu has it too",
                            listen->socket, other);
}

/* A header is believed only when it comes from a trusted proxy, so there has to be one that can
 * connect. */
static void check_proxy_protocol(const struct rules *rules, const struct config_listen *listen,
                                 size_t index)
{
    const struct config *cfg = rules->cfg;
    char pointer[RULES_POINTER_LEN];

    if (!listen->proxy_protocol)
        return;
    for (size_t i = 0; i < cfg->trusted_proxy_count; i++)
        if (!cfg->trusted_proxies[i] || /* which is reported by itself */
            has_socket(listen) == (strcmp(cfg->trusted_proxies[i], "unix") == 0))
            return;
    snprintf(pointer, sizeof(pointer), "/listen/%zu/proxyProtocol", index);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                        has_socket(listen) ? "add \"unix\" to \"trustedProxies\""
                                           : "add the proxy's address to \"trustedProxies\"",
                        "every connection would be closed, since nobody who can connect here is "
                        "in \"trustedProxies\"");
}

void config_rules_check_listeners(const struct rules *rules)
{
    check_endpoints(rules);
    for (size_t i = 0; i < rules->cfg->listen_count; i++) {
        const struct config_listen *listen = &rules->cfg->listens[i];

        check_kind(rules, listen, i);
        check_proxy_protocol(rules, listen, i);
        if (has_socket(listen))
            check_socket(rules, listen, i);
    }
}
