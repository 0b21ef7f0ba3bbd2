/* SPDX-License-Identifier: MIT */
/* proxy_header.h — the header with which a proxy begins a connection to tell for whom it is: the PROXY
 * protocol of HAProxy, versions 1 (a line) and 2 (bytes), as its specification of 2020 has them. */
#ifndef FARMSTEAD_PROXY_HEADER_H
#define FARMSTEAD_PROXY_HEADER_H

#include "base/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest that is read. The addresses of version 2 take 36 bytes; what proxies add to them is some
 * hundred, and a client's certificate is not among it. */
#define PROXY_HEADER_MAX 4096

struct proxy_header {
    size_t len; /* bytes of it; what follows is the client's */
    /* False: the connection is the proxy's own, such as a health check, or it does not know its
     * client's address. */
    bool has_client;
    bool is_secure; /* the client spoke TLS to the proxy (version 2, PP2_CLIENT_SSL) */
    uint8_t client[ADDRESS_LEN];
    uint16_t port;
};

enum proxy_header_state { PROXY_HEADER_OK, PROXY_HEADER_MORE, PROXY_HEADER_BAD };

/* *header is set if it is OK. BAD as soon as the bytes can't be the beginning of one. */
enum proxy_header_state proxy_header_parse(struct proxy_header *header, const uint8_t *bytes,
                                           size_t len);

#endif
