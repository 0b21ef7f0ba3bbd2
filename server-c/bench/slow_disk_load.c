/* SPDX-License-Identifier: MIT */
/* slow_disk_load.c — hot and cold requests side by side, and how long each of them took.
 *
 *   slow_disk_load PORT SECONDS HOT_CONNECTIONS HOT_PATH COLD_CONNECTIONS COLD_METHOD COLD_PATHS [EACH]
 *
 * One thread, one epoll. Each connection sends a request when it has the answer to the one before.
 * Cold requests take the lines of the file COLD_PATHS in turn. Bodies are thrown away in the kernel,
 * so that the load leaves its core to the hot requests. Prints one JSON object; EACH gets a line per
 * cold request: start, first byte and end, in microseconds since the beginning. A cold request that
 * is not over at the end counts for the longest wait. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
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

#define HEAD_BYTES 4096
#define DISCARD_BYTES (1 << 20)
#define TICKS_MAX 36000
#define TICK_US 100000

struct connection {
    int fd;
    bool is_hot, has_head, is_last;    /* is_last: the server closes it after this response */
    uint64_t start_us, first_us, left; /* left: of the body */
    size_t head_len;
    char head[HEAD_BYTES + 1];
};

struct times {
    uint32_t *us;
    size_t count, cap;
    uint64_t errors;
};

static struct sockaddr_in server;
static struct times hot, cold, first_bytes;
static uint64_t tick_bytes[TICKS_MAX], cold_bytes, begin_ns;
static const char *hot_path, *cold_method;
static char **cold_paths;
static size_t cold_path_count, next_cold;
static int poller;
static FILE *each;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - begin_ns) / 1000;
}

static void record(struct times *times, uint64_t us)
{
    if (times->count == times->cap) {
        times->cap = times->cap ? 2 * times->cap : 65536;
        times->us = realloc(times->us, times->cap * sizeof(times->us[0]));
        if (!times->us)
            die("realloc");
    }
    times->us[times->count++] = (uint32_t)us;
}

static void open_connection(struct connection *c)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    int on = 1;

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&server, sizeof(server)) != 0)
        die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) != 0)
        die("epoll_ctl");
}

static void send_request(struct connection *c)
{
    const char *path = c->is_hot ? hot_path : cold_paths[next_cold++ % cold_path_count];
    char text[1024];
    int len = snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: bench\r\n\r\n",
                       c->is_hot ? "GET" : cold_method, path);

    c->has_head = false;
    c->head_len = 0;
    c->start_us = now_us();
    if (send(c->fd, text, (size_t)len, MSG_NOSIGNAL) != len) /* seen as an end by receive() */
        shutdown(c->fd, SHUT_RDWR);
}

static void reopen(struct connection *c)
{
    close(c->fd);
    open_connection(c);
}

static void finish(struct connection *c, uint64_t now)
{
    if (c->is_hot) {
        record(&hot, now - c->start_us);
    } else {
        record(&cold, now - c->start_us);
        record(&first_bytes, c->first_us - c->start_us);
        if (each)
            fprintf(each, "%llu %llu %llu\n", (unsigned long long)c->start_us,
                    (unsigned long long)c->first_us, (unsigned long long)now);
    }
    if (c->is_last)
        reopen(c);
    send_request(c);
}

static void fail(struct connection *c)
{
    struct times *times = c->is_hot ? &hot : &cold;

    times->errors++;
    reopen(c);
    send_request(c);
}

static void count_bytes(const struct connection *c, size_t n, uint64_t now)
{
    if (c->is_hot)
        return;
    cold_bytes += n;
    if (now / TICK_US < TICKS_MAX)
        tick_bytes[now / TICK_US] += n;
}

/* The value of the field, or NULL. strcasestr() over a whole head would cost a hot request more than
 * all the rest. */
static const char *field(const struct connection *c, const char *end, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = c->head; line < end; line = memchr(line, '\n', (size_t)(end - line))) {
        line += *line == '\n';
        if (strncasecmp(line, name, len) == 0)
            return line + len;
        if (!memchr(line, '\n', (size_t)(end - line)))
            break;
    }
    return NULL;
}

/* The head's end was received, at `end`. False: it is not what was asked for. */
static bool take_head(struct connection *c, const char *end, uint64_t now)
{
    const char *length = field(c, end, "Content-Length:");
    const char *connection = field(c, end, "Connection:");
    size_t extra = c->head_len - (size_t)(end + 4 - c->head);

    if (strncmp(c->head, "HTTP/1.1 200 ", 13) != 0 || !length)
        return false;
    c->has_head = true;
    c->is_last = connection && strncasecmp(connection, " close", 6) == 0;
    c->first_us = now;
    c->left = strtoull(length, NULL, 10);
    if (!c->is_hot && strcmp(cold_method, "HEAD") == 0)
        c->left = 0;
    count_bytes(c, extra, now);
    c->left = c->left > extra ? c->left - extra : 0;
    return true;
}

