/* SPDX-License-Identifier: MIT */
/* What is kept of an exchange: which counters, whether a line of the log, and what a sample says. */
#include "answer/exchange.h"

static bool ring_is_full;
static int lines;
static struct access_record last_line;
static bool spied_write(struct access_log *log, uint32_t loop, const struct access_form *form,
                        const struct access_record *record);
#define access_log_write spied_write
#include "answer/exchange_record.c"
#undef access_log_write

#include "fake_carrier.h"

static bool spied_write(struct access_log *log, uint32_t loop, const struct access_form *form,
                        const struct access_record *record)
{
    (void)log;
    (void)loop;
    (void)form;
    lines++;
    last_line = *record;
    return !ring_is_full;
}

static const char logged[] = "{ \"accessLog\": { \"path\": \"ROOT/access.log\" },\n"
                             "  \"samples\": { \"everyRequests\": 1, \"keep\": 16 },\n"
                             "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }";
static const char unlogged[] = "{ \"samples\": { \"everyRequests\": 0 },\n"
                               "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"ROOT\" }] }";

#define C(counter) (UINT64_C(1) << COUNTER_##counter)

struct row {
    const char *name;
    enum http_status status;
    const char *agent; /* a field's line, or "" */
    uint64_t sent;
    enum end_reason aborted_for;
    uint64_t counters; /* those that go up by one */
    bool has_line;
    enum site_counter of_site;
};

static const struct row rows[] = {
    {"200", HTTP_OK, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_2XX), true, SITE_2XX},
    {"206", HTTP_PARTIAL_CONTENT, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_2XX), true,
     SITE_2XX},
    {"301", HTTP_MOVED_PERMANENTLY, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_3XX), true,
     SITE_3XX},
    {"304", HTTP_NOT_MODIFIED, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_3XX) | C(RESPONSES_304),
     true, SITE_3XX},
    {"404", HTTP_NOT_FOUND, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_4XX) | C(RESPONSES_404),
     true, SITE_404},
    {"403", HTTP_FORBIDDEN, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_4XX), true, SITE_4XX},
    {"503", HTTP_UNAVAILABLE, "", 300, END_NONE, C(REQUESTS) | C(RESPONSES_5XX), true, SITE_5XX},
    {"a probe", HTTP_OK, "User-Agent: farmstead-probe/1\n", 300, END_NONE,
     C(REQUESTS) | C(RESPONSES_2XX) | C(PROBE_REQUESTS), true, SITE_2XX},
    {"no probe: another agent", HTTP_OK, "User-Agent: a farmstead-probe/1\n", 300, END_NONE,
     C(REQUESTS) | C(RESPONSES_2XX), true, SITE_2XX},
    {"no probe: its name alone", HTTP_OK, "User-Agent: farmstead-probe/\n", 300, END_NONE,
     C(REQUESTS) | C(RESPONSES_2XX), true, SITE_2XX},
    {"cut off", HTTP_OK, "", 300, END_CLIENT_GONE, C(ABORTED), true, SITE_ABORTED},
    {"cut off before the first byte", HTTP_OK, "", 0, END_SLOW_CLIENT, C(ABORTED), false,
     SITE_ABORTED},
};

static void open_exchange(struct fake_carrier *fake, const char *agent)
{
    char request[200];

    snprintf(request, sizeof(request), "GET /x HTTP/1.1\nHost: a.test\n%s\n", agent);
    CHECK_INT(__LINE__, "parsed", fake_open(fake, request), PARSE_OK);
    fake->ex.head_len = 200;
}

static void record(const struct row *row, struct exchange *ex)
{
    ex->status = row->status;
    if (row->aborted_for)
        exchange_record_abort(ex, row->sent, row->aborted_for);
    else
        exchange_record_end(ex, row->sent);
    exchange_end(ex);
}

static struct sample newest_sample(void)
{
    static const struct sample_filter all = {0, UINT64_MAX, true, true};
    struct sample sample = {0};
    uint64_t matched = 0;

    CHECK_INT(__LINE__, "a sample", samples_collect(&the_loop.samples, &all, &sample, 1, &matched),
              1);
    return sample;
}

