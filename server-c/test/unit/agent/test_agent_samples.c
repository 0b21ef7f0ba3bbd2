/* SPDX-License-Identifier: MIT */
/* How single requests are said: the example's text, which both sides' tests share, and the answer. */
#include "agent/agent_looks.c"
#include "agent/agent_samples.c"

#include "agent_example.h"
#include "check.h"

#include <string.h>

static void fill(struct request_sample *out, const char *path, const char *protocol)
{
    memset(out, 0, sizeof(*out));
    for (int i = 0; i < STAGE_COUNT; i++)
        out->sample.stage_ns[i] = STAGE_ABSENT;
    out->path_len = (uint16_t)strlen(path);
    memcpy(out->path, path, out->path_len);
    snprintf(out->protocol, sizeof(out->protocol), "%s", protocol);
    out->sample.generation = 7;
}

static void requests_equal_their_example(void)
{
    struct request_sample requests[2];
    struct sample *slow = &requests[0].sample, *broken = &requests[1].sample;
    struct taken_requests taken = {requests, 2, 2, 0};
    fill(&requests[0], "/photos/***/a \"b\".jpg", "HTTP/1.1");
    slow->start_us = 61250400;
    slow->status = 200;
    slow->bytes = 20480;
    slow->stage_ns[STAGE_READ_WAIT] = 1250000000;
    slow->stage_ns[STAGE_READ] = 4200000;
    slow->stage_ns[STAGE_WRITE] = 31000;
    slow->stage_ns[STAGE_FIRST_BYTE] = 1254900000;
    slow->stage_ns[STAGE_TOTAL] = 1254931000;
    fill(&requests[1], "", "HTTP/2.0");
    broken->start_us = 64999000;
    broken->aborted_for = END_CLIENT_GONE;
    broken->stage_ns[STAGE_TOTAL] = 500000;

    struct buf text;
    buf_init(&text);
    buf_append_char(&text, '[');
    agent_samples_append_json(&text, &taken, false);
    buf_append_char(&text, ']');
    json_t *example = example_load("samples.request");
    json_t *samples = json_incref(json_object_get(example, "samples"));
    example_expect(__LINE__, "samples", buf_take(&text), samples);
    json_decref(example);
}

static void found_ones_equal_their_example(void)
{
    static const uint8_t client[ADDRESS_LEN] = {[10] = 0xff, 0xff, 192, 0, 2, 7};
    struct request_sample found;
    struct taken_requests taken = {&found, 1, 31, 5120};
    struct buf text;

    fill(&found, "/photos/***/b.jpg", "HTTP/1.1");
    found.sample.start_us = 61250400;
    found.sample.status = 404;
    found.sample.bytes = 320;
    found.sample.stage_ns[STAGE_TOTAL] = 51000000;
    snprintf(found.host, sizeof(found.host), "example.org");
    snprintf(found.method, sizeof(found.method), "GET");
    found.has_client = true;
    memcpy(found.client, client, sizeof(client));
    buf_init(&text);
    buf_append_char(&text, '[');
    agent_samples_append_json(&text, &taken, true);
    buf_append_char(&text, ']');
    json_t *example = example_load("samples.request");
    json_t *search = json_array_get(json_object_get(example, "searches"), 0);
    json_t *requests = json_incref(json_object_get(search, "requests"));
    example_expect(__LINE__, "requests", buf_take(&text), requests);
    json_decref(example);
}

#define SEARCH(more) "{\"id\":\"search_01jd0c2v3x4y5z6a7b8c9d0e1f\",\"forMs\":9," more
#define PLAIN "\"most\":20,\"tellsClients\":false,\"filter\":"
#define ASKED(searches) "{\"forMs\":1,\"searches\":[" searches "]}"

