/* SPDX-License-Identifier: MIT */
/* Exchanges without a connection: the head and bytes that each request gets, what is waited for,
 * what happens when it is given up, and that everything is given back. */
#include "fake_carrier.h"

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"sites\": [{\n"
    "    \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\", \"precompressed\": [\"gzip\"],\n"
    "    \"directoryListing\": { \"enabled\": true, \"maxEntries\": 50 },\n"
    "    \"redirects\": [{ \"match\": \"^/old/(.*)$\", \"to\": \"/new/$1\", \"status\": 308 }],\n"
    "    \"rewrites\": [{ \"match\": \"^/alias$\", \"to\": \"/small.txt\" }],\n"
    "    \"auth\": [{ \"paths\": [\"/club/**\"], \"realm\": \"Club\", \"file\": \"ROOT/users\" "
    "}],\n"
    "    \"access\": [{ \"action\": \"deny\", \"paths\": [\"*.inc\"] }],\n"
    "    \"errorPages\": { \"404\": \"/404.html\", \"405\": \"/none.html\" } }] }";

static const char files[] =
    "mkdir -p site/docs site/list site/club; cd site; printf 'small bytes' > small.txt; "
    "printf 'coded' > page.html; printf 'GZIP' > page.html.gz; printf 'an index' > "
    "docs/index.html; "
    "printf x > list/one; printf 'not here' > 404.html; printf secret > a.inc; : > empty; "
    "seq 1 40000 > large; printf members > club/page; touch -d @1700000000 * */*; "
    "printf 'anna:%s\\n' \"$(openssl passwd -6 -salt abcdefgh open)\" > ../users";

#define GET(path, more) "GET " path " HTTP/1.1\nHost: a.test\n" more "\n"
#define BASIC "Authorization: Basic YW5uYTpvcGVu\n" /* anna:open */

/* Empties the cache, so that each look-up needs a lane. */
static void put_in_force_anew(const char *text)
{
    put_in_force(text, "off");
    the_loop.files.glance_again_ms = UINT64_MAX;
}

static void start_anew(void)
{
    put_in_force_anew(config);
}

struct row {
    const char *request;
    int status;
    const char *head; /* must be in the head; NULL: anything */
    const char *body; /* NULL: anything but an empty body */
};

