/* SPDX-License-Identifier: MIT */
/* Time, by a clock of the test's own: who takes too slowly, who waits for whom, who shares a rate with whom
 * and who is let go for others. */
#include "base/util.h"

#include <uv.h>

static uint64_t clock_ms = 1000000;
#define uv_now(loop) ((void)(loop), clock_ms)
#define monotonic_ns() (clock_ms * NS_PER_MS)
#include "connection/conn_end.c"
#include "connection/conn_send.c"
#include "connection/conn_timeout.c"
#include "net/progress.c"
#undef uv_now
#undef monotonic_ns

#include "loop_fixture.h"
#include "memory_transport.h"

#define LOOK_MS 15000 /* a quarter of writeSeconds */
#define LEAST 1000    /* minBytesPerSecond */
#define LEAST_PER_LOOK (LEAST * LOOK_MS / 1000)

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"limits\": { \"writeSeconds\": 60, \"minBytesPerSecond\": 1000, \"headerSeconds\": 10 },\n"
    "  \"io\": { \"timeoutSeconds\": 5 },\n"
    "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\" },\n"
    "    { \"hosts\": [\"slow.test\"], \"root\": \"ROOT/site\", \"connectionBytesPerSecond\": 500 "
    "},\n"
    "    { \"hosts\": [\"shared.test\"], \"root\": \"ROOT/site\", \"bytesPerSecond\": 100000 }] }";

#define GET(host) "GET /large HTTP/1.1\r\nHost: " host "\r\n\r\n"
#define LARGE_BYTES 588895 /* of seq 1 100000 */

/* --- clients --------------------------------------------------------------------------------- */

#define CLIENTS_MAX 50

static struct client {
    struct memory_transport memory;
    int fd;            /* an event there is one of the client's */
    struct conn *conn; /* valid until memory.is_closed */
} clients[CLIENTS_MAX];

static uv_timer_t pulse;

static void tick(uv_timer_t *timer)
{
    (void)timer;
}

static void turns(int count)
{
    while (count-- > 0 || the_loop.port.outstanding > 0)
        poller_turn(&the_loop.poller);
}

static struct client *start(int i, const char *says, size_t output_cap)
{
    struct client *client = &clients[i];
    struct memory_transport *memory = &client->memory;
    struct sockaddr_storage peer = {0};
    struct transport transport;

    memcpy(&peer, &fake_peer, sizeof(fake_peer));
    memset(memory, 0, sizeof(*memory));
    memory->input = says;
    memory->input_len = strlen(says);
    memory->input_most = memory->output_most = SIZE_MAX;
    memory->output_cap = output_cap;
    transport = memory_transport_open(memory);
    client->fd = transport.fd;
    shared.connections++;
    conn_start(&the_loop, transport, &peer, false, false);
    client->conn = container_of(the_loop.connections[TIMEOUT_SILENT].prev, struct conn, link);
    return client;
}

static void everybody_leaves(void)
{
    conn_close_all(&the_loop);
    turns(3);
    CHECK_INT(__LINE__, "nobody is left", the_loop.connection_count, 0);
    CHECK_TRUE(list_empty(&the_loop.throttled), "nobody waits for a rate");
}

static void takes(struct client *client, size_t bytes)
{
    if (bytes == 0 || client->memory.is_closed)
        return;
    client->memory.output_cap += bytes;
    eventfd_write(client->fd, 1);
    turns(3);
}

static void time_passes(uint64_t ms)
{
    clock_ms += ms;
    the_loop.tick_count++;
    conn_check_timeouts(&the_loop);
}

static uint64_t counted(enum counter counter)
{
    return the_loop.live->series->data.counters[counter];
}

/* --- who takes slowly ------------------------------------------------------------------------ */

#define L LEAST_PER_LOOK
#define EVERY_LOOK(n)                                                                              \
    {                                                                                              \
        n, n, n, n, n, n, n, n, n, n                                                               \
    }
#define LOOKS 10

