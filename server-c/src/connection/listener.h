/* SPDX-License-Identifier: MIT */
/* listener.h — a listening socket of one loop: binds, accepts, and pauses when descriptors run out.
 *
 * Each loop has its own socket for each address (SO_REUSEPORT): the kernel spreads the clients over
 * them, and no lock is needed. */
#ifndef FARMSTEAD_LISTENER_H
#define FARMSTEAD_LISTENER_H

#include "base/list.h"
#include "config/config.h"
#include "net/loop.h"

/* Binds and listens, but does not accept. If cfg->port is 0 it takes *port, and if that is 0, too,
 * a port that the kernel chooses and that *port then holds. Returns the socket or a negative UV_E*.
 * Any thread. */
int listener_bind(const struct config_listen *cfg, uint16_t *port);
/* New connections come only to those `loops` sockets of the address of `fd` that have listened longest,
 * until listener_spread(), where `loops` is how many there are. Any thread. */
void listener_steer(int fd, uint32_t loops);
void listener_spread(int fd, uint32_t loops);

struct listener;

/* Takes over `fd` and adds a listener for it to the loop's poller and to `listeners`, without
 * accepting yet. Returns 0, or a negative UV_E* after closing fd. Loop thread. */
int listener_new(struct loop *loop, int fd, const struct config_listen *cfg,
                 struct list *listeners);
void listener_drop(struct listener *listener);   /* for one that is not to accept. Loop thread */
void listener_accept(struct listener *listener); /* starts to accept; can't fail. Loop thread */
/* Accepts the connections that wait in the queue, then closes the socket. Loop thread. */
void listener_stop(struct listener *listener);
struct listener *listener_of_link(struct list *link);
/* Does it listen on the address that `cfg` names? */
bool listener_is_for(const struct listener *listener, const struct config_listen *cfg);
/* Applies what may change in a config while the socket stays the same. Loop thread. */
void listener_follow(struct listener *listener, const struct config_listen *cfg);
/* Call it when the listener may be about to be stopped: for two seconds it does not defer accepts,
 * so that silent clients are not lost. True if it did defer until now. Loop thread. */
bool listener_release(struct listener *listener);
/* Accepts again after descriptors ran out, and follows the loop's decision to defer. Call it every
 * LOOP_TICK_MS. */
void listener_tick(struct listener *listener);

#endif