static bool receive_head(struct connection *c)
{
    ssize_t n = recv(c->fd, c->head + c->head_len, HEAD_BYTES - c->head_len, MSG_DONTWAIT);
    const char *end;

    if (n < 0)
        return errno == EAGAIN;
    if (n == 0)
        return false;
    c->head_len += (size_t)n;
    c->head[c->head_len] = '\0';
    end = strstr(c->head, "\r\n\r\n");
    if (!end)
        return c->head_len < HEAD_BYTES;
    return take_head(c, end, now_us());
}

static bool receive_body(struct connection *c)
{
    static char hot_bytes[65536];
    size_t wanted = c->left < DISCARD_BYTES ? (size_t)c->left : DISCARD_BYTES;
    ssize_t n;

    if (c->is_hot) /* as any client would */
        n = recv(c->fd, hot_bytes, wanted < sizeof(hot_bytes) ? wanted : sizeof(hot_bytes),
                 MSG_DONTWAIT);
    else
        n = recv(c->fd, NULL, wanted, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0)
        return errno == EAGAIN;
    if (n == 0)
        return false;
    c->left -= (uint64_t)n;
    count_bytes(c, (size_t)n, now_us());
    return true;
}

static void receive(struct connection *c)
{
    bool ok = c->has_head ? receive_body(c) : receive_head(c);

    if (!ok)
        fail(c);
    else if (c->has_head && c->left == 0)
        finish(c, now_us());
}

static void read_paths(const char *file)
{
    char line[512];
    FILE *in = fopen(file, "r");

    if (!in)
        die(file);
    while (fgets(line, sizeof(line), in)) {
        line[strcspn(line, "\n")] = '\0';
        cold_paths = realloc(cold_paths, (cold_path_count + 1) * sizeof(cold_paths[0]));
        cold_paths[cold_path_count++] = strdup(line);
    }
    fclose(in);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t at(const struct times *times, double share)
{
    return times->count ? times->us[(size_t)((double)(times->count - 1) * share)] : 0;
}

static void print_times(const char *name, struct times *times)
{
    qsort(times->us, times->count, sizeof(times->us[0]), by_size);
    printf("\"%s\":{\"requests\":%zu,\"errors\":%llu,\"p50Micros\":%u,\"p99Micros\":%u,"
           "\"maxMicros\":%u},",
           name, times->count, (unsigned long long)times->errors, at(times, 0.5), at(times, 0.99),
           at(times, 1));
}

static void print_result(uint64_t end_us, uint64_t unfinished_us)
{
    printf("{\"unfinishedMaxMicros\":%llu,", (unsigned long long)unfinished_us);
    print_times("hot", &hot);
    print_times("cold", &cold);
    print_times("coldFirstByte", &first_bytes);
    printf("\"coldBytes\":%llu,\"micros\":%llu,\"bytesPerTick\":[", (unsigned long long)cold_bytes,
           (unsigned long long)end_us);
    for (size_t i = 0; i < end_us / TICK_US && i < TICKS_MAX; i++)
        printf("%s%llu", i ? "," : "", (unsigned long long)tick_bytes[i]);
    printf("]}\n");
}

static void run(uint64_t end_us)
{
    struct epoll_event events[128];

    while (now_us() < end_us) {
        int n = epoll_wait(poller, events, 128, 50);
        for (int i = 0; i < n; i++)
            receive(events[i].data.ptr);
    }
}

int main(int argc, char **argv)
{
    struct connection *all;
    size_t hot_count, count;
    uint64_t end_us, unfinished_us = 0;

    if (argc < 8) {
        fprintf(stderr, "usage: see the top of slow_disk_load.c\n");
        return 2;
    }
    server = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(argv[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    hot_count = (size_t)atoi(argv[3]);
    count = hot_count + (size_t)atoi(argv[5]);
    hot_path = argv[4];
    cold_method = argv[6];
    read_paths(argv[7]);
    each = argc > 8 ? fopen(argv[8], "w") : NULL;
    poller = epoll_create1(EPOLL_CLOEXEC);
    all = calloc(count, sizeof(*all));
    for (size_t i = 0; i < count; i++) {
        all[i].is_hot = i < hot_count;
        open_connection(&all[i]);
    }
    begin_ns = now_us() * 1000;
    for (size_t i = 0; i < count; i++)
        send_request(&all[i]);
    end_us = (uint64_t)(atof(argv[2]) * 1e6);
    run(end_us);
    for (size_t i = hot_count; i < count; i++)
        if (now_us() - all[i].start_us > unfinished_us)
            unfinished_us = now_us() - all[i].start_us;
    print_result(now_us(), unfinished_us);
    if (each)
        fclose(each);
    return 0;
}
