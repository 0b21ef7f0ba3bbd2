/* SPDX-License-Identifier: MIT */
/* request_filter.h — which requests somebody searches for. Everything that it says must hold.
 *
 * What has a path is asked in two steps, since a path is decoded and masked only for what matches
 * otherwise: and it is the masked one that is compared, or a search would find out what is hidden.
 * Any thread. */
#ifndef FARMSTEAD_REQUEST_FILTER_H
#define FARMSTEAD_REQUEST_FILTER_H

#include "base/util.h"
#include "match/address_block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_FILTER_HOST_LEN 253
#define REQUEST_FILTER_PATH_LEN 200
#define REQUEST_METHOD_LEN 16

struct request_filter {
    char site[REQUEST_FILTER_HOST_LEN + 1]; /* a host of the site that answered; "": any */
    char host[REQUEST_FILTER_HOST_LEN + 1]; /* a part of the host asked for, in lower case */
    char path[REQUEST_FILTER_PATH_LEN + 1]; /* a part of the path; "": any, also none */
    bool path_begins;                       /* the path begins so */
    char method[REQUEST_METHOD_LEN + 1];    /* "": any */
    uint16_t status_from, status_to;        /* both 0: any, also none */
    bool has_client;
    struct address_block client;
    uint64_t slower_ns, bytes_from;
};

/* What is known of a request without looking at its path. */
struct request_facts {
    char *const *site_hosts; /* of the site that answered */
    size_t site_host_count;
    struct span host, method; /* the host in lower case */
    const uint8_t *client;    /* ADDRESS_LEN bytes; NULL: it has no address */
    uint16_t status;          /* 0: no response was begun */
    uint64_t total_ns, bytes;
};

bool request_filter_takes(const struct request_filter *filter, const struct request_facts *facts);
bool request_filter_takes_path(const struct request_filter *filter, struct span masked);

#endif
