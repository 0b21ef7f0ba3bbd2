/* SPDX-License-Identifier: MIT */
/* Connections without a socket. However the client's bytes are cut, and however it takes the
 * responses, it gets the same answers; and each end has its reason. */
#include "connection/conn.h"
#include "connection/conn_state.h"
#include "loop_fixture.h"
#include "memory_transport.h"

#include <semaphore.h>

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"limits\": { \"keepAliveRequests\": 5, \"bodyBytes\": 10, \"headBytes\": 1024, "
    "\"targetBytes\": 512 },\n"
    "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\" }] }";

static const char files[] =
    "mkdir -p site/folder; printf 'small bytes' > site/small; seq 1 40000 > site/large; "
    "touch -d @1700000000 site/*";

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a.test\r\n\r\n"

static struct memory_transport memory;
static struct transport transport; /* its descriptor is written to for events */

static void start(const char *says, size_t input_most, size_t output_most)
{
    struct sockaddr_storage peer = {0};

    memcpy(&peer, &fake_peer, sizeof(fake_peer));
    memset(&memory, 0, sizeof(memory));
    memory.input = says;
    memory.input_len = strlen(says);
    memory.input_most = input_most;
    memory.output_most = output_most;
    memory.output_cap = SIZE_MAX;
    memory.output_stops = output_most != SIZE_MAX;
    transport = memory_transport_open(&memory);
    shared.connections++;
    conn_start(&the_loop, transport, &peer, false, false);
}

static void tick(uv_timer_t *timer)
{
    (void)timer;
}

static uv_timer_t pulse;

/* Runs until the connection is closed, or waits for its client. */
static void run(void)
{
    size_t before = SIZE_MAX;

    for (int idle = 0; !memory.is_closed && idle < 20;) {
        before = memory.output_len + memory.input_pos;
        poller_turn(&the_loop.poller);
        idle = the_loop.port.outstanding == 0 && before == memory.output_len + memory.input_pos
                   ? idle + 1
                   : 0;
    }
    memory.output[memory.output_len] = '\0';
}

static void say_more(const char *says)
{
    memory.input = says;
    memory.input_len = strlen(says);
    memory.input_pos = 0;
    eventfd_write(transport.fd, 1);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

struct row {
    const char *name, *says;
    int answers;     /* heads of responses in the output */
    const char *has; /* NULL: anything */
    bool is_closed;
    enum end_reason reason; /* if it has closed */
};

static const struct row rows[] = {
    {"a request", GET("/small"), 1, "\r\n\r\nsmall bytes", false, END_NONE},
    {"three at once", GET("/small") GET("/missing") GET("/small"), 3, "404 Not Found", false,
     END_NONE},
    {"a long file between two", GET("/small") GET("/large") GET("/small"), 3,
     "\n40000\nHTTP/1.1 200", false, END_NONE},
    {"an empty line before it (RFC 9112 2.2)", "\r\n" GET("/small"), 1, "small bytes", false,
     END_NONE},
    {"the last by its own word", "GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n",
     1, "Connection: close\r\n", true, END_CLIENT_LAST},
    {"HTTP/1.0", "GET /small HTTP/1.0\r\nHost: a.test\r\n\r\n", 1, "small bytes", true,
     END_CLIENT_LAST},
    {"HTTP/1.0 that stays", "GET /small HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n",
     1, "Connection: keep-alive\r\n", false, END_NONE},
    {"a short body is skipped",
     "GET /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\n\r\nGET " GET("/small"), 2, NULL,
     false, END_NONE},
    {"half a head", "GET /small HTTP/1.1\r\nHo", 0, NULL, false, END_NONE},
};

static void check_row(const struct row *row, size_t input_most, size_t output_most, char *first)
{
    uint64_t before = row->reason ? the_loop.ends[row->reason] : 0;

    start(row->says, input_most, output_most);
    run();
    blank_dates(memory.output);
    CHECK_INT(count_of(memory.output, "HTTP/1.1 "), row->name, count_of(memory.output, "HTTP/1.1 "),
              row->answers);
    if (row->has)
        CHECK_TRUE(strstr(memory.output, row->has) != NULL, "\"%s\": %.300s", row->name,
                   memory.output);
    if (first[0] == '\0')
        memcpy(first, memory.output, memory.output_len + 1);
    CHECK_TRUE(strcmp(first, memory.output) == 0, "\"%s\": %zu in, %zu out: other bytes", row->name,
               input_most, output_most);
    CHECK_INT((int)input_most, row->name, memory.is_closed, row->is_closed);
    if (row->reason)
        CHECK_INT((int)input_most, row->name, the_loop.ends[row->reason], before + 1);
    conn_close_all(&the_loop);
    run();
    CHECK_INT(0, row->name, the_loop.connection_count, 0);
    CHECK_INT(0, row->name, shared.connections, 0);
}

/* For all ways of cutting the input and of taking the output. */
static void test_every_cut(void)
{
    static const size_t cuts[] = {SIZE_MAX, 1, 7, 1000};
    static char first[MEMORY_BYTES_MAX + 1];

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        first[0] = '\0';
        for (size_t in = 0; in < ARRAY_LEN(cuts); in++)
            for (size_t out = 0; out < ARRAY_LEN(cuts); out++)
                if (cuts[out] > 100 || !strstr(rows[r].says, "/large"))
                    check_row(&rows[r], cuts[in], cuts[out], first);
    }
}

