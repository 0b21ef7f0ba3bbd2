/* SPDX-License-Identifier: MIT */
/* poller.h — which sockets of a loop are ready. Has an epoll set of its own instead of libuv's
 * handles.
 *
 * libuv's own set is a member of it, so libuv handles timers, lanes and calls from other threads as
 * usual. A client's socket costs one epoll_ctl() in its life, and a request none. A socket leaves
 * the set by close(2), so the set is not for descriptors of which there are duplicates. Loop thread
 * only. */
#ifndef FARMSTEAD_POLLER_H
#define FARMSTEAD_POLLER_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <uv.h>

/* For a client's stream socket: what it is watched for, what of that says that there may be input,
 * and what that there is no more to come. */
#define POLLER_STREAM (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET)
#define POLLER_STREAM_INPUT (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)
#define POLLER_STREAM_LAST (EPOLLRDHUP | EPOLLHUP | EPOLLERR)

struct poller_watch;

struct poller_kind {
    /* `events` as from epoll_wait(2); 0: called because of poller_call_again(). */
    void (*on_ready)(struct poller_watch *watch, uint32_t events);
    void (*on_forgotten)(struct poller_watch *watch); /* the owner may free the watch */
};

/* A member of the struct that owns the socket. */
struct poller_watch {
    const struct poller_kind *kind;
    struct list link;
};

struct poller {
    uv_loop_t *uv;
    int fd;
    uint64_t turn; /* the number of the present turn */
    struct list again, forgotten;
};

int poller_init(struct poller *poller, uv_loop_t *uv); /* 0 or a negative UV_E* */
void poller_fini(struct poller *poller);

void poller_watch_init(struct poller_watch *watch, const struct poller_kind *kind);

/* Returns 0 or a negative UV_E*. With EPOLLET the owner is told only of changes: it must read or
 * write until the kernel answers EAGAIN, or takes or gives less than was asked for. */
int poller_add(struct poller *poller, int fd, uint32_t events, struct poller_watch *watch);
int poller_change(struct poller *poller, int fd, uint32_t events, struct poller_watch *watch);
/* For a socket that stays open but is no longer watched; close(2) alone is enough for others. */
void poller_remove(struct poller *poller, int fd);

/* Has on_ready called in the next turn, after the other sockets, whether this one is ready or
 * not. */
void poller_call_again(struct poller *poller, struct poller_watch *watch);
/* Has on_forgotten called at the end of this turn. Until then on_ready may still be called. */
void poller_forget(struct poller *poller, struct poller_watch *watch);

/* Waits until there is something to do, and does it. False when libuv has no active handle left. */
bool poller_turn(struct poller *poller);

#endif
