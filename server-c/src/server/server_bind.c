/* SPDX-License-Identifier: MIT */
/* server_bind.c — one socket per loop and address (SO_REUSEPORT), but one for all loops at a path,
 * and where the service manager has opened one.
 *
 * Binding for a loop that is added later can fail although other loops listen there, because the
 * process may have lost rights since. Such a loop shares the socket of loop 0. */
#include "server/server_bind.h"

#include "base/mem.h"
#include "connection/listener.h"
#include "log/log.h"
#include "machine/inherited_sockets.h"
#include "net/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define POINTER_LEN 64

static bool is_same(const struct config_listen *a, const struct config_listen *b)
{
    if (a->socket[0] || b->socket[0])
        return strcmp(a->socket, b->socket) == 0;
    return a->port == b->port && strcmp(a->address, b->address) == 0;
}

static struct bound *find_bound(const struct bound_list *list, const struct config_listen *listen)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_same(&list->items[i].listen, listen))
            return &list->items[i];
    return NULL;
}

static struct config_listen copy_listen(const struct config_listen *listen)
{
    return (struct config_listen){xstrdup(listen->address), listen->port,
                                  xstrdup(listen->socket),  xstrdup(listen->socket_mode),
                                  listen->defer_accept,     listen->tls,
                                  listen->proxy_protocol};
}

/* The socket that the service manager has opened there, or -1. */
static int inherited_at(const struct config_listen *listen)
{
    return listen->socket[0] ? inherited_sockets_at_path(listen->socket)
                             : inherited_sockets_at(listen->address, listen->port);
}

static void free_listen(struct config_listen *listen)
{
    free(listen->address);
    free(listen->socket);
    free(listen->socket_mode);
}

static void close_local(const struct bound *bound)
{
    int err = unix_socket_close(bound->local);

    if (err)
        log_warn("listener: can't remove the socket \"%s\": %s; nobody listens there any more",
                 bound->listen.socket, uv_strerror(err));
}

static void close_bound(struct bound *bound)
{
    if (bound->spare >= 0)
        close(bound->spare);
    bound->spare = -1;
    if (bound->local)
        close_local(bound);
    bound->local = NULL;
}

/* --- findings -------------------------------------------------------------------------------- */

static enum config_code code_of(int err)
{
    if (err == UV_EADDRINUSE || err == UV_EEXIST)
        return CONFIG_CODE_PORT_IN_USE;
    if (err == UV_EACCES || err == UV_EPERM || err == UV_EROFS)
        return CONFIG_CODE_PERMISSION;
    if (err == UV_EADDRNOTAVAIL || err == UV_EAFNOSUPPORT)
        return CONFIG_CODE_ADDRESS_UNAVAILABLE;
    return err == UV_ENOENT || err == UV_ENOTDIR ? CONFIG_CODE_MISSING_FILE
                                                 : CONFIG_CODE_RESOURCE_LIMIT;
}

static void add_path_error(const struct config *cfg, const char *pointer, const char *path, int err,
                           struct config_errors *errors)
{
    const char *hint = "name a path in a folder that the node's user may write";
    const char *why = uv_strerror(err);

    if (err == UV_EADDRINUSE) {
        hint = "stop what listens there, or choose another path";
        why = "another process listens there";
    } else if (err == UV_EEXIST) {
        hint = "choose another path, or remove what has this one";
        why = "something that is no socket has this name";
    }
    config_errors_add_at(errors, cfg, code_of(err), pointer, hint, "can't listen at \"%s\": %s",
                         path, why);
}

void binding_add_error(const struct config *cfg, const char *pointer,
                       const struct config_listen *listen, int err, struct config_errors *errors)
{
    config_errors_add_at(errors, cfg, code_of(err), pointer, "choose another port or address",
                         "can't listen on port %u of %s: %s", listen->port, listen->address,
                         uv_strerror(err));
}