static void answers(void)
{
    static const struct {
        int line;
        const char *body;
        bool ok;
        uint32_t for_ms;
        size_t searches;
    } rows[] = {
        {__LINE__, "{\"forMs\":8200}", true, 8200, 0},
        {__LINE__, "{\"forMs\":0,\"more\":1}", true, 0, 0},
        {__LINE__, "{}", false, 0, 0},
        {__LINE__, "{\"forMs\":-1}", false, 0, 0},
        {__LINE__, "{\"forMs\":\"8\"}", false, 0, 0},
        {__LINE__, "<html>", false, 0, 0},
        {__LINE__, ASKED(SEARCH(PLAIN "{}}")), true, 1, 1},
        {__LINE__, ASKED(SEARCH(PLAIN "{}}") "," SEARCH(PLAIN "{}}")), true, 1, 2},
        /* Of what it can't compare it finds nothing, rather than too much. */
        {__LINE__, ASKED(SEARCH(PLAIN "{\"country\":\"fr\"}}")), true, 1, 0},
        {__LINE__, ASKED(SEARCH(PLAIN "7}")), false, 0, 0},
        {__LINE__, ASKED("7"), false, 0, 0},
        {__LINE__, ASKED(SEARCH("\"most\":51,\"tellsClients\":false,\"filter\":{}}")), false, 0, 0},
        {__LINE__, ASKED(SEARCH(PLAIN "{\"client\":\"192.0.2.1/24\"}}")), false, 0, 0},
        {__LINE__, ASKED(SEARCH(PLAIN "{\"statusFrom\":400}}")), false, 0, 0},
        {__LINE__, ASKED(SEARCH(PLAIN "{\"pathPrefix\":\"/a\",\"pathPart\":\"b\"}}")), false, 0, 0},
        {__LINE__, "{\"forMs\":1,\"searches\":[1,2,3,4,5]}", false, 0, 0},
        {__LINE__, "{\"forMs\":1,\"searches\":{}}", false, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent_looks looks;
        char why[AGENT_WHY_LEN] = "";
        bool ok = agent_samples_read(rows[i].body, strlen(rows[i].body), &looks, why) == 0;
        CHECK_INT(rows[i].line, "read", ok, rows[i].ok);
        CHECK_INT(rows[i].line, "forMs", looks.for_ms, rows[i].for_ms);
        CHECK_INT(rows[i].line, "searches", looks.search_count, rows[i].searches);
        if (!ok)
            CHECK_TRUE(why[0], "row %d: it says why", rows[i].line);
    }
}

static void a_search_is_read_whole(void)
{
    json_t *example = example_load("samples.response");
    char *body = json_dumps(example, 0), why[AGENT_WHY_LEN] = "";
    struct agent_looks looks;

    CHECK_INT(__LINE__, "read", agent_samples_read(body, strlen(body), &looks, why), 0);
    const struct request_search *search = &looks.searches[0];
    const struct request_filter *filter = &search->filter;
    CHECK_INT(__LINE__, "searches", looks.search_count, 1);
    CHECK_INT(__LINE__, "for", looks.searches_for_ms[0], 8200);
    CHECK_INT(__LINE__, "most", search->most, 20);
    CHECK_TRUE(search->tells_clients, "tells clients");
    CHECK_STR(__LINE__, "site", filter->site, "example.org");
    CHECK_STR(__LINE__, "path", filter->path, "/photos/");
    CHECK_TRUE(filter->path_begins, "a prefix");
    CHECK_STR(__LINE__, "method", filter->method, "GET");
    CHECK_INT(__LINE__, "from", filter->status_from, 400);
    CHECK_INT(__LINE__, "to", filter->status_to, 499);
    CHECK_TRUE(filter->has_client && filter->client.bits == 120, "a block of clients");
    CHECK_INT(__LINE__, "slower", filter->slower_ns, 50 * NS_PER_MS);
    CHECK_INT(__LINE__, "bytes", filter->bytes_from, 1);
    free(body);
    json_decref(example);
}

int main(void)
{
    requests_equal_their_example();
    found_ones_equal_their_example();
    answers();
    a_search_is_read_whole();
    return check_end("agent_samples");
}
