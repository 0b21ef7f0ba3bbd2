/* SPDX-License-Identifier: MIT */
/* listener.c — accepts connections in batches. When descriptors run out it closes an idle
 * connection and pauses for a tick, or the poller would wake it again and again for a connection
 * that it can't take. */
#include "connection/listener.h"

#include "base/mem.h"
#include "base/util.h"
#include "connection/conn.h"
#include "connection/peer_limit.h"
#include "log/log.h"
#include "net/transport_tls.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096    /* the kernel reduces it to net.core.somaxconn */
#define ACCEPT_BATCH 64 /* then other events get their turn */
#define TICKS_RELEASED 8

struct listener {
    struct poller_watch watch;
    struct list link;
    struct loop *loop;
    int fd; /* -1: closed */
    bool is_paused;
    char *address;
    uint16_t port;                         /* as in the config */
    char *socket;                          /* path of a Unix socket; "": TCP */
    enum config_defer_accept defer_accept; /* as in the config */
    bool speaks_tls;
    bool has_proxy_header; /* proxyProtocol */
    bool is_deferring;
    uint32_t ticks_released;
    uint64_t warned_ms, warned_stranger_ms;
};

/* --- binding --------------------------------------------------------------------------------- */

static int fill_address(struct sockaddr_storage *storage, socklen_t *len,
                        const struct config_listen *cfg, uint16_t port)
{
    memset(storage, 0, sizeof(*storage));
    if (uv_ip4_addr(cfg->address, port, (struct sockaddr_in *)storage) == 0) {
        *len = sizeof(struct sockaddr_in);
        return 0;
    }
    *len = sizeof(struct sockaddr_in6);
    return uv_ip6_addr(cfg->address, port, (struct sockaddr_in6 *)storage);
}

static int set_defer_accept(int fd, bool defers)
{
    const int seconds = defers; /* after this time the kernel hands over a silent connection, too */

    return setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds)) == 0 ? 0
                                                                                         : -errno;
}

static int set_options(int fd, int family)
{
    const int on = 1;

    /* Accepted sockets inherit TCP_NODELAY, which saves a system call for each. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
        return -errno;
    /* "::" takes IPv6 only, so that it can be used next to "0.0.0.0" with the same effect on every
     * system. */
    if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
        return -errno;
    return 0;
}

static int bound_port(int fd, uint16_t *port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {.v6 = {0}};
    socklen_t len = sizeof(address);

    if (getsockname(fd, &address.any, &len) != 0)
        return -errno;
    *port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
    return 0;
}

int listener_bind(const struct config_listen *cfg, uint16_t *port)
{
    struct sockaddr_storage storage;
    socklen_t len;
    int fd, err = fill_address(&storage, &len, cfg, cfg->port ? cfg->port : *port);

    if (err)
        return err;
    fd = socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    err = set_options(fd, storage.ss_family);
    if (!err && (bind(fd, (struct sockaddr *)&storage, len) != 0 || listen(fd, BACKLOG) != 0))
        err = -errno;
    if (!err)
        err = bound_port(fd, port);
    if (!err)
        return fd;
    close(fd);
    return err;
}

/* --- whom new connections come to ------------------------------------------------------------ */

/* A program for the kernel: one of the first `loops` sockets of the group, at random. It is asked
 * once for each connection, at its first packet. */
void listener_steer(int fd, uint32_t loops)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM)),
        BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, loops),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    struct sock_fprog filter = {.len = ARRAY_LEN(program), .filter = program};

    /* A kernel before 4.6 can't, and spreads them as ever. */
    setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &filter, sizeof(filter));
}

void listener_spread(int fd, uint32_t loops)
{
    const int unused = 0;

    /* A kernel before 5.3 can't forget a program: it gets one that names all. */
    if (setsockopt(fd, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &unused, sizeof(unused)) != 0 &&
        errno == ENOPROTOOPT)
        listener_steer(fd, loops);
}

/* --- accepting ------------------------------------------------------------------------------- */

