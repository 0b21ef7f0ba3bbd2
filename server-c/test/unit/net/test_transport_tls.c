/* SPDX-License-Identifier: MIT */
/* TLS over a socket that takes and gives little at a time: nothing is lost, doubled or waited for. */
#define end end_sending /* the fixture has an end, too */
#include "net/transport_tls.c"
#undef end

#include "tls_client.h"
#include "tls_loop.h"

#include <fcntl.h>

static const char config[] = "{ \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }";

/* --- a client at the other end of a socket ---------------------------------------------------- */

static struct transport transport;
static struct poller_watch watch;
static struct client client;
static int far;

static int calls;

static void on_call(struct poller_watch *called, uint32_t events)
{
    CHECK_TRUE(called == &watch && events == 0, "called for the transport");
    calls++;
}

static const struct poller_kind watch_kind = {.on_ready = on_call};

static void start(int version, int buffer_bytes)
{
    int fds[2];

    CHECK_INT(__LINE__, "sockets", socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    for (int i = 0; i < 2 && buffer_bytes > 0; i++)
        setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof(buffer_bytes));
    far = fds[1];
    client_init(&client, &(struct client_wish){.version = version, .name = "a.test"});
    CHECK_TRUE(transport_of_tls(&transport, &the_loop, fds[0]), "memory");
    poller_watch_init(&watch, &watch_kind);
    calls = 0;
    CHECK_TRUE(transport_has_handshake(&transport) && !transport_takes_files(&transport), "kind");
}

static void hang_up(void)
{
    if (far >= 0)
        close(far);
    far = -1;
}

static void finish(void)
{
    transport_close(&transport);
    hang_up();
    client_fini(&client);
    CHECK_INT(__LINE__, "nothing stays in the loop's memory", the_loop.tls->io.in_len, 0);
    CHECK_INT(__LINE__, "nothing stays in the loop's memory", the_loop.tls->io.out_len, 0);
}

/* What the client has to say goes to the socket; it fits. */
static void say(void)
{
    static char bytes[200000];
    size_t len = client_says(&client, bytes, sizeof(bytes));

    if (len > 0)
        CHECK_INT(__LINE__, "said", send(far, bytes, len, MSG_NOSIGNAL), len);
}

/* Takes at most `cap` bytes from the socket. */
static size_t hear(size_t cap)
{
    static char bytes[200000];
    ssize_t n = recv(far, bytes, smaller_of(cap, sizeof(bytes)), MSG_DONTWAIT);

    client_hears(&client, bytes, n > 0 ? (size_t)n : 0);
    return n > 0 ? (size_t)n : 0;
}

static int shake(void)
{
    int result = -EAGAIN;

    for (int i = 0; i < 6 && result == -EAGAIN; i++) {
        SSL_do_handshake(client.ssl);
        say();
        result = transport.kind->handshake(&transport, &watch);
        while (result == -EINPROGRESS) {
            poller_turn(&the_loop.poller);
            result = transport.kind->handshake(&transport, &watch);
        }
        while (result == -EAGAIN && transport_flush(&transport) == -EAGAIN)
            hear(SIZE_MAX);
        while (hear(SIZE_MAX) > 0)
            ;
    }
    /* As a connection does at the end of its turn: of TLS 1.2 it is what the client waits for. */
    if (result == 0)
        CHECK_INT(__LINE__, "the last of it", transport_flush(&transport), 0);
    while (hear(SIZE_MAX) > 0)
        SSL_do_handshake(client.ssl);
    return result;
}

static void open_with(int version, int buffer_bytes)
{
    start(version, buffer_bytes);
    CHECK_INT(version, "handshake", shake(), 0);
}

static void fill(char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i * 31 + i / 253);
}

/* --- output ---------------------------------------------------------------------------------- */

#define LARGE 700000

