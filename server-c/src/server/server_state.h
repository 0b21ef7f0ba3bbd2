/* SPDX-License-Identifier: MIT */
/* server_state.h — the server as server.c (start and stop), server_apply.c (what changes it) and
 * server_read.c (what asks it) share it. Nobody else includes this.
 *
 * `applying` serialises applies; `lock` guards the fields below it for a moment at a time, so that
 * others can read while an apply is under way. */
#ifndef FARMSTEAD_SERVER_STATE_H
#define FARMSTEAD_SERVER_STATE_H

#include "config/config_sizes.h"
#include "server/server.h"
#include "server/server_bind.h"
#include "server/worker.h"

struct server_files;

struct server {
    struct loop_shared shared;
    struct io_lane *auth_lane; /* passwords are verified there */
    char boot_id[33];
    uint64_t started_ns;
    uv_mutex_t applying;

    struct worker *workers[CONFIG_WORKERS_MAX]; /* changed by the one who applies */
    uint32_t active;                            /* workers that listen; the others rest */
    struct config_sizes sizes;                  /* of the config that was applied last */
    struct bound_list bound;
    const struct server_admin *admin_by;
    struct admin *admin;
    struct server_files *files;        /* looks after the files that the config names */
    struct config_listen admin_listen; /* address owned; "" : none */
    int (*before_serving)(void *, const struct config *, struct config_errors *); /* NULL: done */
    void *before_serving_arg;
    const struct binding *preparing; /* while before_serving runs */

    uv_mutex_t lock; /* of what follows */
    uint32_t worker_count;
    struct site_set *sites; /* NULL: nothing is served */
    uint64_t generation, reloads;
    uint32_t active_shown;
};

/* All loops go by `sites`, whose reference is taken over: of the config that runs, and so with the
 * listeners that there are. Under `applying`. */
void server_swap_sites(struct server *srv, struct site_set *sites, uint64_t generation);

/* Connections that the kernel holds back for a listener that goes (deferAccept) have their requests
 * on the way: they are waited for. The first `loops` keep those that are in `next`. Under `applying`, or at
 * the end. */
void server_release_held(struct server *srv, uint32_t loops, const struct config *next);

#endif