/* Let go of in the fifth look: the first one is what the others are held against, and writeSeconds is four. */
static void test_slow_clients(void)
{
    static const struct {
        const char *name;
        size_t taken[LOOKS]; /* before each look */
        int ends;            /* in which look; 0: in none */
        bool acknowledges;
        int64_t unsent; /* when it does not */
    } rows[] = {
        {"takes nothing", EVERY_LOOK(0), 5, true, 0},
        {"takes the least", EVERY_LOOK(L), 0, true, 0},
        {"takes a byte less", EVERY_LOOK(L - 1), 5, true, 0},
        {"takes it in bursts", {0, 0, 0, 4 * L, 0, 0, 0, 4 * L, 0, 0}, 0, true, 0},
        {"but not in one that is too late", {0, 0, 0, 0, 0, 9 * L}, 5, true, 0},
        {"nor in one too small", {0, 0, 0, 0, 3 * L, 4 * L, 4 * L}, 5, true, 0},
        {"took enough, then nothing", {L, L, L, 0, 0, 0, 0, 0}, 7, true, 0},
        {"its kernel has it, and it does not take it", EVERY_LOOK(L), 5, false, 0},
        {"its kernel can't say", EVERY_LOOK(L), 1, false, -EBADF},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct client *client = start(0, GET("a.test"), 1000);
        uint64_t ends = the_loop.ends[END_SLOW_CLIENT], time_outs = counted(COUNTER_TIMEOUTS);
        int look = 0;
        turns(10);
        CHECK_INT((int)r, "waits for it", client->conn->timeout, TIMEOUT_WRITE);
        while (look < LOOKS && !client->memory.is_closed) {
            takes(client, rows[r].taken[look++]);
            if (!rows[r].acknowledges)
                client->memory.unsent =
                    rows[r].unsent ? rows[r].unsent : (int64_t)client->memory.output_len;
            time_passes(LOOK_MS - 1);
            CHECK_INT((int)r, "not before its time", client->memory.is_closed, false);
            time_passes(1);
        }
        CHECK_INT((int)r, rows[r].name, client->memory.is_closed ? look : 0, rows[r].ends);
        CHECK_INT((int)r, "its reason", the_loop.ends[END_SLOW_CLIENT] - ends, rows[r].ends > 0);
        CHECK_INT((int)r, "counted", counted(COUNTER_TIMEOUTS) - time_outs, rows[r].ends > 0);
        everybody_leaves();
    }
}

/* Rates and disks of ours are not held against it; that it takes nothing is. */
static void test_slow_by_our_own_rate(void)
{
    struct client *takes_all = start(0, GET("slow.test"), SIZE_MAX);
    struct client *takes_little = start(1, GET("slow.test"), 9000);
    struct client *far_away = start(2, GET("slow.test"), SIZE_MAX);
    uint64_t seconds = 0;

    far_away->memory.unsent = 8000; /* more than is sent between two looks is under way */
    turns(10);
    for (; seconds < 200; seconds++) {
        time_passes(1000);
        conn_retry_throttled(&the_loop);
        turns(1);
    }
    CHECK_INT(__LINE__, "who takes all there is", takes_all->memory.is_closed, false);
    CHECK_TRUE(takes_all->memory.output_len >= seconds * 500 &&
                   takes_all->memory.output_len <= seconds * 500 + 20000,
               "%zu bytes in 200 s", takes_all->memory.output_len);
    CHECK_INT(__LINE__, "who is far away", far_away->memory.is_closed, false);
    CHECK_INT(__LINE__, "who takes nothing of it", takes_little->memory.is_closed, true);
    everybody_leaves();
}

/* Who was held back can't have taken more than it was given by the last look; all of that is enough. */
static void test_who_was_held_back(void)
{
    static const struct {
        const char *name;
        int64_t offered, sent, unsent;
        bool was_held_back, takes;
    } rows[] = {
        {"took all of it", 1000, 1500, 500, true, true},
        {"left a byte", 1000, 1500, 501, true, false},
        {"was not held back", 1000, 1500, 500, false, false},
    };
    struct client *client = start(0, GET("a.test"), 1000);
    struct transfer *transfer;

    turns(10);
    transfer = client->conn->transfer;
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        transfer->taking = (struct taking){.last = {clock_ms - 4 * LOOK_MS, 990},
                                           .offered = rows[r].offered,
                                           .was_held_back = rows[r].was_held_back};
        transfer->sink.sent = (uint64_t)rows[r].sent;
        client->memory.unsent = rows[r].unsent;
        CHECK_INT((int)r, rows[r].name, still_takes(client->conn), rows[r].takes);
        CHECK_INT((int)r, "next time", transfer->taking.offered, rows[r].sent);
        CHECK_INT((int)r, "next time", transfer->taking.was_held_back, false);
    }
    throttle(client->conn);
    CHECK_INT(__LINE__, "a rate holds back", transfer->taking.was_held_back, true);
    CHECK_INT(__LINE__, "and it is late", still_takes(client->conn), false);
    CHECK_INT(__LINE__, "holds back from now on, too", transfer->taking.was_held_back, true);
    everybody_leaves();
}

