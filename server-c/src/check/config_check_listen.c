/* SPDX-License-Identifier: MIT */
/* config_check_listen.c — can the node listen there? A port is tested by binding and closing it, a
 * socket that exists by connecting to it. Addresses on which the running config listens are known
 * to be fine, and those at which the service manager listens for us. */
#include "check/config_check_parts.h"
#include "machine/inherited_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool make_address(union address *out, const char *address, uint16_t port)
{
    memset(out, 0, sizeof(*out));
    if (inet_pton(AF_INET, address, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(port);
        return true;
    }
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons(port);
    return inet_pton(AF_INET6, address, &out->v6.sin6_addr) == 1;
}

static bool is_every_address(const union address *address)
{
    return address->any.sa_family == AF_INET
               ? address->v4.sin_addr.s_addr == htonl(INADDR_ANY)
               : memcmp(&address->v6.sin6_addr, &in6addr_any, sizeof(in6addr_any)) == 0;
}

static bool is_equal(const union address *a, const union address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    if (a->any.sa_family == AF_INET)
        return a->v4.sin_port == b->v4.sin_port && a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
    return a->v6.sin6_port == b->v6.sin6_port &&
           memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof(a->v6.sin6_addr)) == 0;
}

/* Would two listeners conflict, having the same port and either the same address or a wildcard?
 * IPv6 ones don't take IPv4. */
static bool meets(const union address *a, const union address *b)
{
    return a->any.sa_family == b->any.sa_family && a->v4.sin_port == b->v4.sin_port &&
           (is_equal(a, b) || is_every_address(a) || is_every_address(b));
}

enum ownership { OTHERS, OURS_IN_PART, OURS };

static enum ownership ownership_by(const union address *wanted, const char *address, uint16_t port)
{
    union address held;

    if (port == 0 || *address == '\0' || !make_address(&held, address, port) ||
        !meets(wanted, &held))
        return OTHERS;
    return is_equal(wanted, &held) ? OURS : OURS_IN_PART;
}

/* Would binding conflict with our own running listeners? */
static enum ownership ownership_of(const struct config *running, const union address *wanted)
{
    enum ownership best, each;

    if (running == NULL)
        return OTHERS;
    best = ownership_by(wanted, running->admin.address, running->admin.port);
    for (size_t i = 0; i < running->listen_count; i++) {
        const struct config_listen *listen = &running->listens[i];

        each =
            *listen->socket == '\0' ? ownership_by(wanted, listen->address, listen->port) : OTHERS;
        best = each > best ? each : best;
    }
    return best;
}

/* Returns 0 or an errno. `may_share`: listeners of the same user may share the port, as a running
 * node does when it takes 127.0.0.1 before giving up 0.0.0.0. */
static int try_bind(const union address *address, bool may_share)
{
    bool is_v4 = address->any.sa_family == AF_INET;
    int on = 1, err = 0, fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return errno;
    /* Connections of a server that has just ended do not block its port, but a listening server
     * does. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (may_share)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
    if (!is_v4)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, &address->any, is_v4 ? sizeof(address->v4) : sizeof(address->v6)) < 0)
        err = errno;
    close(fd);
    return err;
}

static void report_port(const struct check *check, const char *address, uint16_t port,
                        const char *pointer, int err)
{
    if (err == EADDRINUSE)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PORT_IN_USE, pointer,
                             "stop what listens there, or choose another port",
                             "port %" PRIu16 " of %s is in use by another program", port, address);
    else if (err == EACCES || err == EPERM)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PERMISSION, pointer,
                             "choose a port from 1024 on, or give the node CAP_NET_BIND_SERVICE",
                             "the node may not listen on port %" PRIu16, port);
    else if (err == EADDRNOTAVAIL || err == EAFNOSUPPORT)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_ADDRESS_UNAVAILABLE, pointer,
                             "0.0.0.0 and :: mean every address the machine has",
                             "%s is not an address of this machine", address);
    else
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_RESOURCE_LIMIT, pointer, NULL,
                             "can't listen on port %" PRIu16 " of %s: %s", port, address,
                             strerror(err));
}

static void check_port(const struct check *check, const char *address, uint16_t port,
                       const char *pointer)
{
    union address wanted;
    enum ownership ownership;
    int err;

    if (*address == '\0' || inherited_sockets_at(address, port) >= 0)
        return;
    if (inherited_sockets_conflict(address, port) != NULL) {
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_ADDRESS_UNAVAILABLE, pointer,
                             inherited_sockets_conflict(address, port),
                             "the node can't listen on port %" PRIu16 " of %s", port, address);
        return;
    }
    if (!make_address(&wanted, address, port)) {
        report_port(check, address, port, pointer, EADDRNOTAVAIL);
        return;
    }
    ownership = ownership_of(check->running, &wanted);
    err = ownership == OURS ? 0 : try_bind(&wanted, ownership == OURS_IN_PART);
    if (err != 0)
        report_port(check, address, port, pointer, err);
}

static bool is_our_socket(const struct config *running, const char *path)
{
    for (size_t i = 0; running != NULL && i < running->listen_count; i++)
        if (strcmp(running->listens[i].socket, path) == 0)
            return true;
    return false;
}

/* Returns 0 if nobody listens there, EADDRINUSE if somebody does, else another errno. */
static int try_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int err = EADDRINUSE, fd;

    if (strlen(path) >= sizeof(address.sun_path))
        return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        err = errno;
    close(fd);
    if (err == ECONNREFUSED || err == ENOENT)
        return 0; /* left by a server that has ended, or just removed */
    /* A full queue or another type of socket means that somebody uses it. */
    return err == EAGAIN || err == EPROTOTYPE ? EADDRINUSE : err;
}

static void check_socket_there(const struct check *check, const char *path, const char *pointer)
{
    int err = try_connect(path);

    if (err == EADDRINUSE)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PORT_IN_USE, pointer,
                             "stop what listens there, or choose another path",
                             "the socket \"%s\" is in use by another program", path);
    else if (err != 0)
        config_check_report_path(check, pointer, path, err, "look who listens on",
                                 "remove it, or choose another path");
}

static void check_socket(const struct check *check, const char *path, const char *pointer)
{
    struct stat st;

    config_check_folder_of(check, path, pointer, "socket");
    if (lstat(path, &st) < 0)
        return; /* an earlier check has reported why not */
    if (S_ISSOCK(st.st_mode))
        check_socket_there(check, path, pointer);
    else
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_PORT_IN_USE, pointer,
                             "remove it, or choose another path",
                             "\"%s\" is there and is no socket", path);
}

void config_check_listeners(const struct check *check)
{
    const struct config *cfg = check->cfg;
    char pointer[CHECK_POINTER_LEN];
    struct buf seen;

    buf_init(&seen);
    for (size_t i = 0; i < cfg->listen_count; i++) {
        const struct config_listen *listen = &cfg->listens[i];
        bool is_socket = *listen->socket != '\0';

        snprintf(pointer, sizeof(pointer), "/listen/%zu/%s", i, is_socket ? "socket" : "port");
        config_check_see(&seen, check, listen->socket);
        if (is_socket && !is_our_socket(check->running, listen->socket) &&
            inherited_sockets_at_path(listen->socket) < 0)
            check_socket(check, seen.data, pointer);
        else if (!is_socket)
            check_port(check, listen->address, listen->port, pointer);
    }
    buf_fini(&seen);
    check_port(check, cfg->admin.address, cfg->admin.port, "/admin/port");
}