/* --- ends ------------------------------------------------------------------------------------ */

struct end_row {
    const char *name, *says;
    void (*then)(void); /* called when nothing more happens; NULL: nothing */
    enum end_reason reason;
    bool lingers; /* the client may still be sending: it is told of the end and waited for */
};

static void client_closes(void)
{
    memory.input_ends = true;
    eventfd_write(transport.fd, 1);
}

static void client_resets(void)
{
    memory.is_reset = true;
    eventfd_write(transport.fd, 1);
}

/* It took some bytes, and is gone when it could take more. */
static void client_leaves_while_it_takes(void)
{
    memory.is_reset = true;
    memory.output_cap = SIZE_MAX;
    poller_call_again(
        &the_loop.poller,
        &container_of(the_loop.connections[TIMEOUT_WRITE].next, struct conn, link)->watch);
}

/* All time-outs pass. */
static void time_passes(void)
{
    for (int i = 0; i < TIMEOUT_COUNT; i++)
        for (struct list *link = the_loop.connections[i].next; link != &the_loop.connections[i];
             link = link->next)
            container_of(link, struct conn, link)->deadline_ms = 0;
    conn_check_timeouts(&the_loop);
}

/* It takes nothing while its time-outs pass several times. */
static void time_passes_again_and_again(void)
{
    for (int looks = 0; looks < 100 && !memory.is_closed; looks++) {
        struct list *all = &the_loop.connections[TIMEOUT_WRITE];
        if (!list_empty(all)) {
            struct conn *c = container_of(all->next, struct conn, link);
            c->transfer->taking.last.since_ms -= c->transfer->taking.last.since_ms > 0 ? 10000 : 0;
        }
        time_passes();
    }
}

static void room_is_wanted(void)
{
    CHECK_TRUE(conn_make_room(&the_loop), "no room");
}

static void node_stops(void)
{
    conn_close_all(&the_loop);
}

static void file_is_cut(void)
{
    shell_in(root, "truncate -s 10 site/large");
    memory.output_cap = SIZE_MAX;
    poller_call_again(
        &the_loop.poller,
        &container_of(the_loop.connections[TIMEOUT_WRITE].next, struct conn, link)->watch);
}

static char too_long[2000]; /* limits.headBytes is 1024 */

static void make_too_long(void)
{
    size_t len = (size_t)snprintf(too_long, sizeof(too_long), "%s%s", GET("/small"),
                                  "GET / HTTP/1.1\r\nHost: a.test\r\nX: ");

    memset(too_long + len, 'x', sizeof(too_long) - len - 1);
}