static void check_site_row(const struct row *row, const uint64_t *before, const uint64_t *after)
{
    for (int i = 0; i < SITE_BYTES; i++)
        CHECK_TRUE(after[i] - before[i] == (i == (int)row->of_site), "\"%s\": number %d", row->name,
                   i);
    CHECK_TRUE(after[SITE_BYTES] - before[SITE_BYTES] == row->sent, "\"%s\": bytes", row->name);
    CHECK_INT(__LINE__, row->name, after[SITE_TOTAL_NS] > before[SITE_TOTAL_NS], !row->aborted_for);
}

static void test_rows(void)
{
    struct fake_carrier *fake = fake_new();
    const uint64_t *site_row = the_loop.live->series->data.sites[0];
    const uint64_t *counters = the_loop.live->series->data.counters;

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        const struct row *row = &rows[r];
        uint64_t before[COUNTER_COUNT], site_before[SITE_COUNTER_COUNT];
        struct sample sample;
        memcpy(before, counters, sizeof(before));
        memcpy(site_before, site_row, sizeof(site_before));
        lines = 0;
        open_exchange(fake, row->agent);
        record(row, &fake->ex);
        for (int i = 0; i < COUNTER_COUNT; i++) {
            uint64_t more = i == COUNTER_BYTES_SENT ? row->sent : row->counters >> i & 1;
            CHECK_TRUE(counters[i] - before[i] == more, "\"%s\": %s went up by %" PRIu64, row->name,
                       counter_name((enum counter)i), counters[i] - before[i]);
        }
        check_site_row(row, site_before, site_row);
        CHECK_INT((int)r, row->name, lines, row->has_line);
        if (row->has_line) {
            CHECK_INT((int)r, "status", last_line.status, row->status);
            CHECK_INT((int)r, "bytes", last_line.bytes, row->sent);
            CHECK_INT((int)r, "without the head", last_line.body_bytes, 100);
            CHECK_INT((int)r, "reason", last_line.aborted_for, row->aborted_for);
        }
        sample = newest_sample();
        CHECK_INT((int)r, "sample's bytes", sample.bytes, row->sent);
        CHECK_INT((int)r, "sample's status", sample.status, row->sent > 0 ? (int)row->status : 0);
        CHECK_INT((int)r, "sample's reason", sample.aborted_for, row->aborted_for);
    }
    fake_free(fake);
}

/* The line's own text is the request's; a head that was cut in the middle has sent no body. */
static void test_line(void)
{
    struct fake_carrier *fake = fake_new();
    static const struct row cut = {"cut in its head", HTTP_OK, "",   150,
                                   END_CLIENT_GONE,   0,       true, SITE_ABORTED};

    open_exchange(fake, "Referer: from\nUser-Agent: with\n");
    fake->ex.status = HTTP_OK;
    exchange_record_end(&fake->ex, 300);
    CHECK_TRUE(span_is(last_line.request_line, "GET /x HTTP/1.1"), "request line");
    CHECK_TRUE(span_is(last_line.host, "a.test"), "host");
    CHECK_TRUE(span_is(last_line.referer, "from"), "referer");
    CHECK_TRUE(span_is(last_line.user_agent, "with"), "agent");
    CHECK_TRUE(last_line.peer == fake->carrier.peer, "peer");
    exchange_end(&fake->ex);
    open_exchange(fake, "");
    record(&cut, &fake->ex);
    CHECK_INT(__LINE__, cut.name, last_line.body_bytes, 0);
    fake_free(fake);
}

static void test_full_ring_and_no_log(void)
{
    struct fake_carrier *fake = fake_new();
    const uint64_t *counters = the_loop.live->series->data.counters;
    uint64_t dropped = counters[COUNTER_LOG_DROPPED];

    ring_is_full = true;
    open_exchange(fake, "");
    record(&rows[0], &fake->ex);
    CHECK_INT(__LINE__, "dropped", counters[COUNTER_LOG_DROPPED], dropped + 1);
    ring_is_full = false;
    put_in_force(unlogged, "ttl");
    lines = 0;
    open_exchange(fake, "");
    record(&rows[0], &fake->ex);
    CHECK_INT(__LINE__, "no log, no line", lines, 0);
    fake_free(fake);
}

int main(void)
{
    begin(logged, "ttl");
    test_rows();
    test_line();
    test_full_ring_and_no_log();
    return end("exchange_record");
}
