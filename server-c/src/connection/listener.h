/* SPDX-License-Identifier: MIT */
/* listener.h — a listening socket of one loop: bind, accept, and keep calm when descriptors run
 * out.
 *
 * Each loop has a socket of its own for each address (SO_REUSEPORT): the kernel spreads clients
 * over them, and no lock is needed. */
#ifndef FARMSTEAD_LISTENER_H
#define FARMSTEAD_LISTENER_H

#include "base/list.h"
#include "config/config.h"
#include "net/loop.h"

/* Binds and listens, without accepting yet. `cfg->port` 0 takes `*port` when that is not 0, else
 * one the kernel chooses, which is put there. The socket, or a negative UV_E*. Any thread. */
int listener_bind(const struct config_listen *cfg, uint16_t *port);

struct listener;

/* Takes over `fd` and has the loop watch it, without accepting yet. listener_of_link() of what is in
 * `listeners` then. 0, or a negative UV_E* and fd is closed. Loop thread. */
int listener_new(struct loop *loop, int fd, const struct config_listen *cfg,
                 struct list *listeners);
void listener_drop(struct listener *listener);   /* instead of accepting. Loop thread */
void listener_accept(struct listener *listener); /* from now on; can't fail. Loop thread */
/* Takes what waits in its queue, then closes it. Loop thread. */
void listener_stop(struct listener *listener);
struct listener *listener_of_link(struct list *link);
/* Is it the one for this address of a config? */
bool listener_is_for(const struct listener *listener, const struct config_listen *cfg);
/* Takes over what this config says of it anew. Loop thread. */
void listener_follow(struct listener *listener, const struct config_listen *cfg);
/* It may be about to be stopped: for two seconds it does not defer. True when it did until now. Loop
 * thread. */
bool listener_release(struct listener *listener);
/* After descriptors ran out accepts again; defers as the loop does. Call it every LOOP_TICK_MS. */
void listener_tick(struct listener *listener);

#endif
