/* SPDX-License-Identifier: MIT */
/* A socket as a transport: what each call says of what is there, of what is taken, and of the end. */
#include "net/transport_socket.c"

#include "base/util.h"
#include "check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

/* Both ends of a TCP connection; `ours` does not block. */
struct ends {
    struct transport ours;
    int theirs;
};

static struct ends connect_both(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), ours;
    const struct timeval patience = {.tv_sec = 5}; /* a fault is a failure, not a test that hangs */
    const int on = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_INT(__LINE__, "bind", bind(listening, (struct sockaddr *)&address, len), 0);
    CHECK_INT(__LINE__, "listen", listen(listening, 1), 0);
    CHECK_INT(__LINE__, "name", getsockname(listening, (struct sockaddr *)&address, &len), 0);
    CHECK_INT(__LINE__, "connect", connect(theirs, (struct sockaddr *)&address, len), 0);
    ours = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    CHECK_TRUE(ours >= 0, "accept");
    setsockopt(theirs, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(theirs, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    close(listening);
    return (struct ends){transport_of_socket(ours), theirs};
}

static void close_both(struct ends *ends)
{
    transport_close(&ends->ours);
    CHECK_INT(__LINE__, "is closed", fcntl(ends->ours.fd, F_GETFD), -1);
    close(ends->theirs);
}

static void await(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};

    CHECK_INT(__LINE__, "in time", poll(&one, 1, 10000), 1);
}

