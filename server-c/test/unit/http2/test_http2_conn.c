/* SPDX-License-Identifier: MIT */
/* HTTP/2 without a socket, from the first byte on a connection of HTTP/1.1 to its end. However the
 * client's bytes are cut, and however it takes ours, it gets the same answers; each end has its reason. */
#include "http2/http2_conn.c"

#include "connection/conn.h"
#include "http2_client.h"
#include "loop_fixture.h"
#include "memory_transport.h"

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"limits\": { \"keepAliveRequests\": 20, \"bodyBytes\": 10, \"headBytes\": 1024, "
    "\"targetBytes\": 512, \"http2Streams\": 50 },\n"
    "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\",\n"
    "    \"directoryListing\": { \"enabled\": true } }] }";

static const char files[] =
    "mkdir -p site/folder; printf 'small bytes' > site/small; seq 1 40000 > site/large; "
    "seq 1 1500 > site/kept; : > site/empty; touch -d @1700000000 site/*";

static struct memory_transport memory;
static struct transport transport;
static struct http2_client client;

static void start(size_t input_most, size_t output_most)
{
    struct sockaddr_storage peer = {0};

    memcpy(&peer, &fake_peer, sizeof(fake_peer));
    memset(&memory, 0, offsetof(struct memory_transport, output));
    memory.output_len = 0;
    memory.unsent = 0;
    memory.calls = 0;
    memory.is_ended = memory.is_closed = false;
    memory.input = client.says.data;
    memory.input_len = client.says.len;
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
    for (int idle = 0; !memory.is_closed && idle < 20;) {
        size_t before = memory.output_len + memory.input_pos;
        poller_turn(&the_loop.poller);
        idle = the_loop.port.outstanding == 0 && before == memory.output_len + memory.input_pos
                   ? idle + 1
                   : 0;
    }
}

static void say_more(const char *bytes, size_t len)
{
    memory.input = bytes;
    memory.input_len = len;
    memory.input_pos = 0;
    eventfd_write(transport.fd, 1);
}

/* The client says what it has to say to what it has heard. */
static void converse(void)
{
    size_t heard = 0;

    for (int rounds = 0; rounds < 10; rounds++) {
        run();
        CHECK_TRUE(client_hear(&client, memory.output + heard, memory.output_len - heard),
                   "the client finds a fault");
        heard = memory.output_len;
        buf_clear(&client.says);
        client_say(&client);
        if (client.says.len == 0 || memory.is_closed)
            break;
        say_more(client.says.data, client.says.len);
    }
}

static struct http2_conn *the_conn(void)
{
    struct list *all =
        list_empty(&the_loop.http2.busy) ? &the_loop.http2.idle : &the_loop.http2.busy;

    return first_of(all);
}

static void finish_up(void)
{
    http2_close_all(&the_loop);
    conn_close_all(&the_loop);
    run();
    CHECK_INT(__LINE__, "connections", the_loop.connection_count, 0);
    CHECK_INT(__LINE__, "shared", shared.connections, 0);
    CHECK_TRUE(list_empty(&the_loop.http2.at_disk) && list_empty(&the_loop.http2.throttled),
               "streams wait on");
    client_close(&client);
}

/* --- answers --------------------------------------------------------------------------------- */

struct row {
    const char *method, *path, *fields;
    const char *status;
    const char *has;  /* in the head; NULL: anything */
    const char *body; /* how it begins; NULL: no body */
};

