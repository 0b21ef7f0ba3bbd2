/* SPDX-License-Identifier: MIT */
/* Which requests are below a watched path, what is a page, and sums of loops. */
#include "measure/path_watch.c"

#include "check.h"

static const struct path_watch watch = {
    .id = "watch_1",
    .count = 2,
    .paths = {{.host = "www.example.org", .host_len = 15, .path = "/docs/", .path_len = 6},
              {.path = "/", .path_len = 1}},
};

static struct span text(const char *chars)
{
    return (struct span){chars, strlen(chars)};
}

static void count(int line, const struct watched_answer *answer,
                  const uint64_t first[WATCH_COUNTER_COUNT],
                  const uint64_t second[WATCH_COUNTER_COUNT])
{
    struct watched_counts counts = {0};

    path_watch_count(&watch, &counts, answer);
    for (int i = 0; i < WATCH_COUNTER_COUNT; i++) {
        CHECK_INT(line, "below /docs/ of one host", counts.rows[0][i], first[i]);
        CHECK_INT(line, "below / of any host", counts.rows[1][i], second[i]);
    }
}

static void row(int line, const char *host, const char *path, int status, uint64_t bytes,
                const uint64_t first[WATCH_COUNTER_COUNT],
                const uint64_t second[WATCH_COUNTER_COUNT])
{
    const struct watched_answer answer = {text(host), text(path), status, true, bytes};

    count(line, &answer, first, second);
}

#define NONE ((uint64_t[]){0, 0, 0, 0})
#define ONE ((uint64_t[]){1, 0, 0, 0})
#define LOST ((uint64_t[]){1, 1, 0, 0})
#define PAGE ((uint64_t[]){1, 0, 1, 900})
#define EMPTY ((uint64_t[]){1, 0, 1, 0})

static void requests_are_counted_below_their_paths(void)
{
    row(__LINE__, "www.example.org", "/docs/", 200, 900, PAGE, PAGE);
    row(__LINE__, "WWW.Example.org", "/docs/a.html", 200, 900, PAGE, PAGE);
    row(__LINE__, "www.example.org", "/docs/A.HTM", 200, 900, PAGE, PAGE);
    row(__LINE__, "www.example.org", "/docs/guide", 200, 900, PAGE, PAGE);
    row(__LINE__, "www.example.org", "/docs/v1.2/guide", 200, 900, PAGE, PAGE);
    row(__LINE__, "www.example.org", "/docs/a.css", 200, 900, ONE, ONE);
    row(__LINE__, "www.example.org", "/docs/a.html", 304, 0, ONE, ONE);
    row(__LINE__, "www.example.org", "/docs/a.html", 200, 0, EMPTY, EMPTY);
    row(__LINE__, "www.example.org", "/docs/a.html", 206, 900, ONE, ONE);
    row(__LINE__, "www.example.org", "/docs/a.html", 404, 900, LOST, LOST);
    row(__LINE__, "www.example.org", "/docs", 200, 900, NONE, PAGE);
    row(__LINE__, "example.org", "/docs/", 200, 900, NONE, PAGE);
    row(__LINE__, "", "/docs/", 200, 900, NONE, PAGE);
    row(__LINE__, "www.example.org", "", 400, 900, NONE, NONE);
}

static void a_head_says_nothing_of_a_page(void)
{
    const struct watched_answer head = {
        .host = text("www.example.org"), .path = text("/docs/a.html"), .status = 200};

    count(__LINE__, &head, ONE, ONE);
}

static void what_loops_counted_for_one_watch_is_added(void)
{
    struct watched_counts sum = {0}, one = {.id = "watch_1", .rows = {{2, 1}}},
                          other = {.id = "watch_2", .rows = {{9, 9}}};
    watched_counts_add(&sum, &one);
    watched_counts_add(&sum, &one);
    watched_counts_add(&sum, &other);
    CHECK_STR(__LINE__, "the first one's", sum.id, "watch_1");
    CHECK_INT(__LINE__, "requests", sum.rows[0][WATCH_REQUESTS], 4);
    CHECK_INT(__LINE__, "404", sum.rows[0][WATCH_404], 2);
}

int main(void)
{
    requests_are_counted_below_their_paths();
    a_head_says_nothing_of_a_page();
    what_loops_counted_for_one_watch_is_added();
    return check_end("path watch");
}
