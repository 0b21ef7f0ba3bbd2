/* SPDX-License-Identifier: MIT */
/* A line of the error log: its form, its bound, who wants it, and what becomes of those for which there is
 * no room. */
#include "log/log_out.h"

static int wakes;
#define log_out_wake(out) ((void)(out), wakes++)
#include "log/log.c"
#undef log_out_wake

#include "base/util.h"
#include "check.h"

static char diverted[4 * LINE_MAX_LEN];
static size_t diverted_len;

static void divert(const char *line, size_t len)
{
    memcpy(diverted + diverted_len, line, len);
    diverted_len += len;
    diverted[diverted_len] = '\0';
}

static const char *said(void)
{
    diverted_len = 0;
    return diverted;
}

static void test_form(void)
{
    static char many[3 * LINE_MAX_LEN];

    log_divert(divert);
    log_warn("port %d", 80);
    CHECK_INT(__LINE__, "a time to the millisecond", strspn(said(), "0123456789-:.TZ"),
              strlen("2026-11-21T09:14:43.123Z"));
    CHECK_STR(__LINE__, "its level and what it says", diverted + 24, " warn port 80\n");
    log_error("%s %s", "one\ntwo\r", "\x1b[2J");
    CHECK_TRUE(strchr(said(), '\n') == diverted + strlen(diverted) - 1, "two lines: %s", diverted);
    CHECK_TRUE(strchr(diverted, '\x1b') == NULL && strchr(diverted, '\r') == NULL, "%s", diverted);
    memset(many, 'x', sizeof(many) - 1);
    log_error("%s", many);
    CHECK_TRUE(strlen(said()) <= LINE_MAX_LEN, "%zu bytes", strlen(diverted));
    CHECK_INT(__LINE__, "and is a line", diverted[strlen(diverted) - 1], '\n');
}

static void test_levels(void)
{
    static const enum config_log_level levels[] = {LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO,
                                                   LOG_LEVEL_DEBUG};

    for (size_t wanted = 0; wanted < ARRAY_LEN(levels); wanted++)
        for (size_t level = 0; level < ARRAY_LEN(levels); level++) {
            the_log.level = levels[wanted];
            diverted[0] = '\0';
            log_write(levels[level], "x");
            CHECK_INT((int)(wanted * 10 + level), "is written", said()[0] != '\0', level <= wanted);
        }
    the_log.level = LOG_LEVEL_INFO;
}

/* While the thread does not take them: as many whole lines as there is room for, then a count. */
static void test_no_room(void)
{
    static char batch[LOG_OUT_BATCH_BYTES];
    static struct log_tail tail;
    unsigned long sent = 0, kept = 0, dropped;
    uint64_t lines;
    size_t len;
    char *text, *at;

    log_keep(&tail);
    the_log.out = (struct log_out *)(void *)&wakes;
    for (; the_log.dropped < 3; sent++)
        log_info("line %lu of many", sent);
    dropped = the_log.dropped;
    CHECK_INT(__LINE__, "woken once", wakes, 1);
    len = take_lines(NULL, batch, sizeof(batch));
    CHECK_TRUE(len <= sizeof(batch), "%zu bytes", len);
    for (size_t i = 0; i < len; i++)
        kept += batch[i] == '\n';
    CHECK_INT(__LINE__, "all but those, and a line about them", kept, sent - dropped + 1);
    at = memmem(batch, len, "3 lines were dropped", 20);
    CHECK_TRUE(at != NULL, "nobody is told");
    CHECK_INT(__LINE__, "nothing is left", take_lines(NULL, batch, sizeof(batch)), 0);
    log_info("the next");
    CHECK_INT(__LINE__, "woken again", wakes, 2);
    len = take_lines(NULL, batch, sizeof(batch));
    CHECK_TRUE(memmem(batch, len, " info the next\n", 15) != NULL, "it is taken");
    CHECK_TRUE(memmem(batch, len, "dropped", 7) == NULL, "told once");
    text = log_kept(&lines);
    CHECK_INT(__LINE__, "what had no room is kept all the same", lines, sent + 2);
    free(text);
    log_keep(NULL);
    the_log.out = NULL;
}

int main(void)
{
    test_form();
    test_levels();
    test_no_room();
    return check_end("log");
}