static const struct row rows[] = {
    {"GET", "/small", "", "200", "content-length: 11\n", "small bytes"},
    {"GET", "/small", "user-agent: me\naccept: */*\ncookie: a=b\ncookie: c=d\n", "200", NULL,
     "small bytes"},
    {"GET", "/small", "host: A.test\n", "200", NULL, "small bytes"},
    {"HEAD", "/small", "", "200", "content-length: 11\n", NULL},
    {"GET", "/empty", "", "200", "content-length: 0\n", NULL},
    {"GET", "/kept", "", "200", NULL, "1\n2\n3\n"},
    {"GET", "/large", "", "200", "content-length: 228894\n", "1\n2\n3\n"},
    {"HEAD", "/large", "", "200", "content-length: 228894\n", NULL},
    {"GET", "/large", "range: bytes=2-3\n", "206", "content-range: bytes 2-3/228894\n", "2\n"},
    {"GET", "/large", "range: bytes=0-1,100000-100010\n", "206", "multipart/byteranges", "\r\n--"},
    {"GET", "/large", "range: bytes=999999-\n", "416", NULL, "<!"},
    {"GET", "/large", "if-modified-since: Fri, 01 Jan 2100 00:00:00 GMT\n", "304", NULL, NULL},
    {"GET", "/missing", "", "404", "content-type: text/html", "<!"},
    {"GET", "/folder", "", "301", "location: /folder/\n", "<!"},
    {"GET", "/folder/", "", "200", "text/html", "<!"},
    {"OPTIONS", "*", "", "204", "allow: GET, HEAD, OPTIONS\n", NULL},
    {"POST", "/small", "", "405", NULL, "<!"},
    {"BREW", "/small", "", "501", NULL, "<!"},
    {"GET", "/../x", "", "400", NULL, "<!"},
    {"GET", "/small", "expect: tea\n", "417", NULL, "<!"},
    {"GET", "/small", "te: trailers\n", "200", NULL, "small bytes"},
};

static void check_answer(const struct row *row, const struct http2_heard *heard)
{
    const char *head = heard->head.data;

    CHECK_TRUE(heard->is_closed && heard->code == NGHTTP2_NO_ERROR, "%s %s: end %u", row->method,
               row->path, heard->code);
    CHECK_TRUE(strncmp(head, ":status: ", 9) == 0 && strncmp(head + 9, row->status, 3) == 0,
               "%s %s %s: %s", row->method, row->path, row->fields, head);
    CHECK_TRUE(strstr(head, "\ndate: ") != NULL, "%s %s: no date", row->method, row->path);
    CHECK_TRUE(!row->has || strstr(head, row->has) != NULL, "%s %s: %s", row->method, row->path,
               head);
    CHECK_TRUE(!strstr(head, "connection:"), "%s %s: of the connection", row->method, row->path);
    if (row->body)
        CHECK_TRUE(strncmp(heard->body.data, row->body, strlen(row->body)) == 0, "%s %s: %.40s",
                   row->method, row->path, heard->body.data);
    else
        CHECK_INT(0, row->path, heard->body.len, 0);
}

static void open_with_rows(void)
{
    client_open(&client);
    for (size_t r = 0; r < ARRAY_LEN(rows); r++)
        if (r < 19)
            client_ask(&client, rows[r].method, rows[r].path, rows[r].fields, NULL);
    client_say(&client);
}

/* All at once on one connection, for all ways of cutting the input and of taking the output. */
static void test_every_cut(void)
{
    static const size_t cuts[] = {SIZE_MAX, 1, 7, 1000};

    for (size_t in = 0; in < ARRAY_LEN(cuts); in++)
        for (size_t out = 0; out < ARRAY_LEN(cuts); out++) {
            if (cuts[out] < 100)
                continue;
            open_with_rows();
            start(cuts[in], cuts[out]);
            converse();
            for (size_t r = 0; r < 19; r++)
                check_answer(&rows[r], heard_on(&client, (int32_t)r * 2 + 1));
            CHECK_INT((int)in, "open", memory.is_closed, false);
            finish_up();
        }
}

/* Each on a connection of its own, whose client takes a byte at a time. */
static void test_each_byte(void)
{
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        client_open(&client);
        client_ask(&client, rows[r].method, rows[r].path, rows[r].fields, NULL);
        client_say(&client);
        start(1, strstr(rows[r].path, "/large") ? 100000 : 1);
        converse();
        check_answer(&rows[r], heard_on(&client, 1));
        finish_up();
    }
}

