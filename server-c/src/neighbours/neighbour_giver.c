/* SPDX-License-Identifier: MIT */
/* neighbour_giver.c — the port's thread gives each connection a thread, and looks after the loops while there is one. */
#include "neighbours/neighbour_giver.h"

#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"
#include "machine/left_threads.h"
#include "neighbours/neighbour_answer.h"
#include "neighbours/neighbour_port.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HANDSHAKE_SECONDS 3u
#define LOOK_MS 250        /* how often the loops are looked after */
#define BIND_AGAIN_MS 5000 /* after a port was not to be had */
#define STOP_SECONDS 2u
#define NICENESS 19
/* ioprio_set(2), for which there is no header everywhere: this thread, in the idle class. */
#define IO_WHO_PROCESS 1
#define IO_CLASS_IDLE (3 << 13)

struct connection {
    struct neighbour_giver *giver;
    pthread_t thread;
    int fd; /* -1: the thread has nothing more to do, or there is none */
    bool is_joined;
};

struct neighbour_giver {
    int state_fd;
    uint8_t address[ADDRESS_LEN];
    uint16_t port;
    bool (*is_late)(void *arg);
    void *arg;
    int wake_fd;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool stopping, listens;
    struct neighbour_bounds bounds; /* has a lock of its own */

    /* Under `lock`. */
    SSL_CTX *settings; /* NULL: nobody is let in */
    bool has_ended;    /* the port's thread */
    struct connection connections[NEIGHBOUR_CONNECTIONS_MAX];
};

/* Under the lock. */
static void wait_until(struct neighbour_giver *giver, uint64_t at_ns)
{
    struct timespec until = {(time_t)(at_ns / NS_PER_SECOND), (long)(at_ns % NS_PER_SECOND)};

    pthread_cond_clockwait(&giver->changed, &giver->lock, CLOCK_MONOTONIC, &until);
}

/* --- a connection --- */

static void take_what_is_left(void)
{
    setpriority(PRIO_PROCESS, 0, NICENESS);
    syscall(SYS_ioprio_set, IO_WHO_PROCESS, 0, IO_CLASS_IDLE);
}

static SSL_CTX *hold_settings(struct neighbour_giver *giver)
{
    SSL_CTX *settings;

    if (!neighbour_bounds_are_on(&giver->bounds))
        return NULL;
    pthread_mutex_lock(&giver->lock);
    settings = giver->settings;
    if (settings)
        SSL_CTX_up_ref(settings);
    pthread_mutex_unlock(&giver->lock);
    return settings;
}

static void serve(struct neighbour_giver *giver, int fd)
{
    const struct neighbour_giving giving = neighbour_bounds_giving(&giver->bounds, giver->state_fd);
    struct neighbour_channel channel;
    SSL_CTX *settings = hold_settings(giver);

    if (!settings)
        return;
    if (neighbour_channel_open(&channel, fd, settings,
                               monotonic_ns() + HANDSHAKE_SECONDS * NS_PER_SECOND)) {
        while (!atomic_load(&giver->stopping) && neighbour_answer_next(&giving, &channel))
            ;
        neighbour_channel_close(&channel);
    } else if (!atomic_load(&giver->stopping)) {
        neighbour_bounds_refuse(&giver->bounds,
                                "it has shown no certificate of the farm's nodes in time");
    }
    SSL_CTX_free(settings);
}

static void *run_connection(void *arg)
{
    struct connection *connection = arg;
    struct neighbour_giver *giver = connection->giver;

    pthread_setname_np(pthread_self(), "neighbour");
    take_what_is_left();
    serve(giver, connection->fd);
    OPENSSL_thread_stop();
    pthread_mutex_lock(&giver->lock);
    close(connection->fd); /* nobody else uses that number while it is here */
    connection->fd = -1;
    pthread_cond_broadcast(&giver->changed);
    pthread_mutex_unlock(&giver->lock);
    return NULL;
}

static bool join_those_over(struct neighbour_giver *giver)
{
    bool has_any = false;

    for (size_t i = 0; i < NEIGHBOUR_CONNECTIONS_MAX; i++) {
        struct connection *connection = &giver->connections[i];

        if (connection->fd < 0 && !connection->is_joined) {
            pthread_join(connection->thread, NULL);
            connection->is_joined = true;
        }
        has_any |= !connection->is_joined;
    }
    return has_any;
}

