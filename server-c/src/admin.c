/* SPDX-License-Identifier: MIT */
/* admin.c — a small blocking server over the same strict parser. */
#include "admin.h"

#include "buf.h"
#include "http_parser.h"
#include "mem.h"
#include "util.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX 8192
#define CLIENT_MS 2000 /* to send its request and to take the answer */

struct admin {
    struct server *server;
    pthread_t thread;
    int fd, stop_fd;
};

/* Waits for `events` until the deadline; false when it passed or the process stops. */
static bool wait_for(const struct admin *admin, int fd, short events, uint64_t deadline_ns)
{
    uint64_t now = monotonic_ns();
    struct pollfd polled[2] = {{fd, events, 0}, {admin->stop_fd, POLLIN, 0}};

    if (now >= deadline_ns)
        return false;
    return poll(polled, 2, (int)((deadline_ns - now) / NS_PER_MS) + 1) > 0 &&
           polled[1].revents == 0 && polled[0].revents != 0;
}

static enum parse receive_request(const struct admin *admin, int fd, struct http_request *req,
                                  char head[HEAD_MAX], uint64_t deadline_ns)
{
    enum parse parsed = PARSE_MORE;
    size_t len = 0;

    http_request_init(req, HEAD_MAX - 1, HEAD_MAX / 2);
    while (parsed == PARSE_MORE && len < HEAD_MAX) {
        ssize_t n = recv(fd, head + len, HEAD_MAX - len, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!wait_for(admin, fd, POLLIN, deadline_ns))
                break;
            continue;
        }
        if (n <= 0)
            break;
        len += (size_t)n;
        parsed = http_parse_request(req, head, len);
    }
    return parsed;
}

static void append_status(struct buf *out, struct server *server)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));
    struct server_effective effective;

    server_effective(server, &effective);
    server_metrics(server, metrics);
    buf_printf(out,
               "{\"version\":\"%s\",\"bootId\":\"%s\",\"uptimeSeconds\":%.3f,\"serving\":%s,"
               "\"reloads\":%" PRIu64 ",\"effective\":{\"generation\":%" PRIu64
               ",\"digest\":\"%s\"},",
               FARMSTEAD_VERSION, effective.boot_id, (double)metrics->monotonic_ms / 1e3,
               effective.serving ? "true" : "false", effective.reloads, effective.generation,
               effective.digest);
    metrics_append_json(out, metrics);
    buf_append_str(out, "}\n");
    free(metrics);
}

static void append_metrics(struct buf *out, struct server *server)
{
    struct server_metrics *metrics = xmalloc(sizeof(*metrics));

    server_metrics(server, metrics);
    metrics_append_prometheus(out, metrics);
    free(metrics);
}

static bool is_path(const struct http_request *req, const char *head, const char *path)
{
    struct span span = http_slice_of(head, req->path);
    return span.len == strlen(path) && memcmp(span.ptr, path, span.len) == 0;
}

static enum http_status fill_body(struct admin *admin, struct buf *body,
                                  const struct http_request *req, const char *head,
                                  const char **type)
{
    if (req->method == HTTP_OTHER_METHOD)
        return HTTP_NOT_IMPLEMENTED;
    if (req->method != HTTP_GET && req->method != HTTP_HEAD)
        return HTTP_METHOD_NOT_ALLOWED;
    if (is_path(req, head, "/status")) {
        *type = "application/json";
        append_status(body, admin->server);
    } else if (is_path(req, head, "/metrics")) {
        *type = "text/plain; version=0.0.4; charset=utf-8";
        append_metrics(body, admin->server);
    } else {
        return HTTP_NOT_FOUND;
    }
    return HTTP_OK;
}

static void send_all(const struct admin *admin, int fd, const struct buf *bytes,
                     uint64_t deadline_ns)
{
    size_t sent = 0;

    while (sent < bytes->len) {
        ssize_t n = send(fd, bytes->data + sent, bytes->len - sent, MSG_NOSIGNAL);
        if (n > 0)
            sent += (size_t)n;
        else if (!(n < 0 && (errno == EAGAIN || errno == EINTR)) ||
                 !wait_for(admin, fd, POLLOUT, deadline_ns))
            return;
    }
}

static void answer(struct admin *admin, int fd)
{
    uint64_t deadline_ns = monotonic_ns() + CLIENT_MS * NS_PER_MS;
    const char *type = "text/plain; charset=utf-8";
    struct http_request req;
    struct buf body, out;
    enum http_status status;
    char head[HEAD_MAX];
    enum parse parsed = receive_request(admin, fd, &req, head, deadline_ns);

    if (parsed == PARSE_MORE)
        return;
    buf_init(&body);
    buf_init(&out);
    status = parsed == PARSE_BAD ? req.status : fill_body(admin, &body, &req, head, &type);
    if (status != HTTP_OK)
        buf_printf(&body, "%d %s. Here are /status and /metrics.\n", (int)status,
                   http_status_text(status));
    buf_printf(&out,
               "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
               "Cache-Control: no-store\r\nConnection: close\r\n%s\r\n",
               (int)status, http_status_text(status), type, body.len,
               status == HTTP_METHOD_NOT_ALLOWED ? "Allow: GET, HEAD\r\n" : "");
    if (req.method != HTTP_HEAD)
        buf_append(&out, body.data, body.len);
    send_all(admin, fd, &out, deadline_ns);
    shutdown(fd, SHUT_WR);
    if (wait_for(admin, fd, POLLIN, deadline_ns)) /* until it has seen the end */
        (void)!recv(fd, head, sizeof(head), 0);
    buf_fini(&body);
    buf_fini(&out);
}

static void *thread_main(void *arg)
{
    struct admin *admin = arg;

    pthread_setname_np(pthread_self(), "admin");
    for (;;) {
        struct pollfd polled[2] = {{admin->fd, POLLIN, 0}, {admin->stop_fd, POLLIN, 0}};
        int fd;

        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            break;
        if (polled[1].revents)
            break;
        fd = accept4(admin->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            answer(admin, fd);
            close(fd);
        } else if (errno == EMFILE || errno == ENFILE) {
            poll(&polled[1], 1, CLIENT_MS); /* it would wake us at once, again and again */
        }
    }
    return NULL;
}

struct admin *admin_start(struct server *server, int fd)
{
    struct admin *admin = xcalloc(1, sizeof(*admin));

    admin->server = server;
    admin->fd = fd;
    admin->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (admin->stop_fd >= 0 && pthread_create(&admin->thread, NULL, thread_main, admin) == 0)
        return admin;
    if (admin->stop_fd >= 0)
        close(admin->stop_fd);
    close(fd);
    free(admin);
    return NULL;
}

void admin_stop(struct admin *admin)
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
