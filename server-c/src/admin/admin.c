/* SPDX-License-Identifier: MIT */
/* admin.c — a small server that uses the same strict parser. It has one thread and serves a few
 * clients at a time, each with its own deadline, so that a silent client does not delay the others.
 * admin_answer.c makes the answers. */
#include "admin/admin.h"

#include "admin/admin_answer.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "http/http_parser.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX 8192
#define CLIENT_MS 2000 /* for sending a request and taking the answer */
#define PAUSE_MS 1000  /* after there was no descriptor for a client */
#define CLIENTS_MAX 16 /* further clients wait until one is done */

enum client_state { CLIENT_RECEIVING, CLIENT_SENDING, CLIENT_ENDING };

struct client {
    int fd; /* -1: unused */
    enum client_state state;
    uint64_t deadline_ns;
    struct http_request req;
    size_t len;
    char head[HEAD_MAX];
    struct buf out;
    size_t sent;
};

struct admin {
    struct admin_answerer answerer;
    pthread_t thread;
    int fd, stop_fd;
    uint64_t resume_ns; /* no client is accepted before this time */
    struct client clients[CLIENTS_MAX];
};

/* --- a client -------------------------------------------------------------------------------- */

static void end_client(struct client *client)
{
    close(client->fd);
    client->fd = -1;
    buf_fini(&client->out);
}

static bool is_for_later(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void send_some(struct client *client)
{
    while (client->sent < client->out.len) {
        ssize_t n = send(client->fd, client->out.data + client->sent,
                         client->out.len - client->sent, MSG_NOSIGNAL);
        if (is_for_later(n))
            return;
        if (n <= 0) {
            end_client(client);
            return;
        }
        client->sent += (size_t)n;
    }
    shutdown(client->fd, SHUT_WR);
    client->state = CLIENT_ENDING; /* until the client has seen the end */
}

static void receive_some(struct admin *admin, struct client *client)
{
    ssize_t n = recv(client->fd, client->head + client->len, HEAD_MAX - client->len, 0);
    enum parse parsed;

    if (is_for_later(n))
        return;
    if (n <= 0) {
        end_client(client);
        return;
    }
    client->len += (size_t)n;
    parsed = http_parse_request(&client->req, client->head, client->len);
    if (parsed == PARSE_MORE)
        return;
    admin_answer(&admin->answerer, &client->out, &client->req, client->head, parsed);
    client->state = CLIENT_SENDING;
    send_some(client);
}

static void drain(struct client *client)
{
    char bytes[4096];
    ssize_t n = recv(client->fd, bytes, sizeof(bytes), 0);

    if (n <= 0 && !is_for_later(n))
        end_client(client);
}

static void serve_client(struct admin *admin, struct client *client)
{
    switch (client->state) {
    case CLIENT_RECEIVING:
        receive_some(admin, client);
        break;
    case CLIENT_SENDING:
        send_some(client);
        break;
    case CLIENT_ENDING:
        drain(client);
        break;
    }
}

/* --- the thread ------------------------------------------------------------------------------ */

static void accept_client(struct admin *admin, struct client *client)
{
    int fd = accept4(admin->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            /* Otherwise this would spin. */
            admin->resume_ns = monotonic_ns() + PAUSE_MS * NS_PER_MS;
        return;
    }
    client->fd = fd;
    client->state = CLIENT_RECEIVING;
    client->deadline_ns = monotonic_ns() + CLIENT_MS * NS_PER_MS;
    client->len = client->sent = 0;
    buf_init(&client->out);
    http_request_init(&client->req, HEAD_MAX - 1, HEAD_MAX / 2);
}

static struct client *free_client(struct admin *admin)
{
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        if (admin->clients[i].fd < 0)
            return &admin->clients[i];
    return NULL;
}

/* Collects what to wait for: [0] the order to stop, [1] new clients, then the present ones. */
static int wait_for_events(struct admin *admin, struct pollfd polled[2 + CLIENTS_MAX])
{
    uint64_t now = monotonic_ns(), until = UINT64_MAX;
    bool is_paused = now < admin->resume_ns;
    int timeout;

    polled[0] = (struct pollfd){admin->stop_fd, POLLIN, 0};
    polled[1] = (struct pollfd){!is_paused && free_client(admin) ? admin->fd : -1, POLLIN, 0};
    if (is_paused)
        until = admin->resume_ns;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        const struct client *client = &admin->clients[i];
        polled[2 + i] =
            (struct pollfd){client->fd, client->state == CLIENT_SENDING ? POLLOUT : POLLIN, 0};
        if (client->fd >= 0 && client->deadline_ns < until)
            until = client->deadline_ns;
    }
    if (until == UINT64_MAX)
        timeout = -1;
    else
        timeout = until > now ? (int)((until - now) / NS_PER_MS) + 1 : 0;
    return poll(polled, 2 + CLIENTS_MAX, timeout);
}

static void serve_clients(struct admin *admin, const struct pollfd *polled)
{
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &admin->clients[i];
        if (client->fd < 0)
            continue;
        if (polled[i].revents)
            serve_client(admin, client);
        if (client->fd >= 0 && monotonic_ns() >= client->deadline_ns)
            end_client(client);
    }
}

static void *thread_main(void *arg)
{
    struct admin *admin = arg;
    struct pollfd polled[2 + CLIENTS_MAX];

    pthread_setname_np(pthread_self(), "admin");
    for (;;) {
        if (wait_for_events(admin, polled) < 0) {
            if (errno != EINTR)
                usleep(PAUSE_MS * 1000); /* no memory: trying again at once would fail, too */
            continue;
        }
        if (polled[0].revents)
            break;
        serve_clients(admin, polled + 2);
        if (polled[1].revents)
            accept_client(admin, free_client(admin));
    }
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        if (admin->clients[i].fd >= 0)
            end_client(&admin->clients[i]);
    return NULL;
}

static struct admin *start(struct server *server, int fd)
{
    struct admin *admin = xcalloc(1, sizeof(*admin));

    admin_answerer_init(&admin->answerer, server);
    admin->fd = fd;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        admin->clients[i].fd = -1;
    admin->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (admin->stop_fd >= 0 && pthread_create(&admin->thread, NULL, thread_main, admin) == 0)
        return admin;
    if (admin->stop_fd >= 0)
        close(admin->stop_fd);
    close(fd);
    free(admin);
    return NULL;
}

static void stop(struct admin *admin)
{
    uint64_t one = 1;

    if (!admin)
        return;
    (void)!write(admin->stop_fd, &one, sizeof(one));
    pthread_join(admin->thread, NULL);
    close(admin->stop_fd);
    close(admin->fd);
    free(admin);
}

const struct server_admin admin_listener = {start, stop};
