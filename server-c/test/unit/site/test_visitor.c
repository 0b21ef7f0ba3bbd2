/* SPDX-License-Identifier: MIT */
/* Whom a request comes from, by what the proxies before this node say and by who says it. */
#include "site/visitor.c"

#include "check.h"

#include <arpa/inet.h>

#define S(text) ((char *)(uintptr_t)(text))

static char *trusted[] = {S("10.0.0.0/8"), S("2001:db8:1::/48"), S("unix")};

struct row {
    int line;
    const char *peer; /* an address, or "unix" */
    const char *fields;
    const char *visitor; /* NULL: unknown */
};

static const struct row rows[] = {
    {__LINE__, "203.0.113.9", "", "203.0.113.9"},
    {__LINE__, "10.0.0.1", "", "10.0.0.1"},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 192.0.2.7", "192.0.2.7"},
    {__LINE__, "10.0.0.1", "x-forwarded-for: 2001:db8::7", "2001:db8::7"},
    /* From who is no trusted proxy it changes nothing. */
    {__LINE__, "203.0.113.9", "X-Forwarded-For: 192.0.2.7", "203.0.113.9"},
    {__LINE__, "11.0.0.1", "X-Forwarded-For: 10.0.0.1", "11.0.0.1"},
    /* What a client wrote itself is further from us than what the proxy adds. */
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 127.0.0.1, 192.0.2.7", "192.0.2.7"},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 10.9.9.9, 192.0.2.7", "192.0.2.7"},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: nonsense, 192.0.2.7", "192.0.2.7"},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.7", "192.0.2.7"},
    /* Several proxies. */
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 192.0.2.7, 10.0.0.2, 10.0.0.3", "192.0.2.7"},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 1.1.1.1, 192.0.2.7, 2001:db8:1::5", "192.0.2.7"},
    {__LINE__, "2001:db8:1::1", "X-Forwarded-For: 192.0.2.7", "192.0.2.7"},
    {__LINE__, "::ffff:10.0.0.1", "X-Forwarded-For: 192.0.2.7", "192.0.2.7"},
    {__LINE__, "unix", "X-Forwarded-For: 192.0.2.7", "192.0.2.7"},
    /* Proxies alone: the one at the client's end asks. */
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 10.0.0.8, 10.0.0.2", "10.0.0.8"},
    /* Whoever it was, it is nobody that a rule names. */
    {__LINE__, "10.0.0.1", "X-Forwarded-For: unknown", NULL},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 192.0.2.7, unknown", NULL},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: 192.0.2.7, unknown, 10.0.0.3", NULL},
    {__LINE__, "10.0.0.1", "X-Forwarded-For: ,", "10.0.0.1"},
    /* The other field is a client's word. */
    {__LINE__, "10.0.0.1", "Forwarded: for=192.0.2.7", "10.0.0.1"},
};

static struct config cfg = {.trusted_proxies = trusted, .trusted_proxy_count = 3};

static void set_peer(union visitor *peer, const char *text)
{
    memset(peer, 0, sizeof(*peer));
    peer->any.sa_family = AF_UNIX;
    if (inet_pton(AF_INET, text, &peer->v4.sin_addr) == 1)
        peer->any.sa_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &peer->v6.sin6_addr) == 1)
        peer->any.sa_family = AF_INET6;
}

static void find(const struct trusted_proxies *proxies, const char *peer_text, const char *fields,
                 char out[INET6_ADDRSTRLEN])
{
    union visitor peer, visitor;
    const union visitor *found;
    struct http_request req;
    char head[500];
    int len = snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: a\r\n%s%s\r\n", fields,
                       fields[0] ? "\r\n" : "");

    set_peer(&peer, peer_text);
    http_request_init(&req, sizeof(head), sizeof(head));
    CHECK_INT(len, fields, http_parse_request(&req, head, (size_t)len), PARSE_OK);
    found =
        (const union visitor *)(const void *)visitor_find(&visitor, proxies, &peer.any, &req, head);
    strcpy(out, "unknown");
    if (found->any.sa_family == AF_INET)
        inet_ntop(AF_INET, &found->v4.sin_addr, out, INET6_ADDRSTRLEN);
    else if (found->any.sa_family == AF_INET6)
        inet_ntop(AF_INET6, &found->v6.sin6_addr, out, INET6_ADDRSTRLEN);
}

