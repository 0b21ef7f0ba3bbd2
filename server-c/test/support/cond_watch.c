/* SPDX-License-Identifier: MIT */
/* cond_watch.c — a preloaded library that notes in the file FARMSTEAD_COND_SEEN when the thread of
 * an event loop signals a condition variable, which may make it wait (decision 66).
 *
 * Built by cond-watch.mjs. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void note(const char *call)
{
    const char *path = getenv("FARMSTEAD_COND_SEEN");
    char name[17] = "";
    int fd;

    prctl(PR_GET_NAME, name);
    if (!path || strncmp(name, "loop-", 5) != 0)
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        abort();
    if (write(fd, call, strlen(call)) < 0)
        abort();
    close(fd);
}

/* The C library has two versions; this finds the newer one. */
static void *next(const char *name)
{
    void *function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");

    return function ? function : dlsym(RTLD_NEXT, name);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    note("pthread_cond_signal\n");
    return ((__typeof__(&pthread_cond_signal))next("pthread_cond_signal"))(cond);
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
    note("pthread_cond_broadcast\n");
    return ((__typeof__(&pthread_cond_broadcast))next("pthread_cond_broadcast"))(cond);
}
