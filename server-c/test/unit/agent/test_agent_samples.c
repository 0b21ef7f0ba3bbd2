/* SPDX-License-Identifier: MIT */
/* How single requests are said: the example's text, which both sides' tests share, and the answer. */
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
    struct taken_requests taken = {requests, 2, 2};
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
    agent_samples_append_json(&text, &taken);
    buf_append_char(&text, ']');
    json_t *example = example_load("samples.request");
    json_t *samples = json_incref(json_object_get(example, "samples"));
    example_expect(__LINE__, "samples", buf_take(&text), samples);
    json_decref(example);
}

static void answers(void)
{
    static const struct {
        int line;
        const char *body;
        bool ok;
        uint32_t for_ms;
    } rows[] = {
        {__LINE__, "{\"forMs\":8200}", true, 8200},
        {__LINE__, "{\"forMs\":0,\"more\":1}", true, 0},
        {__LINE__, "{}", false, 0},
        {__LINE__, "{\"forMs\":-1}", false, 0},
        {__LINE__, "{\"forMs\":\"8\"}", false, 0},
        {__LINE__, "<html>", false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t for_ms = 0;
        char why[AGENT_WHY_LEN] = "";
        bool ok = agent_samples_read(rows[i].body, strlen(rows[i].body), &for_ms, why) == 0;
        CHECK_INT(rows[i].line, "read", ok, rows[i].ok);
        if (ok)
            CHECK_INT(rows[i].line, "forMs", for_ms, rows[i].for_ms);
        else
            CHECK_TRUE(why[0], "row %d: it says why", rows[i].line);
    }
}

int main(void)
{
    requests_equal_their_example();
    answers();
    return check_end("agent_samples");
}
