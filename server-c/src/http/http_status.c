/* SPDX-License-Identifier: MIT */
/* http_status.c — reason phrases. */
#include "http/http_status.h"

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
