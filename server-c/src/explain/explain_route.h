/* SPDX-License-Identifier: MIT */
/* explain_route.h — from a URL to what a site would answer with, if the files it looks for are there, and which
 * rules make it so. The request is a GET by a stranger: without an address, a password or a Referer. */
#ifndef FARMSTEAD_EXPLAIN_ROUTE_H
#define FARMSTEAD_EXPLAIN_ROUTE_H

#include "base/buf.h"
#include "site/site.h"

#define EXPLAIN_URL_MAX 2048

struct explain_asked {
    struct span host;        /* without a port */
    struct span path, query; /* as in a request; the query without '?' */
    bool is_secure;
};

struct explain_routed {
    enum http_status status; /* HTTP_OK: the file at `path` */
    const char *realm;       /* to sign in for; NULL: no matter */
    uint32_t retry_seconds;  /* of maintenance */
    struct buf location;     /* of a redirect; else empty */
    struct buf path; /* decoded and rewritten, of the file that is taken to be there; else empty */
    struct buf matched; /* the path that the rules have led to, without an index file's name */
    struct buf files;   /* where it is looked for, in this order, each with an end of line */
};

struct explain_router;

/* Both as long as the router. */
struct explain_router *explain_router_new(const struct site_set *sites);
void explain_router_free(struct explain_router *router);

void explain_routed_init(struct explain_routed *routed);
void explain_routed_fini(struct explain_routed *routed);

void explain_route(struct explain_router *router, const struct site *site,
                   const struct explain_asked *asked, struct explain_routed *routed);

/* Calls `on_rule` with the place in the config (RFC 6901) of each rule without which the answer would be another one. */
void explain_route_rules(struct explain_router *router, const struct site *site,
                         const struct explain_asked *asked, const struct explain_routed *routed,
                         void (*on_rule)(void *to, const char *pointer), void *to);

#endif
