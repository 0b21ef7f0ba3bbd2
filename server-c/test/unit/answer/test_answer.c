/* SPDX-License-Identifier: MIT */
/* What an answer comes to when a disk, a lane or memory has not what it takes: files that change while they
 * are looked at, copies and pages that are gone, listings beyond their bounds. */
#include "answer/answer.h"
#include "response/mime.h"
#include "response/response.h"

/* As the cache says; or, so many times, what it is told to say. */
static struct {
    enum file_source answer;
    int times, calls;
} source;
static const char
    *removed_before_its_look_up; /* in the test's folder, when a path that ends so is looked for */
static int look_ups, allocations_left = -1; /* -1: as many as are wanted */

static enum file_source spied_source(struct file_cache *cache, struct file_entry *entry,
                                     bool asked_disk, struct file_waiter *waiter);
static enum file_answer spied_find(struct file_cache *cache, struct place_owner *owner,
                                   const struct file_place *place, const struct file_key *key,
                                   struct file_waiter *waiter, struct file_entry **entry);
static void *spied_malloc(size_t size);

#define file_cache_source spied_source
#define file_cache_find spied_find
#define malloc spied_malloc
#include "answer/answer_file.c"
#include "answer/answer_head.c"
#include "answer/answer_listing.c"
#include "answer/answer_multipart.c"
#include "answer/answer_page.c"
#undef malloc
#undef file_cache_source
#undef file_cache_find

#include "fake_carrier.h"

static void *spied_malloc(size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return malloc(size);
}

static enum file_source spied_source(struct file_cache *cache, struct file_entry *entry,
                                     bool asked_disk, struct file_waiter *waiter)
{
    if (source.calls++ < source.times)
        return source.answer;
    return file_cache_source(cache, entry, asked_disk, waiter);
}

static enum file_answer spied_find(struct file_cache *cache, struct place_owner *owner,
                                   const struct file_place *place, const struct file_key *key,
                                   struct file_waiter *waiter, struct file_entry **entry)
{
    const char *name = removed_before_its_look_up;
    char script[200];

    look_ups++;
    if (name && key->path.len > strlen(name) &&
        memcmp(key->path.ptr + key->path.len - strlen(name), name, strlen(name)) == 0) {
        snprintf(script, sizeof(script), "rm -f site/%s", name);
        shell_in(root, script);
    }
    return file_cache_find(cache, owner, place, key, waiter, entry);
}

static const char config[] =
    "{ \"statCache\": { \"engine\": \"ENGINE\", \"ttlMillis\": 60000 },\n"
    "  \"sites\": [{\n"
    "    \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\", \"precompressed\": [\"gzip\"],\n"
    "    \"directoryListing\": { \"enabled\": true },\n"
    "    \"errorPages\": { \"404\": \"/404.html\", \"4xx\": \"/4xx.html\", \"5xx\": "
    "\"/5xx.html\",\n"
    "      \"405\": \"/none.html\", \"501\": \"/list/\" } }] }";

#define GET(path, more) "GET " path " HTTP/1.1\nHost: a.test\n" more "\n"
#define GZIP "Accept-Encoding: gzip\n"
#define TWO_RANGES "Range: bytes=0-0,1000-1000\n"

/* Everything as it was, and each look-up is a lane's. */
static void start_anew(void)
{
    shell_in(
        root,
        "mkdir -p site/list; cd site; printf bytes > file; seq 1 1000 > long; printf coded > page; "
        "printf GZIP > page.gz; printf none > 404.html; printf some > 4xx.html; "
        "printf ours > 5xx.html; printf x > list/one; touch -d @1700000000 * */*");
    put_in_force(config, "off");
    the_loop.files.glance_again_ms = UINT64_MAX;
    memset(&source, 0, sizeof(source));
    removed_before_its_look_up = NULL;
    look_ups = 0;
}

static uint64_t counted(enum counter counter)
{
    return the_loop.live->series->data.counters[counter];
}

static void check_answer(int line, struct fake_carrier *fake, int status, const char *body)
{
    char start[32];

    fake_run_to_the_end(fake);
    snprintf(start, sizeof(start), "FAKE %d\r\n", status);
    CHECK_TRUE(strncmp(fake->head, start, strlen(start)) == 0, "row %d: %s", line, fake->head);
    if (body)
        CHECK_STR(line, "body", fake->body, body);
    CHECK_INT(line, "each wait has its answer", fake->resumes, fake->waits);
}

/* --- files that are not what they were ------------------------------------------------------- */

