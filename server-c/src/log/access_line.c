/* SPDX-License-Identifier: MIT */
/* access_line.c — text from clients is put between quotes and escaped, so that it can end neither
 * the quotes nor the line. */
#include "log/access_line.h"

#include "log/log_text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static void put(struct access_line *line, const char *bytes, size_t len)
{
    if (len > sizeof(line->text) - line->len)
        len = sizeof(line->text) - line->len;
    memcpy(line->text + line->len, bytes, len);
    line->len += len;
}

static void put_text(struct access_line *line, const char *text)
{
    put(line, text, strlen(text));
}

static void put_number(struct access_line *line, uint64_t value)
{
    char digits[24];
    put(line, digits, (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value));
}

/* Writes text from a client. `is_word`: spaces are escaped, too, because they separate the
 * fields. */
static void put_escaped(struct access_line *line, struct span value, enum log_text_form form,
                        bool is_word)
{
    size_t start = line->len;

    for (size_t at = 0; at < value.len && line->len - start < ACCESS_FIELD_BYTES;) {
        char step[LOG_TEXT_STEP_BYTES];
        size_t len = is_word ? 0 : log_text_plain_len(value.ptr + at, value.len - at);
        if (len > ACCESS_FIELD_BYTES - (line->len - start))
            len = ACCESS_FIELD_BYTES - (line->len - start);
        put(line, value.ptr + at, len);
        at += len;
        if (len > 0)
            continue;
        at += log_text_step(step, &len, form, value.ptr + at, value.len - at);
        if (is_word && step[0] == ' ')
            put(line, "\\x20", 4);
        else
            put(line, step, len);
    }
}

static void put_word(struct access_line *line, struct span value)
{
    if (value.len == 0)
        put(line, "-", 1);
    else
        put_escaped(line, value, LOG_TEXT_ASCII, true);
}

static void put_peer(struct access_line *line, const struct sockaddr *peer)
{
    char text[INET6_ADDRSTRLEN] = "-";

    if (peer->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)peer)->sin_addr, text,
                  sizeof(text));
    else if (peer->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr, text,
                  sizeof(text));
    else if (peer->sa_family == AF_UNIX)
        memcpy(text, "unix:", sizeof("unix:"));
    put_text(line, text);
}

static void put_quoted(struct access_line *line, const char *before, struct span value, bool json)
{
    put_text(line, before);
    if (value.len == 0 && !json)
        put_text(line, "-");
    else
        put_escaped(line, value, json ? LOG_TEXT_JSON : LOG_TEXT_ASCII, false);
    put_text(line, "\"");
}

static void refresh_stamp(struct access_stamp *stamp, int64_t now, bool json)
{
    time_t seconds = (time_t)now;
    int64_t key = json ? -now : now; /* keeps the two forms of the same second apart */
    struct tm tm;

    if (stamp->second == key)
        return;
    gmtime_r(&seconds, &tm);
    strftime(stamp->text, sizeof(stamp->text),
             json ? "%Y-%m-%dT%H:%M:%SZ" : "%d/%b/%Y:%H:%M:%S +0000", &tm);
    stamp->second = key;
}

static void format_text(struct access_line *line, const char *stamp,
                        const struct access_record *record, bool combined)
{
    put_peer(line, record->peer);
    put_text(line, " - ");
    put_word(line, record->user);
    put_text(line, " [");
    put_text(line, stamp);
    put_quoted(line, "] \"", record->request_line, false);
    put_text(line, " ");
    put_number(line, (uint64_t)record->status);
    put_text(line, " ");
    if (record->body_bytes == 0) /* in these two forms "-" stands for no bytes */
        put_text(line, "-");
    else
        put_number(line, record->body_bytes);
    if (combined) {
        put_quoted(line, " \"", record->referer, false);
        put_quoted(line, " \"", record->user_agent, false);
    }
}

static void format_json(struct access_line *line, const char *stamp,
                        const struct access_record *record)
{
    put_text(line, "{\"time\":\"");
    put_text(line, stamp);
    put_text(line, "\",\"peer\":\"");
    put_peer(line, record->peer);
    put_quoted(line, "\",\"user\":\"", record->user, true);
    put_quoted(line, ",\"request\":\"", record->request_line, true);
    put_quoted(line, ",\"host\":\"", record->host, true);
    put_text(line, ",\"status\":");
    put_number(line, (uint64_t)record->status);
    put_text(line, ",\"bytes\":");
    put_number(line, record->bytes);
    put_text(line, ",\"bodyBytes\":");
    put_number(line, record->body_bytes);
    put_text(line, ",\"totalMicros\":");
    put_number(line, record->total_ns / 1000);
    put_quoted(line, ",\"referer\":\"", record->referer, true);
    put_quoted(line, ",\"userAgent\":\"", record->user_agent, true);
    if (record->aborted_for) {
        put_text(line, ",\"aborted\":\"");
        put_text(line, end_reason_name(record->aborted_for));
        put_text(line, "\"");
    }
    put_text(line, "}");
}

void access_line_write(struct access_line *line, struct access_stamp *stamp,
                       enum config_log_format format, const struct access_record *record)
{
    bool json = format == LOG_FORMAT_JSON;

    line->len = 0; /* the rest of the struct needs no initialisation */
    refresh_stamp(stamp, record->now, json);
    if (json)
        format_json(line, stamp->text, record);
    else
        format_text(line, stamp->text, record, format == LOG_FORMAT_COMBINED);
    if (line->len == sizeof(line->text))
        line->len--;
    line->text[line->len++] = '\n';
}
