/* SPDX-License-Identifier: MIT */
/* agent_logs.c — parses lines as log.c writes them. A line of another form is passed on whole,
 * without a time. */
#include "agent/agent_logs.h"

#include "base/utf8.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE_LEN 4096 /* the limit in the schema */

static const char *const levels[] = {"error", "warn", "info", "debug"};

bool agent_log_requests_take(struct agent_log_requests *requests,
                             const struct agent_request *request)
{
    if (!request->id[0] || strcmp(request->id, requests->answered_id) == 0 ||
        requests->count == AGENT_LOG_REQUESTS_MAX)
        return false;
    for (size_t i = 0; i < requests->count; i++)
        if (strcmp(request->id, requests->waiting[i].id) == 0)
            return false;
    requests->waiting[requests->count++] = *request;
    return true;
}

void agent_log_requests_end(struct agent_log_requests *requests)
{
    if (requests->count == 0)
        return;
    memcpy(requests->answered_id, requests->waiting[0].id, sizeof(requests->answered_id));
    requests->count--;
    memmove(requests->waiting, requests->waiting + 1,
            requests->count * sizeof(requests->waiting[0]));
}

static size_t line_len(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_len(line);
    return *line ? line + 1 : line;
}

static uint64_t count_lines(const char *text)
{
    uint64_t count = 0;
    for (; *text; text = next_line(text))
        count++;
    return count;
}

/* Parses a time like "2026-11-21T09:14:43.123Z " at the beginning of `line`. Returns what follows
 * it, or `line` if there is none. */
static const char *read_time(const char *line, json_int_t *time_ms)
{
    struct tm tm = {0};
    const char *rest = strptime(line, "%Y-%m-%dT%H:%M:%S", &tm);
    char *end;
    *time_ms = 0;
    if (!rest || *rest != '.')
        return line;
    long millis = strtol(rest + 1, &end, 10);
    if (end != rest + 4 || end[0] != 'Z' || end[1] != ' ' || millis < 0 || timegm(&tm) < 0)
        return line;
    *time_ms = (json_int_t)timegm(&tm) * 1000 + millis;
    return end + 2;
}

static const char *read_level(const char *line, const char **level)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        size_t len = strlen(levels[i]);
        if (strncmp(line, levels[i], len) == 0 && line[len] == ' ') {
            *level = levels[i];
            return line + len + 1;
        }
    }
    *level = "info";
    return line;
}

static json_t *line_json(const char *line)
{
    json_int_t time_ms;
    const char *level, *text = read_level(read_time(line, &time_ms), &level);
    /* Log_tail_lines() has made it valid UTF-8. */
    size_t len = utf8_cut(text, line_len(text), LINE_LEN);

    return json_pack("{sI ss ss%}", "timeMs", time_ms, "level", level, "text", text, len);
}

char *agent_build_logs(const char *incarnation, const struct agent_request *request,
                       const char *text, uint64_t written)
{
    uint64_t kept = count_lines(text), skip = kept > request->lines ? kept - request->lines : 0;
    json_t *lines = json_array();
    for (; *text; text = next_line(text))
        if (skip > 0)
            skip--;
        else if (json_array_append_new(lines, line_json(text)) != 0)
            abort();
    json_t *object =
        json_pack("{ss ss so sI}", "incarnation", incarnation, "requestId", request->id, "lines",
                  lines, "droppedLines", (json_int_t)(written > kept ? written - kept : 0));
    char *body = object ? json_dumps(object, JSON_COMPACT) : NULL;
    if (!body) /* no memory: an incomplete message must not be sent */
        abort();
    json_decref(object);
    return body;
}
