/* SPDX-License-Identifier: MIT */
/* The last lines are read back complete, whatever the writer was doing when it died. */
#include "log/log_tail.c"

#include "base/utf8.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static struct log_tail tail;

static void append(const char *line)
{
    log_tail_append(&tail, line, strlen(line));
}

static void expect(int row, const char *name, size_t max, const char *want)
{
    char *lines = log_tail_lines(&tail, max);
    CHECK_STR(row, name, lines, want);
    free(lines);
}

static void few_lines(void)
{
    log_tail_clear(&tail);
    expect(__LINE__, "none", 50, "");
    append("one\n");
    expect(__LINE__, "one", 50, "one\n");
    append("two\n");
    append("three\n");
    expect(__LINE__, "all", 50, "one\ntwo\nthree\n");
    expect(__LINE__, "as many as there are", 3, "one\ntwo\nthree\n");
    expect(__LINE__, "the newest", 2, "two\nthree\n");
    expect(__LINE__, "no line", 0, "");
    append("half");
    expect(__LINE__, "cut off by the end", 50, "one\ntwo\nthree\n");
}

static void more_than_there_is_room_for(void)
{
    char line[64], first[64];
    log_tail_clear(&tail);
    for (int i = 0; i < 20000; i++) {
        snprintf(line, sizeof(line), "line %d of many\n", i);
        append(line);
    }
    expect(__LINE__, "the newest", 2, "line 19998 of many\nline 19999 of many\n");
    char *lines = log_tail_lines(&tail, 100000);
    size_t len = strlen(lines);
    CHECK_TRUE(len <= LOG_TAIL_BYTES && len > LOG_TAIL_BYTES - sizeof(line), "%zu bytes", len);
    CHECK_TRUE(sscanf(lines, "line %63[0-9] of many\n", first) == 1, "whole lines: %.30s", lines);
    free(lines);
}

static void one_line_larger_than_all(void)
{
    char *line = malloc(2 * LOG_TAIL_BYTES + 1);
    log_tail_clear(&tail);
    memset(line, 'x', 2 * LOG_TAIL_BYTES);
    line[2 * LOG_TAIL_BYTES] = '\0';
    append(line);
    expect(__LINE__, "no whole line", 50, "");
    append("\nafter\n");
    expect(__LINE__, "what came after it", 50, "after\n");
    free(line);
}

/* As after a crash that has written anything anywhere. */
static void any_bytes(void)
{
    unsigned seed = 1;
    for (int i = 0; i < 200; i++) {
        for (size_t j = 0; j < sizeof(tail); j++) {
            seed = seed * 1103515245 + 12345;
            ((unsigned char *)&tail)[j] = (unsigned char)(seed >> 16);
        }
        char *lines = log_tail_lines(&tail, 50);
        size_t len = strlen(lines);
        CHECK_TRUE(len == 0 || lines[len - 1] == '\n', "ends with a line");
        for (size_t at = 0, step = 1; at < len && step > 0; at += step) {
            step = utf8_sequence_len(lines + at, len - at);
            CHECK_TRUE(step > 0, "UTF-8 at %zu", at);
            CHECK_TRUE(lines[at] == '\n' || (unsigned char)lines[at] >= ' ', "control at %zu", at);
        }
        free(lines);
    }
    log_tail_clear(&tail);
    log_tail_append(&tail, "a\0b\xff\n", 5);
    expect(__LINE__, "NUL and no UTF-8", 50, "a?b?\n");
    log_tail_clear(&tail);
    append("\x1b[2J\xc2\x9b\x7f\n");
    expect(__LINE__, "what a terminal obeys", 50, "?[2J???\n");
}

int main(void)
{
    few_lines();
    more_than_there_is_room_for();
    one_line_larger_than_all();
    any_bytes();
    return check_end("log_tail");
}
