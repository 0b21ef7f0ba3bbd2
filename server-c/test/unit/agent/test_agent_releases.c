/* SPDX-License-Identifier: MIT */
/* Lists of releases: what is no name, no number or no digest is not taken. */
#include "agent/agent_releases.c"

#include "check.h"

#define MANIFEST "3f8a1c5e7d9b0246813579acebdf02468ace13579bdf0246813579acebdf0246"

static char why[256];

static int read_list(const char *text, struct agent_releases *out)
{
    json_t *document = json_loads(text, JSON_ALLOW_NUL, NULL);
    struct agent_reader reader = {document, why, sizeof(why), false};
    agent_releases_read(&reader, out);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

static void expect_refused(int line, const char *items)
{
    char text[1024];
    struct agent_releases list;
    snprintf(text, sizeof(text), "{\"releases\":[%s]}", items);
    CHECK_INT(line, items, read_list(text, &list), -1);
    CHECK_TRUE(list.count == 0 && !list.items, "nothing is left to free");
}

#define ITEM(name, number, manifest)                                                               \
    "{\"name\":\"" name "\",\"number\":" number ",\"manifestSha256\":\"" manifest "\"}"

static void lists_are_read_strictly(void)
{
    expect_refused(__LINE__, ITEM("..", "1", MANIFEST));
    expect_refused(__LINE__, ITEM("a/b", "1", MANIFEST));
    expect_refused(__LINE__, ITEM("A", "1", MANIFEST));
    expect_refused(__LINE__, ITEM("", "1", MANIFEST));
    expect_refused(__LINE__, ITEM("a", "0", MANIFEST));
    expect_refused(__LINE__, ITEM("a", "2147483648", MANIFEST));
    expect_refused(__LINE__, ITEM("a", "1", "../../etc"));
    expect_refused(__LINE__, ITEM("a", "1", "sha256:" MANIFEST));
    expect_refused(__LINE__, ITEM("b", "1", MANIFEST) "," ITEM("a", "1", MANIFEST));
    expect_refused(__LINE__, ITEM("a", "1", MANIFEST) "," ITEM("a", "2", MANIFEST));
    expect_refused(__LINE__, "7");
}

static void lists_come_back_as_they_were(void)
{
    struct agent_releases list, copy;
    CHECK_INT(__LINE__, "none", read_list("{}", &list), 0);
    CHECK_INT(__LINE__, "none", list.count, 0);
    CHECK_INT(__LINE__, "two",
              read_list("{\"releases\":[" ITEM("a", "1", MANIFEST) "," ITEM("b.c-2", "2147483647",
                                                                           MANIFEST) "]}",
                        &list),
              0);
    agent_releases_copy(&copy, &list);
    agent_releases_fini(&list);
    json_t *said = json_pack("{so}", "releases", agent_releases_json(&copy));
    char *text = json_dumps(said, JSON_COMPACT);
    CHECK_STR(__LINE__, "both", text,
              "{\"releases\":[" ITEM("a", "1", MANIFEST) "," ITEM("b.c-2", "2147483647",
                                                                 MANIFEST) "]}");
    free(text);
    json_decref(said);
    CHECK_INT(__LINE__, "found", agent_releases_find(&copy, "b.c-2")->number, 2147483647);
    CHECK_TRUE(!agent_releases_find(&copy, "c"), "there is none of that name");
    agent_releases_fini(&copy);
}

int main(void)
{
    lists_are_read_strictly();
    lists_come_back_as_they_were();
    return check_end("agent_releases");
}
