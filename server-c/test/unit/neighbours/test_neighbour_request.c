/* SPDX-License-Identifier: MIT */
#include "neighbours/neighbour_request.c"

#include "check.h"

#define MANIFEST "7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e"
#define LINE "POST /neighbour/v1/" MANIFEST " HTTP/1.1\r\n"
#define HOST "Host: 10.0.0.7:8444\r\n"
#define PASS "Farmstead-Pass: 1.ab\r\n"
#define LENGTH "Content-Length: 9\r\n"

static void test_heads(void)
{
    static const struct {
        int line;
        const char *name, *head;
        int status; /* 0: good */
    } rows[] = {
        {__LINE__, "as a node asks", LINE HOST PASS LENGTH "\r\n", 0},
        {__LINE__, "names in any case", LINE HOST "farmstead-PASS:1.ab\r\n" LENGTH "\r\n", 0},
        {__LINE__, "a range", LINE HOST PASS LENGTH "Range: bytes=7-\r\n\r\n", 0},
        {__LINE__, "GET", "GET /neighbour/v1/" MANIFEST " HTTP/1.1\r\n" HOST PASS "\r\n", 405},
        {__LINE__, "PUT", "PUT /neighbour/v1/" MANIFEST " HTTP/1.1\r\n" HOST PASS LENGTH "\r\n",
         405},
        {__LINE__, "no manifest", "POST /neighbour/v1/ HTTP/1.1\r\n" HOST PASS LENGTH "\r\n", 404},
        {__LINE__, "the folder above",
         "POST "
         "/neighbour/v1/../../../../../../../../../../../../../../../../../../../../../..01234 "
         "HTTP/1.1\r\n" HOST PASS LENGTH "\r\n",
         404},
        {__LINE__, "a tree that is not whole",
         "POST /neighbour/v1/" MANIFEST ".new HTTP/1.1\r\n" HOST PASS LENGTH "\r\n", 404},
        {__LINE__, "a path behind it",
         "POST /neighbour/v1/" MANIFEST "/a HTTP/1.1\r\n" HOST PASS LENGTH "\r\n", 404},
        {__LINE__, "a query",
         "POST /neighbour/v1/" MANIFEST "?a HTTP/1.1\r\n" HOST PASS LENGTH "\r\n", 404},
        {__LINE__, "the agents' address",
         "POST /agent/v1/hello HTTP/1.1\r\n" HOST PASS LENGTH "\r\n", 404},
        {__LINE__, "no pass", LINE HOST LENGTH "\r\n", 403},
        {__LINE__, "an empty pass", LINE HOST "Farmstead-Pass: \r\n" LENGTH "\r\n", 403},
        {__LINE__, "two passes", LINE HOST PASS PASS LENGTH "\r\n", 403},
        {__LINE__, "no length", LINE HOST PASS "\r\n", 400},
        {__LINE__, "nothing asked for", LINE HOST PASS "Content-Length: 0\r\n\r\n", 400},
        {__LINE__, "too much", LINE HOST PASS "Content-Length: 262145\r\n\r\n", 400},
        {__LINE__, "chunks", LINE HOST PASS "Transfer-Encoding: chunked\r\n\r\n", 400},
        {__LINE__, "both lengths", LINE HOST PASS LENGTH "Transfer-Encoding: chunked\r\n\r\n", 400},
        {__LINE__, "the last bytes", LINE HOST PASS LENGTH "Range: bytes=-7\r\n\r\n", 400},
        {__LINE__, "from and to", LINE HOST PASS LENGTH "Range: bytes=7-9\r\n\r\n", 400},
        {__LINE__, "two ranges", LINE HOST PASS LENGTH "Range: bytes=7-,9-\r\n\r\n", 400},
        {__LINE__, "a number that wraps",
         LINE HOST PASS LENGTH "Range: bytes=18446744073709551616-\r\n\r\n", 400},
        {__LINE__, "noise", "\x16\x03\x01\r\n\r\n", 400},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct neighbour_request request;
        enum parse parsed = neighbour_request_read(&request, rows[i].head, strlen(rows[i].head));

        CHECK_INT(rows[i].line, rows[i].name, parsed, rows[i].status ? PARSE_BAD : PARSE_OK);
        CHECK_INT(rows[i].line, rows[i].name, request.status, rows[i].status);
        if (parsed == PARSE_OK) {
            CHECK_STR(rows[i].line, rows[i].name, request.manifest, MANIFEST);
            CHECK_STR(rows[i].line, rows[i].name, request.pass, "1.ab");
            CHECK_INT(rows[i].line, rows[i].name, request.body_len, 9);
            CHECK_INT(rows[i].line, rows[i].name, request.from, request.has_range ? 7 : 0);
        }
    }
}

