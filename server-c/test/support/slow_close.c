/* SPDX-License-Identifier: MIT */
/* slow_close.c — a preloaded library: while the file SLOW_CLOSE exists, a listening socket is closed 300 ms
 * after the program said so, as where its thread has lost the processor. Clients connect meanwhile.
 *
 * Built by preload.mjs. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int listens(int fd)
{
    int is = 0;
    socklen_t len = sizeof(is);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is, &len) == 0 && is;
}

int close(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    const char *path = getenv("SLOW_CLOSE");
    const struct timespec pause = {0, 300 * 1000000L};

    if (path && listens(fd) && access(path, F_OK) == 0)
        nanosleep(&pause, NULL);
    return next(fd);
}