/* --- requests that are none ------------------------------------------------------------------ */

static const struct {
    const char *name, *fields;
    const char *status; /* NULL: the stream is reset */
} bad_rows[] = {
    {"Host that is another", "host: b.test\n", NULL},
    {"two hosts", "host: a.test\nhost: a.test\n", NULL},
    {"of the connection", "connection: close\n", NULL},
    {"an upgrade", "upgrade: h2c\n", NULL},
    {"a transfer coding", "transfer-encoding: chunked\n", NULL},
    {"te", "te: gzip\n", NULL},
    {"no length", "content-length: x\n", NULL},
    {"a length of nothing", "content-length: 3\n", NULL},
    {"a pseudo-header field behind others", "a: b\n:method: GET\n", NULL},
    {"an unknown pseudo-header field", ":protocol: x\n", NULL},
    {"range twice", "range: bytes=0-1\nrange: bytes=0-1\n", "400"},
};

static void test_bad_requests(void)
{
    for (size_t r = 0; r < ARRAY_LEN(bad_rows); r++) {
        const struct http2_heard *heard = heard_on(&client, 3);
        client_open(&client);
        client_get(&client, "/small");
        client_ask(&client, "GET", "/small", bad_rows[r].fields, NULL);
        client_say(&client);
        start(SIZE_MAX, SIZE_MAX);
        converse();
        if (bad_rows[r].status)
            CHECK_TRUE(strstr(heard->head.data, bad_rows[r].status) != NULL, "%s: %s",
                       bad_rows[r].name, heard->head.data);
        else
            CHECK_INT((int)r, bad_rows[r].name, heard->code, NGHTTP2_PROTOCOL_ERROR);
        CHECK_TRUE(list_empty(&the_loop.http2.in_head), "\"%s\": still in a head",
                   bad_rows[r].name);
        /* the other goes on */
        CHECK_TRUE(strcmp(heard_on(&client, 1)->body.data, "small bytes") == 0, "%s: the other",
                   bad_rows[r].name);
        finish_up();
    }
}

static char many[60000];

static const char *fields_of(size_t count, size_t len)
{
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        at += (size_t)snprintf(many + at, sizeof(many) - at, "x-%zu: ", i);
        memset(many + at, 'v', len);
        at += len;
        many[at++] = '\n';
    }
    many[at] = '\0';
    return many;
}

static void ask_with(const char *path, const char *fields)
{
    client_open(&client);
    client_ask(&client, "GET", path, fields, NULL);
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    converse();
}

static void test_large_heads(void)
{
    static char path[900] = "/";

    ask_with("/small", fields_of(20, 0)); /* 32 bytes on top of each */
    CHECK_TRUE(strstr(heard_on(&client, 1)->head.data, "200") != NULL, "within the limit");
    finish_up();
    ask_with("/small", fields_of(40, 0));
    CHECK_TRUE(strstr(heard_on(&client, 1)->head.data, "431") != NULL, "many fields: %s",
               heard_on(&client, 1)->head.data);
    finish_up();
    ask_with("/small", fields_of(1, 2000));
    CHECK_TRUE(strstr(heard_on(&client, 1)->head.data, "431") != NULL, "a long field");
    finish_up();
    memset(path + 1, 'p', 600);
    ask_with(path, "");
    CHECK_TRUE(strstr(heard_on(&client, 1)->head.data, "414") != NULL, "a long target");
    finish_up();
    ask_with("/small", fields_of(60, 200));
    CHECK_INT(__LINE__, "far too much", client.goaway_code, NGHTTP2_ENHANCE_YOUR_CALM);
    CHECK_TRUE(memory.is_ended, "and the connection ends");
    finish_up();
}

/* --- content of requests --------------------------------------------------------------------- */

static size_t content_left;

