/* SPDX-License-Identifier: MIT */
#include "machine/inherited_sockets.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */
#define FDS_MAX 64 /* as many as a config may listen at */
#define NAME_LEN 128

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
    char room[sizeof(struct sockaddr_un) + 1]; /* a path may be without its NUL */
};

struct inherited {
    int fd;
    bool listens;       /* it is a stream socket that does */
    bool is_dual_stack; /* of IPv6, and takes IPv4, too */
    union socket_address address;
    socklen_t address_len;
};

static struct {
    struct inherited *items;
    size_t count;
} inherited;

static long number_of(const char *name)
{
    const char *text = getenv(name);

    return text != NULL ? strtol(text, NULL, 10) : 0;
}

static int option_of(int fd, int level, int name)
{
    int value = 0;
    socklen_t len = sizeof(value);

    return getsockopt(fd, level, name, &value, &len) == 0 ? value : 0;
}

static void take(struct inherited *item, int fd)
{
    const int on = 1;

    *item = (struct inherited){.fd = fd, .address_len = sizeof(item->address.local)};
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (getsockname(fd, &item->address.any, &item->address_len) != 0 ||
        option_of(fd, SOL_SOCKET, SO_TYPE) != SOCK_STREAM ||
        option_of(fd, SOL_SOCKET, SO_ACCEPTCONN) == 0)
        return;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    item->is_dual_stack =
        item->address.any.sa_family == AF_INET6 && option_of(fd, IPPROTO_IPV6, IPV6_V6ONLY) == 0;
    /* As for sockets that we open ourselves; a Unix socket has no such option. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    item->listens = true;
}

void inherited_sockets_init(void)
{
    long pid = number_of("LISTEN_PID"), count = number_of("LISTEN_FDS");

    if (count > 0 && count <= FDS_MAX && pid > 0 && (pid == getpid() || pid == getppid())) {
        inherited.items = xcalloc((size_t)count, sizeof(*inherited.items));
        for (int fd = FIRST_FD; fd < FIRST_FD + (int)count; fd++)
            if (fcntl(fd, F_GETFD) >= 0)
                take(&inherited.items[inherited.count++], fd);
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
}

void inherited_sockets_fini(void)
{
    for (size_t i = 0; i < inherited.count; i++)
        close(inherited.items[i].fd);
    free(inherited.items);
    inherited.items = NULL;
    inherited.count = 0;
}

/* --- finding one ----------------------------------------------------------------------------- */

static uint16_t port_of(const union socket_address *address)
{
    return ntohs(address->any.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

static bool is_at(const struct inherited *item, const char *address, uint16_t port)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (!item->listens || port == 0)
        return false;
    if (item->address.any.sa_family == AF_INET)
        return port_of(&item->address) == port && inet_pton(AF_INET, address, &v4) == 1 &&
               item->address.v4.sin_addr.s_addr == v4.s_addr;
    return item->address.any.sa_family == AF_INET6 && port_of(&item->address) == port &&
           inet_pton(AF_INET6, address, &v6) == 1 &&
           memcmp(&item->address.v6.sin6_addr, &v6, sizeof(v6)) == 0;
}

int inherited_sockets_at(const char *address, uint16_t port)
{
    for (size_t i = 0; i < inherited.count; i++)
        if (is_at(&inherited.items[i], address, port) && !inherited.items[i].is_dual_stack)
            return inherited.items[i].fd;
    return -1;
}

/* "" for a socket without a name, as an abstract one is here. */
static const char *path_of(const struct inherited *item)
{
    return item->address.any.sa_family == AF_UNIX &&
                   item->address_len > offsetof(struct sockaddr_un, sun_path)
               ? item->address.local.sun_path
               : "";
}

int inherited_sockets_at_path(const char *path)
{
    for (size_t i = 0; i < inherited.count; i++)
        if (inherited.items[i].listens && *path != '\0' &&
            strcmp(path_of(&inherited.items[i]), path) == 0)
            return inherited.items[i].fd;
    return -1;
}

const char *inherited_sockets_conflict(const char *address, uint16_t port)
{
    for (size_t i = 0; i < inherited.count; i++) {
        const struct inherited *item = &inherited.items[i];
        if (item->is_dual_stack && port_of(&item->address) == port &&
            (is_at(item, address, port) || strcmp(address, "0.0.0.0") == 0))
            return "the service manager's socket takes IPv6 and IPv4: give its unit "
                   "BindIPv6Only=ipv6-only, and a ListenStream= for each";
    }
    return NULL;
}

/* --- telling of them ------------------------------------------------------------------------- */

static void make_name(const struct inherited *item, char name[NAME_LEN])
{
    char text[INET6_ADDRSTRLEN] = "";

    if (!item->listens)
        snprintf(name, NAME_LEN, "descriptor %d, which is no listening stream socket", item->fd);
    else if (item->address.any.sa_family == AF_INET)
        snprintf(name, NAME_LEN, "%s:%u",
                 inet_ntop(AF_INET, &item->address.v4.sin_addr, text, sizeof(text)),
                 port_of(&item->address));
    else if (item->address.any.sa_family == AF_INET6)
        snprintf(name, NAME_LEN, "[%s]:%u",
                 inet_ntop(AF_INET6, &item->address.v6.sin6_addr, text, sizeof(text)),
                 port_of(&item->address));
    else
        snprintf(name, NAME_LEN, "%s", path_of(item));
}

void inherited_sockets_tell(void (*tell)(void *arg, int fd, const char *name), void *arg)
{
    for (size_t i = 0; i < inherited.count; i++) {
        char name[NAME_LEN];
        make_name(&inherited.items[i], name);
        tell(arg, inherited.items[i].fd, name);
    }
}