static const struct end_row end_rows[] = {
    {"closed between requests", GET("/small"), client_closes, END_CLIENT_CLOSED, false},
    {"closed without a word", "", client_closes, END_CLIENT_CLOSED, false},
    {"reset between requests", GET("/small"), client_resets, END_CLIENT_CLOSED, false},
    {"closed in a head", "GET /small HT", client_closes, END_CLIENT_GONE, false},
    {"reset in a head", "GET /small HT", client_resets, END_CLIENT_GONE, false},
    {"closed in a body", "GET /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\n1",
     client_closes, END_CLIENT_GONE, false},
    {"gone while it takes", GET("/large"), client_leaves_while_it_takes, END_CLIENT_GONE, false},
    {"no request", "NONE\r\n\r\n", time_passes, END_BAD_REQUEST, true},
    {"too long a head", too_long, time_passes, END_BAD_REQUEST, true},
    {"a body that is not read", "GET /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 11\r\n\r\n",
     time_passes, END_UNREAD_BODY, true},
    {"as many requests as there may be",
     GET("/small") GET("/small") GET("/small") GET("/small") GET("/small"), time_passes,
     END_REQUEST_LIMIT, true},
    {"silent", "", time_passes, END_SILENT, false},
    {"idle", GET("/small"), time_passes, END_IDLE, false},
    {"half a head for too long", "GET /small HT", time_passes, END_SLOW_HEAD, true},
    {"half a body for too long",
     "GET /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\n1", time_passes,
     END_SLOW_BODY, false},
    {"takes nothing more", GET("/large"), time_passes_again_and_again, END_SLOW_CLIENT, false},
    {"room for others", GET("/small"), room_is_wanted, END_MADE_ROOM, false},
    {"the node stops", GET("/small"), node_stops, END_STOPPING, false},
    {"the node stops meanwhile", GET("/large"), node_stops, END_STOPPING, false},
    {"a file that is cut", GET("/large"), file_is_cut, END_FILE, true},
};

static void test_reasons(void)
{
    for (size_t r = 0; r < ARRAY_LEN(end_rows); r++) {
        const struct end_row *row = &end_rows[r];
        uint64_t before[END_REASON_COUNT];
        memcpy(before, the_loop.ends, sizeof(before));
        start(row->says, SIZE_MAX, SIZE_MAX);
        if (strstr(row->says, "/large"))
            memory.output_cap = 1000;
        run();
        if (row->then && !memory.is_ended)
            row->then();
        run();
        CHECK_INT((int)r, row->name, memory.is_ended, row->lingers);
        for (int i = 0; !memory.is_closed && i < 3; i++) {
            time_passes(); /* for the connection that lingers */
            run();
        }
        CHECK_TRUE(memory.is_closed, "\"%s\" is not closed", row->name);
        for (int i = 0; i < END_REASON_COUNT; i++)
            CHECK_TRUE(the_loop.ends[i] - before[i] == (i == (int)row->reason), "\"%s\": %s",
                       row->name, i ? end_reason_name((enum end_reason)i) : "none");
        CHECK_INT((int)r, row->name, the_loop.connection_count, 0);
    }
}

/* A reset would take the last bytes with it that are still under way. */
static void test_slow_farewell(void)
{
    start("NONE\r\n\r\n", SIZE_MAX, SIZE_MAX);
    run();
    memory.unsent = 1000000;
    time_passes();
    CHECK_INT(__LINE__, "has bytes to come", memory.is_closed, false);
    memory.unsent = 0;
    time_passes();
    CHECK_INT(__LINE__, "has time to notice", memory.is_closed, false);
    time_passes();
    run();
    CHECK_INT(__LINE__, "closed", memory.is_closed, true);
}

/* A client that was told that the connection stays may send another request, even in parts. */
static void test_a_second_word(void)
{
    start(GET("/small"), SIZE_MAX, SIZE_MAX);
    run();
    CHECK_INT(__LINE__, "one", count_of(memory.output, "HTTP/1.1 "), 1);
    say_more("GET /sma");
    run();
    say_more("ll HTTP/1.1\r\nHost: a.test\r\n\r\n");
    run();
    CHECK_INT(__LINE__, "two", count_of(memory.output, "HTTP/1.1 200"), 2);
    CHECK_INT(__LINE__, "stays", memory.is_closed, false);
    client_closes();
    run();
    CHECK_INT(__LINE__, "closed", memory.is_closed, true);
}

/* --- a lane that is held --------------------------------------------------------------------- */

static sem_t hold;

static void run_held(struct io_job *job)
{
    (void)job;
    sem_wait(&hold);
}

static void forget_held(struct io_job *job)
{
    (void)job;
}

static struct io_job held = {.run = run_held, .on_done = forget_held};