static ssize_t read_content(nghttp2_session *session, int32_t id, uint8_t *room, size_t most,
                            uint32_t *flags, nghttp2_data_source *source, void *user)
{
    size_t n = (size_t)smaller_of(content_left, most);

    (void)session;
    (void)id;
    (void)source;
    (void)user;
    memset(room, 'c', n);
    content_left -= n;
    if (content_left == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static const nghttp2_data_provider content = {.read_callback = read_content};

static void test_content(void)
{
    content_left = 5;
    client_open(&client);
    client_ask(&client, "POST", "/small", "", &content);
    client_get(&client, "/small");
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    converse();
    CHECK_TRUE(strstr(heard_on(&client, 1)->head.data, "405") != NULL, "a short one");
    CHECK_INT(__LINE__, "a short one", heard_on(&client, 1)->code, NGHTTP2_NO_ERROR);
    finish_up();
    content_left = 10000000; /* as much as it may send, which is not all */
    client_open(&client);
    client_ask(&client, "POST", "/small", "", &content);
    client_get(&client, "/small");
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    converse();
    CHECK_TRUE(strstr(heard_on(&client, 1)->head.data, "405") != NULL, "a long one");
    CHECK_INT(__LINE__, "the rest is not wanted", heard_on(&client, 1)->code, NGHTTP2_NO_ERROR);
    CHECK_TRUE(content_left > 9000000, "%zu were not sent", content_left);
    CHECK_TRUE(strcmp(heard_on(&client, 3)->body.data, "small bytes") == 0, "the next");
    finish_up();
}

/* --- ends ------------------------------------------------------------------------------------ */

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

static void time_passes(void)
{
    struct list *const all[] = {&the_loop.http2.idle, &the_loop.http2.lingering,
                                &the_loop.http2.busy};

    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        for (struct list *link = all[i]->next; link != all[i]; link = link->next) {
            struct http2_conn *c = container_of(link, struct http2_conn, link);
            c->deadline_ms = 0;
            c->progress.since_ms -= c->progress.since_ms > 0 ? 1000000 : 0;
            for (struct list *s = c->streams.next; s != &c->streams; s = s->next) {
                struct http2_stream *stream = container_of(s, struct http2_stream, link);
                stream->progress.since_ms -= stream->progress.since_ms > 0 ? 1000000 : 0;
            }
        }
    for (struct list *link = the_loop.http2.in_head.next; link != &the_loop.http2.in_head;
         link = link->next)
        container_of(link, struct http2_conn, head_link)->head_deadline_ms = 0;
    for (struct list *link = the_loop.http2.leaving.next; link != &the_loop.http2.leaving;
         link = link->next)
        container_of(link, struct http2_conn, leave_link)->leave_deadline_ms = 0;
    http2_check_timeouts(&the_loop);
}

static void time_passes_again_and_again(void)
{
    for (int looks = 0; looks < 10 && !memory.is_closed; looks++)
        time_passes();
}

static void room_is_wanted(void)
{
    CHECK_TRUE(conn_make_room(&the_loop), "no room");
}

static void node_stops(void)
{
    http2_leave_all(&the_loop);
    run();
    time_passes(); /* the client does not answer the ping */
    run();
}

static void node_stops_at_once(void)
{
    http2_close_all(&the_loop);
}

static void file_is_cut(void)
{
    shell_in(root, "truncate -s 10 site/large");
    memory.output_cap = SIZE_MAX;
    the_conn()->is_blocked = false;
    poller_call_again(&the_loop.poller, &the_conn()->watch);
    run();
    client_closes();
}

static void says_nonsense(void)
{
    say_more("\0\0\0\x8\0\0\0\0\0", 9); /* WINDOW_UPDATE without its four bytes */
}

static void says_half_a_head(void)
{
    say_more("\0\0\x1\x1\0\0\0\0\x9\x82", 10); /* HEADERS without END_HEADERS */
    run();
    time_passes();
}

static void says_goodbye(void)
{
    say_more("\0\0\x8\x7\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);
}

static const struct {
    const char *name;
    const char *path;
    void (*then)(void);
    enum end_reason reason;
    bool lingers;
} end_rows[] = {
    {"closed between requests", "/small", client_closes, END_CLIENT_CLOSED, false},
    {"reset between requests", "/small", client_resets, END_CLIENT_CLOSED, false},
    {"gone while it takes", "/large", client_resets, END_CLIENT_GONE, false},
    {"closed while it takes", "/large", client_closes, END_CLIENT_GONE, false},
    {"GOAWAY", "/small", says_goodbye, END_CLIENT_LAST, true},
    {"a frame of a wrong size", "/small", says_nonsense, END_PROTOCOL_ERROR, true},
    {"half a head for too long", "/small", says_half_a_head, END_SLOW_HEAD, true},
    {"idle", "/small", time_passes, END_IDLE, true},
    {"takes nothing more", "/large", time_passes_again_and_again, END_SLOW_CLIENT, false},
    {"room for others", "/small", room_is_wanted, END_MADE_ROOM, false},
    {"the node stops", "/small", node_stops, END_STOPPING, true},
    {"the node stops at once", "/large", node_stops_at_once, END_STOPPING, false},
};

static void check_ending(size_t r)
{
    uint64_t before[END_REASON_COUNT];

    memcpy(before, the_loop.ends, sizeof(before));
    client_open(&client);
    client_get(&client, end_rows[r].path);
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    if (strstr(end_rows[r].path, "/large"))
        memory.output_cap = 1000;
    run();
    end_rows[r].then();
    run();
    CHECK_INT((int)r, end_rows[r].name, memory.is_ended, end_rows[r].lingers);
    for (int i = 0; !memory.is_closed && i < 3; i++) {
        time_passes(); /* for the connection that lingers */
        run();
    }
    CHECK_TRUE(memory.is_closed, "\"%s\" is not closed", end_rows[r].name);
    for (int i = 0; i < END_REASON_COUNT; i++)
        CHECK_TRUE(the_loop.ends[i] - before[i] == (i == (int)end_rows[r].reason), "\"%s\": %s",
                   end_rows[r].name, i ? end_reason_name((enum end_reason)i) : "none");
    finish_up();
}

/* A reset would take the last bytes with it that are still under way. */
static void test_slow_farewell(void)
{
    client_open(&client);
    client_get(&client, "/small");
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    run();
    memory.unsent = 1000000;
    says_goodbye();
    run();
    time_passes();
    CHECK_INT(__LINE__, "has bytes to come", memory.is_closed, false);
    memory.unsent = 0;
    time_passes();
    CHECK_INT(__LINE__, "has time to notice", memory.is_closed, false);
    time_passes();
    run();
    CHECK_INT(__LINE__, "closed", memory.is_closed, true);
    finish_up();
}

/* A stream of a file that changes is reset, and the connection stays. */
static void test_cut_file(void)
{
    client_open(&client);
    client_get(&client, "/large");
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    memory.output_cap = 100000;
    run();
    file_is_cut();
    run();
    CHECK_TRUE(client_hear(&client, memory.output, memory.output_len), "a fault");
    CHECK_INT(__LINE__, "reset", heard_on(&client, 1)->code, NGHTTP2_INTERNAL_ERROR);
    finish_up();
    shell_in(root, files);
}

/* How many GOAWAY frames were sent. *last: the id in the last one. The client's library reads none
 * behind the first when it has no request under way. */
static int goaways(int32_t *last)
{
    const unsigned char *at = (const unsigned char *)memory.output, *end = at + memory.output_len;
    int count = 0;

    while (at + 9 <= end) {
        if (at[3] == NGHTTP2_GOAWAY) {
            *last = (at[9] & 0x7f) << 24 | at[10] << 16 | at[11] << 8 | at[12];
            count++;
        }
        at += 9 + (at[0] << 16 | at[1] << 8 | at[2]);
    }
    return count;
}

/* A request that the client sent before it learnt that we leave is answered (RFC 9113 6.8). */
static void test_leaving(void)
{
    int32_t last = 0;

    client_open(&client);
    client_get(&client, "/small");
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    run();
    http2_leave_all(&the_loop);
    run();
    client_get(&client, "/kept"); /* it has not read the notice */
    buf_clear(&client.says);
    client_say(&client);
    say_more(client.says.data, client.says.len);
    converse();
    CHECK_TRUE(strstr(heard_on(&client, 3)->head.data, "200") != NULL, "answered");
    CHECK_INT(__LINE__, "two notices", goaways(&last), 2);
    CHECK_INT(__LINE__, "the last", last, 3);
    CHECK_TRUE(memory.is_ended, "ended");
    finish_up();
}

/* After limits.keepAliveRequests it is asked to come again. */
static void test_request_limit(void)
{
    int32_t last = 0;

    client_open(&client);
    for (int i = 0; i < 20; i++)
        client_get(&client, "/small");
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    converse();
    CHECK_INT(__LINE__, "all answered", client.ended, 20);
    CHECK_INT(__LINE__, "two notices", goaways(&last), 2);
    CHECK_INT(__LINE__, "the last", last, 39);
    CHECK_INT(__LINE__, "the reason", the_loop.ends[END_REQUEST_LIMIT], 0);
    CHECK_TRUE(memory.is_ended, "ended");
    time_passes();
    CHECK_INT(__LINE__, "the reason", the_loop.ends[END_REQUEST_LIMIT], 1);
    finish_up();
}

/* --- order ----------------------------------------------------------------------------------- */

/* What is urgent goes first (RFC 9218), whatever was asked for first. */
static void test_priorities(void)
{
    client_open(&client);
    client_ask(&client, "GET", "/large", "priority: u=5\n", NULL);
    client_ask(&client, "GET", "/large", "", NULL);
    client_ask(&client, "GET", "/large", "priority: u=1\n", NULL);
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    converse();
    CHECK_INT(__LINE__, "first", client.order[0], 5);
    CHECK_INT(__LINE__, "second", client.order[1], 3);
    CHECK_INT(__LINE__, "third", client.order[2], 1);
    finish_up();
}

/* The library has its own copy of a 103 while the response's head takes its place. */
static void test_hints(void)
{
    static const char with_links[] =
        "{ \"statCache\": { \"engine\": \"off\" },\n"
        "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\",\n"
        "    \"preload\": [{ \"links\": [\"</a.css>; rel=preload; as=style\", "
        "\"</a.js>; rel=modulepreload\"] }] }] }";
    static const char hint[] = ":status: 103\nlink: </a.css>; rel=preload; as=style\n"
                               "link: </a.js>; rel=modulepreload\n:status: 404\n";

    put_in_force(with_links, "off");
    the_loop.files.glance_again_ms = UINT64_MAX;
    client_open(&client);
    for (int i = 0; i < 3; i++)
        client_ask(&client, "GET", "/gone.html", "sec-fetch-mode: navigate\n", NULL);
    client_say(&client);
    start(SIZE_MAX, SIZE_MAX);
    converse();
    for (int32_t id = 1; id < 7; id += 2) {
        const struct http2_heard *heard = heard_on(&client, id);
        CHECK_TRUE(strncmp(heard->head.data, hint, sizeof(hint) - 1) == 0, "%s", heard->head.data);
        CHECK_INT((int)id, "its end", heard->is_closed && heard->code == NGHTTP2_NO_ERROR, true);
    }
    finish_up();
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
    test_every_cut();
    test_each_byte();
    test_bad_requests();
    test_large_heads();
    test_content();
    for (size_t r = 0; r < ARRAY_LEN(end_rows); r++)
        check_ending(r);
    test_slow_farewell();
    test_cut_file();
    test_leaving();
    test_request_limit();
    test_priorities();
    test_hints();
    uv_close((uv_handle_t *)&pulse, NULL);
    conn_trim_spares(&the_loop, 0);
    http2_trim_spares(&the_loop, 0);
    return end("http2_conn");
}
