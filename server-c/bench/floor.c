/* SPDX-License-Identifier: MIT */
/* floor.c — what a request costs at the least: a bare epoll loop that answers each with a fixed
 * response, without reading what it says.
 *
 *   floor [-b] [-c] [-d] PORT LOOPS ANSWER…
 *
 * An ANSWER is a file with a whole response. Of several, the first number in the request's path
 * says which, so that a mix of sizes costs what it costs. With -b each ANSWER is the head alone, and
 * the next argument is the file that goes by sendfile after it; -c closes after each response; -d
 * accepts with the first bytes (TCP_DEFER_ACCEPT). LOOPS processes share the port. One recv and one
 * send per request, edge-triggered, no timers, no limits, no checks: not a server. Each request must
 * come in one piece, as wrk sends it. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = 512, BACKLOG = 4096, REQUEST_BYTES = 16384, SENDFILE_BYTES = 1 << 20 };

struct answer {
    char *bytes;
    size_t len;
    size_t body_bytes; /* of what follows by sendfile */
    int body_fd;
};

struct conn {
    const struct answer *answer; /* NULL: waits for a request */
    size_t sent_bytes;           /* of the head or of all, then of the body file */
    int fd;
    bool wants_out; /* EPOLLOUT asked for: once it was needed it stays */
};

static struct answer *answers;
static size_t answer_count;
static bool closes;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static struct answer answer_read(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        die(path);
    struct answer answer = {
        .bytes = malloc((size_t)st.st_size), .len = (size_t)st.st_size, .body_fd = -1};
    if (answer.bytes == NULL || read(fd, answer.bytes, answer.len) != st.st_size)
        die(path);
    close(fd);
    return answer;
}

static void body_open(struct answer *answer, const char *path)
{
    struct stat st;
    answer->body_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (answer->body_fd < 0 || fstat(answer->body_fd, &st) < 0)
        die(path);
    answer->body_bytes = (size_t)st.st_size;
}

/* `request` ends with an empty line, so the search for a digit ends as well. */
static const struct answer *answer_choose(const char *request)
{
    if (answer_count == 1)
        return &answers[0];
    const char *at = request + strcspn(request, "0123456789\r");
    return &answers[strtoul(at, NULL, 10) % answer_count];
}

static int listen_on(int port, bool defers_accept)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((unsigned short)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1, defer_seconds = defers_accept;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &defer_seconds, sizeof(defer_seconds)) < 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, BACKLOG) < 0)
        die("listen");
    return fd;
}

static void conn_close(struct conn *conn)
{
    close(conn->fd);
    free(conn);
}

/* Sends what goes. Returns false when the connection is to be closed. */
static bool conn_send(struct conn *conn, int epoll)
{
    const struct answer *answer = conn->answer;
    while (conn->sent_bytes < answer->len + answer->body_bytes) {
        ssize_t n;
        if (conn->sent_bytes < answer->len) {
            n = send(conn->fd, answer->bytes + conn->sent_bytes, answer->len - conn->sent_bytes,
                     MSG_NOSIGNAL | (answer->body_fd >= 0 ? MSG_MORE : 0));
        } else {
            off_t offset = (off_t)(conn->sent_bytes - answer->len);
            n = sendfile(conn->fd, answer->body_fd, &offset, SENDFILE_BYTES);
        }
        if (n > 0) {
            conn->sent_bytes += (size_t)n;
            continue;
        }
        if (n == 0 || errno != EAGAIN)
            return false;
        if (!conn->wants_out) {
            struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = conn};
            conn->wants_out = true;
            return epoll_ctl(epoll, EPOLL_CTL_MOD, conn->fd, &event) == 0;
        }
        return true;
    }
    conn->answer = NULL;
    return !closes;
}

/* Returns false when the connection is to be closed. */
static bool conn_on_event(struct conn *conn, int epoll)
{
    char request[REQUEST_BYTES + 1];

    if (conn->answer != NULL)
        return conn_send(conn, epoll);
    ssize_t n = recv(conn->fd, request, REQUEST_BYTES, 0);
    if (n <= 0)
        return n < 0 && errno == EAGAIN;
    if (n < 4 || memcmp(request + n - 4, "\r\n\r\n", 4) != 0)
        return false;
    request[n] = '\0';
    conn->answer = answer_choose(request);
    conn->sent_bytes = 0;
    return conn_send(conn, epoll);
}

static void accept_all(int listener, int epoll)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        struct conn *conn = calloc(1, sizeof(*conn));
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = conn};
        if (conn == NULL)
            die("calloc");
        conn->fd = fd;
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
            conn_close(conn);
    }
}

static void run(int listener)
{
    struct epoll_event events[EVENTS];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0)
        die("epoll");
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            struct conn *conn = events[i].data.ptr;
            if (conn == NULL)
                accept_all(listener, epoll);
            else if (!conn_on_event(conn, epoll))
                conn_close(conn);
        }
    }
}

int main(int argc, char **argv)
{
    bool has_bodies = false, defers_accept = false;
    int option;

    while ((option = getopt(argc, argv, "bcd")) != -1) {
        if (option == 'b')
            has_bodies = true;
        else if (option == 'c')
            closes = true;
        else if (option == 'd')
            defers_accept = true;
        else
            return 2;
    }
    int words_each = has_bodies ? 2 : 1;
    int words = argc - optind - 2;
    if (words < words_each || words % words_each != 0) {
        fprintf(stderr, "usage: floor [-b] [-c] [-d] PORT LOOPS ANSWER…\n");
        return 2;
    }
    int port = (int)strtol(argv[optind], NULL, 10);
    int loops = (int)strtol(argv[optind + 1], NULL, 10);
    char **word = argv + optind + 2;
    answer_count = (size_t)(words / words_each);
    answers = calloc(answer_count, sizeof(*answers));
    for (size_t i = 0; answers != NULL && i < answer_count; i++, word += words_each) {
        answers[i] = answer_read(word[0]);
        if (has_bodies)
            body_open(&answers[i], word[1]);
    }
    for (int i = 1; i < loops; i++) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            break;
        }
    }
    signal(SIGPIPE, SIG_IGN); /* sendfile has no MSG_NOSIGNAL */
    run(listen_on(port, defers_accept));
}
