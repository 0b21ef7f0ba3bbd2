/* SPDX-License-Identifier: MIT */
/* Lines of the error log as in the protocol's example, the newest of many lines, and lines of other
 * forms. */
#include "agent/agent_logs.c"

#include "agent_example.h"
#include "check.h"

#include <stdio.h>

#define INCARNATION "00112233445566778899aabbccddeeff"
#define REQUEST "request_01jd4q6v2m8w3x5y7z9abcdefm"

static json_t *build(const char *text, uint32_t lines, uint64_t written)
{
    struct agent_request request = {REQUEST, lines};
    char *body = agent_build_logs(INCARNATION, &request, text, written);
    json_t *document = json_loads(body, 0, NULL);
    free(body);
    return document;
}

static void the_example_is_built(void)
{
    struct agent_request request = {REQUEST, 100};
    const char *text =
        "2025-11-21T09:00:00.123Z info serving config sha256:513fdc82\n"
        "2025-11-21T09:00:04.500Z warn agent: the control plane does not answer: connection "
        "refused\n";
    example_expect(__LINE__, "logs", agent_build_logs(INCARNATION, &request, text, 2),
                   example_load("logs.request"));
}

static void the_newest_are_given(void)
{
    json_t *document = build("a\nb\nc\n", 2, 10), *lines = json_object_get(document, "lines");
    CHECK_INT(__LINE__, "two", json_array_size(lines), 2);
    CHECK_STR(__LINE__, "oldest first",
              json_string_value(json_object_get(json_array_get(lines, 0), "text")), "b");
    CHECK_INT(__LINE__, "not in memory any more",
              json_integer_value(json_object_get(document, "droppedLines")), 7);
    json_decref(document);
    document = build("", 500, 0);
    CHECK_INT(__LINE__, "none", json_array_size(json_object_get(document, "lines")), 0);
    json_decref(document);
}

static void row(int line, const char *text, json_int_t time_ms, const char *level, const char *want)
{
    json_t *document = build(text, 1, 1);
    json_t *entry = json_array_get(json_object_get(document, "lines"), 0);
    CHECK_INT(line, text, json_integer_value(json_object_get(entry, "timeMs")), time_ms);
    CHECK_STR(line, text, json_string_value(json_object_get(entry, "level")), level);
    CHECK_STR(line, text, json_string_value(json_object_get(entry, "text")), want);
    json_decref(document);
}

static void any_line_is_passed_on(void)
{
    row(__LINE__, "1970-01-01T00:00:01.002Z error a b\n", 1002, "error", "a b");
    row(__LINE__, "1970-01-01T00:00:01.002Z debug \n", 1002, "debug", "");
    row(__LINE__, "1970-01-01T00:00:01.002Z notice a\n", 1002, "info", "notice a");
    row(__LINE__, "1970-01-01T00:00:01.02Z error a\n", 0, "info",
        "1970-01-01T00:00:01.02Z error a");
    row(__LINE__, "1970-01-01\n", 0, "info", "1970-01-01");
    row(__LINE__, "\n", 0, "info", "");
    row(__LINE__, "no end", 0, "info", "no end");
}

static void a_long_line_is_cut_between_characters(void)
{
    static char text[3 * LINE_LEN];
    for (size_t i = 0; i < LINE_LEN; i++)
        memcpy(text + 1 + 2 * i, "\xc3\xa9", 2);
    text[0] = 'x';
    json_t *document = build(text, 1, 1);
    json_t *entry = json_array_get(json_object_get(document, "lines"), 0);
    CHECK_INT(__LINE__, "whole characters", json_string_length(json_object_get(entry, "text")),
              LINE_LEN - 1);
    json_decref(document);
}

static bool take(struct agent_log_requests *requests, const char *id)
{
    struct agent_request request = {.lines = 1};
    snprintf(request.id, sizeof(request.id), "%s", id);
    return agent_log_requests_take(requests, &request);
}

static void each_request_is_answered_once(void)
{
    struct agent_log_requests requests = {0};
    CHECK_INT(__LINE__, "none", take(&requests, ""), false);
    CHECK_INT(__LINE__, "new", take(&requests, "a"), true);
    CHECK_INT(__LINE__, "known", take(&requests, "a"), false);
    CHECK_INT(__LINE__, "while a is answered", take(&requests, "b"), true);
    CHECK_INT(__LINE__, "also known", take(&requests, "b"), false);
    agent_log_requests_end(&requests);
    CHECK_INT(__LINE__, "answered", take(&requests, "a"), false);
    CHECK_INT(__LINE__, "one waits", requests.count, 1);
    CHECK_STR(__LINE__, "b has its turn", requests.waiting[0].id, "b");
    agent_log_requests_end(&requests);
    agent_log_requests_end(&requests);
    CHECK_INT(__LINE__, "none waits", requests.count, 0);
    CHECK_INT(__LINE__, "answered too", take(&requests, "b"), false);
}

static void requests_are_bounded(void)
{
    struct agent_log_requests requests = {0};
    for (int i = 0; i < AGENT_LOG_REQUESTS_MAX; i++)
        CHECK_INT(__LINE__, "waits", take(&requests, (char[]){(char)('a' + i), 0}), true);
    CHECK_INT(__LINE__, "one too many", take(&requests, "z"), false);
    CHECK_STR(__LINE__, "the oldest is kept", requests.waiting[0].id, "a");
}

int main(void)
{
    the_example_is_built();
    the_newest_are_given();
    any_line_is_passed_on();
    a_long_line_is_cut_between_characters();
    each_request_is_answered_once();
    requests_are_bounded();
    return check_end("agent_logs");
}