static void refuse(const struct listener *listener, int fd)
{
    conn_say_no(fd, listener->speaks_tls);
    close(fd);
    loop_count(listener->loop->live, COUNTER_REFUSED, 1);
}

/* Counts the connection. False when there are limits.connections of them already. */
static bool admit(struct loop *loop)
{
    uint32_t limit = loop->live->cfg->limits.connections;

    if (atomic_fetch_add_explicit(&loop->shared->connections, 1, memory_order_relaxed) < limit)
        return true;
    if (conn_make_room(loop)) /* the connection that was closed was counted in its place */
        return true;
    atomic_fetch_sub_explicit(&loop->shared->connections, 1, memory_order_relaxed);
    return false;
}

/* While paused the listener stays in the poller with no events: adding it again could fail,
 * changing its events can't. */
static void set_accepting(struct listener *listener, bool accepts)
{
    int err = poller_change(&listener->loop->poller, listener->fd, accepts ? EPOLLIN : 0,
                            &listener->watch);

    CHECK(err == 0);
    listener->is_paused = !accepts;
}

static void pause_accepting(struct listener *listener, int err)
{
    struct loop *loop = listener->loop;

    if (loop_may_warn(loop, &listener->warned_ms)) {
        char where[16];
        snprintf(where, sizeof(where), "port %u", listener->port);
        log_warn("listener: can't accept on %s: %s; closing idle connections and trying again. "
                 "Raise the limit of open files or lower limits.connections.",
                 listener->socket[0] ? listener->socket : where, uv_strerror(err));
    }
    conn_make_room(loop);
    set_accepting(listener, false);
}

/* Who is no trusted proxy could say that it asks for anybody, and is not listened to. */
static bool is_stranger(const struct listener *listener, const struct sockaddr *peer)
{
    return listener->has_proxy_header &&
           !trusted_proxies_hold(&listener->loop->live->sites->proxies, peer);
}

static void warn_of_stranger(struct listener *listener)
{
    if (loop_may_warn(listener->loop, &listener->warned_stranger_ms))
        log_warn("listener: a connection was refused, since it has proxyProtocol and its address "
                 "is not in trustedProxies");
}

static void start(const struct listener *listener, int fd, const struct sockaddr_storage *peer,
                  bool is_counted)
{
    struct loop *loop = listener->loop;
    struct transport transport;

    if (!listener->speaks_tls)
        transport = transport_of_socket(fd);
    else if (!transport_of_tls(&transport, loop, fd)) {
        loop_uncount_connection(loop, (const struct sockaddr *)peer, is_counted);
        return;
    }
    conn_start(loop, transport, peer, is_counted, listener->has_proxy_header);
}

static void take_client(struct listener *listener, int fd, const struct sockaddr_storage *peer)
{
    struct loop *loop = listener->loop;
    bool is_counted;

    loop_count(loop->live, COUNTER_CONNECTIONS, 1);
    if (peer->ss_family != AF_UNIX)
        accept_deferral_accepted(&loop->deferral);
    if (is_stranger(listener, (const struct sockaddr *)peer)) {
        warn_of_stranger(listener);
        refuse(listener, fd);
        return;
    }
    if (!peer_limit_enter(loop, (const struct sockaddr *)peer, &is_counted)) {
        refuse(listener, fd);
        return;
    }
    if (admit(loop)) {
        start(listener, fd, peer, is_counted);
        return;
    }
    loop_leave_peer(loop, (const struct sockaddr *)peer, is_counted);
    refuse(listener, fd);
}

