/* SPDX-License-Identifier: MIT */
/* Who gets in: real clients at a real socket, when there is no room, when there are no descriptors, and
 * when it stops. */
#include "connection/listener.c"

#include "connection/conn_state.h"
#include "loop_fixture.h"
#include "net/peer_table.h"

#include <fcntl.h>
#include <sys/resource.h>

static const char config[] = "{ \"limits\": { \"connections\": 40 },\n"
                             "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }";

#define CLIENTS_MAX 100

static struct list listeners;
static struct listener *listener;
static uint16_t port;
static int clients[CLIENTS_MAX], client_count;
static uv_timer_t pulse;

static void tick(uv_timer_t *timer)
{
    (void)timer;
}

/* --- clients --------------------------------------------------------------------------------- */

/* From 127.0.0.`from`, which is another address each. */
static int dial_from(int from)
{
    struct sockaddr_in ours = {.sin_family = AF_INET}, theirs = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ours.sin_addr.s_addr = htonl(0x7f000000 + (uint32_t)from);
    theirs.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    theirs.sin_port = htons(port);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* a byte at a time is one */
    CHECK_INT(from, "bind", bind(fd, (struct sockaddr *)&ours, sizeof(ours)), 0);
    CHECK_INT(from, "connect", connect(fd, (struct sockaddr *)&theirs, sizeof(theirs)), 0);
    clients[client_count++] = fd;
    return fd;
}

static void turns(int count)
{
    while (count-- > 0)
        poller_turn(&the_loop.poller);
}

/* Until what waits in the queue was taken, and clients had their word and the lanes' answers. */
static void settle(void)
{
    do
        turns(10);
    while (the_loop.port.outstanding > 0);
}

/* However long the test has taken to get here. */
static void all_have_just_come(void)
{
    struct list *all = &the_loop.connections[TIMEOUT_SILENT];

    uv_update_time(&the_loop.uv);
    for (struct list *link = all->next; link != all; link = link->next)
        container_of(link, struct conn, link)->deadline_ms =
            uv_now(&the_loop.uv) + the_loop.timeout_ms[TIMEOUT_SILENT];
}

static void everybody_leaves(void)
{
    while (client_count > 0)
        close(clients[--client_count]);
    settle();
    conn_close_all(&the_loop);
    settle();
    CHECK_INT(__LINE__, "nobody is left", the_loop.connection_count, 0);
    CHECK_INT(__LINE__, "nor counted", shared.connections, 0);
    CHECK_INT(__LINE__, "nor of any address", peer_table_size(shared.peers), 0);
}

static uint64_t counted(enum counter counter)
{
    return the_loop.live->series->data.counters[counter];
}