static void test_it_waits_for_the_rest(void)
{
    static const char head[] = LINE HOST PASS LENGTH "\r\n";
    struct neighbour_request request;

    for (size_t len = 0; len < sizeof(head) - 1; len++)
        CHECK_INT(__LINE__, "more", neighbour_request_read(&request, head, len), PARSE_MORE);
}

static void test_paths(void)
{
    static const struct {
        int line;
        const char *name, *body;
        int count; /* 0: it is wrong */
    } rows[] = {
        {__LINE__, "one", "index.html\n", 1},
        {__LINE__, "three", "a\nb/c\nd e\n", 3},
        {__LINE__, "names that begin with dots", ".a/..b/...\n", 1},
        {__LINE__, "the last without its end", "a\nb", 0},
        {__LINE__, "an empty one", "a\n\nb\n", 0},
        {__LINE__, "up", "../releases.json\n", 0},
        {__LINE__, "up in the middle", "a/../../b\n", 0},
        {__LINE__, "here", "./a\n", 0},
        {__LINE__, "absolute", "/etc/passwd\n", 0},
        {__LINE__, "a folder", "a/\n", 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct neighbour_paths paths;
        char body[64];
        const char *wrong;

        snprintf(body, sizeof(body), "%s", rows[i].body);
        wrong = neighbour_paths_read(&paths, body, strlen(rows[i].body));
        CHECK_TRUE((wrong == NULL) == (rows[i].count > 0), "row %d \"%s\"", rows[i].line,
                   rows[i].name);
        if (!wrong)
            CHECK_INT(rows[i].line, rows[i].name, paths.count, rows[i].count);
    }
}

static void test_paths_are_bounded(void)
{
    struct neighbour_paths paths;
    char body[2 * (NEIGHBOUR_PATHS_MAX + 1) + 1], with_nul[] = "a\0b\n";
    char *longest = malloc(RELEASE_PATH_LEN + 3);

    for (size_t i = 0; i <= NEIGHBOUR_PATHS_MAX; i++)
        memcpy(body + 2 * i, "a\n", 3);
    CHECK_TRUE(neighbour_paths_read(&paths, body, 2 * NEIGHBOUR_PATHS_MAX) == NULL, "512");
    for (size_t i = 0; i <= NEIGHBOUR_PATHS_MAX; i++)
        memcpy(body + 2 * i, "a\n", 3);
    CHECK_TRUE(neighbour_paths_read(&paths, body, 2 * (NEIGHBOUR_PATHS_MAX + 1)) != NULL, "513");
    CHECK_TRUE(neighbour_paths_read(&paths, with_nul, 4) != NULL, "a NUL");
    CHECK_TRUE(neighbour_paths_read(&paths, body, 0) != NULL, "none");
    for (size_t i = 0; i < RELEASE_PATH_LEN + 1; i++)
        longest[i] = i % 100 == 99 ? '/' : 'a';
    memcpy(longest + RELEASE_PATH_LEN, "b\n", 2);
    CHECK_TRUE(neighbour_paths_read(&paths, longest, RELEASE_PATH_LEN + 2) != NULL, "too long");
    free(longest);
}

int main(void)
{
    test_heads();
    test_it_waits_for_the_rest();
    test_paths();
    test_paths_are_bounded();
    return check_end("neighbour_request");
}