/* It waits for the disk again and again, which is not its fault; in between it takes nothing, which is: it
 * is looked at in time, though each wait took its place in the list. */
static void test_disks_in_between(void)
{
    struct client *other = start(1, GET("a.test"), 1000);
    struct client *client = start(0, GET("a.test"), 1000);

    turns(10);
    (void)other;
    for (int i = 0; i < 3; i++) {
        CHECK_INT(i, "not looked at", client->conn->transfer->taking.last.since_ms, 0);
        clock_ms += LOOK_MS / 3;
        conn_arm(other->conn, TIMEOUT_DISK);
        conn_arm(client->conn, TIMEOUT_DISK);
        the_loop.tick_count++;
        conn_arm(other->conn, TIMEOUT_WRITE);
        conn_await_client(client->conn);
    }
    CHECK_TRUE(the_loop.connections[TIMEOUT_WRITE].next == &client->conn->link, "is first");
    time_passes(0);
    CHECK_INT(__LINE__, "looked at", client->conn->transfer->taking.last.since_ms, clock_ms);
    CHECK_INT(__LINE__, "the other is not", other->conn->transfer->taking.last.since_ms, 0);
    everybody_leaves();
}

/* --- order ----------------------------------------------------------------------------------- */

/* A tick looks at the front only: whoever is armed again goes to the end, to the grain of a tick. */
static void test_order(void)
{
    struct client *a = start(0, "", 0), *b = start(1, "", 0), *c = start(2, "", 0);

    turns(3);
    clock_ms += 100;
    conn_arm(a->conn, TIMEOUT_SILENT);
    CHECK_TRUE(the_loop.connections[TIMEOUT_SILENT].next == &a->conn->link, "keeps its place");
    CHECK_INT(__LINE__, "with a time of its own", a->conn->deadline_ms, clock_ms + 10000);
    the_loop.tick_count++;
    conn_arm(a->conn, TIMEOUT_SILENT);
    CHECK_TRUE(the_loop.connections[TIMEOUT_SILENT].prev == &a->conn->link, "is last");
    conn_arm(b->conn, TIMEOUT_HEADER);
    CHECK_TRUE(the_loop.connections[TIMEOUT_SILENT].next == &c->conn->link, "is in one list");
    CHECK_TRUE(the_loop.connections[TIMEOUT_HEADER].next == &b->conn->link, "the other");
    time_passes(9900 - 1);
    CHECK_INT(__LINE__, "not yet", c->memory.is_closed, false);
    time_passes(1);
    CHECK_INT(__LINE__, "now", c->memory.is_closed, true);
    CHECK_INT(__LINE__, "not a", a->memory.is_closed, false);
    time_passes(100);
    CHECK_INT(__LINE__, "all", a->memory.is_closed && b->memory.is_closed, true);
    everybody_leaves();
}

/* A config with shorter times counts for those who wait; longer ones count from the next wait on. */
static void test_other_times(void)
{
    struct client *client = start(0, "", 0);
    uint64_t deadline;

    turns(3);
    deadline = client->conn->deadline_ms;
    the_loop.timeout_ms[TIMEOUT_SILENT] = 20000;
    conn_apply_timeouts(&the_loop);
    CHECK_INT(__LINE__, "longer", client->conn->deadline_ms, deadline);
    the_loop.timeout_ms[TIMEOUT_SILENT] = 3000;
    conn_apply_timeouts(&the_loop);
    CHECK_INT(__LINE__, "shorter", client->conn->deadline_ms, clock_ms + 3000);
    the_loop.timeout_ms[TIMEOUT_SILENT] = 10000;
    everybody_leaves();
}