/* What a client was told, "" while it was told nothing. */
static const char *heard(int fd)
{
    static char text[4000];
    ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void begin_listening(enum config_defer_accept defers)
{
    struct config_listen cfg = {.address = (char *)(uintptr_t) "127.0.0.1",
                                .socket = (char *)(uintptr_t) ""};
    int fd;

    port = 0;
    cfg.defer_accept = defers;
    fd = listener_bind(&cfg, &port);
    CHECK_TRUE(fd >= 0 && port > 0, "bound to %d", port);
    CHECK_INT(__LINE__, "watched", listener_new(&the_loop, fd, &cfg, &listeners), 0);
    listener = listener_of_link(listeners.next);
}

/* --- binding --------------------------------------------------------------------------------- */

static void test_binding(void)
{
    static const struct {
        const char *address;
        uint16_t configured, asked;
        int err;
    } rows[] = {
        {"127.0.0.1", 0, 0, 0},
        {"::1", 0, 0, 0},
        {"203.0.113.1", 0, 0, UV_EADDRNOTAVAIL},
        {"localhost", 0, 0, UV_EINVAL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_listen cfg = {.address = (char *)(uintptr_t)rows[i].address,
                                    .socket = (char *)(uintptr_t) "",
                                    .port = rows[i].configured};
        uint16_t got = rows[i].asked, again;
        int fd = listener_bind(&cfg, &got), second;
        CHECK_INT((int)i, rows[i].address, fd < 0 ? fd : 0, rows[i].err);
        if (fd < 0)
            continue;
        again = got;
        second = listener_bind(&cfg, &again); /* as the next loop does */
        CHECK_TRUE(second >= 0, "row %zu: %s", i, uv_strerror(second));
        CHECK_INT((int)i, "the same port for each loop", again, got);
        close(second);
        close(fd);
    }
}

/* How many of the clients that wait have come to this socket. */
static int waiting_at(int fd)
{
    int count = 0, taken;

    for (; (taken = accept4(fd, NULL, NULL, SOCK_NONBLOCK)) >= 0; count++)
        close(taken);
    return count;
}

static void test_steering(void)
{
    struct config_listen cfg = {.address = (char *)(uintptr_t) "127.0.0.1",
                                .socket = (char *)(uintptr_t) ""};
    int fds[4], got[4];

    port = 0;
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = listener_bind(&cfg, &port);
    for (int round = 0; round < 3; round++) { /* to all, to the first two, to all */
        if (round == 1)
            listener_steer(fds[0], 2);
        else
            listener_spread(fds[0], ARRAY_LEN(fds));
        while (client_count < CLIENTS_MAX)
            dial_from(1);
        for (size_t i = 0; i < ARRAY_LEN(fds); i++)
            got[i] = waiting_at(fds[i]);
        CHECK_INT(round, "all", got[0] + got[1] + got[2] + got[3], CLIENTS_MAX);
        CHECK_TRUE(got[0] > 0 && got[1] > 0, "round %d: %d, %d", round, got[0], got[1]);
        CHECK_INT(round, "the third", got[2] > 0, round != 1);
        CHECK_INT(round, "the last", got[3] > 0, round != 1);
        while (client_count > 0)
            close(clients[--client_count]);
    }
    /* Those that go are the last: who stays has kept its place. */
    listener_steer(fds[0], 1);
    close(fds[2]);
    close(fds[3]);
    dial_from(1);
    CHECK_INT(__LINE__, "the first", waiting_at(fds[0]), 1);
    close(clients[--client_count]);
    close(fds[0]);
    close(fds[1]);
}

static void test_which_one_it_is(void)
{
    static const struct {
        const char *address, *socket;
        uint16_t port;
        bool same;
    } rows[] = {
        {"127.0.0.1", "", 0, true},
        {"127.0.0.2", "", 0, false},
        {"127.0.0.1", "", 1, false},
        {"127.0.0.1", "/run/a", 0, false},
    };

    begin_listening(DEFER_ACCEPT_NEVER);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_listen cfg = {.address = (char *)(uintptr_t)rows[i].address,
                                    .socket = (char *)(uintptr_t)rows[i].socket,
                                    .port = rows[i].port};
        CHECK_INT((int)i, rows[i].address, listener_is_for(listener, &cfg), rows[i].same);
    }
    listener_drop(listener);
    CHECK_TRUE(list_empty(&listeners), "and is gone");
    settle();
}

/* --- who gets in ----------------------------------------------------------------------------- */

/* Nobody is taken before listener_accept(), and what waited is taken then. */
static void test_accepting(void)
{
    begin_listening(DEFER_ACCEPT_NEVER);
    dial_from(1);
    settle();
    CHECK_INT(__LINE__, "not yet", the_loop.connection_count, 0);
    listener_accept(listener);
    settle();
    CHECK_INT(__LINE__, "now", the_loop.connection_count, 1);
    CHECK_INT(__LINE__, "counted", shared.connections, 1);
    CHECK_INT(__LINE__, "few are not counted by address", peer_table_size(shared.peers), 0);
    everybody_leaves();
    listener_drop(listener);
    settle();
}

/* limits.connections is 40: who is beyond it takes the place of one that only waits, or is refused. */
static void test_no_room(void)
{
    uint64_t refused = counted(COUNTER_REFUSED);
    int last;

    begin_listening(DEFER_ACCEPT_NEVER);
    listener_accept(listener);
    for (int i = 0; i < 40; i++)
        dial_from(1);
    settle();
    CHECK_INT(__LINE__, "all are in", the_loop.connection_count, 40);
    all_have_just_come();
    last = dial_from(1); /* they may yet speak */
    settle();
    CHECK_INT(__LINE__, "no more", the_loop.connection_count, 40);
    CHECK_INT(__LINE__, "of which all know", shared.connections, 40);
    CHECK_INT(__LINE__, "one was refused", counted(COUNTER_REFUSED), refused + 1);
    CHECK_TRUE(strncmp(heard(last), "HTTP/1.1 503 ", 13) == 0, "was told: %s", heard(last));
    CHECK_INT(__LINE__, "asks", write(clients[0], "GET / HTTP/1.0\r\n", 16), 16);
    CHECK_INT(__LINE__, "asks and stays",
              write(clients[1], "GET /no HTTP/1.1\r\nHost: a.test\r\n\r\n", 34), 34);
    for (int i = 0; i < 100 && list_empty(&the_loop.connections[TIMEOUT_IDLE]); i++)
        settle();
    all_have_just_come();
    last = dial_from(1);
    settle();
    CHECK_STR(__LINE__, "is in", heard(last), "");
    CHECK_INT(__LINE__, "in another one's place", the_loop.connection_count, 40);
    CHECK_INT(__LINE__, "no other was refused", counted(COUNTER_REFUSED), refused + 1);
    CHECK_TRUE(strncmp(heard(clients[1]), "HTTP/1.1 404", 12) == 0, "the idle one");
    CHECK_INT(__LINE__, "had to go", recv(clients[1], &(char){0}, 1, MSG_DONTWAIT), 0);
    CHECK_STR(__LINE__, "the asking one had not", heard(clients[0]), "");
    everybody_leaves();
    listener_drop(listener);
    settle();
}

/* Each address may have so many; what goes makes room for another of the same. */
static void test_of_one_address(void)
{
    uint64_t refused = counted(COUNTER_REFUSED);
    int over;

    put_in_force("{ \"limits\": { \"connections\": 40, \"connectionsPerAddress\": 2 },\n"
                 "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }",
                 "ttl");
    refused = counted(COUNTER_REFUSED);
    begin_listening(DEFER_ACCEPT_NEVER);
    listener_accept(listener);
    dial_from(1);
    dial_from(1);
    over = dial_from(1);
    dial_from(2);
    settle();
    CHECK_INT(__LINE__, "two of one and one of another", the_loop.connection_count, 3);
    CHECK_INT(__LINE__, "one was refused", counted(COUNTER_REFUSED), refused + 1);
    CHECK_TRUE(strncmp(heard(over), "HTTP/1.1 503 ", 13) == 0, "was told");
    CHECK_INT(__LINE__, "two addresses", peer_table_size(shared.peers), 2);
    shutdown(clients[0], SHUT_RDWR);
    settle();
    dial_from(1);
    settle();
    CHECK_INT(__LINE__, "its place is another one's", the_loop.connection_count, 3);
    CHECK_INT(__LINE__, "nobody else was refused", counted(COUNTER_REFUSED), refused + 1);
    everybody_leaves();
    put_in_force(config, "ttl");
    listener_drop(listener);
    settle();
}

/* Who was counted by its address and is refused for want of room is not counted any more. */
static void test_no_room_for_one_that_is_counted(void)
{
    put_in_force("{ \"limits\": { \"connections\": 16, \"connectionsPerAddress\": 2 },\n"
                 "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }",
                 "ttl");
    begin_listening(DEFER_ACCEPT_NEVER);
    listener_accept(listener);
    for (int i = 0; i < 17; i++)
        dial_from(i + 1);
    settle();
    CHECK_INT(__LINE__, "as many as may be", the_loop.connection_count, 16);
    CHECK_INT(__LINE__, "as many addresses", peer_table_size(shared.peers), 16);
    everybody_leaves();
    put_in_force(config, "ttl");
    listener_drop(listener);
    settle();
}

/* --- behind a proxy -------------------------------------------------------------------------- */

static void put_behind_proxies(const char *trusted)
{
    char text[400];

    snprintf(text, sizeof(text),
             "{ \"limits\": { \"connections\": 40, \"connectionsPerAddress\": 2 },\n"
             "  \"trustedProxies\": [\"%s\"],\n"
             "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }",
             trusted);
    put_in_force(text, "ttl");
    begin_listening(DEFER_ACCEPT_NEVER);
    listener->has_proxy_header = true;
    listener_accept(listener);
}

static int dial_for(const char *client)
{
    char text[200];
    int fd = dial_from(1);
    int len = snprintf(text, sizeof(text),
                       "PROXY TCP4 %s 192.0.2.1 1 80\r\n"
                       "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                       client);

    CHECK_INT(fd, "said", send(fd, text, (size_t)len, 0), len);
    return fd;
}

static bool has_ended(int fd)
{
    char bytes[400];
    ssize_t n;

    do
        n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    while (n > 0);
    return n == 0 || errno == ECONNRESET;
}

static void test_proxies(void)
{
    static const char header[] = "PROXY TCP4 203.0.113.9 192.0.2.1 1 80\r\n";
    uint64_t refused, broken;
    int silent, slow, check;

    put_behind_proxies("127.0.0.1");
    refused = counted(COUNTER_REFUSED);
    /* The limit is each client's, and the proxy has none. */
    for (int i = 0; i < 2; i++)
        CHECK_TRUE(dial_for("203.0.113.1") && dial_for("203.0.113.2"), "two each");
    settle();
    CHECK_INT(__LINE__, "connections", the_loop.connection_count, 4);
    CHECK_INT(__LINE__, "addresses", peer_table_size(shared.peers), 2);
    CHECK_TRUE(strstr(heard(clients[0]), "HTTP/1.1 4") != NULL, "answered");
    check = dial_for("203.0.113.1");
    settle();
    CHECK_TRUE(strstr(heard(check), "HTTP/1.1 503") != NULL, "told so");
    CHECK_INT(__LINE__, "one too many", has_ended(check), true);
    CHECK_INT(__LINE__, "refused", counted(COUNTER_REFUSED), refused + 1);
    CHECK_INT(__LINE__, "for that", the_loop.ends[END_ADDRESS_LIMIT], 1);
    everybody_leaves();

    /* Byte by byte, and then its request. */
    slow = dial_from(1);
    for (size_t i = 0; i < sizeof(header) - 1; i++) {
        CHECK_INT((int)i, "a byte", send(slow, &header[i], 1, 0), 1);
        settle();
        CHECK_INT((int)i, "known", peer_table_size(shared.peers), i == sizeof(header) - 2);
    }
    CHECK_INT(__LINE__, "a request", send(slow, "GET / HTTP/1.0\r\n\r\n", 18, 0), 18);
    settle();
    CHECK_TRUE(strstr(heard(slow), "HTTP/1.1 4") != NULL, "answered");
    everybody_leaves();

    /* Who says nothing is a check whether we are there, and no fault. */
    broken = the_loop.ends[END_PROXY_HEADER];
    silent = dial_from(1);
    shutdown(silent, SHUT_WR);
    slow = dial_from(1);
    CHECK_INT(__LINE__, "half", send(slow, header, 10, 0), 10);
    shutdown(slow, SHUT_WR);
    settle();
    CHECK_TRUE(has_ended(silent) && has_ended(slow), "ended");
    CHECK_INT(__LINE__, "no fault", the_loop.ends[END_PROXY_HEADER], broken);
    check = dial_from(1);
    CHECK_INT(__LINE__, "no header", send(check, "GET / HTTP/1.1\r\n", 16, 0), 16);
    settle();
    CHECK_STR(__LINE__, "not answered", heard(check), "");
    CHECK_INT(__LINE__, "a fault", the_loop.ends[END_PROXY_HEADER], broken + 1);
    everybody_leaves();
    listener_drop(listener);
    settle();

    put_behind_proxies("10.0.0.0/8");
    refused = counted(COUNTER_REFUSED);
    dial_for("203.0.113.1");
    settle();
    CHECK_INT(__LINE__, "a stranger is not heard", the_loop.connection_count, 0);
    CHECK_INT(__LINE__, "refused", counted(COUNTER_REFUSED), refused + 1);
    everybody_leaves();
    put_in_force(config, "ttl");
    listener_drop(listener);
    settle();
}

/* --- no descriptors -------------------------------------------------------------------------- */

/* Not one more may be opened. */
static struct rlimit take_descriptors(void)
{
    struct rlimit before, none;
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close(next);
    getrlimit(RLIMIT_NOFILE, &before);
    none = (struct rlimit){(rlim_t)next, before.rlim_max};
    CHECK_INT(__LINE__, "no descriptors", setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

/* It lets go of one that idles, rests until the next tick, and then takes who waited meanwhile. */
static void test_no_descriptors(void)
{
    uint64_t rooms = the_loop.ends[END_MADE_ROOM];
    struct rlimit before;

    begin_listening(DEFER_ACCEPT_NEVER);
    listener_accept(listener);
    dial_from(1);
    CHECK_INT(__LINE__, "asks", write(clients[0], "GET /no HTTP/1.1\r\nHost: a.test\r\n\r\n", 34),
              34);
    for (int i = 0; i < 100 && list_empty(&the_loop.connections[TIMEOUT_IDLE]); i++)
        settle();
    dial_from(1);
    dial_from(1);
    before = take_descriptors();
    settle();
    CHECK_INT(__LINE__, "rests", listener->is_paused, true);
    CHECK_INT(__LINE__, "one had to go", the_loop.ends[END_MADE_ROOM], rooms + 1);
    CHECK_INT(__LINE__, "nobody came in", the_loop.connection_count, 0);
    listener_tick(listener); /* there is one now */
    settle();
    CHECK_INT(__LINE__, "one came in", the_loop.connection_count, 1);
    CHECK_INT(__LINE__, "rests again", listener->is_paused, true);
    CHECK_INT(__LINE__, "not who has just come", the_loop.ends[END_MADE_ROOM], rooms + 1);
    setrlimit(RLIMIT_NOFILE, &before);
    settle();
    CHECK_INT(__LINE__, "not before the tick", the_loop.connection_count, 1);
    listener_tick(listener);
    settle();
    CHECK_INT(__LINE__, "all are in", the_loop.connection_count, 2);
    CHECK_INT(__LINE__, "rests no more", listener->is_paused, false);
    everybody_leaves();
    listener_drop(listener);
    settle();
}

/* --- the end --------------------------------------------------------------------------------- */

/* Who waits in the queue when it stops is taken; a reset would tell that client of our restart. */
static void test_stopping(void)
{
    begin_listening(DEFER_ACCEPT_NEVER);
    listener_accept(listener);
    for (int i = 0; i < 5; i++)
        dial_from(1);
    listener_stop(listener);
    CHECK_INT(__LINE__, "all are in", the_loop.connection_count, 5);
    CHECK_TRUE(list_empty(&listeners), "and it is gone");
    CHECK_INT(__LINE__, "asks", write(clients[4], "GET /no HTTP/1.1\r\nHost: a.test\r\n\r\n", 34),
              34);
    for (int i = 0; i < 100 && list_empty(&the_loop.connections[TIMEOUT_IDLE]); i++)
        settle();
    CHECK_TRUE(strncmp(heard(clients[4]), "HTTP/1.1 404", 12) == 0, "and is answered");
    everybody_leaves();
}

/* More at once than a turn is for: the others' turn comes between. */
static void test_batches(void)
{
    begin_listening(DEFER_ACCEPT_NEVER);
    put_in_force("{ \"limits\": { \"connections\": 1000 },\n"
                 "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }",
                 "ttl");
    for (int i = 0; i < ACCEPT_BATCH + 6; i++)
        dial_from(1);
    on_connections(&listener->watch, EPOLLIN);
    CHECK_INT(__LINE__, "a batch", the_loop.connection_count, ACCEPT_BATCH);
    on_connections(&listener->watch, EPOLLIN);
    CHECK_INT(__LINE__, "the rest", the_loop.connection_count, ACCEPT_BATCH + 6);
    everybody_leaves();
    put_in_force(config, "ttl");
    listener_drop(listener);
    settle();
}

/* --- deferral -------------------------------------------------------------------------------- */

/* What the kernel does: seconds, 0: it does not defer. */
static int deferred(void)
{
    int seconds = -1;
    socklen_t len = sizeof(seconds);

    getsockopt(listener->fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, &len);
    return seconds;
}

static void test_deferral(void)
{
    static const struct {
        const char *name;
        enum config_defer_accept configured;
        bool loop_defers, is_released, want;
    } rows[] = {
        {"never", DEFER_ACCEPT_NEVER, true, false, false},
        {"always", DEFER_ACCEPT_ALWAYS, false, false, true},
        {"always, but for who is released", DEFER_ACCEPT_ALWAYS, false, true, false},
        {"as the loop does", DEFER_ACCEPT_AUTO, true, false, true},
        {"as the loop does not", DEFER_ACCEPT_AUTO, false, false, false},
        {"nor while it is released", DEFER_ACCEPT_AUTO, true, true, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_listen cfg = {.defer_accept = rows[i].configured};
        begin_listening(DEFER_ACCEPT_NEVER);
        listener_accept(listener);
        the_loop.deferral.is_on = rows[i].loop_defers;
        listener_follow(listener, &cfg);
        CHECK_INT((int)i, "did it until now",
                  rows[i].is_released ? listener_release(listener) : false, rows[i].is_released);
        listener_tick(listener);
        CHECK_INT((int)i, rows[i].name, deferred() > 0, rows[i].want);
        CHECK_INT((int)i, "is counted", the_loop.listeners_deferring, rows[i].want);
        for (int tick_count = 1; tick_count < TICKS_RELEASED; tick_count++) {
            CHECK_INT(tick_count, rows[i].name, deferred() > 0, rows[i].want);
            listener_tick(listener);
        }
        CHECK_INT((int)i, "two seconds later", deferred() > 0, rows[i].want || rows[i].is_released);
        listener_drop(listener);
        CHECK_INT((int)i, "no more", the_loop.listeners_deferring, 0);
        the_loop.deferral.is_on = false;
        settle();
    }
}

int main(void)
{
    shared.peers = peer_table_new();
    list_init(&listeners);
    begin(config, "ttl");
    uv_timer_init(&the_loop.uv, &pulse);
    uv_timer_start(&pulse, tick, 1, 1);
    test_binding();
    test_steering();
    test_which_one_it_is();
    test_accepting();
    test_no_room();
    test_of_one_address();
    test_no_room_for_one_that_is_counted();
    test_proxies();
    test_no_descriptors();
    test_stopping();
    test_batches();
    test_deferral();
    uv_close((uv_handle_t *)&pulse, NULL);
    conn_trim_spares(&the_loop, 0);
    return end("listener") + (peer_table_free(shared.peers), 0);
}
