/* SPDX-License-Identifier: MIT */
/* Previews of releases: the list as it is told, and how one ends by itself. */
#include "agent/agent_previews.c"

#include "check.h"

#define ID_A "preview_01jdq8z6v9k3m5n7p2r4t6w8xa"
#define ID_B "preview_01jdq8z6v9k3m5n7p2r4t6w8xb"
#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HOST "v41-www.preview.example.org"
#define ITEM(id, manifest, host, ends)                                                             \
    "{\"id\":\"" id "\",\"name\":\"www\",\"manifestSha256\":\"" manifest "\",\"host\":\"" host     \
    "\",\"keySha256\":\"" SHA_B "\",\"endsInMs\":" ends "}"
#define FOUR                                                                                       \
    ITEM(ID_A, SHA_A, HOST, "1")                                                                   \
    "," ITEM(ID_A, SHA_A, HOST, "1") "," ITEM(ID_A, SHA_A, HOST, "1") "," ITEM(ID_A, SHA_A, HOST,  \
                                                                               "1")

static int read_told(const char *text, struct agent_previews_told *out)
{
    char why[256];
    json_t *document = json_loads(text, 0, NULL);
    struct agent_reader reader = {document, why, sizeof(why), false};
    agent_previews_read(&reader, out);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

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
        {__LINE__, "{\"previews\":null}", 0, false, 0},
        {__LINE__, "{\"previews\":[]}", 0, true, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, SHA_A, HOST, "1") "]}", 0, true, 1},
        {__LINE__, "{\"previews\":[" FOUR "," FOUR "]}", 0, true, 8},
        {__LINE__, "{\"previews\":[" FOUR "," FOUR "," ITEM(ID_A, SHA_A, HOST, "1") "]}", -1, false,
         0},
        {__LINE__, "{\"previews\":[" ITEM("other", SHA_A, HOST, "1") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, "short", HOST, "1") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, SHA_A, "", "1") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, SHA_A, "*", "1") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, SHA_A, "Upper.example", "1") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, SHA_A, HOST, "-1") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[" ITEM(ID_A, SHA_A, HOST, "2678400001") "]}", -1, false, 0},
        {__LINE__, "{\"previews\":[7]}", -1, false, 0},
        {__LINE__, "{\"previews\":{}}", -1, false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent_previews_told told;
        CHECK_INT(rows[i].line, rows[i].text, read_told(rows[i].text, &told), rows[i].want);
        CHECK_INT(rows[i].line, "told", told.is_told, rows[i].is_told);
        if (told.is_told)
            CHECK_INT(rows[i].line, "count", told.list.count, rows[i].count);
    }
}

static void one_is_found_by_its_version_until_its_end(void)
{
    static const struct agent_release shown = {"www", 41, SHA_A}, other = {"www", 42, SHA_B},
                                      namesake = {"docs", 41, SHA_A};
    struct agent_previews previews = {0};
    struct agent_previews_told told;
    CHECK_INT(__LINE__, "read",
              read_told("{\"previews\":[" ITEM(ID_A, SHA_A, HOST, "1000") "]}", &told), 0);
    CHECK_TRUE(agent_previews_take(&previews, &told.list, 5000), "it is new");
    CHECK_TRUE(!agent_previews_take(&previews, &told.list, 5500), "it is known");
    CHECK_STR(__LINE__, "its host", agent_previews_find(&previews, &shown)->host, HOST);
    CHECK_TRUE(!agent_previews_find(&previews, &other), "another version");
    CHECK_TRUE(!agent_previews_find(&previews, &namesake), "another release");
    CHECK_TRUE(!agent_previews_drop(&previews, 6499), "it stands");
    CHECK_TRUE(agent_previews_drop(&previews, 6500), "it has ended");
    CHECK_TRUE(!agent_previews_find(&previews, &shown), "and is not shown");
    CHECK_TRUE(!agent_previews_drop(&previews, 6500), "there are none");
}

static void others_are_news(void)
{
    struct agent_previews previews = {0};
    struct agent_previews_told told;
    CHECK_INT(__LINE__, "read",
              read_told("{\"previews\":[" ITEM(ID_A, SHA_A, HOST, "1") "]}", &told), 0);
    CHECK_TRUE(agent_previews_take(&previews, &told.list, 0), "the first");
    CHECK_INT(__LINE__, "read",
              read_told("{\"previews\":[" ITEM(ID_B, SHA_A, HOST, "1") "]}", &told), 0);
    CHECK_TRUE(agent_previews_take(&previews, &told.list, 0), "one in its place");
    CHECK_INT(__LINE__, "read", read_told("{\"previews\":[]}", &told), 0);
    CHECK_TRUE(agent_previews_take(&previews, &told.list, 0), "none");
}

int main(void)
{
    lists_are_read_strictly();
    one_is_found_by_its_version_until_its_end();
    others_are_news();
    return check_end("agent_previews");
}