static bool came_by_https(const char *peer_text, const char *fields)
{
    struct trusted_proxies proxies;
    struct http_request req;
    union visitor peer;
    char head[500];
    int len = snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", fields);
    bool is_https;

    set_peer(&peer, peer_text);
    http_request_init(&req, sizeof(head), sizeof(head));
    CHECK_INT(len, fields, http_parse_request(&req, head, (size_t)len), PARSE_OK);
    trusted_proxies_init(&proxies, &cfg);
    is_https = visitor_came_by_https(&proxies, &peer.any, &req, head);
    trusted_proxies_fini(&proxies);
    return is_https;
}

static void test_https(void)
{
    static const struct {
        int line;
        enum config_proxy_field field;
        const char *peer, *fields;
        bool is_https;
    } schemes[] = {
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1", "X-Forwarded-Proto: https", true},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "unix", "X-Forwarded-Proto: https", true},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1", "X-Forwarded-Proto: http", false},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1", "X-Other: https", false},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "203.0.113.9", "X-Forwarded-Proto: https", false},
        /* What the client wrote comes before what the proxy says. */
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1", "X-Forwarded-Proto: https, http",
         false},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1",
         "X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http", false},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1", "X-Forwarded-Proto: http, https", true},
        {__LINE__, PROXY_FIELD_X_FORWARDED_FOR, "10.0.0.1", "Forwarded: proto=https", false},
        {__LINE__, PROXY_FIELD_FORWARDED, "10.0.0.1", "Forwarded: for=a;proto=https", true},
        {__LINE__, PROXY_FIELD_FORWARDED, "10.0.0.1", "Forwarded: proto=https, for=a", false},
        {__LINE__, PROXY_FIELD_FORWARDED, "10.0.0.1", "X-Forwarded-Proto: https", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        cfg.trusted_proxy_field = schemes[i].field;
        CHECK_INT(schemes[i].line, schemes[i].fields,
                  came_by_https(schemes[i].peer, schemes[i].fields), schemes[i].is_https);
    }
    cfg.trusted_proxy_field = PROXY_FIELD_X_FORWARDED_FOR;
}

static void test_visitors(void)
{
    struct trusted_proxies proxies;
    char got[INET6_ADDRSTRLEN];

    trusted_proxies_init(&proxies, &cfg);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        find(&proxies, rows[i].peer, rows[i].fields, got);
        CHECK_STR(rows[i].line, rows[i].fields, got, rows[i].visitor ? rows[i].visitor : "unknown");
    }
    trusted_proxies_fini(&proxies);
    cfg.trusted_proxy_field = PROXY_FIELD_FORWARDED;
    trusted_proxies_init(&proxies, &cfg);
    find(&proxies, "10.0.0.1", "Forwarded: for=127.0.0.1, for=192.0.2.7;proto=https", got);
    CHECK_STR(__LINE__, "Forwarded", got, "192.0.2.7");
    find(&proxies, "10.0.0.1", "X-Forwarded-For: 192.0.2.7", got);
    CHECK_STR(__LINE__, "a client's word", got, "10.0.0.1");
    trusted_proxies_fini(&proxies);
}

static void test_none_is_trusted(void)
{
    static struct config none;
    struct trusted_proxies proxies;
    char got[INET6_ADDRSTRLEN];

    trusted_proxies_init(&proxies, &none);
    find(&proxies, "10.0.0.1", "X-Forwarded-For: 192.0.2.7", got);
    CHECK_STR(__LINE__, "by default", got, "10.0.0.1");
    find(&proxies, "unix", "X-Forwarded-For: 192.0.2.7", got);
    CHECK_STR(__LINE__, "by default", got, "unknown");
    trusted_proxies_fini(&proxies);
}

int main(void)
{
    test_https();
    test_visitors();
    test_none_is_trusted();
    return check_end("visitor");
}