/* Sends all, in pieces of several sizes, while the client takes `takes` bytes at a time. */
static void test_sending(int version, int buffer_bytes, size_t takes)
{
    static char bytes[LARGE], got[LARGE + 100];
    const struct iovec pieces[] = {{bytes, 200},
                                   {bytes + 200, 0},
                                   {bytes + 200, 40000},
                                   {bytes + 40200, 10},
                                   {bytes + 40210, LARGE - 40210}};
    size_t sent = 0, heard = 0;
    int held = 0, before = 0;

    open_with(version, buffer_bytes);
    fill(bytes, LARGE);
    for (int i = 0; i < 100000 && heard < LARGE; i++) {
        ssize_t n = -EAGAIN;
        if (sent == 0)
            n = transport_send(&transport, pieces, 5, false);
        else if (sent < LARGE)
            n = transport_send(&transport, &(struct iovec){bytes + sent, LARGE - sent}, 1, false);
        CHECK_TRUE(n > 0 || n == -EAGAIN, "%zd", n);
        sent += n > 0 ? (size_t)n : 0;
        before = (int)tls_of(&transport)->held.len;
        held = before > held ? before : held;
        if (sent == LARGE)
            transport_flush(&transport);
        hear(takes);
        heard += client_reads(&client, got + heard, sizeof(got) - heard);
    }
    CHECK_INT((int)takes, "all is sent", sent, LARGE);
    CHECK_INT((int)takes, "all is heard", heard, LARGE);
    CHECK_TRUE(memcmp(bytes, got, LARGE) == 0, "%d, %zu: the same bytes", buffer_bytes, takes);
    CHECK_TRUE(held <= SEND_MOST + 2 * LOOP_RECORD_BYTES, "%d bytes were held", held);
    CHECK_INT(__LINE__, "nothing is held", transport_flush(&transport), 0);
    CHECK_TRUE(tls_of(&transport)->held.start == NULL, "and no memory");
    finish();
}

static void test_blocked(void)
{
    static char bytes[100000];
    const struct iovec piece = {bytes, sizeof(bytes)};
    bool has_more;
    char room[100];
    ssize_t taken;
    int queued = 0;

    open_with(TLS1_3_VERSION, 8192);
    taken = transport_send(&transport, &piece, 1, false);
    CHECK_TRUE(taken > 0 && taken < (ssize_t)sizeof(bytes), "a part: %zd", taken);
    CHECK_INT(__LINE__, "then nothing", transport_send(&transport, &piece, 1, false), -EAGAIN);
    CHECK_INT(__LINE__, "however often", transport_flush(&transport), -EAGAIN);
    CHECK_INT(__LINE__, "what the kernel has", ioctl(transport.fd, SIOCOUTQ, &queued), 0);
    CHECK_INT(__LINE__, "and what is held", transport_unsent(&transport),
              queued + (int64_t)(tls_of(&transport)->held.len - tls_of(&transport)->held.pos));
    CHECK_TRUE(tls_of(&transport)->held.len > tls_of(&transport)->held.pos, "which is something");
    SSL_write(client.ssl, "question", 8);
    say();
    CHECK_INT(__LINE__, "nothing is read meanwhile",
              transport_receive(&transport, room, sizeof(room), &has_more), -EAGAIN);
    CHECK_TRUE(!has_more, "an event announces it");
    while (transport_flush(&transport) == -EAGAIN)
        CHECK_TRUE(hear(SIZE_MAX) > 0, "it goes on");
    CHECK_INT(__LINE__, "now it is", transport_receive(&transport, room, sizeof(room), &has_more),
              8);
    finish();
}

static void test_gone(void)
{
    static char bytes[100000];
    const struct iovec piece = {bytes, sizeof(bytes)};

    open_with(TLS1_3_VERSION, 8192);
    transport_send(&transport, &piece, 1, false);
    hang_up();
    CHECK_INT(__LINE__, "held, and nobody takes it", transport_flush(&transport), -EPIPE);
    finish();
    open_with(TLS1_3_VERSION, 0);
    hang_up();
    CHECK_INT(__LINE__, "nobody is there", transport_send(&transport, &piece, 1, false), -EPIPE);
    finish();
}

