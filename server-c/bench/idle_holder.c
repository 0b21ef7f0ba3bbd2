/* SPDX-License-Identifier: MIT */
/* idle_holder.c — holds idle keep-alive connections, which wrk can't.
 *
 *   idle_holder PORT COUNT PATH
 *
 * Opens COUNT connections to 127.0.0.1, one after another, asks on each for PATH once, reads the
 * whole answer and leaves it open. Then prints "held N" (N: those that got a 200) and waits for
 * the end of its input; then prints "lost N": how many the server had closed by then. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { HEAD_BYTES = 8192, ANSWER_SECONDS = 5 };

/* Returns the length of the head with its empty line, or 0 when it did not come whole. */
static size_t read_head(int fd, char *head, size_t *got)
{
    *got = 0;
    while (*got < HEAD_BYTES) {
        ssize_t n = recv(fd, head + *got, HEAD_BYTES - *got, 0);
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

static bool read_answer(int fd)
{
    char head[HEAD_BYTES + 1];
    char rest[65536];
    size_t got;
    size_t head_len = read_head(fd, head, &got);
    if (head_len == 0 || strncmp(head, "HTTP/1.1 200", 12) != 0)
        return false;
    const char *length = strcasestr(head, "\r\ncontent-length:");
    if (length == NULL)
        return false;
    size_t left = strtoul(length + 17, NULL, 10) - (got - head_len);
    while (left > 0) {
        ssize_t n = recv(fd, rest, left < sizeof(rest) ? left : sizeof(rest), 0);
        if (n <= 0)
            return false;
        left -= (size_t)n;
    }
    return true;
}

/* Returns the descriptor of an idle connection, or -1. */
static int hold_one(int port, const char *request)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((unsigned short)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    size_t len = strlen(request);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        send(fd, request, len, MSG_NOSIGNAL) == (ssize_t)len && read_answer(fd))
        return fd;
    close(fd);
    return -1;
}

static bool is_lost(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN);
}

int main(int argc, char **argv)
{
    char request[1024];
    char input[64];

    if (argc != 4) {
        fprintf(stderr, "usage: idle_holder PORT COUNT PATH\n");
        return 2;
    }
    int port = (int)strtol(argv[1], NULL, 10);
    size_t count = strtoul(argv[2], NULL, 10);
    int *fds = calloc(count, sizeof(*fds));
    if (fds == NULL)
        return 1;
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", argv[3]);
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        int fd = hold_one(port, request);
        if (fd >= 0)
            fds[held++] = fd;
    }
    printf("held %zu\n", held);
    fflush(stdout);
    while (read(STDIN_FILENO, input, sizeof(input)) > 0)
        continue;
    size_t lost = 0;
    for (size_t i = 0; i < held; i++)
        lost += is_lost(fds[i]);
    printf("lost %zu\n", lost);
    free(fds);
    return 0;
}
