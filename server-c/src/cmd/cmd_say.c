/* SPDX-License-Identifier: MIT */
/* cmd_say.c — messages of commands to somebody at a terminal; parts of them come from configs and
 * control planes. */
#include "cmd/commands.h"

#include "base/buf.h"
#include "base/mem.h"
#include "log/log_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cmd_say(const char *format, ...)
{
    struct buf text;
    va_list args;

    buf_init(&text);
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    size_t cap = text.len * LOG_TEXT_STEP_BYTES + 1;
    char *shown = xmalloc(cap);
    log_text_escape(shown, cap, LOG_TEXT_SHOWN, text.data, text.len);
    fprintf(stderr, "%s\n", shown);
    free(shown);
    buf_fini(&text);
}
