/* SPDX-License-Identifier: MIT */
/* http_forwarded.h — for whom proxies say that they ask: Forwarded (RFC 7239), X-Forwarded-For and
 * X-Forwarded-Proto. */
#ifndef FARMSTEAD_HTTP_FORWARDED_H
#define FARMSTEAD_HTTP_FORWARDED_H

#include "base/address.h"
#include "http/http_parser.h"

/* A hop, as the next one told of it. */
struct forwarded_hop {
    bool is_known; /* false: "unknown", a made-up name, or nothing that is an address */
    uint8_t address[ADDRESS_LEN];
};

/* The hop that one element tells of: of X-Forwarded-For an address, with a port or without; of Forwarded its
 * parameter "for" (RFC 7239 section 6). */
struct forwarded_hop http_forwarded_hop(enum http_field field, struct span element);

/* Does one element say that its hop was asked by https? Of X-Forwarded-Proto it is the scheme, of
 * Forwarded the parameter "proto" (RFC 7239 section 5.4). */
bool http_forwarded_is_https(enum http_field field, struct span element);

/* The next element, from the client's end of the list to ours; false after the last. In Forwarded a comma
 * within quotes separates nothing. */
bool http_forwarded_next(enum http_field field, struct span *list, struct span *element);

#endif
