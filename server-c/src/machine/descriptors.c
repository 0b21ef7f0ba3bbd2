/* SPDX-License-Identifier: MIT */
/* descriptors.c — makes the table of descriptors grow by opening one with a high number. */
#include "machine/descriptors.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

void descriptors_raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void descriptors_reserve(uint64_t count)
{
    int any = epoll_create1(EPOLL_CLOEXEC), far;

    if (any < 0)
        return;
    far = count > 0 && count <= INT32_MAX ? fcntl(any, F_DUPFD_CLOEXEC, (int)count - 1) : -1;
    if (far >= 0) /* else beyond the limit, or no memory: it grows when needed */
        close(far);
    close(any);
}