/* --- room for others ------------------------------------------------------------------------- */

static void test_room(void)
{
    struct client *asks = start(0, GET("a.test"), 1000);
    struct client *idles = start(1, "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n", SIZE_MAX);
    struct client *half = start(2, "GET /sm", SIZE_MAX), *silent, *came;

    turns(10);
    silent = start(3, "", 0);
    turns(3);
    CHECK_INT(__LINE__, "waits for its next", idles->conn->timeout, TIMEOUT_IDLE);
    clock_ms += SILENT_MS - 1;
    CHECK_TRUE(conn_make_room(&the_loop), "who idles");
    CHECK_INT(__LINE__, "had to go", idles->memory.is_closed, true);
    CHECK_INT(__LINE__, "who came lately may yet speak", silent->memory.is_closed, false);
    CHECK_TRUE(!conn_make_room(&the_loop), "nobody now");
    clock_ms++;
    came = start(4, "", 0);
    turns(3);
    CHECK_TRUE(conn_make_room(&the_loop), "who is silent");
    CHECK_INT(__LINE__, "had to go", silent->memory.is_closed, true);
    CHECK_TRUE(!conn_make_room(&the_loop), "nobody else");
    CHECK_INT(__LINE__, "with a request", asks->memory.is_closed, false);
    CHECK_INT(__LINE__, "with half a one", half->memory.is_closed, false);
    CHECK_INT(__LINE__, "that has just come", came->memory.is_closed, false);
    everybody_leaves();
}

/* Its first bytes may be there, and the loop had no time to look yet. */
static void test_not_heard_yet(void)
{
    struct client *client = start(0, GET("a.test"), 1000);

    clock_ms += 10 * SILENT_MS;
    CHECK_TRUE(!conn_make_room(&the_loop), "it was not heard");
    turns(10);
    CHECK_INT(__LINE__, "it had asked", client->conn->timeout, TIMEOUT_WRITE);
    everybody_leaves();
}

/* --- a disk that does not answer ------------------------------------------------------------- */

static uv_sem_t disk_answers;

static void hang(struct io_job *job)
{
    (void)job;
    uv_sem_wait(&disk_answers);
}

static void on_hung(struct io_job *job)
{
    (void)job;
}

static void put_off(const char *engine)
{
    put_in_force(config, engine);
    the_loop.files.glance_again_ms = engine[0] == 'o' ? UINT64_MAX : 0;
}

/* The client is told, though it takes little at a time, and may go on; what the disk says in the end nobody hears. */
static void test_hung_disk(void)
{
    struct io_job job = {.run = hang, .on_done = on_hung};
    uint64_t time_outs;
    struct client *client;

    uv_sem_init(&disk_answers, 0);
    put_off("off");
    time_outs = counted(COUNTER_TIMEOUTS);
    CHECK_INT(__LINE__, "hangs", io_lane_submit(shared.stat_lane, &the_loop.port, &job), 0);
    client = start(0, "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n", 20);
    for (int i = 0; i < 5; i++)
        poller_turn(&the_loop.poller);
    CHECK_INT(__LINE__, "waits for it", client->conn->timeout, TIMEOUT_DISK);
    time_passes(5000 - 1);
    CHECK_INT(__LINE__, "not told yet", client->memory.output_len, 0);
    time_passes(1);
    CHECK_TRUE(strncmp(client->memory.output, "HTTP/1.1 503 ", 13) == 0, "was told: %.40s",
               client->memory.output);
    CHECK_INT(__LINE__, "counted", counted(COUNTER_TIMEOUTS), time_outs + 1);
    uv_sem_post(&disk_answers);
    turns(3);
    takes(client, MEMORY_BYTES_MAX / 2);
    CHECK_INT(__LINE__, "may go on", client->conn->timeout, TIMEOUT_IDLE);
    CHECK_TRUE(strstr(client->memory.output + 13, "HTTP/1.1 ") == NULL, "no second answer");
    everybody_leaves();
    uv_sem_destroy(&disk_answers);
    put_off("ttl");
}

/* --- shares of a rate ------------------------------------------------------------------------ */

static void ticks(int count)
{
    while (count-- > 0) {
        time_passes(LOOP_TICK_MS);
        conn_retry_throttled(&the_loop);
        turns(1);
    }
}

