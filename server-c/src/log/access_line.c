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

/* Writes text from a client, escaped. `is_word`: spaces are escaped, too, because they separate the
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

/* All but the first `kept` bytes of the address become zero. */
static void put_address(struct access_line *line, int family, const void *address, size_t len,
                        size_t kept)
{
    uint8_t bytes[sizeof(struct in6_addr)] = {0};
    char text[INET6_ADDRSTRLEN] = "-";

    memcpy(bytes, address, kept < len ? kept : len);
    inet_ntop(family, bytes, text, sizeof(text));
    put_text(line, text);
}

static void put_peer(struct access_line *line, const struct sockaddr *peer, bool masked)
{
    const struct in_addr *v4 = &((const struct sockaddr_in *)(const void *)peer)->sin_addr;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr;

    if (peer->sa_family == AF_INET)
        put_address(line, AF_INET, v4, sizeof(*v4), masked ? 3 : sizeof(*v4));
    else if (peer->sa_family == AF_INET6) /* one of IPv4 in it (::ffff:…) keeps its /24 */
        put_address(line, AF_INET6, v6, sizeof(*v6),
                    !masked                    ? sizeof(*v6)
                    : IN6_IS_ADDR_V4MAPPED(v6) ? 15
                                               : 6);
    else
        put_text(line, peer->sa_family == AF_UNIX ? "unix:" : "-");
}

static void put_json(struct access_line *line, const char *before, struct span value)
{
    put_text(line, before);
    put_escaped(line, value, LOG_TEXT_JSON, false);
    put_text(line, "\"");
}

/* A client's text between quotes, or as a word. */
static void put_client_text(struct access_line *line, struct span value, bool is_quoted)
{
    if (value.len == 0)
        put_text(line, "-");
    else
        put_escaped(line, value, LOG_TEXT_ASCII, !is_quoted);
}

/* Is the text that of another second? Then it becomes that of `now`, broken down. */
static bool is_old(struct access_stamp *stamp, int64_t now, struct tm *tm)
{
    time_t seconds = (time_t)now;

    if (stamp->second == now)
        return false;
    stamp->second = now;
    gmtime_r(&seconds, tm);
    return true;
}

static const char *clf_time(struct access_stamp *stamp, int64_t now)
{
    struct tm tm;

    if (is_old(stamp, now, &tm))
        strftime(stamp->text, sizeof(stamp->text), "%d/%b/%Y:%H:%M:%S +0000", &tm);
    return stamp->text;
}

