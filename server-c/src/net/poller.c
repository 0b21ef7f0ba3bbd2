/* SPDX-License-Identifier: MIT */
/* poller.c — one turn calls the sockets that are ready, then those that asked for another call,
 * then libuv if it has something to do. */
#include "net/poller.h"

#include "base/util.h"

#include <errno.h>
#include <unistd.h>

#define EVENTS_MAX 512

int poller_init(struct poller *poller, uv_loop_t *uv)
{
    struct epoll_event of_uv = {.events = EPOLLIN, .data = {.ptr = NULL}};

    poller->uv = uv;
    list_init(&poller->again);
    list_init(&poller->forgotten);
    poller->fd = epoll_create1(EPOLL_CLOEXEC);
    if (poller->fd < 0)
        return -errno;
    if (epoll_ctl(poller->fd, EPOLL_CTL_ADD, uv_backend_fd(uv), &of_uv) == 0)
        return 0;
    close(poller->fd);
    return -errno;
}

static void give_back_forgotten(struct poller *poller)
{
    while (!list_empty(&poller->forgotten)) {
        struct poller_watch *watch =
            container_of(poller->forgotten.next, struct poller_watch, link);
        list_remove(&watch->link);
        watch->kind->on_forgotten(watch);
    }
}

void poller_fini(struct poller *poller)
{
    give_back_forgotten(poller);
    close(poller->fd);
}

void poller_watch_init(struct poller_watch *watch, const struct poller_kind *kind)
{
    watch->kind = kind;
    list_init(&watch->link);
}

static int control(struct poller *poller, int operation, int fd, uint32_t events,
                   struct poller_watch *watch)
{
    struct epoll_event event = {.events = events, .data = {.ptr = watch}};

    return epoll_ctl(poller->fd, operation, fd, &event) == 0 ? 0 : -errno;
}

int poller_add(struct poller *poller, int fd, uint32_t events, struct poller_watch *watch)
{
    return control(poller, EPOLL_CTL_ADD, fd, events, watch);
}

int poller_change(struct poller *poller, int fd, uint32_t events, struct poller_watch *watch)
{
    return control(poller, EPOLL_CTL_MOD, fd, events, watch);
}

void poller_remove(struct poller *poller, int fd)
{
    epoll_ctl(poller->fd, EPOLL_CTL_DEL, fd, NULL);
}

void poller_call_again(struct poller *poller, struct poller_watch *watch)
{
    list_remove(&watch->link);
    list_append(&poller->again, &watch->link);
}

void poller_forget(struct poller *poller, struct poller_watch *watch)
{
    list_remove(&watch->link);
    list_append(&poller->forgotten, &watch->link);
}

static void call_those_again(struct poller *poller)
{
    struct list now;

    list_init(&now);
    list_move_all(&now, &poller->again);
    while (!list_empty(&now)) {
        struct poller_watch *watch = container_of(now.next, struct poller_watch, link);
        list_remove(&watch->link);
        watch->kind->on_ready(watch, 0);
    }
}

bool poller_turn(struct poller *poller)
{
    struct epoll_event events[EVENTS_MAX];
    int timeout = list_empty(&poller->again) ? uv_backend_timeout(poller->uv) : 0;
    int count = epoll_wait(poller->fd, events, EVENTS_MAX, timeout);
    bool is_uv_ready = false, goes_on = true;

    uv_update_time(poller->uv);
    poller->turn++;
    for (int i = 0; i < count; i++) {
        struct poller_watch *watch = events[i].data.ptr;
        if (watch)
            watch->kind->on_ready(watch, events[i].events);
        else
            is_uv_ready = true;
    }
    call_those_again(poller);
    if (is_uv_ready || uv_backend_timeout(poller->uv) == 0)
        goes_on = uv_run(poller->uv, UV_RUN_NOWAIT) != 0;
    give_back_forgotten(poller);
    return goes_on;
}
