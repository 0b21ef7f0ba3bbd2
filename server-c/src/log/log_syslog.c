/* SPDX-License-Identifier: MIT */
/* log_syslog.c — connects anew when the daemon was away: its socket is then another file. */
#include "log/log_syslog.h"

#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define FACILITY_DAEMON 3
/* A longer line is cut. Receivers take 2048 bytes at least (RFC 5424 section 6.1), most take this. */
#define MESSAGE_BYTES 8192
#define HEADER_BYTES 400
#define HOST_BYTES 256 /* 255 characters at most (section 6) */
#define ERROR_TIME_LEN 24

struct log_syslog {
    struct sockaddr_storage address;
    socklen_t address_len;
    enum log_file_kind kind;
    int fd;              /* -1: not connected */
    bool is_unreachable; /* which the error log says once, until it is reached again */
    char *where;
    char host[HOST_BYTES];
    char message[HEADER_BYTES + MESSAGE_BYTES];
};

/* Printable ASCII without spaces, or "-" (section 6.2.4). */
static void find_host(char host[HOST_BYTES])
{
    if (gethostname(host, HOST_BYTES) != 0)
        host[0] = '\0';
    host[HOST_BYTES - 1] = '\0';
    for (const char *c = host; *c; c++)
        if (*c <= ' ' || *c > '~')
            host[0] = '\0';
    if (host[0] == '\0')
        strcpy(host, "-");
}

static void set_address(struct log_syslog *syslog, const struct log_target *target)
{
    const uint8_t *v4_bytes = address_v4(target->address);

    if (target->kind == LOG_TARGET_SYSLOG_UNIX) {
        struct sockaddr_un *un = (struct sockaddr_un *)(void *)&syslog->address;
        _Static_assert(sizeof(un->sun_path) == LOG_TARGET_SOCKET_PATH + 1, "a path fits");
        un->sun_family = AF_UNIX;
        strcpy(un->sun_path, target->path);
        syslog->address_len = sizeof(*un);
    } else if (v4_bytes) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)&syslog->address;
        v4->sin_family = AF_INET;
        v4->sin_port = htons(target->port);
        memcpy(&v4->sin_addr, v4_bytes, sizeof(v4->sin_addr));
        syslog->address_len = sizeof(*v4);
    } else {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&syslog->address;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(target->port);
        memcpy(&v6->sin6_addr, target->address, sizeof(v6->sin6_addr));
        syslog->address_len = sizeof(*v6);
    }
}

struct log_syslog *log_syslog_new(const struct log_target *target, enum log_file_kind kind)
{
    struct log_syslog *syslog = xcalloc(1, sizeof(*syslog));

    set_address(syslog, target);
    syslog->kind = kind;
    syslog->where = xstrdup(target->text);
    syslog->fd = -1;
    find_host(syslog->host);
    return syslog;
}

static void disconnect(struct log_syslog *syslog)
{
    if (syslog->fd >= 0)
        close(syslog->fd);
    syslog->fd = -1;
}

void log_syslog_free(struct log_syslog *syslog)
{
    disconnect(syslog);
    free(syslog->where);
    free(syslog);
}

/* With the reason in errno. */
static void cant_reach(struct log_syslog *syslog)
{
    int err = errno;

    disconnect(syslog);
    if (!syslog->is_unreachable)
        log_warn(
            "%s log: \"%s\" takes no messages: %s; they are kept, as many as there is room for",
            syslog->kind == LOG_FILE_ERROR ? "error" : "access", syslog->where, uv_strerror(-err));
    syslog->is_unreachable = true;
}

static bool is_connected(struct log_syslog *syslog)
{
    const struct sockaddr *address = (const struct sockaddr *)&syslog->address;

    if (syslog->fd >= 0)
        return true;
    syslog->fd = socket(address->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (syslog->fd < 0 || connect(syslog->fd, address, syslog->address_len) != 0)
        cant_reach(syslog);
    return syslog->fd >= 0;
}

/* RFC 5424 section 6.2.1. */
static int severity_of(const char *level)
{
    static const struct {
        const char *word;
        int severity;
    } levels[] = {{"error ", 3}, {"warn ", 4}, {"debug ", 7}};

    for (size_t i = 0; i < ARRAY_LEN(levels); i++)
        if (strncmp(level, levels[i].word, strlen(levels[i].word)) == 0)
            return levels[i].severity;
    return 6;
}

static void put_time(char time_text[ERROR_TIME_LEN + 1])
{
    struct timespec now;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(time_text, ERROR_TIME_LEN + 1, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(time_text + 19, 6, ".%03uZ", (unsigned)(now.tv_nsec / 1000000) % 1000);
}

/* Returns the length of the message. Lines of the error log begin with time and level (log.h), which have
 * their places in the header. */
static size_t make_message(struct log_syslog *syslog, const char *line, size_t len)
{
    char time_text[ERROR_TIME_LEN + 1];
    const char *text = line;
    int severity = 6;

    if (syslog->kind == LOG_FILE_ERROR && len > ERROR_TIME_LEN + 1) {
        const char *level = line + ERROR_TIME_LEN + 1;
        const char *space = memchr(level, ' ', len - ERROR_TIME_LEN - 1);
        memcpy(time_text, line, ERROR_TIME_LEN);
        time_text[ERROR_TIME_LEN] = '\0';
        text = space ? space + 1 : level;
        severity = severity_of(level);
    } else {
        put_time(time_text);
    }
    len -= (size_t)(text - line);
    int header = snprintf(syslog->message, HEADER_BYTES, "<%d>1 %s %s farmstead-node %ld %s - ",
                          FACILITY_DAEMON * 8 + severity, time_text, syslog->host, (long)getpid(),
                          syslog->kind == LOG_FILE_ERROR ? "error" : "access");
    if (len > MESSAGE_BYTES)
        len = MESSAGE_BYTES;
    memcpy(syslog->message + header, text, len);
    return (size_t)header + len;
}

size_t log_syslog_send(struct log_syslog *syslog, const char *lines, size_t len)
{
    const char *end = memchr(lines, '\n', len);
    size_t line_len = end ? (size_t)(end - lines) : len;

    if (!is_connected(syslog))
        return 0;
    size_t message_len = make_message(syslog, lines, line_len);
    if (send(syslog->fd, syslog->message, message_len, MSG_NOSIGNAL) >= 0) {
        syslog->is_unreachable = false;
        return line_len + 1;
    }
    if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
        cant_reach(syslog);
    return 0;
}
