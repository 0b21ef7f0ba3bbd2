/* SPDX-License-Identifier: MIT */
/* agent_probe_order.h — an order of the control plane to fetch paths from this node (`probes` in
 * the protocol): which paths, how many requests, how fast, and from where. Pure: no I/O, no clock.
 * Any thread. */
#ifndef FARMSTEAD_AGENT_PROBE_ORDER_H
#define FARMSTEAD_AGENT_PROBE_ORDER_H

#include "agent/agent_json.h"
#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of the protocol. An order beyond them is refused, whoever gives it. */
#define AGENT_PROBE_PATHS_MAX 20
#define AGENT_PROBE_PER_SECOND_MAX 50
#define AGENT_PROBE_COUNT_MAX 2000
#define AGENT_PROBE_SECONDS_MAX 60
#define AGENT_PROBE_HOST_LEN 253
#define AGENT_PROBE_PATH_LEN 2048
#define AGENT_PROBE_ID_LEN 32 /* "probe_" and 26 characters */

struct agent_probe_path {
    char *host; /* NULL: the address connected to */
    char *path; /* as in the request line */
};

struct agent_probe_order {
    char id[AGENT_PROBE_ID_LEN + 1]; /* "": no order, and everything below is empty */
    uint32_t per_second, count;
    bool wants_answers; /* of the first request for each path */
    size_t path_count;
    struct agent_probe_path paths[AGENT_PROBE_PATHS_MAX];
};

/* Reads the member `probes` of `outer`, if there is one. The caller ends `out` in any case. */
void agent_probe_order_read(struct agent_reader *outer, struct agent_probe_order *out);
/* Reads only the member `paths` of `reader`, at least `min` of them. */
void agent_probe_paths_read(struct agent_reader *reader, struct agent_probe_order *out, size_t min);
void agent_probe_order_fini(struct agent_probe_order *order); /* leaves it empty */

/* When each request is due. */
struct agent_probe_pace {
    uint64_t interval_ns, due_ns, end_ns;
    uint32_t left;
};
void agent_probe_pace_begin(struct agent_probe_pace *pace, const struct agent_probe_order *order,
                            uint64_t now_ns);
/* The request that was due has been answered or has failed. Delays are not made up for. */
void agent_probe_pace_step(struct agent_probe_pace *pace, uint64_t now_ns);
bool agent_probe_pace_is_over(const struct agent_probe_pace *pace, uint64_t now_ns);

/* The address where this node answers clients. */
struct agent_probe_target {
    char url[80];        /* "http://127.0.0.1:8080" */
    char connect_to[64]; /* for a URL of any other host: "::127.0.0.1:8080" (CURLOPT_CONNECT_TO) */
    const char *socket;  /* of cfg: the Unix socket to connect to; NULL: the address in `url` */
    uint16_t port;
    bool speaks_tls, has_proxy_header;
};
/* Finds the first address that one can connect to, else a Unix socket: one with TLS when a site sends
 * clients there, and one without proxyProtocol if there is any. False if `cfg` is NULL, listens nowhere,
 * or only on a port chosen by the kernel. */
bool agent_probe_target_of(const struct config *cfg, struct agent_probe_target *out);

#endif
