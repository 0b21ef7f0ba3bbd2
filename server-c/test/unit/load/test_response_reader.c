/* SPDX-License-Identifier: MIT */
/* Answers and what is wrong with some, each in one piece and byte by byte: the same must be said. */
#include "load/response_reader.c"

#include "check.h"

#define OK "HTTP/1.1 200 OK\r\n"

struct outcome {
    enum response_answer answer;
    size_t used;
    uint64_t body_bytes, seen;
    int status;
    bool may_keep;
};

static struct outcome read_in(const char *text, size_t len, size_t step, bool is_head, bool ends)
{
    struct response_reader r;
    struct outcome o = {.answer = RESPONSE_MORE};

    response_reader_init(&r, is_head);
    while (o.answer == RESPONSE_MORE && o.used < len) {
        struct span body;
        size_t used;
        o.answer =
            response_reader_feed(&r, text + o.used, smaller_of(step, len - o.used), &used, &body);
        o.used += used;
        o.seen += body.len;
    }
    if (o.answer == RESPONSE_MORE && ends)
        o.answer = response_reader_end(&r);
    CHECK_TRUE((o.answer == RESPONSE_BAD) == (r.fault != NULL), "a fault is said: %s", text);
    o.body_bytes = r.body_bytes;
    o.status = r.status;
    o.may_keep = r.may_keep;
    return o;
}