static void test_receive(void)
{
    static const struct {
        const char *name, *says;
        size_t cap;
        ssize_t received;
        bool has_more;
    } rows[] = {
        {"less than there is room for is all there is", "abc", 10, 3, false},
        {"as much as there is room for: there may be more", "abc", 3, 3, true},
        {"more than there is room for", "abc", 2, 2, true},
        {"none", "", 10, -EAGAIN, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct ends ends = connect_both();
        char room[10];
        bool has_more = !rows[i].has_more;
        size_t len = strlen(rows[i].says);
        if (len > 0) {
            CHECK_INT((int)i, rows[i].name, write(ends.theirs, rows[i].says, len), len);
            await(ends.ours.fd, POLLIN);
        }
        CHECK_INT((int)i, rows[i].name, transport_receive(&ends.ours, room, rows[i].cap, &has_more),
                  rows[i].received);
        CHECK_INT((int)i, rows[i].name, has_more, rows[i].has_more);
        close_both(&ends);
    }
}

static void test_how_it_ends(void)
{
    const struct linger at_once = {.l_onoff = 1};
    struct ends ends = connect_both();
    bool has_more = true;
    char room[10];

    shutdown(ends.theirs, SHUT_WR);
    await(ends.ours.fd, POLLIN);
    CHECK_INT(__LINE__, "the end", transport_receive(&ends.ours, room, 10, &has_more), 0);
    CHECK_INT(__LINE__, "nothing behind it", has_more, false);
    CHECK_INT(__LINE__, "we may still speak", transport_end(&ends.ours), 0);
    CHECK_INT(__LINE__, "they hear the end", read(ends.theirs, room, 10), 0);
    close_both(&ends);

    ends = connect_both();
    setsockopt(ends.theirs, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(ends.theirs);
    await(ends.ours.fd, POLLIN);
    CHECK_INT(__LINE__, "reset", transport_receive(&ends.ours, room, 10, &has_more), -ECONNRESET);
    CHECK_INT(__LINE__, "nobody takes it", transport_end(&ends.ours), -ENOTCONN);
    CHECK_INT(__LINE__, "nor this, and no signal ends us",
              transport_send(&ends.ours, &(struct iovec){room, 1}, 1, false), -EPIPE);
    transport_close(&ends.ours);
}

static void read_all(int fd, char *out, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = read(fd, out + at, len - at);
        CHECK_TRUE(n > 0, "%zu of %zu bytes came", at, len);
        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

/* One piece goes another way than several; what follows at once is held back for its neighbour. */
static void test_send(void)
{
    char a[] = "one ", b[] = "two ", c[] = "three";
    struct iovec bytes[] = {{a, 4}, {b, 4}, {c, 5}};
    struct ends ends = connect_both();
    char got[20] = "";

    CHECK_INT(__LINE__, "a list", transport_send(&ends.ours, bytes, 3, false), 13);
    read_all(ends.theirs, got, 13);
    CHECK_STR(__LINE__, "in order", got, "one two three");
    CHECK_INT(__LINE__, "goes on", transport_send(&ends.ours, bytes, 1, true), 4);
    CHECK_INT(__LINE__, "waits for what follows", recv(ends.theirs, got, 20, MSG_DONTWAIT), -1);
    CHECK_INT(__LINE__, "what follows", transport_send(&ends.ours, bytes + 2, 1, false), 5);
    read_all(ends.theirs, got, 9);
    CHECK_INT(__LINE__, "both", memcmp(got, "one three", 9), 0);
    close_both(&ends);
}

/* A client that takes nothing: the socket says how much it took, then that it takes no more, and how
 * much of it is still with us. */
static void test_a_full_window(void)
{
    static char many[1 << 20];
    struct iovec bytes = {many, sizeof(many)};
    struct ends ends = connect_both();
    int64_t given = 0, before;
    ssize_t sent;

    CHECK_INT(__LINE__, "nothing is unsent", transport_unsent(&ends.ours), 0);
    while ((sent = transport_send(&ends.ours, &bytes, 1, false)) > 0)
        given += sent;
    CHECK_INT(__LINE__, "takes no more", sent, -EAGAIN);
    before = transport_unsent(&ends.ours);
    CHECK_TRUE(before > 0 && before <= given, "%" PRId64 " of %" PRId64 " unsent", before, given);
    while (given > 0 && (sent = read(ends.theirs, many, sizeof(many))) > 0)
        given -= sent;
    CHECK_INT(__LINE__, "all of it came", given, 0);
    for (int i = 0; i < 1000 && transport_unsent(&ends.ours) > 0; i++)
        poll(NULL, 0, 10); /* its acknowledgement is the kernel's to send */
    CHECK_INT(__LINE__, "nothing is unsent any more", transport_unsent(&ends.ours), 0);
    close_both(&ends);
}

static void test_send_file(void)
{
    static const struct {
        const char *name;
        uint64_t offset;
        size_t len;
        ssize_t sent;
    } rows[] = {
        {"all", 0, 10, 10},
        {"from within", 4, 3, 3},
        {"a file that is shorter", 4, 100, 6},
        {"a file that is much shorter", 10, 5, 0},
        {"from beyond what may be", (uint64_t)INT64_MAX + 1, 5, -EINVAL},
    };
    char path[] = "/tmp/farmstead-transport-XXXXXX";
    int fd = mkstemp(path);

    CHECK_INT(__LINE__, "file", write(fd, "0123456789", 10), 10);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct ends ends = connect_both();
        char got[16] = "";
        CHECK_INT((int)i, rows[i].name,
                  transport_send_file(&ends.ours, fd, rows[i].offset, rows[i].len), rows[i].sent);
        if (rows[i].sent > 0)
            read_all(ends.theirs, got, (size_t)rows[i].sent);
        CHECK_INT((int)i, rows[i].name,
                  memcmp(got, "0123456789" + (rows[i].sent > 0 ? rows[i].offset : 0),
                         rows[i].sent > 0 ? (size_t)rows[i].sent : 0),
                  0);
        CHECK_INT((int)i, "the descriptor's own place stays", lseek(fd, 0, SEEK_CUR), 10);
        close_both(&ends);
    }
    close(fd);
    unlink(path);
}

static void test_what_it_says_of_itself(void)
{
    struct transport broken = transport_of_socket(-1);

    CHECK_TRUE(transport_takes_files(&broken), "takes files");
    CHECK_INT(__LINE__, "can't say", transport_unsent(&broken), -EBADF);
}

static void test_a_short_queue(void)
{
    struct transport broken = transport_of_socket(-1);
    struct ends ends = connect_both();
    int bytes = 0;
    socklen_t len = sizeof(bytes);

    transport_keep_queue_short(&ends.ours);
    getsockopt(ends.ours.fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, &len);
    CHECK_INT(__LINE__, "bytes", bytes, 262144);
    close_both(&ends);
    transport_keep_queue_short(&broken); /* no harm */
}

int main(void)
{
    signal(SIGPIPE, SIG_DFL);
    test_receive();
    test_how_it_ends();
    test_send();
    test_a_full_window();
    test_send_file();
    test_what_it_says_of_itself();
    test_a_short_queue();
    return check_end("transport_socket");
}
