/* SPDX-License-Identifier: MIT */
/* Versions ahead: the list as it is told, what is brought next, and what becomes of it. */
#include "agent/agent_ahead.c"

#include "check.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static char why[256];

static int read_told(const char *text, struct agent_ahead_told *out)
{
    json_t *document = json_loads(text, 0, NULL);
    struct agent_reader reader = {document, why, sizeof(why), false};
    agent_ahead_read(&reader, out);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

#define ITEM(name, number, manifest)                                                               \
    "{\"name\":\"" name "\",\"number\":" #number ",\"manifestSha256\":\"" manifest "\"}"

static void lists_are_read_strictly(void)
{
    static const struct {
        int line;
        const char *text;
        int want;
        bool is_told;
        size_t count;
    } rows[] = {
        {__LINE__, "{}", 0, false, 0},
        {__LINE__, "{\"ahead\":null}", 0, false, 0},
        {__LINE__, "{\"ahead\":[]}", 0, true, 0},
        {__LINE__, "{\"ahead\":[" ITEM("a", 1, A) "," ITEM("a", 2, B) "," ITEM("b", 1, C) "]}", 0,
         true, 3},
        {__LINE__, "{\"ahead\":[" ITEM("a", 2, A) "," ITEM("a", 1, B) "]}", -1, false, 0},
        {__LINE__, "{\"ahead\":[" ITEM("a", 1, A) "," ITEM("a", 1, B) "]}", -1, false, 0},
        {__LINE__, "{\"ahead\":[" ITEM("b", 1, A) "," ITEM("a", 2, B) "]}", -1, false, 0},
        {__LINE__, "{\"ahead\":[7]}", -1, false, 0},
        {__LINE__, "{\"ahead\":{}}", -1, false, 0},
        {__LINE__,
         "{\"ahead\":[" ITEM("a", 1, A) "," ITEM("a", 2, A) "," ITEM("a", 3, A) "," ITEM(
             "a", 4, A) "," ITEM("a", 5, A) "," ITEM("a", 6,
                                                     A) "," ITEM("a", 7,
                                                                 A) "," ITEM("a", 8,
                                                                             A) "," ITEM("a", 9,
                                                                                         A) "]}",
         -1, false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent_ahead_told told;
        CHECK_INT(rows[i].line, rows[i].text, read_told(rows[i].text, &told), rows[i].want);
        CHECK_INT(rows[i].line, "told", told.is_told, rows[i].is_told);
        CHECK_INT(rows[i].line, "count", told.list.count, rows[i].count);
        agent_releases_fini(&told.list);
    }
}

static struct agent_release one = {"www", 1, A}, both[] = {{"www", 1, A}, {"www", 2, B}},
                            renamed = {"docs", 7, B};

static bool take(struct agent_ahead *ahead, struct agent_release *items, size_t count)
{
    struct agent_releases list = {items, count};
    return agent_ahead_take(ahead, &list);
}

static const char *next(const struct agent_ahead *ahead, uint64_t now_ms)
{
    const struct agent_release *release = agent_ahead_next(ahead, now_ms);
    return release ? release->manifest : "none";
}

static void expect_said(int line, const struct agent_ahead *ahead, const char *want)
{
    json_t *said = agent_ahead_json(ahead);
    char *text = json_dumps(said, JSON_COMPACT);
    CHECK_STR(line, "said", text, want);
    free(text);
    json_decref(said);
}

static void one_after_the_other_is_brought(void)
{
    struct agent_ahead ahead = {0};
    struct agent_releases held;
    expect_said(__LINE__, &ahead, "[]");
    CHECK_TRUE(take(&ahead, both, 2), "they are new");
    CHECK_TRUE(!take(&ahead, both, 2), "they are known");
    CHECK_STR(__LINE__, "the first", next(&ahead, 0), A);
    agent_ahead_ended(agent_ahead_find(&ahead, A), RELEASE_STOPPED, "", 0);
    CHECK_STR(__LINE__, "which was stopped", next(&ahead, 0), A);
    agent_ahead_ended(agent_ahead_find(&ahead, A), RELEASE_STANDS, "", 0);
    CHECK_STR(__LINE__, "the second", next(&ahead, 0), B);
    expect_said(__LINE__, &ahead,
                "[{\"manifestSha256\":\"" A "\",\"state\":\"held\"},{\"manifestSha256\":\"" B
                "\",\"state\":\"fetching\"}]");
    agent_ahead_list(&ahead, true, &held);
    CHECK_TRUE(held.count == 1 && strcmp(held.items[0].manifest, A) == 0, "the first is held");
    agent_releases_fini(&held);
    agent_ahead_list(&ahead, false, &held);
    CHECK_INT(__LINE__, "both are kept", held.count, 2);
    agent_releases_fini(&held);
    CHECK_TRUE(take(&ahead, &one, 1), "one goes");
    CHECK_TRUE(!agent_ahead_find(&ahead, B), "it is gone");
    CHECK_STR(__LINE__, "nothing is left", next(&ahead, 0), "none");
    CHECK_TRUE(take(&ahead, &renamed, 1), "another takes its place");
    CHECK_STR(__LINE__, "to be brought", next(&ahead, 0), B);
    CHECK_TRUE(take(&ahead, NULL, 0), "none any more");
    expect_said(__LINE__, &ahead, "[]");
}

static void what_is_refused_says_why(void)
{
    struct agent_ahead ahead = {0};
    struct agent_ahead_item *item;
    take(&ahead, &one, 1);
    item = agent_ahead_find(&ahead, A);
    agent_ahead_ended(item, RELEASE_NO_ROOM, "no room", 0);
    expect_said(__LINE__, &ahead,
                "[{\"manifestSha256\":\"" A
                "\",\"state\":\"refused\",\"error\":{\"code\":\"resource_limit\",\"message\":"
                "\"version 1 of the release \\\"www\\\": no room\"}}]");
    CHECK_STR(__LINE__, "not by itself", next(&ahead, UINT64_MAX), "none");
    CHECK_TRUE(!agent_ahead_is_coming(&ahead), "it does not come any more");
    agent_ahead_retry(&ahead);
    CHECK_STR(__LINE__, "when there may be room", next(&ahead, 0), A);
    agent_ahead_ended(item, RELEASE_WRONG, "wrong", 0);
    CHECK_STR(__LINE__, "code", item->code, "release_content");
    CHECK_STR(__LINE__, "not by itself", next(&ahead, UINT64_MAX), "none");
    CHECK_TRUE(!take(&ahead, &one, 1), "told anew");
    CHECK_STR(__LINE__, "tried again", next(&ahead, 0), A);
}

static void what_is_missing_is_tried_with_growing_pauses(void)
{
    struct agent_ahead ahead = {0};
    struct agent_ahead_item *item;
    uint64_t now = 1000;
    take(&ahead, &one, 1);
    item = agent_ahead_find(&ahead, A);
    agent_ahead_ended(item, RELEASE_UNREACHED, "away", now);
    CHECK_STR(__LINE__, "code", item->code, "content_missing");
    CHECK_TRUE(agent_ahead_is_coming(&ahead), "it still comes");
    CHECK_STR(__LINE__, "not yet", next(&ahead, now + 999), "none");
    CHECK_STR(__LINE__, "after a second", next(&ahead, now + 1000), A);
    for (int i = 0; i < 40; i++)
        agent_ahead_ended(item, RELEASE_UNREACHED, "away", now);
    CHECK_STR(__LINE__, "not yet", next(&ahead, now + 299999), "none");
    CHECK_STR(__LINE__, "after five minutes", next(&ahead, now + 300000), A);
    agent_ahead_ended(item, RELEASE_STANDS, "", now);
    CHECK_STR(__LINE__, "it is held", next(&ahead, UINT64_MAX), "none");
    CHECK_TRUE(!agent_ahead_is_coming(&ahead), "all of it is here");
}

int main(void)
{
    lists_are_read_strictly();
    one_after_the_other_is_brought();
    what_is_refused_says_why();
    what_is_missing_is_tried_with_growing_pauses();
    return check_end("agent_ahead");
}
