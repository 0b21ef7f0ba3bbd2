/* SPDX-License-Identifier: MIT */
/* poller.h — which of a loop's sockets are ready: an epoll set of its own, asked directly.
 *
 * libuv's set is one member of it, so timers, lanes and calls from other threads are libuv's as
 * ever; a client's socket costs one epoll_ctl in its whole life and a request none. The set is not
 * for files that others hold, too: close(2) is how a socket leaves it. Loop thread only. */
#ifndef FARMSTEAD_POLLER_H
#define FARMSTEAD_POLLER_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <uv.h>

struct poller_watch;

struct poller_kind {
    /* `events` as of epoll_wait(2); 0: poller_call_again() asked for it. */
    void (*on_ready)(struct poller_watch *watch, uint32_t events);
    void (*on_forgotten)(struct poller_watch *watch); /* its memory is the owner's again */
};

/* Embedded in what has the socket. */
struct poller_watch {
    const struct poller_kind *kind;
    struct list link;
};

struct poller {
    uv_loop_t *uv;
    int fd;
    struct list again, forgotten;
};

int poller_init(struct poller *poller, uv_loop_t *uv); /* 0 or a negative UV_E* */
void poller_fini(struct poller *poller);

void poller_watch_init(struct poller_watch *watch, const struct poller_kind *kind);

/* 0 or a negative UV_E*. With EPOLLET the owner hears of a change only: it is to read and write
 * until the kernel says EAGAIN, or has taken or given less than was asked for. */
int poller_add(struct poller *poller, int fd, uint32_t events, struct poller_watch *watch);
int poller_change(struct poller *poller, int fd, uint32_t events, struct poller_watch *watch);
/* Only for a socket that goes on without being watched; closing one is enough. */
void poller_remove(struct poller *poller, int fd);

/* Others first: on_ready is called in the next turn, whatever the socket says. */
void poller_call_again(struct poller *poller, struct poller_watch *watch);
/* At the end of this turn on_forgotten is called. Until then on_ready may still be. */
void poller_forget(struct poller *poller, struct poller_watch *watch);

/* Waits until there is something to do, and does it. False when no handle of libuv's is left. */
bool poller_turn(struct poller *poller);

#endif
