/* SPDX-License-Identifier: MIT */
/* tls_load.c — a TLS connection for each request, which wrk makes as well, but never resumes.
 *
 *   tls_load PORT SECONDS CONNECTIONS PATH full|resume CORE …
 *
 * A thread on each CORE keeps its share of CONNECTIONS at work: connect, handshake, GET with
 * "Connection: close", read to the end, again. "resume": each goes on with the session that its
 * forerunner was given; one that the server does not resume is an error. Which versions and ciphers are
 * offered is the file's that OPENSSL_CONF names. Prints what was found as wrk/report.lua does; times are
 * from connect to the end of the answer. What is under way at the end does not count. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_BYTES 16384 /* more than a head and 4 KB */
#define EVENTS 64
#define THREADS_MAX 64

struct connection {
    SSL *ssl;
    SSL_SESSION *session; /* for the next one */
    uint64_t start_us;
    size_t len; /* of the answer so far */
    bool offered, has_asked;
    char answer[ANSWER_BYTES + 1];
};

struct client {
    pthread_t thread;
    int core, count, poller;
    struct connection *connections;
    uint32_t *times_us;
    size_t done, cap;
    uint64_t bytes, bad_handshakes, bad_answers, not_resumed;
};

static struct sockaddr_in server;
static SSL_CTX *context;
static char request[1024];
static bool resumes;
static uint64_t end_us;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int keep_session(SSL *ssl, SSL_SESSION *session)
{
    struct connection *c = SSL_get_app_data(ssl);
    SSL_SESSION_free(c->session);
    c->session = session;
    return 1;
}

/* A copy: the handshake changes the session's secrets, and not all servers give a new one. */
static void offer(struct connection *c)
{
    SSL_SESSION *copy = SSL_SESSION_dup(c->session);
    if (!copy || !SSL_set_session(c->ssl, copy))
        die("SSL_set_session");
    SSL_SESSION_free(copy);
}

static void begin(struct client *client, struct connection *c)
{
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};

    /* On loopback it is connected at once, or waits for a place in the listener's queue. */
    c->start_us = now_us();
    if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof(server)) != 0)
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    c->ssl = SSL_new(context);
    if (!c->ssl || !SSL_set_fd(c->ssl, fd) || !SSL_set_app_data(c->ssl, c))
        die("SSL_new");
    c->offered = resumes && c->session;
    if (c->offered)
        offer(c);
    c->len = 0;
    c->has_asked = false;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        epoll_ctl(client->poller, EPOLL_CTL_ADD, fd, &event) != 0)
        die("epoll_ctl");
    (void)SSL_connect(c->ssl); /* sends the first message */
}

static void end(struct connection *c)
{
    int fd = SSL_get_fd(c->ssl);
    /* Without this the library would not let the session be resumed. */
    SSL_set_shutdown(c->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(c->ssl);
    close(fd);
}

static bool is_whole(struct connection *c)
{
    c->answer[c->len] = '\0';
    const char *body = strstr(c->answer, "\r\n\r\n");
    const char *length = strcasestr(c->answer, "\r\ncontent-length:");
    if (strncmp(c->answer, "HTTP/1.1 200", 12) != 0 || !body || !length)
        return false;
    return strtoul(length + 17, NULL, 10) == c->len - (size_t)(body + 4 - c->answer);
}

static void count(struct client *client, struct connection *c)
{
    if (client->done == client->cap) {
        client->cap = client->cap * 2 + 4096;
        client->times_us = realloc(client->times_us, client->cap * sizeof(*client->times_us));
        if (!client->times_us)
            die("realloc");
    }
    client->times_us[client->done++] = (uint32_t)(now_us() - c->start_us);
    client->bytes += c->len;
    client->not_resumed += c->offered && !SSL_session_reused(c->ssl);
    client->bad_answers += !is_whole(c);
}

/* The client sends so little that its socket always has room: it waits only to read. */
static bool step(struct client *client, struct connection *c)
{
    int n;

    ERR_clear_error();
    if (!c->has_asked) {
        n = SSL_connect(c->ssl);
        if (n != 1 && SSL_get_error(c->ssl, n) == SSL_ERROR_WANT_READ)
            return false;
        if (n != 1 || SSL_write(c->ssl, request, (int)strlen(request)) <= 0) {
            client->bad_handshakes++;
            return true;
        }
        c->has_asked = true;
    }
    do {
        n = SSL_read(c->ssl, c->answer + c->len, (int)(ANSWER_BYTES - c->len));
        c->len += n > 0 ? (size_t)n : 0;
    } while (n > 0 && c->len < ANSWER_BYTES);
    if (n <= 0 && SSL_get_error(c->ssl, n) == SSL_ERROR_WANT_READ)
        return false;
    count(client, c);
    return true;
}

static void *work(void *arg)
{
    struct client *client = arg;
    struct epoll_event events[EVENTS];
    cpu_set_t cores;

    CPU_ZERO(&cores);
    CPU_SET(client->core, &cores);
    pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
    client->poller = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < client->count; i++)
        begin(client, &client->connections[i]);
    while (now_us() < end_us) {
        int ready = epoll_wait(client->poller, events, EVENTS, 10);
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (!step(client, c))
                continue;
            end(c);
            begin(client, c);
        }
    }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* All threads' figures become the first one's. */
