/* SPDX-License-Identifier: MIT */
/* Any bytes in a client's fields: one whole line of UTF-8 without a control character, in the old
 * forms of ASCII alone, whose quotes nobody but us opens and closes, and which a JSON reader takes.
 */
#include "log/access_line.h"
#include "base/utf8.h"

#include <jansson.h>
#include <netinet/in.h>
#include <string.h>

#define SEPARATOR '\xff'

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct span next_field(struct span *rest)
{
    const char *end = memchr(rest->ptr, SEPARATOR, rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    struct span field = {rest->ptr, len};

    rest->ptr += len, rest->len -= len;
    if (rest->len > 0)
        rest->ptr++, rest->len--;
    return field;
}

static void check_json(const char *line, size_t len)
{
    json_t *root = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);

    CHECK(json_is_object(root));
    json_decref(root);
}

/* C0, DEL and C1: what a terminal may obey, and what may end a line. */
static void check_bytes(const char *line, size_t len, bool is_ascii)
{
    for (size_t at = 0; at < len;) {
        size_t step = utf8_sequence_len(line + at, len - at);
        CHECK(step > 0 && (step == 1 || !is_ascii));
        uint32_t code_point = utf8_decode(line + at, step);
        CHECK(code_point >= ' ' && (code_point < 0x7f || code_point > 0x9f));
        at += step;
    }
}

/* A reader that knows nothing of us: `peer - user [stamp] "request" status bytes`, and two more. */
static void check_text(const char *line, size_t len, bool combined)
{
    size_t quotes = 0, spaces = 0, at = 0;

    while (at < len && spaces < 3)
        spaces += line[at++] == ' ';
    CHECK(at < len && line[at] == '[');
    for (; at < len; at++) {
        if (line[at] == '\\')
            at++;
        else
            quotes += line[at] == '"';
    }
    CHECK(at == len && quotes == (combined ? 6 : 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct sockaddr_in peer = {.sin_family = AF_INET};
    static const char *const names[] = {"common", "combined", "json",
                                        "{host} {path} {query} \"{userAgent}\" {method}"};
    static struct access_stamps stamps;
    struct access_format_error error;
    struct access_form form = {0};
    int which;
    static struct access_line line;
    struct span rest;
    struct access_record record = {.peer = (const struct sockaddr *)&peer, .status = 200};

    if (len == 0)
        return 0;
    which = data[0] % 4;
    CHECK(access_format_init(&form.format, names[which], &error));
    rest = (struct span){(const char *)data + 1, len - 1};
    record.request_line = next_field(&rest);
    record.host = next_field(&rest);
    record.referer = next_field(&rest);
    record.user_agent = next_field(&rest);
    record.user = next_field(&rest);
    record.path = record.query = record.user_agent;
    access_line_write(&line, &stamps, &form, &record);
    access_format_fini(&form.format);
    CHECK(line.len > 0 && line.len < ACCESS_LINE_BYTES); /* nothing had to be cut */
    CHECK(line.text[line.len - 1] == '\n');
    check_bytes(line.text, line.len - 1, which != 2);
    if (which == 2)
        check_json(line.text, line.len - 1);
    else if (which < 2)
        check_text(line.text, line.len - 1, which == 1);
    return 0;
}
