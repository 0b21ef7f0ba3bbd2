/* SPDX-License-Identifier: MIT */
/* agent_probe_order.h — what the control plane wants fetched (the protocol's `probes`): which paths,
 * how many requests, how fast, and where. Pure: no I/O, no clock. Any thread. */
#ifndef FARMSTEAD_AGENT_PROBE_ORDER_H
#define FARMSTEAD_AGENT_PROBE_ORDER_H

#include "agent/agent_json.h"
#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The protocol's limits: more is refused, whoever asks. */
#define AGENT_PROBE_PATHS_MAX 20
#define AGENT_PROBE_PER_SECOND_MAX 50
#define AGENT_PROBE_COUNT_MAX 2000
#define AGENT_PROBE_SECONDS_MAX 60
#define AGENT_PROBE_HOST_LEN 253
#define AGENT_PROBE_PATH_LEN 2048
#define AGENT_PROBE_ID_LEN 32 /* "probe_" + 26 */

struct agent_probe_path {
    char *host; /* NULL: the address that is connected to */
    char *path; /* as it stands in the request line */
};

struct agent_probe_order {
    char id[AGENT_PROBE_ID_LEN + 1]; /* "": nothing is to be fetched, and all below is empty */
    uint32_t per_second, count;
    size_t path_count;
    struct agent_probe_path paths[AGENT_PROBE_PATHS_MAX];
};

/* The member `probes` of `outer`, when it has one. The caller frees `out` in either case. */
void agent_probe_order_read(struct agent_reader *outer, struct agent_probe_order *out);
/* The member `paths` of `reader` alone, at least `min` of them. */
void agent_probe_paths_read(struct agent_reader *reader, struct agent_probe_order *out, size_t min);
void agent_probe_order_fini(struct agent_probe_order *order); /* leaves an empty one */

/* When which request is due. */
struct agent_probe_pace {
    uint64_t interval_ns, due_ns, end_ns;
    uint32_t left;
};
void agent_probe_pace_begin(struct agent_probe_pace *pace, const struct agent_probe_order *order,
                            uint64_t now_ns);
/* The request that was due has been answered, or has failed. What came late is not made up for. */
void agent_probe_pace_step(struct agent_probe_pace *pace, uint64_t now_ns);
bool agent_probe_pace_is_over(const struct agent_probe_pace *pace, uint64_t now_ns);

/* Where this node answers its clients. */
struct agent_probe_target {
    char url[80];       /* "http://127.0.0.1:8080" */
    const char *socket; /* cfg's: the Unix socket to connect to; NULL: the url's address */
};
/* The first address that connections can be made to; a Unix socket where there is none. False: `cfg`
 * listens nowhere (or is NULL), or only on a port that the kernel chose. */
bool agent_probe_target_of(const struct config *cfg, struct agent_probe_target *out);

#endif