static void test_changing_files(void)
{
    static const struct {
        const char *name, *request;
        enum file_source answer;
        int times, status, look_ups;
        const char *body;
        bool is_rejected;
    } rows[] = {
        {"changed once", GET("/file", ""), FILE_SOURCE_CHANGED, 1, 200, 2, "bytes", false},
        {"changed twice", GET("/file", ""), FILE_SOURCE_CHANGED, 2, 200, 3, "bytes", false},
        {"changes all the while: the site's page", GET("/file", ""), FILE_SOURCE_CHANGED, 3, 503, 4,
         "ours", false},
        {"… and that page, too: our own", GET("/file", ""), FILE_SOURCE_CHANGED, 4, 503, 4, NULL,
         false},
        {"its copy changed: from the start", GET("/page", GZIP), FILE_SOURCE_CHANGED, 1, 200, 4,
         "GZIP", false},
        {"a full lane", GET("/file", ""), FILE_SOURCE_BUSY, 1, 503, 2, "ours", true},
        {"a full lane for a copy", GET("/page", GZIP), FILE_SOURCE_BUSY, 1, 503, 3, "ours", true},
        {"a full lane for the page, too", GET("/file", ""), FILE_SOURCE_BUSY, 2, 503, 2, NULL,
         true},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct fake_carrier *fake = fake_new();
        uint64_t rejected;
        start_anew();
        rejected = counted(COUNTER_LANE_REJECTED);
        source.answer = rows[r].answer;
        source.times = rows[r].times;
        fake_begin(fake, rows[r].request);
        check_answer((int)r, fake, rows[r].status, rows[r].body);
        CHECK_INT((int)r, rows[r].name, look_ups, rows[r].look_ups);
        CHECK_INT((int)r, rows[r].name, counted(COUNTER_LANE_REJECTED) > rejected,
                  rows[r].is_rejected);
        if (!rows[r].body)
            CHECK_TRUE(strstr(fake->body, "<html") != NULL, "row %zu: %s", r, fake->body);
        fake_free(fake);
    }
}

/* The read of a first body failed: 503 for a file that changes, 500 for a disk that is broken. */
static void test_a_read_that_fails(void)
{
    static const struct {
        const char *name, *script;
        int times, status;
        const char *body;
    } rows[] = {
        {"once", ":", 1, 200, "bytes"},
        {"each time: the disk is broken", ":", 3, 500, "ours"},
        {"each time: somebody writes", "printf more >> site/file", 3, 503, "ours"},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct fake_carrier *fake = fake_new();
        start_anew();
        source.answer = FILE_SOURCE_WAIT;
        source.times = rows[r].times;
        fake_begin(fake, GET("/file", ""));
        for (int failed = 0; failed < rows[r].times; failed++) {
            for (int turns = 0; !fake->ex.entry && turns < 1000; turns++)
                uv_run(&the_loop.uv, UV_RUN_ONCE);
            CHECK_TRUE(fake->ex.entry != NULL, "\"%s\" does not read", rows[r].name);
            if (fake->ex.entry) {
                shell_in(root, failed + 1 == rows[r].times ? rows[r].script : ":");
                on_source_ready(&fake->ex.waiter, NULL);
            }
        }
        check_answer((int)r, fake, rows[r].status, rows[r].body);
        fake_free(fake);
    }
}

/* --- copies and pages that are gone ---------------------------------------------------------- */

static void test_what_is_gone(void)
{
    static const struct {
        const char *request, *removed, *head, *body;
        int status;
    } rows[] = {
        {GET("/page", GZIP), NULL, "Content-Encoding: gzip\r\n", "GZIP", 200},
        {GET("/page", GZIP), "page.gz", "Content-Length: 5\r\n", "coded", 200},
        {GET("/page", GZIP), "page", NULL, "none", 404},
        {GET("/no", ""), NULL, NULL, "none", 404},
        {GET("/no", ""), "404.html", "text/html", NULL, 404},
        {"DELETE /file HTTP/1.1\nHost: a.test\n\n", NULL, "Allow: ", NULL, 405}, /* never there */
        {"BREW /file HTTP/1.1\nHost: a.test\n\n", NULL, NULL, NULL, 501},        /* a folder */
        {GET("/%00", ""), NULL, NULL, "some", 400},                              /* by its class */
        {"HEAD /no HTTP/1.1\nHost: a.test\n\n", NULL, "Content-Length: 4\r\n", "", 404},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct fake_carrier *fake = fake_new();
        start_anew();
        removed_before_its_look_up = rows[r].removed;
        fake_begin(fake, rows[r].request);
        check_answer((int)r, fake, rows[r].status, rows[r].body);
        if (rows[r].head)
            CHECK_TRUE(strstr(fake->head, rows[r].head) != NULL, "row %zu: %s", r, fake->head);
        if (!rows[r].body)
            CHECK_TRUE(strstr(fake->body, "<html") != NULL, "row %zu: %s", r, fake->body);
        CHECK_INT((int)r, "as it is", strstr(fake->head, "Content-Encoding") != NULL,
                  rows[r].body && strcmp(rows[r].body, "GZIP") == 0);
        fake_free(fake);
    }
}

