/* SPDX-License-Identifier: MIT */
/* service_notify.c — the socket is connected at the start, while its path can be reached. Sending
 * never waits. */
#include "process/service_notify.h"

#include "base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MESSAGE_LEN 512
#define US_PER_MS 1000

static struct {
    int fd; /* -1: there is no manager */
    struct sockaddr_un address;
    socklen_t address_len;
    uint32_t watchdog_ms;
} manager = {.fd = -1};

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : 0;
}

/* The watchdog is meant for one process: ours only if the variable names it, and not if it was
 * inherited. */
static void read_watchdog(void)
{
    uint64_t pid = number_of("WATCHDOG_PID"), us = number_of("WATCHDOG_USEC");

    if ((pid == 0 || pid == (uint64_t)getpid()) && us / US_PER_MS <= UINT32_MAX)
        manager.watchdog_ms = (uint32_t)(us / US_PER_MS / 2);
}

/* Connects now, while the path can be reached: later this process may have a user or root folder
 * for which it can't. */
static void connect_to_manager(void)
{
    manager.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (manager.fd >= 0)
        (void)!connect(manager.fd, (const struct sockaddr *)&manager.address, manager.address_len);
}

void service_notify_init(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t len = path ? strlen(path) : 0;

    if (len > 1 && len < sizeof(manager.address.sun_path) && (path[0] == '/' || path[0] == '@')) {
        manager.address.sun_family = AF_UNIX;
        memcpy(manager.address.sun_path, path, len);
        if (path[0] == '@') /* an address in the abstract namespace */
            manager.address.sun_path[0] = '\0';
        manager.address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
        connect_to_manager();
        read_watchdog();
    }
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_PID");
    unsetenv("WATCHDOG_USEC");
}

/* `address` NULL: sends to whom the socket is connected. */
static bool send_to(const struct sockaddr_un *address, socklen_t address_len, const char *message,
                    size_t len)
{
    ssize_t n;

    do {
        n = sendto(manager.fd, message, len, MSG_NOSIGNAL, (const struct sockaddr *)address,
                   address_len);
    } while (n < 0 && errno == EINTR);
    return n >= 0;
}

void service_notify(const char *format, ...)
{
    char message[MESSAGE_LEN];
    va_list args;
    int len;

    if (manager.fd < 0)
        return;
    va_start(args, format);
    len = vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (len <= 0)
        return;
    if ((size_t)len >= sizeof(message))
        len = (int)sizeof(message) - 1;
    /* A manager that was started later, or restarted, can still be reached by its path. */
    if (!send_to(NULL, 0, message, (size_t)len))
        send_to(&manager.address, manager.address_len, message, (size_t)len);
}

void service_notify_reloading(void)
{
    service_notify("RELOADING=1\nMONOTONIC_USEC=%" PRIu64, monotonic_ns() / 1000);
}

uint32_t service_notify_watchdog_ms(void)
{
    return manager.watchdog_ms;
}
