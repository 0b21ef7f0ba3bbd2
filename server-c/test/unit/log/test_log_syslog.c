/* SPDX-License-Identifier: MIT */
/* Messages in a Unix socket: what is in their header, a daemon that is away, comes back or does not
 * read. */
#include "log/log_syslog.c"

#include "check.h"

#include <sys/un.h>

static char path[] = "/tmp/farmstead-syslog-XXXXXX";

static int daemon_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    unlink(name);
    strcpy(address.sun_path, name);
    CHECK_INT(__LINE__, "bound", bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static const char *received(int fd)
{
    static char message[16384];
    ssize_t len = recv(fd, message, sizeof(message) - 1, 0);

    message[len > 0 ? len : 0] = '\0';
    return message;
}

static struct log_syslog *open_syslog(enum log_file_kind kind)
{
    struct log_target target;
    char text[100];

    snprintf(text, sizeof(text), "syslog:%s", path);
    CHECK_TRUE(log_target_parse(&target, text), "%s", text);
    return log_syslog_new(&target, kind);
}

static size_t say(struct log_syslog *syslog, const char *lines)
{
    return log_syslog_send(syslog, lines, strlen(lines));
}

static void test_messages(void)
{
    static const struct {
        enum log_file_kind kind;
        const char *lines;
        size_t len; /* of the first */
        const char *begin, *end;
    } rows[] = {
        {LOG_FILE_ACCESS, "one\ntwo\n", 4, "<30>1 ", " access - one"},
        {LOG_FILE_ACCESS, "\n", 1, "<30>1 ", " access - "},
        {LOG_FILE_ERROR, "2026-11-21T09:14:43.123Z info a b\n", 34,
         "<30>1 2026-11-21T09:14:43.123Z ", " error - a b"},
        {LOG_FILE_ERROR, "2026-11-21T09:14:43.123Z warn a\n", 32, "<28>1 2026-11-21T09:14:43.123Z ",
         " error - a"},
        {LOG_FILE_ERROR, "2026-11-21T09:14:43.123Z error a\n", 33,
         "<27>1 2026-11-21T09:14:43.123Z ", " error - a"},
        {LOG_FILE_ERROR, "2026-11-21T09:14:43.123Z debug a\n", 33,
         "<31>1 2026-11-21T09:14:43.123Z ", " error - a"},
        {LOG_FILE_ERROR, "short\n", 6, "<30>1 ", " error - short"},
    };
    int fd = daemon_at(path);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct log_syslog *syslog = open_syslog(rows[i].kind);
        CHECK_INT((int)i, "length", say(syslog, rows[i].lines), rows[i].len);
        const char *message = received(fd);
        size_t len = strlen(message), end = strlen(rows[i].end);
        CHECK_TRUE(strncmp(message, rows[i].begin, strlen(rows[i].begin)) == 0 && len > end &&
                       strcmp(message + len - end, rows[i].end) == 0,
                   "row %zu: \"%s\"", i, message);
        log_syslog_free(syslog);
    }
    close(fd);
}

static void test_long_line(void)
{
    struct log_syslog *syslog = open_syslog(LOG_FILE_ACCESS);
    char line[MESSAGE_BYTES + 101];
    int fd = daemon_at(path);

    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    CHECK_INT(__LINE__, "all of it", log_syslog_send(syslog, line, sizeof(line)), sizeof(line));
    const char *text = strstr(received(fd), " - x");
    CHECK_INT(__LINE__, "is cut", text ? strlen(text) - 3 : 0, MESSAGE_BYTES);
    log_syslog_free(syslog);
    close(fd);
}

static void test_daemon_that_is_away(void)
{
    struct log_syslog *syslog = open_syslog(LOG_FILE_ACCESS);

    unlink(path);
    CHECK_INT(__LINE__, "nobody there", say(syslog, "one\n"), 0);
    int fd = daemon_at(path);
    CHECK_INT(__LINE__, "now", say(syslog, "one\n"), 4);
    close(fd); /* it starts again, with another socket at the same place */
    CHECK_INT(__LINE__, "gone", say(syslog, "two\n"), 0);
    fd = daemon_at(path);
    CHECK_INT(__LINE__, "back", say(syslog, "two\n"), 4);
    CHECK_TRUE(strstr(received(fd), " - two"), "got it");
    log_syslog_free(syslog);
    close(fd);
}

static void test_daemon_that_does_not_read(void)
{
    struct log_syslog *syslog = open_syslog(LOG_FILE_ACCESS);
    int fd = daemon_at(path), sent = 0;

    while (sent < 100000 && say(syslog, "one\n") > 0)
        sent++;
    CHECK_TRUE(sent > 0 && sent < 100000, "it is full and nobody waits: %d", sent);
    received(fd);
    CHECK_INT(__LINE__, "there is room", say(syslog, "two\n"), 4);
    for (int i = 1; i < sent; i++)
        received(fd);
    CHECK_TRUE(strstr(received(fd), " - two"), "in order");
    log_syslog_free(syslog);
    close(fd);
}

int main(void)
{
    close(mkstemp(path));
    test_messages();
    test_long_line();
    test_daemon_that_is_away();
    test_daemon_that_does_not_read();
    unlink(path);
    return check_end("log_syslog");
}