static void test_rows(void)
{
    static const struct {
        int line;
        const char *text;
        bool is_head, ends;
        enum response_answer want;
        uint64_t body_bytes;
        bool may_keep;
    } rows[] = {
        {__LINE__, OK "Content-Length: 3\r\n\r\nabc", false, false, RESPONSE_DONE, 3, true},
        {__LINE__, OK "content-length:3\r\n\r\nab", false, false, RESPONSE_MORE, 2, true},
        {__LINE__, OK "Content-Length: 3\r\n\r\nab", false, true, RESPONSE_BAD, 2, true},
        {__LINE__, OK "Content-Length: 0\r\n\r\n", false, false, RESPONSE_DONE, 0, true},
        {__LINE__, OK "Content-Length: 3\r\n\r\n", true, false, RESPONSE_DONE, 0, true},
        {__LINE__, OK "Content-Length: 1\r\nConnection: close\r\n\r\na", false, false,
         RESPONSE_DONE, 1, false},
        {__LINE__, "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", false, false, RESPONSE_DONE, 1,
         false},
        {__LINE__, "HTTP/1.0 200\r\nConnection: x, Keep-Alive\r\nContent-Length: 1\r\n\r\na", false,
         false, RESPONSE_DONE, 1, true},
        {__LINE__, "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false, false,
         RESPONSE_DONE, 0, true},
        {__LINE__, "HTTP/1.1 204 No Content\n\n", false, false, RESPONSE_DONE, 0, true},
        {__LINE__, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK "Content-Length: 1\r\n\r\na",
         false, false, RESPONSE_DONE, 1, true},
        {__LINE__, OK "\r\nabc", false, true, RESPONSE_DONE, 3, false},
        {__LINE__,
         OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", false,
         false, RESPONSE_DONE, 13, true},
        {__LINE__, OK "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nTrailer: x\r\n\r\n", false,
         false, RESPONSE_DONE, 1, true},
        {__LINE__, OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", false, true, RESPONSE_BAD,
         3, true},
        {__LINE__, OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", false, false, RESPONSE_BAD,
         3, true},
        {__LINE__, OK "Transfer-Encoding: chunked\r\n\r\nx\r\n", false, false, RESPONSE_BAD, 0,
         true},
        {__LINE__, OK "Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n", false, false,
         RESPONSE_BAD, 0, true},
        {__LINE__, OK "Transfer-Encoding: gzip, chunked\r\n\r\n", false, false, RESPONSE_BAD, 0,
         true},
        {__LINE__, OK "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", false, false,
         RESPONSE_BAD, 0, true},
        {__LINE__, OK "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", false, false, RESPONSE_BAD,
         0, true},
        {__LINE__, OK "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", false, false,
         RESPONSE_DONE, 3, true},
        {__LINE__, OK "Content-Length: -3\r\n\r\n", false, false, RESPONSE_BAD, 0, true},
        {__LINE__, OK "Content-Length: \r\n\r\n", false, false, RESPONSE_BAD, 0, true},
        {__LINE__, OK "Content-Length: 1\r\n 2\r\n\r\n", false, false, RESPONSE_BAD, 0, true},
        {__LINE__, "HTTP/1.1 101 Switching\r\n\r\n", false, false, RESPONSE_BAD, 0, true},
        {__LINE__, "HTTP/2 200 OK\r\n\r\n", false, false, RESPONSE_BAD, 0, false},
        {__LINE__, "HTTP/1.1 2000 OK\r\n\r\n", false, false, RESPONSE_BAD, 0, false},
        {__LINE__, "HTTP/1.1 600 No\r\n\r\n", false, false, RESPONSE_BAD, 0, false},
        {__LINE__, "SSH-2.0-OpenSSH\r\n", false, false, RESPONSE_BAD, 0, false},
        {__LINE__, "\r\n", false, false, RESPONSE_BAD, 0, false},
        {__LINE__, OK "Server: x", false, true, RESPONSE_BAD, 0, true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t len = strlen(rows[i].text);
        for (size_t step = 1; step <= len; step += len > 1 ? len - 1 : 1) {
            struct outcome o = read_in(rows[i].text, len, step, rows[i].is_head, rows[i].ends);
            CHECK_INT(rows[i].line, rows[i].text, o.answer, rows[i].want);
            CHECK_INT(rows[i].line, rows[i].text, o.body_bytes, rows[i].body_bytes);
            CHECK_INT(rows[i].line, rows[i].text, o.seen, rows[i].body_bytes);
            CHECK_INT(rows[i].line, rows[i].text, o.may_keep, rows[i].may_keep);
        }
    }
}

static void test_what_is_behind_is_left(void)
{
    static const char two[] = OK "Content-Length: 1\r\n\r\naHTTP/1.1 404 No\r\n";
    struct outcome o = read_in(two, sizeof(two) - 1, sizeof(two) - 1, false, false);

    CHECK_INT(__LINE__, "used", o.used, sizeof(OK) - 1 + 19 + 3);
    CHECK_INT(__LINE__, "status", o.status, 200);
}

/* A line longer than what is kept of one, and a head without end. */
static void test_long_lines(void)
{
    static char text[RESPONSE_HEAD_MAX + 1024];
    size_t begin = sizeof(OK) - 1, value;

    memset(text, 'x', sizeof(text));
    memcpy(text, OK "X: ", begin + 3);
    value = begin + 1000;
    memcpy(text + value, "\r\nContent-Length: 1\r\n\r\na", 24);
    for (size_t step = 1; step < 2000; step += 77) {
        struct outcome o = read_in(text, value + 24, step, false, false);
        CHECK_INT(__LINE__, "a long field", o.answer, RESPONSE_DONE);
        CHECK_INT(__LINE__, "a long field", o.body_bytes, 1);
    }
    memcpy(text + begin, "Connection: ", 12);
    for (size_t step = 1; step < 2000; step += 77)
        CHECK_INT(__LINE__, "a long field that is read",
                  read_in(text, value + 24, step, false, false).answer, RESPONSE_BAD);
    memset(text + begin, 'x', sizeof(text) - begin);
    for (size_t step = 1; step < sizeof(text) * 2; step = step * 37 + 1)
        CHECK_INT(__LINE__, "a head without end",
                  read_in(text, sizeof(text), step, false, false).answer, RESPONSE_BAD);
}

int main(void)
{
    test_rows();
    test_what_is_behind_is_left();
    test_long_lines();
    return check_end("response_reader");
}