/* The ticket of TLS 1.3 goes with the first response, in one call. */
static void test_ticket_waits(void)
{
    char got[10];

    start(TLS1_3_VERSION, 0);
    SSL_do_handshake(client.ssl);
    say();
    CHECK_INT(__LINE__, "our part", transport.kind->handshake(&transport, &watch), -EAGAIN);
    hear(SIZE_MAX);
    SSL_do_handshake(client.ssl);
    say();
    CHECK_INT(__LINE__, "over", transport.kind->handshake(&transport, &watch), 0);
    CHECK_INT(__LINE__, "nothing is sent for it", hear(SIZE_MAX), 0);
    CHECK_TRUE(tls_of(&transport)->held.len > 0, "it is held");
    CHECK_INT(__LINE__, "",
              transport_send(&transport, &(struct iovec){(char[]){"answer"}, 6}, 1, false), 6);
    hear(SIZE_MAX);
    CHECK_INT(__LINE__, "the answer", client_reads(&client, got, sizeof(got)), 6);
    CHECK_TRUE(client.session != NULL, "and the ticket");
    finish();
    open_with(TLS1_3_VERSION, 0);
    client_reads(&client, got, sizeof(got));
    CHECK_TRUE(client.session != NULL, "or it goes alone");
    finish();
}

/* --- input ----------------------------------------------------------------------------------- */

/* Says all, in records of `record` bytes, and receives it into a room of `cap`. */
static void test_receiving(int version, size_t record, size_t cap)
{
    static char bytes[60000], got[60000];
    bool has_more = true;
    size_t heard = 0;

    open_with(version, 400000);
    fill(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i += record)
        SSL_write(client.ssl, bytes + i, (int)smaller_of(record, sizeof(bytes) - i));
    say();
    while (has_more && heard < sizeof(got)) {
        ssize_t n = transport_receive(&transport, got + heard, smaller_of(cap, sizeof(got) - heard),
                                      &has_more);
        CHECK_TRUE(n > 0 || n == -EAGAIN, "%zd", n);
        heard += n > 0 ? (size_t)n : 0;
    }
    CHECK_INT((int)cap, "what is announced by nothing is not left", heard, sizeof(bytes));
    CHECK_TRUE(memcmp(bytes, got, sizeof(bytes)) == 0, "%zu, %zu: the same bytes", record, cap);
    CHECK_INT((int)cap, "no more", transport_receive(&transport, got, cap, &has_more), -EAGAIN);
    CHECK_TRUE(!has_more, "%zu: now events announce it", cap);
    CHECK_TRUE(tls_of(&transport)->ahead.start == NULL, "and no memory is kept");
    finish();
}

static void test_pieces_of_records(void)
{
    char bytes[300], room[300];
    bool has_more;
    size_t len;

    open_with(TLS1_3_VERSION, 0);
    SSL_write(client.ssl, "question", 8);
    len = client_says(&client, bytes, sizeof(bytes));
    for (size_t i = 0; i + 1 < len; i++) {
        CHECK_INT(__LINE__, "a byte", send(far, bytes + i, 1, 0), 1);
        CHECK_INT((int)i, "no record", transport_receive(&transport, room, sizeof(room), &has_more),
                  -EAGAIN);
        CHECK_TRUE(!has_more && tls_of(&transport)->ahead.len == 0, "%zu: nothing is kept", i);
    }
    send(far, bytes + len - 1, 1, 0);
    CHECK_INT(__LINE__, "the last", transport_receive(&transport, room, sizeof(room), &has_more),
              8);
    finish();
}