/* --- listings -------------------------------------------------------------------------------- */

static void test_listings(void)
{
    static const struct {
        const char *name, *request;
        uint32_t made;
        size_t bytes;
        int status;
    } rows[] = {
        {"none is made", GET("/list/", ""), 0, 0, 200},
        {"one less than may be", GET("/list/", ""), LISTINGS_MAX - 1, 0, 200},
        {"as many as may be", GET("/list/", ""), LISTINGS_MAX, 0, 503},
        {"room for its bytes", GET("/list/", ""), 0, LISTING_BYTES_MAX / 2, 200},
        {"no room for them", GET("/list/", ""), 0, LISTING_BYTES_MAX - 1, 503},
        {"who takes none needs none", "HEAD /list/ HTTP/1.1\nHost: a.test\n\n", 0,
         LISTING_BYTES_MAX - 1, 200},
        {"not made anew for who has one", GET("/list/", "If-None-Match: *\n"), 0,
         LISTING_BYTES_MAX - 1, 304},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct fake_carrier *fake = fake_new();
        start_anew();
        shared.listings = rows[r].made;
        shared.listing_bytes = rows[r].bytes;
        fake_begin(fake, rows[r].request);
        check_answer((int)r, fake, rows[r].status, rows[r].status == 503 ? "ours" : NULL);
        CHECK_INT((int)r, rows[r].name, shared.listings, rows[r].made);
        CHECK_INT((int)r, rows[r].name, shared.listing_bytes, rows[r].bytes);
        fake_free(fake);
    }
    shared.listings = 0;
    shared.listing_bytes = 0;
}

/* Of a listing that was made, but can't be sent, nothing stays. */
static void test_a_listing_without_memory(void)
{
    struct fake_carrier *fake = fake_new();

    start_anew();
    allocations_left = 0;
    fake_begin(fake, GET("/list/", ""));
    check_answer(__LINE__, fake, 503, "ours");
    allocations_left = -1;
    CHECK_INT(__LINE__, "given back", shared.listing_bytes, 0);
    fake_free(fake);
}

/* What one alone needs is never refused, or a large folder never had a listing. */
static void test_reserving(void)
{
    static const struct {
        size_t before, len;
        bool is_reserved;
    } rows[] = {
        {0, LISTING_BYTES_MAX + 1, true},   {1, LISTING_BYTES_MAX, false},
        {1, LISTING_BYTES_MAX - 1, true},   {LISTING_BYTES_MAX, 1, false},
        {LISTING_BYTES_MAX - 10, 10, true},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct exchange ex = {.loop = &the_loop};
        shared.listing_bytes = rows[r].before;
        CHECK_INT((int)r, "reserved", reserve_bytes(&ex, rows[r].len), rows[r].is_reserved);
        CHECK_INT((int)r, "counted", shared.listing_bytes,
                  rows[r].before + (rows[r].is_reserved ? rows[r].len : 0));
        answer_end_listing(&ex);
        CHECK_INT((int)r, "given back", shared.listing_bytes, rows[r].before);
    }
    shared.listing_bytes = 0;
}

/* --- no memory ------------------------------------------------------------------------------- */

/* The carrier is told at each place where memory may lack, and nothing is sent twice or kept. */
static void test_no_memory(void)
{
    static const struct {
        const char *name, *request;
        int allocations; /* that there is memory for */
        bool fails;
    } rows[] = {
        {"the ranges", GET("/long", TWO_RANGES), 0, true},
        {"the first one's text", GET("/long", TWO_RANGES), 1, true},
        {"a page of our own", "BREW /file HTTP/1.1\nHost: b.test\n\n", 0, true},
        {"a kept head: it is made each time", GET("/file", ""), 0, false},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct fake_carrier *fake = fake_new();
        uint64_t aborted;
        start_anew();
        aborted = counted(COUNTER_ABORTED);
        allocations_left = rows[r].allocations;
        fake_begin(fake, rows[r].request);
        fake_run_to_the_end(fake);
        allocations_left = -1;
        CHECK_INT((int)r, rows[r].name, fake->fails, rows[r].fails);
        CHECK_INT((int)r, rows[r].name, fake->head_len == 0, rows[r].fails);
        CHECK_INT((int)r, rows[r].name, counted(COUNTER_ABORTED) - aborted, rows[r].fails);
        fake_free(fake);
    }
}

int main(void)
{
    begin(config, "ttl");
    test_changing_files();
    test_a_read_that_fails();
    test_what_is_gone();
    test_listings();
    test_a_listing_without_memory();
    test_reserving();
    test_no_memory();
    return end("answer");
}
