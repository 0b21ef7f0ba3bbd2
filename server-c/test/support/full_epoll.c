/* SPDX-License-Identifier: MIT */
/* full_epoll.c — a preloaded library: while the file FULL_EPOLL exists, one more listening socket
 * can be added to an epoll set, and further ones fail with ENOSPC, as at the limit
 * fs.epoll.max_user_watches.
 *
 * Built by preload.mjs. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int taken;

static int listens(int fd)
{
    int is = 0;
    socklen_t len = sizeof(is);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is, &len) == 0 && is;
}

static int is_full(void)
{
    const char *path = getenv("FULL_EPOLL");

    if (path && access(path, F_OK) == 0)
        return atomic_fetch_add(&taken, 1) > 0;
    atomic_store(&taken, 0);
    return 0;
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    int (*next)(int, int, int, struct epoll_event *) =
        (int (*)(int, int, int, struct epoll_event *))dlsym(RTLD_NEXT, "epoll_ctl");

    if (operation == EPOLL_CTL_ADD && listens(fd) && is_full()) {
        errno = ENOSPC;
        return -1;
    }
    return next(epoll, operation, fd, event);
}