static void test_ends_of_input(void)
{
    char room[100];
    bool has_more;

    open_with(TLS1_2_VERSION, 0);
    SSL_write(client.ssl, "last", 4);
    SSL_shutdown(client.ssl);
    say();
    CHECK_INT(__LINE__, "its last", transport_receive(&transport, room, sizeof(room), &has_more),
              4);
    CHECK_TRUE(has_more, "no event announces the end");
    CHECK_INT(__LINE__, "close_notify",
              transport_receive(&transport, room, sizeof(room), &has_more), 0);
    CHECK_INT(__LINE__, "said again", transport_receive(&transport, room, 10, &has_more), 0);
    transport_end(&transport);
    hear(SIZE_MAX);
    CHECK_INT(__LINE__, "and answered", SSL_shutdown(client.ssl), 1);
    finish();
    open_with(TLS1_3_VERSION, 0);
    hang_up();
    CHECK_INT(__LINE__, "without one", transport_receive(&transport, room, sizeof(room), &has_more),
              0);
    finish();
    open_with(TLS1_3_VERSION, 0);
    send(far, "\x17\x03\x03\x00\x20 not what it was encrypted to be..", 37, 0);
    CHECK_INT(__LINE__, "spoilt", transport_receive(&transport, room, sizeof(room), &has_more),
              -EPROTO);
    CHECK_TRUE(hear(SIZE_MAX) > 0, "an alert");
    CHECK_TRUE(SSL_read(client.ssl, room, sizeof(room)) <= 0, "which ends it");
    CHECK_INT(__LINE__, "the end", transport_end(&transport), 0);
    finish();
}