/* Under the lock, as all that knows the places. Takes `fd` over. */
static bool give_place(struct neighbour_giver *giver, int fd)
{
    for (size_t i = 0; i < NEIGHBOUR_CONNECTIONS_MAX; i++) {
        struct connection *connection = &giver->connections[i];

        if (!connection->is_joined)
            continue;
        *connection = (struct connection){.giver = giver, .fd = fd};
        if (pthread_create(&connection->thread, NULL, run_connection, connection) == 0)
            return true;
        connection->fd = -1;
        connection->is_joined = true;
        break;
    }
    close(fd);
    return false;
}

static void accept_one(struct neighbour_giver *giver, int port)
{
    int fd = accept4(port, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), on = 1;
    bool is_given;

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) /* it would come back at once */
            poll(NULL, 0, LOOK_MS);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    pthread_mutex_lock(&giver->lock);
    join_those_over(giver);
    is_given = give_place(giver, fd);
    pthread_mutex_unlock(&giver->lock);
    if (!is_given)
        neighbour_bounds_refuse(&giver->bounds, "too many are connected");
}

/* --- the port --- */

static void await_wake(struct neighbour_giver *giver, int timeout_ms)
{
    struct pollfd wake = {.fd = giver->wake_fd, .events = POLLIN};

    poll(&wake, 1, timeout_ms);
}

/* -1: it stops. */
static int open_port(struct neighbour_giver *giver)
{
    int said = 0;

    while (!atomic_load(&giver->stopping)) {
        int fd = neighbour_port_open(giver->address, giver->port);

        if (fd >= 0) {
            atomic_store(&giver->listens, true);
            log_info("neighbours: other nodes may get releases at port %u", giver->port);
            return fd;
        }
        if (said != errno)
            log_error(
                "neighbours: nothing is given, as the address of neighbours.listen in the policy "
                "cannot be listened on: %s; it is tried again",
                strerror(errno));
        said = errno;
        await_wake(giver, BIND_AGAIN_MS);
    }
    return -1;
}

/* Only while somebody is there: asking the loops costs them something. */
static void look_after_loops(struct neighbour_giver *giver, bool has_any, uint64_t *looked_ns)
{
    uint64_t now_ns = monotonic_ns();

    if (!has_any) {
        atomic_store(&giver->bounds.are_loops_late, false);
    } else if (now_ns - *looked_ns >= LOOK_MS * NS_PER_MS) {
        *looked_ns = now_ns;
        atomic_store(&giver->bounds.are_loops_late, giver->is_late(giver->arg));
    }
}

static void *run(void *arg)
{
    struct neighbour_giver *giver = arg;
    uint64_t looked_ns = 0;
    int port;

    pthread_setname_np(pthread_self(), "neighbours");
    take_what_is_left();
    port = open_port(giver);
    while (!atomic_load(&giver->stopping)) {
        struct pollfd both[] = {{.fd = port, .events = POLLIN},
                                {.fd = giver->wake_fd, .events = POLLIN}};
        bool has_any;

        pthread_mutex_lock(&giver->lock);
        has_any = join_those_over(giver);
        pthread_mutex_unlock(&giver->lock);
        look_after_loops(giver, has_any, &looked_ns);
        if (poll(both, ARRAY_LEN(both), has_any ? LOOK_MS : -1) > 0 && both[0].revents != 0)
            accept_one(giver, port);
    }
    if (port >= 0)
        close(port);
    pthread_mutex_lock(&giver->lock);
    giver->has_ended = true;
    pthread_cond_broadcast(&giver->changed);
    pthread_mutex_unlock(&giver->lock);
    return NULL;
}

/* --- the agent's side --- */

