/* SPDX-License-Identifier: MIT */
/* idle_holder.c — holds idle keep-alive connections, which wrk can't.
 *
 *   idle_holder [-t] PORT COUNT PATH
 *
 * Opens COUNT connections to 127.0.0.1 (-t: over TLS), one after another, asks on each for PATH once, reads the
 * whole answer and leaves it open. Then prints "held N" (N: those that got a 200) and waits for
 * the end of its input; then prints "lost N": how many the server had closed by then. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { HEAD_BYTES = 8192, ANSWER_SECONDS = 5 };

struct held {
    int fd;
    SSL *ssl; /* NULL: without TLS */
};

static SSL_CTX *context; /* NULL: without TLS */

static ssize_t take(const struct held *held, char *room, size_t cap)
{
    return held->ssl ? SSL_read(held->ssl, room, (int)cap) : recv(held->fd, room, cap, 0);
}

static ssize_t give(const struct held *held, const char *bytes, size_t len)
{
    return held->ssl ? SSL_write(held->ssl, bytes, (int)len)
                     : send(held->fd, bytes, len, MSG_NOSIGNAL);
}

static bool shake_hands(struct held *held)
{
    if (!context)
        return true;
    held->ssl = SSL_new(context);
    return held->ssl && SSL_set_fd(held->ssl, held->fd) && SSL_connect(held->ssl) == 1;
}

/* Returns the length of the head with its empty line, or 0 when it did not come whole. */
static size_t read_head(const struct held *held, char *head, size_t *got)
{
    *got = 0;
    while (*got < HEAD_BYTES) {
        ssize_t n = take(held, head + *got, HEAD_BYTES - *got);
        if (n <= 0)
            return 0;
        *got += (size_t)n;
        head[*got] = '\0';
        const char *end = strstr(head, "\r\n\r\n");
        if (end != NULL)
            return (size_t)(end - head) + 4;
    }
    return 0;
}

static bool read_answer(const struct held *held)
{
    char head[HEAD_BYTES + 1];
    char rest[65536];
    size_t got;
    size_t head_len = read_head(held, head, &got);
    if (head_len == 0 || strncmp(head, "HTTP/1.1 200", 12) != 0)
        return false;
    const char *length = strcasestr(head, "\r\ncontent-length:");
    if (length == NULL)
        return false;
    size_t left = strtoul(length + 17, NULL, 10) - (got - head_len);
    while (left > 0) {
        ssize_t n = take(held, rest, left < sizeof(rest) ? left : sizeof(rest));
        if (n <= 0)
            return false;
        left -= (size_t)n;
    }
    return true;
}

static bool hold_one(struct held *held, int port, const char *request)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((unsigned short)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    size_t len = strlen(request);

    held->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (held->fd < 0)
        return false;
    if (setsockopt(held->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        connect(held->fd, (struct sockaddr *)&address, sizeof(address)) == 0 && shake_hands(held) &&
        give(held, request, len) == (ssize_t)len && read_answer(held))
        return true;
    SSL_free(held->ssl);
    close(held->fd);
    return false;
}

/* What comes over TLS may be no more than a new ticket. */
static bool is_lost_tls(const struct held *held)
{
    char byte;
    int n;

    if (fcntl(held->fd, F_SETFL, O_NONBLOCK) != 0)
        return true;
    n = SSL_peek(held->ssl, &byte, 1);
    return n <= 0 && SSL_get_error(held->ssl, n) != SSL_ERROR_WANT_READ;
}

static bool is_lost(const struct held *held)
{
    char byte;
    ssize_t n;

    if (held->ssl)
        return is_lost_tls(held);
    n = recv(held->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN);
}

int main(int argc, char **argv)
{
    char request[1024];
    char input[64];

    if (argc == 5 && strcmp(argv[1], "-t") == 0) {
        context = SSL_CTX_new(TLS_client_method());
        argv++;
    } else if (argc != 4) {
        fprintf(stderr, "usage: idle_holder [-t] PORT COUNT PATH\n");
        return 2;
    }
    int port = (int)strtol(argv[1], NULL, 10);
    size_t count = strtoul(argv[2], NULL, 10);
    struct held *all = calloc(count + 1, sizeof(*all));
    if (all == NULL)
        return 1;
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", argv[3]);
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        all[held].ssl = NULL;
        held += hold_one(&all[held], port, request);
    }
    printf("held %zu\n", held);
    fflush(stdout);
    while (read(STDIN_FILENO, input, sizeof(input)) > 0)
        continue;
    size_t lost = 0;
    for (size_t i = 0; i < held; i++)
        lost += is_lost(&all[i]);
    printf("lost %zu\n", lost);
    free(all);
    return 0;
}