static const char *iso_time(struct access_stamp *stamp, int64_t now)
{
    struct tm tm;

    if (is_old(stamp, now, &tm))
        strftime(stamp->text, sizeof(stamp->text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return stamp->text;
}

/* The part of the request line before its first space, or after its last. */
static struct span method_of(struct span request_line)
{
    const char *space = memchr(request_line.ptr, ' ', request_line.len);

    return (struct span){request_line.ptr, space ? (size_t)(space - request_line.ptr) : 0};
}

static struct span protocol_of(struct span request_line)
{
    const char *space = memrchr(request_line.ptr, ' ', request_line.len);

    if (!space)
        return (struct span){0};
    return (struct span){space + 1, request_line.len - (size_t)(space + 1 - request_line.ptr)};
}

static void put_seconds(struct access_line *line, uint64_t ns)
{
    char text[32];
    uint64_t ms = ns / 1000000;

    put(line, text,
        (size_t)snprintf(text, sizeof(text), "%llu.%03u", (unsigned long long)(ms / 1000),
                         (unsigned)(ms % 1000)));
}

static void put_or_dash(struct access_line *line, const char *text)
{
    put_text(line, text && text[0] ? text : "-");
}

static void put_field(struct access_line *line, const struct access_format_item *item,
                      struct access_stamps *stamps, const struct access_form *form,
                      const struct access_record *record)
{
    bool is_quoted = item->is_quoted;

    switch (item->field) {
    case ACCESS_END:
    case ACCESS_FIELD_COUNT:
        break;
    case ACCESS_CLIENT:
        put_peer(line, record->peer, form->masks_addresses);
        break;
    case ACCESS_HOST:
        put_client_text(line, record->host, is_quoted);
        break;
    case ACCESS_SITE:
        put_or_dash(line, record->site);
        break;
    case ACCESS_USER:
        put_client_text(line, record->user, is_quoted);
        break;
    case ACCESS_TIME:
        put_text(line, clf_time(&stamps->clf, record->now));
        break;
    case ACCESS_TIME_ISO:
        put_text(line, iso_time(&stamps->iso, record->now));
        break;
    case ACCESS_REQUEST:
        put_client_text(line, record->request_line, is_quoted);
        break;
    case ACCESS_METHOD:
        put_client_text(line, method_of(record->request_line), is_quoted);
        break;
    case ACCESS_PATH:
        put_client_text(line, record->path, is_quoted);
        break;
    case ACCESS_QUERY:
        put_client_text(line, record->query, is_quoted);
        break;
    case ACCESS_PROTOCOL:
        put_client_text(line, protocol_of(record->request_line), is_quoted);
        break;
    case ACCESS_SCHEME:
        put_text(line, record->is_secure ? "https" : "http");
        break;
    case ACCESS_STATUS:
        put_number(line, (uint64_t)record->status);
        break;
    case ACCESS_BYTES:
        put_number(line, record->bytes);
        break;
    case ACCESS_CLF_BYTES: /* in the old formats "-" stands for no bytes */
        if (record->body_bytes == 0) {
            put_text(line, "-");
            break;
        }
        /* fall through */
    case ACCESS_BODY_BYTES:
        put_number(line, record->body_bytes);
        break;
    case ACCESS_TOTAL_MICROS:
        put_number(line, record->total_ns / 1000);
        break;
    case ACCESS_TOTAL_SECONDS:
        put_seconds(line, record->total_ns);
        break;
    case ACCESS_CODING:
        put_or_dash(line, record->coding);
        break;
    case ACCESS_REFERER:
        put_client_text(line, record->referer, is_quoted);
        break;
    case ACCESS_USER_AGENT:
        put_client_text(line, record->user_agent, is_quoted);
        break;
    case ACCESS_ABORTED:
        put_text(line, record->aborted_for ? end_reason_name(record->aborted_for) : "-");
        break;
    }
}

static void format_text(struct access_line *line, struct access_stamps *stamps,
                        const struct access_form *form, const struct access_record *record)
{
    for (size_t i = 0; i < form->format.count; i++) {
        const struct access_format_item *item = &form->format.items[i];
        put(line, item->literal, item->literal_len);
        put_field(line, item, stamps, form, record);
    }
}

static void format_json(struct access_line *line, struct access_stamps *stamps,
                        const struct access_form *form, const struct access_record *record)
{
    put_text(line, "{\"time\":\"");
    put_text(line, iso_time(&stamps->iso, record->now));
    put_text(line, "\",\"peer\":\"");
    put_peer(line, record->peer, form->masks_addresses);
    put_json(line, "\",\"user\":\"", record->user);
    put_json(line, ",\"request\":\"", record->request_line);
    put_json(line, ",\"host\":\"", record->host);
    put_text(line, ",\"status\":");
    put_number(line, (uint64_t)record->status);
    put_text(line, ",\"bytes\":");
    put_number(line, record->bytes);
    put_text(line, ",\"bodyBytes\":");
    put_number(line, record->body_bytes);
    put_text(line, ",\"totalMicros\":");
    put_number(line, record->total_ns / 1000);
    put_json(line, ",\"referer\":\"", record->referer);
    put_json(line, ",\"userAgent\":\"", record->user_agent);
    if (record->aborted_for) {
        put_text(line, ",\"aborted\":\"");
        put_text(line, end_reason_name(record->aborted_for));
        put_text(line, "\"");
    }
    put_text(line, "}");
}

void access_line_write(struct access_line *line, struct access_stamps *stamps,
                       const struct access_form *form, const struct access_record *record)
{
    line->len = 0; /* the rest of the struct needs no initialisation */
    if (form->format.is_json)
        format_json(line, stamps, form, record);
    else
        format_text(line, stamps, form, record);
    if (line->len == sizeof(line->text))
        line->len--;
    line->text[line->len++] = '\n';
}
