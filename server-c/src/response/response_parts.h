/* SPDX-License-Identifier: MIT */
/* response_parts.h — writes single fields of a head. Only response_head.c and response_page.c
 * include this. */
#ifndef FARMSTEAD_RESPONSE_PARTS_H
#define FARMSTEAD_RESPONSE_PARTS_H

#include "response/response.h"

#include <string.h>

#define SERVER_NAME "farmstead"

#define APPEND(out, literal) response_append(out, literal, sizeof(literal) - 1)

static inline void append_text(struct response_head *out, const char *text)
{
    response_append(out, text, strlen(text));
}

static inline void append_number(struct response_head *out, uint64_t value)
{
    char digits[20];
    size_t pos = sizeof(digits);

    do {
        digits[--pos] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    response_append(out, digits + pos, sizeof(digits) - pos);
}

static inline void append_length(struct response_head *out, uint64_t length)
{
    APPEND(out, "Content-Length: ");
    append_number(out, length);
    APPEND(out, "\r\n");
}

static inline bool keeps(const struct response_choice *choice, enum own_header own)
{
    return !(choice->dropped & (1u << own));
}

static inline void append_server(struct response_head *out, const struct response_choice *choice)
{
    if (keeps(choice, OWN_SERVER))
        APPEND(out, "Server: " SERVER_NAME "\r\n");
}

static inline void append_type(struct response_head *out, struct mime_type type)
{
    APPEND(out, "Content-Type: ");
    append_text(out, type.name);
    if (type.charset) {
        APPEND(out, "; charset=");
        append_text(out, type.charset);
    }
    APPEND(out, "\r\n");
}

static inline void append_coding(struct response_head *out, const char *coding)
{
    if (!coding)
        return;
    APPEND(out, "Content-Encoding: ");
    append_text(out, coding);
    APPEND(out, "\r\n");
}

static inline void append_end(struct response_head *out, const struct response_choice *choice)
{
    response_choice_append(out, choice);
    APPEND(out, "\r\n");
}

#endif
