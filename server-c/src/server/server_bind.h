/* SPDX-License-Identifier: MIT */
/* server_bind.h — the addresses on which the loops listen, and the further sockets that another
 * config needs. Only on the thread that applies. */
#ifndef FARMSTEAD_SERVER_BIND_H
#define FARMSTEAD_SERVER_BIND_H

#include "config/config.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct unix_socket;

/* An address on which loops 0 … loops - 1 listen. */
struct bound {
    struct config_listen listen; /* its strings are on the heap */
    uint16_t port;               /* the actual port */
    int spare;                   /* TCP: another descriptor of loop 0's socket */
    struct unix_socket *local;   /* NULL: TCP, or inherited */
    int inherited;               /* the service manager's socket, which we duplicate; or -1 */
};

struct bound_list {
    struct bound *items;
    size_t count;
};

/* What an apply has bound, to be put in force or thrown away. */
struct binding {
    const struct config *cfg;
    uint32_t loops;
    int *fds;               /* [loop][listen]; -1: the loop listens there already */
    struct bound_list next; /* in the order of cfg->listens; shares kept ones with the old list */
};

/* Binds, for `loops` loops, what the `active` loops of `old` do not listen on yet. A new address
 * may overlap an old one: both accept clients until the old one is closed. 0, or -1 with findings
 * and nothing bound. */
int binding_prepare(struct binding *binding, const struct config *cfg, uint32_t loops,
                    const struct bound_list *old, uint32_t active, struct config_errors *errors);
void binding_discard(struct binding *binding, const struct bound_list *old);
/* Call it before the loops are told: drops what only `old` has, so that the sockets end when the
 * loops close them. */
void binding_release_old(struct binding *binding, struct bound_list *old);
/* Call it afterwards: logs what is new, and makes `old` the new list. */
void binding_commit(struct binding *binding, struct bound_list *old);

/* New connections are for the first `loops` loops, until bound_list_spread() to all `loops` that there
 * are. */
void bound_list_steer(const struct bound_list *list, uint32_t loops);
void bound_list_spread(const struct bound_list *list, uint32_t loops);

/* Gives sockets with a name to that user. */
void binding_give(const struct binding *binding, uid_t uid, gid_t gid);

void bound_list_clear(struct bound_list *list);

/* Adds a finding for an address that event loop `loop` can't watch. */
void binding_add_unwatched(const struct binding *binding, size_t listen, uint32_t loop, int err,
                           struct config_errors *errors);
/* Adds a finding for a socket that could not be bound. */
void binding_add_error(const struct config *cfg, const char *pointer,
                       const struct config_listen *listen, int err, struct config_errors *errors);

#endif
