/* SPDX-License-Identifier: MIT */
/* Handshakes of connections: whose turn it is, how long one may take, and as what each is counted. */
#include "base/util.h"

/* Each look at the clock takes 50 us, so that a handshake's step takes as much. */
static uint64_t clock_ns;
static inline uint64_t ticking_ns(void)
{
    return clock_ns += 50000;
}

#define monotonic_ns ticking_ns
#include "connection/conn_handshake.c"
#undef monotonic_ns

#include "tls_client.h"
#include "tls_loop.h"

#include <unistd.h>

#define STEPS_IN_TURN (TURN_NS / 50000)

static const char config[] =
    "{ \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\" }] }";

struct far {
    struct client client;
    int fd;
};

static void start(struct far *far, int version)
{
    struct sockaddr_storage peer = {0};
    struct transport transport;
    int fds[2];

    CHECK_INT(__LINE__, "sockets", socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    memcpy(&peer, &fake_peer, sizeof(fake_peer));
    far->fd = fds[1];
    client_init(&far->client, &(struct client_wish){.version = version, .name = "a.test"});
    CHECK_TRUE(transport_of_tls(&transport, &the_loop, fds[0]), "memory");
    shared.connections++;
    conn_start(&the_loop, transport, &peer, false, false);
}

static void hang_up(struct far *far)
{
    if (far->fd >= 0)
        close(far->fd);
    far->fd = -1;
}

static void say_bytes(const struct far *far, const char *bytes, size_t len)
{
    CHECK_INT(__LINE__, "said", send(far->fd, bytes, len, MSG_NOSIGNAL), len);
}

static void say(struct far *far)
{
    char bytes[20000];
    size_t len = client_says(&far->client, bytes, sizeof(bytes));

    if (len > 0)
        say_bytes(far, bytes, len);
}

static bool hear(struct far *far)
{
    char bytes[20000];
    ssize_t n = recv(far->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    client_hears(&far->client, bytes, n > 0 ? (size_t)n : 0);
    return n > 0;
}

static void run(void)
{
    for (int i = 0; i < 12; i++)
        poller_turn(&the_loop.poller);
}

static void finish(struct far *far)
{
    conn_close_all(&the_loop);
    run();
    hang_up(far);
    client_fini(&far->client);
    CHECK_INT(__LINE__, "none is left", the_loop.connection_count, 0);
    CHECK_INT(__LINE__, "none is left", shared.connections, 0);
    CHECK_TRUE(list_empty(&the_loop.tls->waiting), "none waits");
}

static void shake(struct far *far)
{
    for (int i = 0; i < 4; i++) {
        SSL_do_handshake(far->client.ssl);
        say(far);
        run();
        while (hear(far))
            ;
    }
}

/* All that was counted, so that nothing else can have been. */
static uint64_t counted(void)
{
    const uint64_t *counts = (const uint64_t *)(const void *)&the_loop.tls->counts;
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof(the_loop.tls->counts) / sizeof(uint64_t); i++)
        sum += counts[i];
    return sum;
}

static void ask_small(struct far *far, char *got, size_t cap)
{
    uint64_t end_ns = uv_hrtime() + UINT64_C(10000000000); /* a lane's thread may have to wait */

    SSL_write(far->client.ssl, "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n", 38);
    say(far);
    while (!strstr(got, "small bytes") && uv_hrtime() < end_ns) {
        poller_turn(&the_loop.poller);
        hear(far);
        client_reads(&far->client, got + strlen(got), cap - strlen(got) - 1);
    }
}

/* --- counts ---------------------------------------------------------------------------------- */

static void test_success(void)
{
    struct histogram *stage = &the_loop.live->series->data.stages[STAGE_HANDSHAKE];
    struct far far;
    char got[2000] = "";

    start(&far, TLS1_3_VERSION);
    shake(&far);
    CHECK_INT(__LINE__, "full",
              the_loop.tls->counts.handshakes[TLS_CIPHER_AES_256_GCM_13][0] +
                  the_loop.tls->counts.handshakes[TLS_CIPHER_AES_128_GCM_13][0],
              1);
    CHECK_INT(__LINE__, "and nothing else", counted(), 1);
    CHECK_INT(__LINE__, "its time", stage->count, 1);
    ask_small(&far, got, sizeof(got));
    CHECK_TRUE(strncmp(got, "HTTP/1.1 200 OK\r\n", 17) == 0, "%s", got);
    finish(&far);
    CHECK_INT(__LINE__, "its end is none of a handshake", counted(), 1);
}

struct failure {
    int line;
    const char *says; /* NULL: a hello */
    size_t len;
    int version;
    bool hangs_up;
    enum end_reason reason;
    int alert;                /* -1: none */
    enum tls_failure failure; /* TLS_FAILURE_COUNT: none */
};

static void check_failure(const struct failure *row)
{
    struct tls_counts before = the_loop.tls->counts;
    uint64_t all = counted(), ends = the_loop.ends[row->reason];
    struct far far;

    start(&far, row->version);
    SSL_set_security_level(far.client.ssl, 0);
    if (row->says) {
        say_bytes(&far, row->says, row->len);
    } else {
        SSL_do_handshake(far.client.ssl);
        say(&far);
        run();
    }
    if (row->hangs_up)
        hang_up(&far);
    run();
    CHECK_INT(row->line, "closed", the_loop.connection_count, 0);
    CHECK_INT(row->line, "its reason", the_loop.ends[row->reason], ends + 1);
    CHECK_INT(row->line, "once", counted(),
              all + (row->alert >= 0 || row->failure < TLS_FAILURE_COUNT));
    if (row->alert >= 0)
        CHECK_INT(row->line, "alert", the_loop.tls->counts.alerts[0][row->alert],
                  before.alerts[0][row->alert] + 1);
    if (row->failure < TLS_FAILURE_COUNT)
        CHECK_INT(row->line, "why", the_loop.tls->counts.failures[row->failure],
                  before.failures[row->failure] + 1);
    finish(&far);
}

static void test_failures(void)
{
    static const struct failure rows[] = {
        {__LINE__, "", 0, 0, true, END_CLIENT_CLOSED, -1, TLS_FAILURE_COUNT},
        {__LINE__, NULL, 0, TLS1_3_VERSION, true, END_HANDSHAKE, -1, TLS_FAILURE_CLIENT_GONE},
        {__LINE__, "\x16\x03\x01\x02", 4, 0, true, END_HANDSHAKE, -1, TLS_FAILURE_CLIENT_GONE},
        {__LINE__, NULL, 0, TLS1_1_VERSION, false, END_HANDSHAKE, 70, TLS_FAILURE_COUNT},
        {__LINE__, "GET / HTTP/1.1\r\n\r\n", 18, 0, false, END_HANDSHAKE, -1,
         TLS_FAILURE_PLAIN_HTTP},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_failure(&rows[i]);
}

static void test_plain_http(void)
{
    struct far far;
    char got[500] = "";

    start(&far, 0);
    say_bytes(&far, "GET / HTTP/1.0\r\n\r\n", 18);
    run();
    CHECK_TRUE(recv(far.fd, got, sizeof(got) - 1, MSG_DONTWAIT) > 0, "an answer");
    CHECK_TRUE(strncmp(got, "HTTP/1.1 400 Bad Request\r\n", 26) == 0, "%s", got);
    CHECK_TRUE(strstr(got, "https://") != NULL, "%s", got);
    CHECK_INT(__LINE__, "as long as it says",
              strlen(strstr(got, "\r\n\r\n") ? strstr(got, "\r\n\r\n") + 4 : ""),
              strtol(strstr(got, "Content-Length: ") ? strstr(got, "Content-Length: ") + 16 : "0",
                     NULL, 10));
    CHECK_INT(__LINE__, "and the end", recv(far.fd, got, sizeof(got), MSG_DONTWAIT), 0);
    finish(&far);
}

/* --- time-outs ------------------------------------------------------------------------------- */

static struct conn *only_conn(enum timeout timeout)
{
    struct list *all = &the_loop.connections[timeout];

    CHECK_TRUE(!list_empty(all), "time-out %d", timeout);
    return list_empty(all) ? NULL : container_of(all->next, struct conn, link);
}

static void test_timeouts(void)
{
    uint64_t late = the_loop.tls->counts.failures[TLS_FAILURE_TIME_OUT];
    struct conn *c;
    struct far far;

    start(&far, TLS1_3_VERSION);
    run();
    c = only_conn(TIMEOUT_SILENT);
    SSL_do_handshake(far.client.ssl);
    say(&far);
    run();
    CHECK_TRUE(only_conn(TIMEOUT_HEADER) == c, "from its first bytes on it is another time");
    if (c)
        c->deadline_ms = 0;
    conn_check_timeouts(&the_loop);
    run();
    CHECK_INT(__LINE__, "closed", the_loop.connection_count, 0);
    CHECK_INT(__LINE__, "why", the_loop.tls->counts.failures[TLS_FAILURE_TIME_OUT], late + 1);
    finish(&far);

    start(&far, TLS1_3_VERSION);
    shake(&far);
    CHECK_TRUE(only_conn(TIMEOUT_SILENT) != NULL, "as silent as any that has just come");
    finish(&far);
}

/* --- turns ----------------------------------------------------------------------------------- */

#define CLIENTS 9

/* All say their hello at once, but for one that comes late: so many are heard in each turn, in the
 * order they came. */
static void test_turns(void)
{
    static struct far fars[CLIENTS];
    bool is_heard[CLIENTS] = {false};
    size_t heard = 0;

    for (size_t i = 0; i < CLIENTS; i++)
        start(&fars[i], TLS1_3_VERSION);
    run();
    for (size_t i = 0; i < CLIENTS; i++)
        SSL_do_handshake(fars[i].client.ssl);
    for (size_t i = 0; i + 1 < CLIENTS; i++)
        say(&fars[i]);
    for (int turn = 0; turn < 20 && heard < CLIENTS; turn++) {
        size_t before = heard;
        poller_turn(&the_loop.poller);
        for (size_t i = 0; i < CLIENTS; i++)
            if (!is_heard[i] && hear(&fars[i])) {
                is_heard[i] = true;
                CHECK_INT(turn, "in their order", i, heard);
                heard++;
            }
        CHECK_TRUE(heard - before <= STEPS_IN_TURN, "turn %d: %zu", turn, heard - before);
        if (turn == 0)
            say(&fars[CLIENTS - 1]);
    }
    CHECK_INT(__LINE__, "all", heard, CLIENTS);
    conn_close_all(&the_loop);
    run();
    for (size_t i = 1; i < CLIENTS; i++) {
        hang_up(&fars[i]);
        client_fini(&fars[i].client);
    }
    finish(&fars[0]);
}

/* Some that wait are gone before their turn. */
static void test_gone_while_waiting(void)
{
    static struct far fars[CLIENTS];

    for (size_t i = 0; i < CLIENTS; i++)
        start(&fars[i], TLS1_3_VERSION);
    run();
    for (size_t i = 0; i < CLIENTS; i++) {
        SSL_do_handshake(fars[i].client.ssl);
        say(&fars[i]);
    }
    poller_turn(&the_loop.poller);
    CHECK_TRUE(!list_empty(&the_loop.tls->waiting), "some wait");
    conn_close_all(&the_loop);
    CHECK_TRUE(list_empty(&the_loop.tls->waiting), "none waits any more");
    run();
    for (size_t i = 1; i < CLIENTS; i++) {
        hang_up(&fars[i]);
        client_fini(&fars[i].client);
    }
    finish(&fars[0]);
}

/* --- keys that sign slowly ------------------------------------------------------------------- */

/* Keeps the only thread of the lane from signing. */
static uv_sem_t gate;

static void run_gated(struct io_job *job)
{
    (void)job;
    uv_sem_wait(&gate);
}

static void on_gate_done(struct io_job *job)
{
    (void)job;
}

static struct io_job gated = {.run = run_gated, .on_done = on_gate_done};

static void close_gate(void)
{
    io_lane_submit_next(shared.sign_lane, &the_loop.port, &gated);
}

static void open_gate(void)
{
    uv_sem_post(&gate);
    while (the_loop.port.outstanding > 0)
        poller_turn(&the_loop.poller);
}

static void say_hello(struct far *far)
{
    start(far, TLS1_3_VERSION);
    SSL_do_handshake(far->client.ssl);
    say(far);
    run();
}

/* While nothing is signed, who is connected is answered, and others are refused or leave as ever. */
static void test_signing(void)
{
    static struct far kept, far, gone;
    struct tls_counts *counts = &the_loop.tls->counts;
    uint64_t failed = counts->failures[TLS_FAILURE_CLIENT_GONE];
    uint64_t late = counts->failures[TLS_FAILURE_TIME_OUT];
    struct histogram *stage = &the_loop.live->series->data.stages[STAGE_HANDSHAKE];
    uint64_t timed = stage->count;
    char got[2000] = "";
    struct conn *c;

    start(&kept, TLS1_3_VERSION);
    shake(&kept);
    show_key(PKI_RSA_3072);
    close_gate();
    say_hello(&far);
    c = only_conn(TIMEOUT_HEADER);
    CHECK_TRUE(!hear(&far), "it is not signed yet");
    ask_small(&kept, got, sizeof(got));
    CHECK_TRUE(strncmp(got, "HTTP/1.1 200 OK\r\n", 17) == 0, "%s", got);
    CHECK_TRUE(!hear(&far), "still not");

    say_hello(&gone);
    hang_up(&gone);
    run();
    CHECK_INT(__LINE__, "who leaves is closed at once", the_loop.connection_count, 2);
    CHECK_INT(__LINE__, "and counted", counts->failures[TLS_FAILURE_CLIENT_GONE], failed + 1);
    client_fini(&gone.client);

    show_key(PKI_P256); /* a reload, under which the handshake goes on with its certificate */
    CHECK_INT(__LINE__, "not timed yet", stage->count, timed + 1);
    open_gate();
    shake(&far);
    CHECK_INT(__LINE__, "timed", stage->count, timed + 2);
    CHECK_INT(__LINE__, "with the key it began with",
              EVP_PKEY_get_base_id(X509_get0_pubkey(SSL_get0_peer_certificate(far.client.ssl))),
              EVP_PKEY_RSA);
    CHECK_TRUE(only_conn(TIMEOUT_SILENT) == c, "the request is waited for");
    got[0] = '\0';
    ask_small(&far, got, sizeof(got));
    CHECK_TRUE(strncmp(got, "HTTP/1.1 200 OK\r\n", 17) == 0, "%s", got);
    hang_up(&kept);
    client_fini(&kept.client);
    finish(&far);

    show_key(PKI_RSA_3072);
    close_gate();
    say_hello(&far);
    only_conn(TIMEOUT_HEADER)->deadline_ms = 0;
    conn_check_timeouts(&the_loop);
    run();
    CHECK_INT(__LINE__, "late", the_loop.connection_count, 0);
    CHECK_INT(__LINE__, "and counted", counts->failures[TLS_FAILURE_TIME_OUT], late + 1);
    CHECK_INT(__LINE__, "the lane has it still", the_loop.tls->signing, 1);
    open_gate();
    finish(&far);
}

static void never_wait(uv_idle_t *idle)
{
    (void)idle;
}

int main(void)
{
    static uv_idle_t busy;

    begin(config, "ttl");
    shell_in(root, "mkdir site; printf 'small bytes' > site/small");
    begin_tls();
    uv_idle_init(&the_loop.uv, &busy);
    uv_idle_start(&busy, never_wait);
    for (int i = 0; i < TIMEOUT_COUNT; i++)
        the_loop.timeout_ms[i] = 60000;
    test_success();
    test_failures();
    test_plain_http();
    test_timeouts();
    test_turns();
    test_gone_while_waiting();
    uv_sem_init(&gate, 0);
    test_signing();
    uv_sem_destroy(&gate);
    end_tls();
    uv_idle_stop(&busy);
    uv_close((uv_handle_t *)&busy, NULL);
    return end("conn_handshake");
}