static void join_all(struct client *clients, int threads)
{
    struct client *all = &clients[0];

    for (int i = 1; i < threads; i++) {
        struct client *one = &clients[i];
        all->times_us =
            realloc(all->times_us, (all->done + one->done + 1) * sizeof(*all->times_us));
        if (!all->times_us)
            die("realloc");
        if (one->done > 0)
            memcpy(all->times_us + all->done, one->times_us, one->done * sizeof(*one->times_us));
        all->done += one->done;
        all->bytes += one->bytes;
        all->bad_handshakes += one->bad_handshakes;
        all->bad_answers += one->bad_answers;
        all->not_resumed += one->not_resumed;
    }
    if (all->done > 0)
        qsort(all->times_us, all->done, sizeof(*all->times_us), by_size);
}

static uint32_t percentile(const struct client *all, double percent)
{
    if (all->done == 0)
        return 0;
    return all->times_us[(size_t)((double)(all->done - 1) * percent / 100)];
}

static void tell(const struct client *all, uint64_t us)
{
    printf("bench-json {\"requests\":%zu,\"bytes\":%llu,\"microseconds\":%llu,"
           "\"p50\":%u,\"p99\":%u,\"max\":%u,"
           "\"errors\":{\"handshake\":%llu,\"answer\":%llu,\"resumption\":%llu}}\n",
           all->done, (unsigned long long)all->bytes, (unsigned long long)us, percentile(all, 50),
           percentile(all, 99), percentile(all, 100), (unsigned long long)all->bad_handshakes,
           (unsigned long long)all->bad_answers, (unsigned long long)all->not_resumed);
}

int main(int argc, char **argv)
{
    static struct client clients[THREADS_MAX];
    int threads = argc - 6;

    if (threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: tls_load PORT SECONDS CONNECTIONS PATH full|resume CORE …\n");
        return 2;
    }
    server = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_port = htons((unsigned short)strtol(argv[1], NULL, 10)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    snprintf(request, sizeof(request),
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", argv[4]);
    resumes = strcmp(argv[5], "resume") == 0;
    context = SSL_CTX_new(TLS_client_method());
    if (!context)
        die("SSL_CTX_new");
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, keep_session);
    uint64_t start_us = now_us();
    end_us = start_us + (uint64_t)(strtod(argv[2], NULL) * 1e6);
    int connections = (int)strtol(argv[3], NULL, 10);
    for (int i = 0; i < threads; i++) {
        clients[i].core = (int)strtol(argv[6 + i], NULL, 10);
        clients[i].count = connections / threads + (i < connections % threads);
        clients[i].connections = calloc((size_t)clients[i].count + 1, sizeof(struct connection));
        if (!clients[i].connections ||
            pthread_create(&clients[i].thread, NULL, work, &clients[i]) != 0)
            die("a thread");
    }
    for (int i = 0; i < threads; i++)
        pthread_join(clients[i].thread, NULL);
    join_all(clients, threads);
    tell(&clients[0], now_us() - start_us);
    return 0;
}