static const struct row rows[] = {
    {GET("/small.txt", ""), 200, "Content-Length: 11\r\n", "small bytes"},
    {GET("/alias", ""), 200, "Content-Type: text/plain", "small bytes"},
    {GET("/empty", ""), 200, "Content-Length: 0\r\n", ""},
    {"HEAD /small.txt HTTP/1.1\nHost: a.test\n\n", 200, "Content-Length: 11\r\n", ""},
    {GET("/small.txt", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT\n"), 304, NULL, ""},
    {GET("/small.txt", "If-Unmodified-Since: Mon, 13 Nov 2023 22:13:20 GMT\n"), 412, NULL, NULL},
    {GET("/small.txt", "Range: bytes=6-\n"), 206, "Content-Range: bytes 6-10/11\r\n", "bytes"},
    {GET("/small.txt", "Range: bytes=99-\n"), 416, "Content-Range: bytes */11\r\n", NULL},
    {GET("/large", "Range: bytes=0-0,1000-1000\n"), 206, "multipart/byteranges", NULL},
    {GET("/large", ""), 200, "Content-Length: 228894\r\n", NULL},
    {GET("/large", "Range: bytes=0-1\n"), 206, NULL, "1\n"},
    {GET("/page.html", ""), 200, "Vary: Accept-Encoding\r\n", "coded"},
    {GET("/page.html", "Accept-Encoding: gzip\n"), 200, "Content-Encoding: gzip\r\n", "GZIP"},
    {GET("/docs/", ""), 200, "text/html", "an index"},
    {GET("/docs", ""), 301, "Location: /docs/\r\n", NULL},
    {GET("/list/", ""), 200, "text/html", NULL},
    {GET("/list/", "Accept: application/json\n"), 200, "application/json", NULL},
    {GET("/old/a?b", ""), 308, "Location: /new/a?b\r\n", NULL},
    {GET("/missing", ""), 404, "text/html", "not here"},
    {GET("/a.inc", ""), 403, NULL, NULL},
    {GET("/club/page", ""), 401, "WWW-Authenticate: Basic realm=\"Club\"", NULL},
    {GET("/club/page", "Authorization: Basic YW5uYTpzaHV0\n"), 401, NULL, NULL},
    {GET("/club/page", BASIC), 200, NULL, "members"},
    {GET("/%00", ""), 400, NULL, NULL},
    {"OPTIONS * HTTP/1.1\nHost: a.test\n\n", 204, "Allow: ", ""},
    {"DELETE /small.txt HTTP/1.1\nHost: a.test\n\n", 405, "Allow: ", NULL},
    {"BREW /small.txt HTTP/1.1\nHost: a.test\n\n", 501, NULL, NULL},
    {"GET / HTTP/1.1\nHost: other.test\n\n", 421, NULL, NULL},
    {"GET / HTTP/1.1\n\n", 400, NULL, NULL},
};

static void check_row(int i, const struct row *row, struct fake_carrier *fake)
{
    char start[32];

    snprintf(start, sizeof(start), "FAKE %d\r\n", row->status);
    fake_begin(fake, row->request);
    fake_run_to_the_end(fake);
    CHECK_TRUE(strncmp(fake->head, start, strlen(start)) == 0, "row %d: %s", i, fake->head);
    CHECK_TRUE(strstr(fake->head, "\r\n\r\n") == fake->head + fake->head_len - 4,
               "row %d: not one whole head: %s", i, fake->head);
    if (row->head)
        CHECK_TRUE(strstr(fake->head, row->head) != NULL, "row %d: %s", i, fake->head);
    if (row->body)
        CHECK_STR(i, "body", fake->body, row->body);
    else if (row->status < 300 || row->status >= 400)
        CHECK_TRUE(fake->body_len > 0, "row %d: no body", i);
    CHECK_INT(i, "no failure", fake->fails, 0);
    CHECK_INT(i, "each wait has its answer", fake->resumes, fake->waits);
    CHECK_INT(i, "nothing is held", exchange_is_open(&fake->ex), false);
}

/* With carriers that take everything or little, and each request twice: cached answers must not
 * wait. */
static void test_answers(void)
{
    static const struct body_want wants[] = {
        {UINT64_MAX, false}, {UINT64_MAX, true}, {16384, true}, {1, false}};

    for (size_t w = 0; w < ARRAY_LEN(wants); w++) {
        struct fake_carrier *fake = fake_new();
        fake->want = wants[w];
        for (size_t i = 0; i < ARRAY_LEN(rows); i++)
            if (wants[w].most > 1 || !strstr(rows[i].request, "/large "))
                check_row((int)i, &rows[i], fake);
        fake_free(fake);
    }
}

static uint64_t counted(enum counter counter)
{
    return the_loop.live->series->data.counters[counter];
}

static void test_records(void)
{
    struct fake_carrier *fake = fake_new();
    uint64_t requests = counted(COUNTER_REQUESTS), found = counted(COUNTER_RESPONSES_2XX),
             missing = counted(COUNTER_RESPONSES_404), bytes = counted(COUNTER_BYTES_SENT);

    fake_begin(fake, GET("/small.txt", ""));
    fake_run_to_the_end(fake);
    bytes += fake->head_len + 11;
    fake_begin(fake, GET("/missing", ""));
    fake_run_to_the_end(fake);
    bytes += fake->head_len + fake->body_len;
    CHECK_INT(__LINE__, "requests", counted(COUNTER_REQUESTS), requests + 2);
    CHECK_INT(__LINE__, "2xx", counted(COUNTER_RESPONSES_2XX), found + 1);
    CHECK_INT(__LINE__, "404", counted(COUNTER_RESPONSES_404), missing + 1);
    CHECK_INT(__LINE__, "bytes", counted(COUNTER_BYTES_SENT), bytes);
    fake_free(fake);
}

/* What was made a moment ago is not kept, as it may be written to still: asks until it is. */
static void settle(struct fake_carrier *fake, const char *request)
{
    uint64_t until_ns = monotonic_ns() + 10 * NS_PER_SECOND;

    do {
        fake_begin(fake, request);
        fake_run_to_the_end(fake);
    } while (fake->waits > 0 && monotonic_ns() < until_ns);
}

/* The kept head of a whole file in memory is for HTTP/1.1 carriers alone; others must never get
 * it. */
static void test_ready_heads(void)
{
    struct fake_carrier *plain = fake_new(), *other = fake_new();
    char usual[8192];

    put_in_force(config, "ttl");
    plain->takes_ready_head = true;
    settle(plain, GET("/small.txt", ""));
    fake_begin(plain, GET("/small.txt", ""));
    fake_run_to_the_end(plain);
    memcpy(usual, plain->head, sizeof(usual));
    CHECK_STR(__LINE__, "kept behind the head", plain->body, "small bytes");
    fake_begin(other, GET("/small.txt", ""));
    fake_run_to_the_end(other);
    CHECK_TRUE(strncmp(other->head, "FAKE 200\r\n", 10) == 0, "%s", other->head);
    CHECK_TRUE(strstr(usual, "Content-Length: 11\r\n") != NULL, "%s", usual);
    fake_free(plain);
    fake_free(other);
}

static void run_until_waits(struct fake_carrier *fake, int waits)
{
    while (!fake->is_over && fake->waits < waits)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
}

static void run_lanes_dry(void)
{
    while (the_loop.port.outstanding > 0)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
}

/* The carrier's client goes away, or its patience ends, at the exchange's wait number `at`. False: there
 * are not so many. */
static bool give_up_at(const char *request, int at)
{
    struct fake_carrier *gone = fake_new(), *late = fake_new();
    bool has_waited;

    start_anew();
    fake_begin(gone, request);
    run_until_waits(gone, at);
    has_waited = !gone->is_over;
    if (has_waited) {
        exchange_record_abort(&gone->ex, 0, END_CLIENT_GONE);
        exchange_end(&gone->ex);
        run_lanes_dry();
        CHECK_INT(at, request, gone->waits, at);
        CHECK_INT(at, "nobody is called for that wait", gone->resumes, at - 1);
        CHECK_INT(at, "nothing is sent", gone->head_len, 0);
        fake_begin(late, request);
        run_until_waits(late, at);
        exchange_stop_waiting(&late->ex);
        exchange_answer_status(&late->ex, HTTP_UNAVAILABLE);
        fake_run_to_the_end(late);
        run_lanes_dry();
        /* A page of the site's that can't be had does not hide what it was for. */
        CHECK_TRUE(strncmp(late->head,
                           late->ex.search == SEARCH_PAGE ? "FAKE 404\r\n" : "FAKE 503\r\n",
                           10) == 0,
                   "%s", late->head);
        CHECK_INT(at, "no listing is counted", shared.listings, 0);
        CHECK_INT(at, "and none held", shared.listing_bytes, 0);
    }
    fake_free(gone);
    fake_free(late);
    return has_waited;
}

static void test_giving_up(void)
{
    static const struct {
        const char *request;
        int waits; /* that there are at least */
    } given_up[] = {{GET("/small.txt", ""), 1},
                    {GET("/list/", ""), 2},
                    {GET("/club/page", BASIC), 1},
                    {GET("/missing", ""), 2},
                    {GET("/page.html", "Accept-Encoding: gzip\n"), 2}};

    for (size_t i = 0; i < ARRAY_LEN(given_up); i++) {
        int at = 1;
        while (give_up_at(given_up[i].request, at))
            at++;
        CHECK_TRUE(at - 1 >= given_up[i].waits, "\"%s\" waited %d times", given_up[i].request,
                   at - 1);
    }
}

/* The carrier may move the bytes of the head while a lane works. */
static void test_a_head_that_moves(void)
{
    struct fake_carrier *fake = fake_new();
    char moved[sizeof(fake->request)];

    start_anew();
    fake_begin(fake, GET("/docs", ""));
    CHECK_TRUE(fake->waits > 0, "no wait");
    memcpy(moved, fake->request, sizeof(moved));
    memset(fake->request, 'x', sizeof(fake->request) - 1);
    fake->ex.head = moved;
    fake_run_to_the_end(fake);
    CHECK_TRUE(strstr(fake->head, "Location: /docs/\r\n") != NULL, "%s", fake->head);
    fake_free(fake);
}

/* --- a 103 ------------------------------------------------------------------------------------ */

static const char open_config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"fileCache\": { \"maxBytes\": 1048576, \"maxFileBytes\": 8192 },\n"
    "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\", \"precompressed\": "
    "[\"gzip\"],\n"
    "    \"redirects\": [{ \"match\": \"^/old/(.*)$\", \"to\": \"/new/$1\" }],\n"
    "    \"headers\": [{ \"action\": \"remove\", \"name\": \"Link\", \"paths\": "
    "[\"/list/**\"] }],\n"
    "    \"preload\": [{ \"links\": [\"</a.css>; rel=preload; as=style\"] }],\n"
    "    \"errorPages\": { \"404\": \"/404.html\" } }] }";

static const char guarded_config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\", \"precompressed\": "
    "[\"gzip\"],\n"
    "    \"access\": [{ \"action\": \"deny\", \"paths\": [\"/docs/index.html\"] }],\n"
    "    \"preload\": [{ \"links\": [\"</a.css>; rel=preload; as=style\"] }] }] }";

#define LINK "Link: </a.css>; rel=preload; as=style\r\n"
#define NAVIGATES "Sec-Fetch-Mode: navigate\n"

static const struct {
    const char *request;
    bool has_hint;
} hint_rows[] = {
    {GET("/page.html", NAVIGATES), true},
    {GET("/page.html", NAVIGATES "Accept-Encoding: gzip\n"), true},
    {GET("/docs/", NAVIGATES), true},
    {GET("/missing", NAVIGATES), true}, /* nobody knows yet */
    {GET("/page.html", ""), false},
    {GET("/page.html", "Sec-Fetch-Mode: cors\n"), false},
    {GET("/page.html", NAVIGATES NAVIGATES), false},
    {GET("/page.html", NAVIGATES "Via: 1.1 proxy\n"), false},
    {GET("/page.html", NAVIGATES "X-Forwarded-For: 192.0.2.7\n"), false},
    {GET("/page.html", NAVIGATES "X-Forwarded-Proto: https\n"), false},
    {GET("/page.html", NAVIGATES "Forwarded: for=192.0.2.7\n"), false},
    {GET("/small.txt", NAVIGATES), false},
    {GET("/list/", NAVIGATES), false},
    {GET("/old/a", NAVIGATES), false},
    {"HEAD /page.html HTTP/1.1\nHost: a.test\n" NAVIGATES "\n", false},
    {"GET /page.html HTTP/1.0\nHost: a.test\n" NAVIGATES "\n", false},
};

static void test_hints(void)
{
    struct fake_carrier *fake = fake_new();
    uint64_t hints;

    put_in_force_anew(open_config);
    hints = counted(COUNTER_EARLY_HINTS);
    for (size_t i = 0; i < ARRAY_LEN(hint_rows); i++) {
        fake_begin(fake, hint_rows[i].request);
        fake_run_to_the_end(fake);
        CHECK_STR((int)i, hint_rows[i].request, fake->hint, hint_rows[i].has_hint ? LINK : "");
        hints += hint_rows[i].has_hint;
    }
    CHECK_INT(__LINE__, "counted", counted(COUNTER_EARLY_HINTS), hints);
    put_in_force(open_config, "ttl");
    settle(fake, GET("/page.html", NAVIGATES));
    fake_begin(fake, GET("/page.html", NAVIGATES));
    CHECK_TRUE(fake->is_over, "an answer from memory");
    CHECK_STR(__LINE__, "no 103 before what is there", fake->hint, "");
    CHECK_TRUE(strstr(fake->head, LINK) != NULL, "%s", fake->head);
    fake_free(fake);
}

/* The rules hold for the file that is found, too: until it is, nobody knows who may have it. */
static void test_hints_of_the_guarded(void)
{
    struct fake_carrier *fake = fake_new();

    put_in_force_anew(guarded_config);
    fake_begin(fake, GET("/page.html", NAVIGATES "Accept-Encoding: gzip\n"));
    CHECK_INT(__LINE__, "looks", fake->waits, 1);
    CHECK_STR(__LINE__, "not found yet", fake->hint, "");
    run_until_waits(fake, 2);
    CHECK_STR(__LINE__, "found, and its copy looked for", fake->hint, LINK);
    fake_run_to_the_end(fake);
    fake_begin(fake, GET("/docs/", NAVIGATES));
    fake_run_to_the_end(fake);
    CHECK_STR(__LINE__, "refused", fake->hint, "");
    CHECK_TRUE(strncmp(fake->head, "FAKE 403\r\n", 10) == 0, "%s", fake->head);
    fake_free(fake);
}

int main(void)
{
    begin(config, "ttl");
    shell_in(root, files);
    test_answers();
    start_anew();
    test_answers();
    test_records();
    test_ready_heads();
    test_giving_up();
    test_a_head_that_moves();
    test_hints();
    test_hints_of_the_guarded();
    return end("exchange");
}