static int report(const struct binding *binding, size_t l, int err, struct config_errors *errors)
{
    const struct config_listen *listen = &binding->cfg->listens[l];
    char pointer[POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/listen/%zu/%s", l, listen->socket[0] ? "socket" : "port");
    if (listen->socket[0])
        add_path_error(binding->cfg, pointer, listen->socket, err, errors);
    else
        binding_add_error(binding->cfg, pointer, listen, err, errors);
    return -1;
}

void binding_add_unwatched(const struct binding *binding, size_t listen, uint32_t loop, int err,
                           struct config_errors *errors)
{
    const struct config_listen *which = &binding->cfg->listens[listen];
    char pointer[POINTER_LEN], where[64];

    snprintf(pointer, sizeof(pointer), "/listen/%zu", listen);
    snprintf(where, sizeof(where), "port %u of %s", which->port, which->address);
    config_errors_add_at(errors, binding->cfg, CONFIG_CODE_RESOURCE_LIMIT, pointer,
                         err == UV_ENOSPC ? "raise fs.epoll.max_user_watches" : NULL,
                         "event loop %u can't watch %s: %s", loop,
                         which->socket[0] ? which->socket : where, uv_strerror(err));
}

/* --- binding --------------------------------------------------------------------------------- */

/* Returns a socket for one more loop, or a negative UV_E*. */
static int socket_for_loop(struct bound *bound)
{
    int fd, err;

    if (bound->local)
        return unix_socket_dup(bound->local);
    if (bound->inherited >= 0) {
        fd = fcntl(bound->inherited, F_DUPFD_CLOEXEC, 0);
        return fd < 0 ? -errno : fd;
    }
    err = listener_bind(&bound->listen, &bound->port);
    if (err >= 0 || bound->spare < 0)
        return err;
    fd = fcntl(bound->spare, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? err : fd;
}

static int bind_listen(struct binding *binding, size_t l, const struct bound *known,
                       uint32_t active)
{
    size_t listens = binding->cfg->listen_count;
    struct bound *bound = &binding->next.items[l];
    int err = 0;

    *bound = (struct bound){.listen = copy_listen(&binding->cfg->listens[l]), .spare = -1};
    bound->inherited = inherited_at(&bound->listen);
    if (known) {
        bound->port = known->port;
        bound->spare = known->spare;
        bound->local = known->local;
    } else if (bound->inherited >= 0) {
        bound->port = bound->listen.port;
    } else if (bound->listen.socket[0]) {
        err = unix_socket_bind(bound->listen.socket, bound->listen.socket_mode, &bound->local);
    }
    for (uint32_t loop = known ? active : 0; !err && loop < binding->loops; loop++) {
        int fd = socket_for_loop(bound);
        if (fd < 0)
            return fd;
        binding->fds[loop * listens + l] = fd;
        if (loop == 0 && !bound->local && bound->inherited < 0)
            bound->spare = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    }
    return err;
}

int binding_prepare(struct binding *binding, const struct config *cfg, uint32_t loops,
                    const struct bound_list *old, uint32_t active, struct config_errors *errors)
{
    uint32_t most = loops > active ? loops : active;
    size_t count = most * cfg->listen_count;

    *binding = (struct binding){.cfg = cfg, .loops = loops};
    binding->fds = xreallocarray(NULL, count, sizeof(int));
    for (size_t i = 0; i < count; i++)
        binding->fds[i] = -1;
    binding->next.items = xcalloc(cfg->listen_count, sizeof(struct bound));
    for (size_t l = 0; l < cfg->listen_count; l++) {
        int err;
        binding->next.count++;
        err = bind_listen(binding, l, find_bound(old, &cfg->listens[l]), active);
        if (err) {
            report(binding, l, err, errors);
            binding_discard(binding, old);
            return -1;
        }
    }
    return 0;
}

static void free_binding(struct binding *binding)
{
    free(binding->fds);
    binding->fds = NULL;
}

void binding_discard(struct binding *binding, const struct bound_list *old)
{
    for (size_t i = 0; i < binding->loops * binding->cfg->listen_count; i++)
        if (binding->fds[i] >= 0)
            close(binding->fds[i]);
    for (size_t i = 0; i < binding->next.count; i++) {
        struct bound *bound = &binding->next.items[i];
        if (!find_bound(old, &bound->listen))
            close_bound(bound);
        free_listen(&bound->listen);
    }
    free(binding->next.items);
    free_binding(binding);
}

void binding_release_old(struct binding *binding, struct bound_list *old)
{
    for (size_t i = 0; i < old->count; i++)
        if (!find_bound(&binding->next, &old->items[i].listen))
            close_bound(&old->items[i]);
}

static void say(const struct bound *bound)
{
    bool is_v6 = strchr(bound->listen.address, ':') != NULL;

    if (bound->listen.socket[0])
        log_info("listening on unix:%s", bound->listen.socket);
    else
        log_info("listening on http%s://%s%s%s:%u", bound->listen.tls ? "s" : "", is_v6 ? "[" : "",
                 bound->listen.address, is_v6 ? "]" : "", bound->port);
    if (bound->inherited >= 0)
        log_info("its socket is the service manager's");
}

/* The kernel takes connections at such a socket, and nobody accepts them. */
static void warn_of_unused(void *arg, int fd, const char *name)
{
    const struct binding *binding = arg;

    for (size_t l = 0; l < binding->cfg->listen_count; l++)
        if (inherited_at(&binding->cfg->listens[l]) == fd)
            return;
    log_warn("listener: the service manager passed %s, and \"listen\" has nothing there: whoever "
             "connects to it waits in vain",
             name);
}

static void update_mode(const struct bound *bound, const struct bound *known)
{
    int err;

    if (!bound->local || strcmp(bound->listen.socket_mode, known->listen.socket_mode) == 0)
        return;
    err = unix_socket_set_mode(bound->local, bound->listen.socket_mode);
    if (err)
        log_warn("listener: can't change the mode of \"%s\": %s", bound->listen.socket,
                 uv_strerror(err));
}

void binding_give(const struct binding *binding, uid_t uid, gid_t gid)
{
    for (size_t i = 0; i < binding->next.count; i++) {
        const struct bound *bound = &binding->next.items[i];
        int err = bound->local ? unix_socket_give(bound->local, uid, gid) : 0;

        if (err)
            log_warn("listener: can't give the socket \"%s\" to user %ld: %s", bound->listen.socket,
                     (long)uid, uv_strerror(err));
    }
}

void binding_commit(struct binding *binding, struct bound_list *old)
{
    for (size_t i = 0; i < binding->next.count; i++) {
        const struct bound *bound = &binding->next.items[i];
        struct bound *known = find_bound(old, &bound->listen);
        if (!known)
            say(bound);
        else
            update_mode(bound, known);
    }
    inherited_sockets_tell(warn_of_unused, binding);
    for (size_t i = 0; i < old->count; i++)
        free_listen(&old->items[i].listen);
    free(old->items);
    *old = binding->next;
    free_binding(binding);
}

void bound_list_steer(const struct bound_list *list, uint32_t loops)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].spare >= 0)
            listener_steer(list->items[i].spare, loops);
}

void bound_list_spread(const struct bound_list *list, uint32_t loops)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].spare >= 0)
            listener_spread(list->items[i].spare, loops);
}

void bound_list_clear(struct bound_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        close_bound(&list->items[i]);
        free_listen(&list->items[i].listen);
    }
    free(list->items);
    *list = (struct bound_list){0};
}
