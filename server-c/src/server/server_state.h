/* SPDX-License-Identifier: MIT */
/* server_state.h — the server as server.c (start and stop), server_apply.c (what changes it) and
 * server_read.c (what asks it) share it. Nobody else includes this.
 *
 * `applying` is held during a whole apply; `lock` protects the fields after it and is held only for
 * moments, so that others can read during an apply. */
#ifndef FARMSTEAD_SERVER_STATE_H
#define FARMSTEAD_SERVER_STATE_H

#include "config/config_sizes.h"
#include "server/server.h"
#include "server/server_bind.h"
#include "server/worker.h"

struct server_files;

struct server {
    struct loop_shared shared;
    struct access_logs *access_logs;
    struct io_lane *auth_lane; /* verifies passwords */
    char boot_id[33];
    uint64_t started_ns;
    uv_mutex_t applying;

    struct worker *workers[CONFIG_WORKERS_MAX]; /* changed only by an apply */
    uint32_t active;                            /* workers that listen; the others rest */
    struct config_sizes sizes;                  /* for the config that was applied last */
    struct bound_list bound;
    const struct server_admin *admin_by;
    struct admin *admin;
    struct server_files *files;        /* watches the files that the config names */
    struct config_listen admin_listen; /* its address is on the heap; "": none */
    /* NULL: was called. */
    int (*before_serving)(void *, const struct config *, struct config_errors *);
    void *before_serving_arg;
    const struct binding *preparing; /* set while before_serving runs */

    uv_mutex_t lock; /* protects what follows */
    uint32_t worker_count;
    struct site_set *sites;         /* NULL: no requests are served */
    struct kept_versions *versions; /* NULL: none */
    uint64_t generation, reloads;
    uint32_t active_shown;
    struct server_scrubbed scrubbed;
    struct server_neighbours neighbours;
};

/* How many there are, on whichever thread. */
uint32_t server_count_workers(struct server *srv);

/* Has all loops use `sites`, whose reference is taken over. They must be for the running config,
 * and so for the present listeners. `applying` must be held. */
void server_swap_sites(struct server *srv, struct site_set *sites, uint64_t generation);

/* Connections that the kernel holds back for a listener that goes (deferAccept) have their requests
 * on the way: they are waited for. The first `loops` keep those that are in `next`. Under `applying`, or at
 * the end. True if it has waited. */
bool server_release_held(struct server *srv, uint32_t loops, const struct config *next);

#endif