/* False when there is nothing more to accept for now. */
static bool accept_one(struct listener *listener)
{
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof(peer);
    int fd = accept4(listener->fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int err = fd < 0 ? errno : 0;

    if (err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM)
        pause_accepting(listener, -err);
    if (err) /* a client that gave up meanwhile is no reason to stop */
        return err == ECONNABORTED || err == EINTR || err == EPROTO;
    if (!listener->loop->live) {
        close(fd);
        return true;
    }
    take_client(listener, fd, &peer);
    return true;
}

static void on_connections(struct poller_watch *watch, uint32_t events)
{
    struct listener *listener = container_of(watch, struct listener, watch);
    int left = ACCEPT_BATCH;

    (void)events;
    while (listener->fd >= 0 && left-- > 0 && accept_one(listener))
        ;
}

static void on_listener_forgotten(struct poller_watch *watch)
{
    struct listener *listener = container_of(watch, struct listener, watch);

    free(listener->address);
    free(listener->socket);
    free(listener);
}

static const struct poller_kind listener_kind = {on_connections, on_listener_forgotten};

static bool should_defer(const struct listener *listener)
{
    if (listener->socket[0] || listener->ticks_released > 0)
        return false;
    return listener->defer_accept == DEFER_ACCEPT_ALWAYS ||
           (listener->defer_accept == DEFER_ACCEPT_AUTO && listener->loop->deferral.is_on);
}

static void follow_deferral(struct listener *listener)
{
    bool defers = should_defer(listener);
    int err;

    if (listener->is_deferring == defers)
        return;
    listener->is_deferring = defers;
    listener->loop->listeners_deferring += defers ? 1 : -1;
    err = set_defer_accept(listener->fd, defers);
    if (err)
        log_warn("listener: can't change deferAccept of port %u: %s", listener->port,
                 uv_strerror(err));
}

int listener_new(struct loop *loop, int fd, const struct config_listen *cfg, struct list *listeners)
{
    struct listener *listener = xcalloc(1, sizeof(*listener));
    int err;

    listener->loop = loop;
    listener->fd = fd;
    listener->address = xstrdup(cfg->address);
    listener->port = cfg->port;
    listener->socket = xstrdup(cfg->socket);
    listener->defer_accept = cfg->defer_accept;
    listener->speaks_tls = cfg->tls;
    listener->has_proxy_header = cfg->proxy_protocol;
    poller_watch_init(&listener->watch, &listener_kind);
    err = poller_add(&loop->poller, fd, 0, &listener->watch);
    if (err) {
        close(fd);
        on_listener_forgotten(&listener->watch);
        return err;
    }
    list_append(listeners, &listener->link);
    return 0;
}

void listener_accept(struct listener *listener)
{
    set_accepting(listener, true);
    follow_deferral(listener);
}

void listener_drop(struct listener *listener)
{
    list_remove(&listener->link);
    listener->loop->listeners_deferring -= listener->is_deferring;
    /* Another loop may have the same socket: remove it before the close. */
    poller_remove(&listener->loop->poller, listener->fd);
    close(listener->fd);
    listener->fd = -1;
    poller_forget(&listener->loop->poller, &listener->watch);
}

void listener_stop(struct listener *listener)
{
    /* Accepts what is in the queue now and no more: under a flood the queue is never empty. */
    for (int left = BACKLOG; left > 0 && accept_one(listener); left--)
        ;
    listener_drop(listener);
}

struct listener *listener_of_link(struct list *link)
{
    return container_of(link, struct listener, link);
}

bool listener_is_for(const struct listener *listener, const struct config_listen *cfg)
{
    if (listener->socket[0] || cfg->socket[0])
        return strcmp(listener->socket, cfg->socket) == 0;
    return listener->port == cfg->port && strcmp(listener->address, cfg->address) == 0;
}

void listener_follow(struct listener *listener, const struct config_listen *cfg)
{
    listener->defer_accept = cfg->defer_accept;
    listener->speaks_tls = cfg->tls;
    listener->has_proxy_header = cfg->proxy_protocol;
    follow_deferral(listener);
}

bool listener_release(struct listener *listener)
{
    bool was_deferring = listener->is_deferring;

    listener->ticks_released = TICKS_RELEASED;
    follow_deferral(listener);
    return was_deferring;
}

void listener_tick(struct listener *listener)
{
    if (listener->ticks_released > 0)
        listener->ticks_released--;
    follow_deferral(listener);
    if (listener->is_paused)
        set_accepting(listener, true);
}