/* A client that only asks for new keys is answered, and gets no more than its turn. */
static void test_key_updates(void)
{
    char room[100];
    bool has_more = false;
    ssize_t n = -EAGAIN;
    int turns = 0;

    open_with(TLS1_3_VERSION, 400000);
    for (int i = 0; i < 5000; i++) {
        SSL_key_update(client.ssl,
                       i == 0 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
        SSL_do_handshake(client.ssl);
    }
    SSL_write(client.ssl, "question", 8);
    say();
    for (has_more = true; n == -EAGAIN && has_more; turns++)
        n = transport_receive(&transport, room, sizeof(room), &has_more);
    CHECK_INT(__LINE__, "after them", n, 8);
    CHECK_TRUE(turns > 1, "others had their turn meanwhile");
    CHECK_TRUE(hear(SIZE_MAX) > 0, "answered");
    SSL_read(client.ssl, room, sizeof(room));
    transport_send(&transport, &(struct iovec){(char[]){"answer"}, 6}, 1, false);
    hear(SIZE_MAX);
    CHECK_INT(__LINE__, "under its new key", client_reads(&client, room, sizeof(room)), 6);
    finish();
}

/* --- handshakes that fail -------------------------------------------------------------------- */

static void test_failures(void)
{
    start(TLS1_3_VERSION, 0);
    CHECK_INT(__LINE__, "silent", transport.kind->handshake(&transport, &watch), -EAGAIN);
    CHECK_TRUE(transport_tls_session(&transport) == NULL, "costs no session");
    send(far, "GET / HTTP/1.1\r\n\r\n", 18, 0);
    CHECK_INT(__LINE__, "plain", transport.kind->handshake(&transport, &watch), -EPROTO);
    CHECK_TRUE(transport_tls_got_plain_http(&transport), "which is known");
    CHECK_INT(__LINE__, "no alert", hear(SIZE_MAX), 0);
    finish();
    start(TLS1_3_VERSION, 0);
    send(far, "get / HTTP/1.1\r\n\r\n", 18, 0);
    CHECK_INT(__LINE__, "nonsense", transport.kind->handshake(&transport, &watch), -EPROTO);
    CHECK_TRUE(!transport_tls_got_plain_http(&transport), "no method has small letters");
    CHECK_INT(__LINE__, "the end", transport_end(&transport), 0);
    finish();
    start(TLS1_3_VERSION, 0);
    send(far, "GE", 2, 0);
    CHECK_INT(__LINE__, "two letters", transport.kind->handshake(&transport, &watch), -EAGAIN);
    finish();
    start(TLS1_3_VERSION, 0);
    hang_up();
    CHECK_INT(__LINE__, "gone", transport.kind->handshake(&transport, &watch), -ECONNRESET);
    finish();
    start(TLS1_3_VERSION, 0);
    SSL_do_handshake(client.ssl);
    say();
    CHECK_INT(__LINE__, "a hello", transport.kind->handshake(&transport, &watch), -EAGAIN);
    CHECK_TRUE(transport_tls_began_ns(&transport) > 0 &&
                   transport_tls_began_ns(&transport) <= monotonic_ns(),
               "its time runs");
    hang_up();
    CHECK_INT(__LINE__, "then gone", transport.kind->handshake(&transport, &watch), -ECONNRESET);
    finish();
    start(TLS1_1_VERSION, 0);
    SSL_CTX_set_security_level(client.ctx, 0);
    SSL_set_security_level(client.ssl, 0);
    CHECK_INT(__LINE__, "old", shake(), -EPROTO);
    CHECK_INT(__LINE__, "told", tls_session_alert(transport_tls_session(&transport)).number,
              SSL_AD_PROTOCOL_VERSION);
    finish();
}

static void test_no_config(void)
{
    struct tls_set *set = the_loop.live->tls;

    the_loop.live->tls = NULL;
    start(TLS1_3_VERSION, 0);
    SSL_do_handshake(client.ssl);
    say();
    CHECK_INT(__LINE__, "none speaks TLS any more", transport.kind->handshake(&transport, &watch),
              -EPROTO);
    CHECK_TRUE(!transport_tls_got_plain_http(&transport), "that is not why");
    finish();
    the_loop.live->tls = set;
}

/* --- the end --------------------------------------------------------------------------------- */

static void check_clean_end(int line)
{
    char room[100];

    while (hear(SIZE_MAX) > 0)
        ;
    CHECK_TRUE(SSL_read(client.ssl, room, sizeof(room)) <= 0, "row %d", line);
    CHECK_INT(line, "nothing follows", SSL_get_shutdown(client.ssl) & SSL_RECEIVED_SHUTDOWN,
              SSL_RECEIVED_SHUTDOWN);
}

static void test_ends(void)
{
    static char bytes[100000];
    const struct iovec piece = {bytes, sizeof(bytes)};
    char room[100];
    bool has_more;
    size_t heard = 0, taken;

    open_with(TLS1_3_VERSION, 0);
    CHECK_INT(__LINE__, "ended", transport_end(&transport), 0);
    check_clean_end(__LINE__);
    CHECK_INT(__LINE__, "the socket's end", recv(far, room, 1, MSG_DONTWAIT), 0);
    SSL_write(client.ssl, "still", 5);
    say();
    CHECK_INT(__LINE__, "it may still send",
              transport_receive(&transport, room, sizeof(room), &has_more), 5);
    finish();

    open_with(TLS1_3_VERSION, 8192); /* what is held comes first */
    taken = (size_t)transport_send(&transport, &piece, 1, false);
    CHECK_INT(__LINE__, "ended", transport_end(&transport), 0);
    for (int i = 0; i < 1000 && transport_flush(&transport) == -EAGAIN; i++) {
        hear(SIZE_MAX);
        heard += client_reads(&client, bytes, sizeof(bytes));
    }
    while (hear(SIZE_MAX) > 0)
        heard += client_reads(&client, bytes, sizeof(bytes));
    CHECK_INT(__LINE__, "all that was taken", heard, taken);
    check_clean_end(__LINE__);
    CHECK_INT(__LINE__, "the socket's end", recv(far, room, 1, MSG_DONTWAIT), 0);
    finish();

    open_with(TLS1_2_VERSION, 0); /* closed at once */
    transport_close(&transport);
    check_clean_end(__LINE__);
    CHECK_TRUE(transport_of_tls(&transport, &the_loop, dup(far)), "for finish()");
    finish();

    open_with(TLS1_2_VERSION, 0); /* ended, and closed */
    transport_end(&transport);
    while (hear(SIZE_MAX) > 0)
        ;
    transport_close(&transport);
    CHECK_INT(__LINE__, "said once", hear(SIZE_MAX), 0);
    CHECK_TRUE(transport_of_tls(&transport, &the_loop, dup(far)), "for finish()");
    finish();

    start(TLS1_2_VERSION, 0); /* before anything was said */
    CHECK_INT(__LINE__, "ended", transport_end(&transport), 0);
    CHECK_INT(__LINE__, "the socket's end", recv(far, room, 1, MSG_DONTWAIT), 0);
    finish();
}

/* --- a key that signs slowly ------------------------------------------------------------------ */

/* Through small buffers, and with more of the client's bytes behind its hello. */
static void test_signing(int version)
{
    char room[100];
    bool has_more;

    start(version, 8192);
    SSL_do_handshake(client.ssl);
    say();
    CHECK_INT(version, "it waits", transport.kind->handshake(&transport, &watch), -EINPROGRESS);
    CHECK_INT(version, "and goes on waiting", transport.kind->handshake(&transport, &watch),
              -EINPROGRESS);
    CHECK_INT(version, "nothing was said", hear(SIZE_MAX), 0);
    while (calls == 0)
        poller_turn(&the_loop.poller);
    CHECK_INT(version, "then the client's turn", transport.kind->handshake(&transport, &watch),
              -EAGAIN);
    CHECK_TRUE(hear(SIZE_MAX) > 0, "it was told");
    CHECK_INT(version, "over", shake(), 0);
    CHECK_INT(version, "called once", calls, 1);
    SSL_write(client.ssl, "hello", 5);
    say();
    CHECK_INT(version, "it works", transport_receive(&transport, room, sizeof(room), &has_more), 5);
    finish();
}

/* What follows a hello that can't be right is found when the signature is back. */
static void test_nonsense_behind_hello(void)
{
    start(TLS1_3_VERSION, 0);
    SSL_do_handshake(client.ssl);
    say();
    send(far, "nonsense", 8, 0);
    CHECK_INT(__LINE__, "it waits", transport.kind->handshake(&transport, &watch), -EINPROGRESS);
    while (calls == 0)
        poller_turn(&the_loop.poller);
    CHECK_INT(__LINE__, "failed", transport.kind->handshake(&transport, &watch), -EPROTO);
    finish();
}

/* The lane has so many, the others wait here. Whoever is closed while it waits is gone at once, whoever
 * is closed while the lane has it when that is done; nobody is called. */
static void test_many_to_sign(void)
{
    enum { MANY = SIGNING_MOST + 3 };
    struct transport all[MANY];

    for (int i = 0; i < MANY; i++) {
        start(TLS1_3_VERSION, 0);
        SSL_do_handshake(client.ssl);
        say();
        CHECK_INT(i, "it waits", transport.kind->handshake(&transport, &watch), -EINPROGRESS);
        all[i] = transport;
        hang_up();
        client_fini(&client);
    }
    CHECK_INT(__LINE__, "with the lane", the_loop.tls->signing, SIGNING_MOST);
    CHECK_TRUE(!list_empty(&the_loop.tls->to_sign), "some wait");
    for (int i = MANY - 1; i >= 0; i--)
        transport_close(&all[i]);
    CHECK_TRUE(list_empty(&the_loop.tls->to_sign), "none waits");
    while (the_loop.port.outstanding > 0)
        poller_turn(&the_loop.poller);
    CHECK_INT(__LINE__, "none is left", the_loop.tls->signing, 0);
    CHECK_INT(__LINE__, "none was called", calls, 0);
}

int main(void)
{
    begin(config, "ttl");
    begin_tls();
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        test_sending(version, 0, SIZE_MAX);
        test_sending(version, 8192, SIZE_MAX);
        test_sending(version, 8192, 1000);
        test_receiving(version, 16384, 16384);
        test_receiving(version, 16384, 100);
        test_receiving(version, 10000, 16384);
        test_receiving(version, 500, 16384);
        test_receiving(version, 500, 333);
    }
    test_blocked();
    test_gone();
    test_ticket_waits();
    test_pieces_of_records();
    test_ends_of_input();
    test_key_updates();
    test_failures();
    test_no_config();
    test_ends();
    show_key(PKI_RSA_3072);
    test_signing(TLS1_2_VERSION);
    test_signing(TLS1_3_VERSION);
    test_nonsense_behind_hello();
    test_many_to_sign();
    test_sending(TLS1_3_VERSION, 8192, SIZE_MAX);
    end_tls();
    return end("transport_tls");
}