/* All that a site may send is sent, and nobody's share is another one's, whoever came first. */
static void test_shares_of_a_site(int count)
{
    size_t before[CLIENTS_MAX], all = 0, least = SIZE_MAX, most = 0;

    for (int i = 0; i < count; i++)
        start(i, GET("shared.test"), SIZE_MAX);
    turns(10);
    ticks(20);
    for (int i = 0; i < count; i++)
        before[i] = clients[i].memory.output_len;
    ticks(40); /* ten seconds */
    for (int i = 0; i < count; i++) {
        size_t got = clients[i].memory.output_len - before[i];
        CHECK_INT(i, "is not done", clients[i].memory.output_len < LARGE_BYTES, true);
        all += got;
        least = (size_t)smaller_of(least, got);
        most = got > most ? got : most;
    }
    CHECK_TRUE(all >= 950000 && all <= 1050000, "%zu bytes in ten seconds", all);
    CHECK_TRUE(least >= most - most / 4, "of %d one had %zu, another %zu", count, least, most);
    everybody_leaves();
}

/* Who comes later has a share at once, and it is taken from nobody alone. */
static void test_who_comes_later(void)
{
    size_t before[2];

    start(0, GET("shared.test"), SIZE_MAX);
    start(1, GET("shared.test"), SIZE_MAX);
    turns(10);
    ticks(12);
    start(2, GET("shared.test"), SIZE_MAX);
    turns(10);
    before[0] = clients[0].memory.output_len;
    before[1] = clients[1].memory.output_len;
    ticks(24); /* six seconds */
    for (int i = 0; i < 2; i++)
        CHECK_TRUE(clients[i].memory.output_len - before[i] >= 150000, "%zu to the %d.",
                   clients[i].memory.output_len - before[i], i);
    CHECK_TRUE(clients[2].memory.output_len >= 150000, "%zu to who came later",
               clients[2].memory.output_len);
    everybody_leaves();
}

/* Those who got nothing in a tick are first in the next one. */
static void test_starved(void)
{
    struct rate_bucket *bucket;

    for (int i = 0; i < 3; i++)
        start(i, GET("shared.test"), SIZE_MAX);
    turns(10);
    ticks(4);
    bucket = clients[2].conn->transfer->ex.site->rate;
    atomic_store(&bucket->empty_ns, (clock_ms + LOOP_TICK_MS) * NS_PER_MS); /* it is used up */
    list_remove(&clients[2].conn->transfer->throttled);
    list_append(&the_loop.throttled, &clients[2].conn->transfer->throttled);
    ticks(1);
    CHECK_TRUE(the_loop.throttled.prev == &clients[2].conn->transfer->throttled,
               "they keep their order");
    atomic_store(&bucket->empty_ns, (clock_ms + LOOP_TICK_MS) * NS_PER_MS);
    conn_unthrottle(clients[1].conn);
    throttle(clients[1].conn); /* it came behind */
    ticks(1);
    CHECK_TRUE(the_loop.throttled.prev == &clients[1].conn->transfer->throttled, "as they came");
    CHECK_INT(__LINE__, "three wait", atomic_load(&bucket->waiting), 3);
    everybody_leaves();
    CHECK_INT(__LINE__, "none waits", atomic_load(&bucket->waiting), 0);
}

int main(void)
{
    begin(config, "ttl");
    shell_in(root, "mkdir site; seq 1 100000 > site/large; printf small > site/small; "
                   "touch -d @1700000000 site/*");
    uv_timer_init(&the_loop.uv, &pulse);
    uv_timer_start(&pulse, tick, 1, 1);
    test_slow_clients();
    test_slow_by_our_own_rate();
    test_who_was_held_back();
    test_disks_in_between();
    test_order();
    test_other_times();
    test_room();
    test_not_heard_yet();
    test_hung_disk();
    test_shares_of_a_site(3);
    test_shares_of_a_site(20);
    test_shares_of_a_site(CLIENTS_MAX);
    test_who_comes_later();
    test_starved();
    uv_close((uv_handle_t *)&pulse, NULL);
    conn_trim_spares(&the_loop, 0);
    return end("conn_timeout");
}