/* While one waits for a lane, another is received into the same memory: each gets its own answer. */
static void test_shared_input(void)
{
    static struct memory_transport first;
    struct conn *c;

    put_in_force(config, "off");
    the_loop.files.glance_again_ms = UINT64_MAX;
    sem_init(&hold, 0, 0);
    CHECK_INT(__LINE__, "held", io_lane_submit(shared.stat_lane, &the_loop.port, &held), 0);
    start(GET("/folder"), SIZE_MAX, SIZE_MAX);
    for (int turns = 0; list_empty(&the_loop.connections[TIMEOUT_DISK]) && turns < 1000; turns++)
        poller_turn(&the_loop.poller);
    c = container_of(the_loop.connections[TIMEOUT_DISK].next, struct conn, link);
    first = memory;
    c->transport.state = &first;
    start(GET("/missing-and-longer"), SIZE_MAX, SIZE_MAX);
    for (int turns = 0; memory.input_pos < memory.input_len && turns < 1000; turns++)
        poller_turn(&the_loop.poller);
    memset(the_loop.input, 'x', 64); /* as what is received next */
    sem_post(&hold);
    run();
    sem_destroy(&hold);
    first.output[first.output_len] = '\0';
    CHECK_TRUE(strstr(first.output, "Location: /folder/\r\n") != NULL, "%s", first.output);
    CHECK_TRUE(strstr(memory.output, "404 Not Found") != NULL, "%s", memory.output);
    conn_close_all(&the_loop);
    run();
    put_in_force(config, "ttl");
    the_loop.files.glance_again_ms = 0;
}

/* A 103 goes out whole and at once, or not at all. */
static void test_hints(void)
{
    static const char with_links[] =
        "{ \"statCache\": { \"engine\": \"off\" },\n"
        "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\",\n"
        "    \"preload\": [{ \"links\": [\"</a.css>; rel=preload; as=style\"] }] }] }";
    static const char asks[] = "GET /gone.html HTTP/1.1\r\nHost: a.test\r\n"
                               "Sec-Fetch-Mode: navigate\r\n"
                               "Connection: keep-alive\r\n\r\n";
    static const char asks_as_nginx[] = "GET /gone.html HTTP/1.1\r\nHost: a.test\r\n"
                                        "Sec-Fetch-Mode: navigate\r\n"
                                        "Connection: close\r\n\r\n";
    static const char hint[] = "HTTP/1.1 103 Early Hints\r\n"
                               "Link: </a.css>; rel=preload; as=style\r\n\r\n";

    put_in_force(with_links, "off");
    the_loop.files.glance_again_ms = UINT64_MAX;
    start(asks, SIZE_MAX, SIZE_MAX);
    run();
    CHECK_TRUE(strncmp(memory.output, hint, sizeof(hint) - 1) == 0 &&
                   strncmp(memory.output + sizeof(hint) - 1, "HTTP/1.1 404", 12) == 0,
               "a 103 and then the answer: %s", memory.output);
    conn_close_all(&the_loop);
    run();

    start(asks_as_nginx, SIZE_MAX, SIZE_MAX);
    run();
    CHECK_INT(__LINE__, "none to what may be a proxy", count_of(memory.output, "HTTP/1.1 "), 1);
    conn_close_all(&the_loop);
    run();

    start(asks, SIZE_MAX, SIZE_MAX);
    memory.unsent = 100000;
    run();
    CHECK_INT(__LINE__, "none behind a response", count_of(memory.output, "HTTP/1.1 "), 1);
    conn_close_all(&the_loop);
    run();

    start(asks, SIZE_MAX, 10);
    memory.output_stops = false;
    run();
    CHECK_INT(__LINE__, "ends after half a 103", memory.is_closed, true);
    while (the_loop.port.outstanding > 0)
        poller_turn(&the_loop.poller);
    CHECK_INT(__LINE__, "nothing follows it", memory.output_len, 10);
    put_in_force(config, "ttl");
    the_loop.files.glance_again_ms = 0;
}

int main(void)
{
    begin(config, "ttl");
    shell_in(root, files);
    uv_timer_init(&the_loop.uv, &pulse);
    uv_timer_start(&pulse, tick, 1, 1);
    for (int i = 0; i < TIMEOUT_COUNT; i++)
        the_loop.timeout_ms[i] = 60000;
    make_too_long();
    test_every_cut();
    test_slow_farewell();
    test_a_second_word();
    test_shared_input();
    test_reasons();
    test_hints();
    uv_close((uv_handle_t *)&pulse, NULL);
    conn_trim_spares(&the_loop, 0);
    return end("conn");
}