struct neighbour_giver *neighbour_giver_start(int state_fd, const uint8_t address[ADDRESS_LEN],
                                              uint16_t port, bool (*is_late)(void *arg), void *arg)
{
    struct neighbour_giver *giver = xcalloc(1, sizeof(*giver));

    giver->state_fd = state_fd;
    memcpy(giver->address, address, sizeof(giver->address));
    giver->port = port;
    giver->is_late = is_late;
    giver->arg = arg;
    for (size_t i = 0; i < NEIGHBOUR_CONNECTIONS_MAX; i++)
        giver->connections[i] = (struct connection){.giver = giver, .fd = -1, .is_joined = true};
    neighbour_bounds_init(&giver->bounds);
    pthread_mutex_init(&giver->lock, NULL);
    pthread_cond_init(&giver->changed, NULL);
    giver->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (giver->wake_fd >= 0 && pthread_create(&giver->thread, NULL, run, giver) == 0)
        return giver;
    if (giver->wake_fd >= 0)
        close(giver->wake_fd);
    free(giver);
    return NULL;
}

/* Ends what is under way: who waits for the network wakes. */
static void cut_all(struct neighbour_giver *giver)
{
    for (size_t i = 0; i < NEIGHBOUR_CONNECTIONS_MAX; i++)
        if (giver->connections[i].fd >= 0)
            shutdown(giver->connections[i].fd, SHUT_RDWR);
}

static bool are_all_over(const struct neighbour_giver *giver)
{
    bool are_over = giver->has_ended;

    for (size_t i = 0; i < NEIGHBOUR_CONNECTIONS_MAX; i++)
        are_over = are_over && giver->connections[i].fd < 0;
    return are_over;
}

/* Who hangs on a disk is left behind. False: what they use must stay. */
static bool end_threads(struct neighbour_giver *giver)
{
    bool are_over = true;

    for (size_t i = 0; i < NEIGHBOUR_CONNECTIONS_MAX; i++) {
        struct connection *connection = &giver->connections[i];

        if (!connection->is_joined)
            are_over = left_threads_end(connection->thread, connection->fd < 0) && are_over;
        connection->is_joined = true;
    }
    return left_threads_end(giver->thread, giver->has_ended) && are_over;
}

void neighbour_giver_stop(struct neighbour_giver *giver)
{
    uint64_t until_ns = monotonic_ns() + STOP_SECONDS * NS_PER_SECOND;
    bool are_over;

    if (!giver)
        return;
    atomic_store(&giver->stopping, true);
    neighbour_bounds_end(&giver->bounds);
    eventfd_write(giver->wake_fd, 1);
    pthread_mutex_lock(&giver->lock);
    while (!are_all_over(giver) && monotonic_ns() < until_ns) {
        cut_all(giver); /* one may have begun meanwhile */
        wait_until(giver, smaller_of(until_ns, monotonic_ns() + LOOK_MS * NS_PER_MS));
    }
    pthread_mutex_unlock(&giver->lock);
    are_over = end_threads(giver);
    if (!are_over)
        return;
    close(giver->wake_fd);
    SSL_CTX_free(giver->settings);
    neighbour_bounds_fini(&giver->bounds);
    pthread_mutex_destroy(&giver->lock);
    pthread_cond_destroy(&giver->changed);
    free(giver);
}

bool neighbour_giver_identify(struct neighbour_giver *giver, const char *certificate,
                              const char *key, const char *ca)
{
    SSL_CTX *settings = neighbour_channel_settings(certificate, key, ca);
    SSL_CTX *before;

    pthread_mutex_lock(&giver->lock);
    before = giver->settings;
    giver->settings = settings;
    pthread_mutex_unlock(&giver->lock);
    SSL_CTX_free(before);
    return settings != NULL;
}

void neighbour_giver_rule(struct neighbour_giver *giver, const struct neighbour_rules *rules)
{
    neighbour_bounds_use(&giver->bounds, rules);
    if (rules->keys.count > 0)
        return;
    pthread_mutex_lock(&giver->lock);
    cut_all(giver);
    pthread_mutex_unlock(&giver->lock);
}

bool neighbour_giver_listens(struct neighbour_giver *giver)
{
    return atomic_load(&giver->listens);
}

void neighbour_giver_count(struct neighbour_giver *giver, struct neighbour_given *out)
{
    *out = (struct neighbour_given){atomic_load(&giver->bounds.given_bytes),
                                    atomic_load(&giver->bounds.refusals)};
}
