/* SPDX-License-Identifier: MIT */
/* http_status.c — reason phrases, and how a config names statuses. */
#include "http/http_status.h"

#include <strings.h>

const char *http_status_text(enum http_status status)
{
    switch (status) {
#define X(code, name, text, sentence)                                                              \
    case HTTP_##name:                                                                              \
        return text;
#include "http/http_status.def"
#undef X
    }
    return "Unknown";
}

bool http_status_fits(enum http_status status, const char *text)
{
    int code = (int)status;

    if (text[0] - '0' != code / 100)
        return false;
    if (strcasecmp(text + 1, "xx") == 0)
        return true;
    return text[1] - '0' == code / 10 % 10 && text[2] - '0' == code % 10;
}
