/* SPDX-License-Identifier: MIT */
/* server_bind.h — the addresses the loops listen on, and the sockets another config needs beside
 * them. The thread that applies. */
#ifndef FARMSTEAD_SERVER_BIND_H
#define FARMSTEAD_SERVER_BIND_H

#include "config/config.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct unix_socket;

/* An address that loops 0 … loops - 1 listen on. */
struct bound {
    struct config_listen listen; /* its strings are owned */
    uint16_t port;               /* the real one */
    int spare;                   /* a TCP socket's: loop 0's once more */
    struct unix_socket *local;   /* NULL: TCP */
};

struct bound_list {
    struct bound *items;
    size_t count;
};

/* What an apply has bound, to be put in force or thrown away. */
struct binding {
    const struct config *cfg;
    uint32_t loops;
    int *fds;               /* [loop][listen], -1: listens already */
    struct bound_list next; /* as cfg->listens; what is kept is still the old list's, too */
};

/* Binds, for `loops` loops, what `old` of `active` loops does not listen on yet. A new address may
 * overlap an old one: both take clients until the old one is closed. 0, or -1 with findings and
 * nothing bound. */
int binding_prepare(struct binding *binding, const struct config *cfg, uint32_t loops,
                    const struct bound_list *old, uint32_t active, struct config_errors *errors);
void binding_discard(struct binding *binding, const struct bound_list *old);
/* Before the loops are told: lets go of what only `old` has, so that their closing is the end. */
void binding_release_old(struct binding *binding, struct bound_list *old);
/* After: says what is new, and makes `old` the new list. */
void binding_commit(struct binding *binding, struct bound_list *old);

/* Sockets with a name become that user's. */
void binding_give(const struct binding *binding, uid_t uid, gid_t gid);

void bound_list_clear(struct bound_list *list);

/* Adds the finding for an address that event loop `loop` can't watch. */
void binding_add_unwatched(const struct binding *binding, size_t listen, uint32_t loop, int err,
                           struct config_errors *errors);
/* Adds the finding for a socket that could not be had. */
void binding_add_error(const struct config *cfg, const char *pointer,
                       const struct config_listen *listen, int err, struct config_errors *errors);

#endif
