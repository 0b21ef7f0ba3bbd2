/* SPDX-License-Identifier: MIT */
/* http_status.h — the status codes of http_status.def and their phrases. */
#ifndef FARMSTEAD_HTTP_STATUS_H
#define FARMSTEAD_HTTP_STATUS_H

#include <stdbool.h>

enum http_status {
#define X(code, name, text, sentence) HTTP_##name = (code),
#include "http/http_status.def"
#undef X
};

/* "Not Found"; never NULL. */
const char *http_status_text(enum http_status status);

/* Is it what a config calls "404", or of the class that it calls "4xx"? */
bool http_status_fits(enum http_status status, const char *text);

#endif
