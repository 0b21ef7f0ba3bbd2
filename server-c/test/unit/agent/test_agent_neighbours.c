/* SPDX-License-Identifier: MIT */
/* What is said of neighbours, against the examples of the protocol. */
#include "agent/agent_neighbours.c"

#include "agent_example.h"
#include "base/util.h"

#define MANIFEST "7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e"
#define FIRST "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
#define SECOND "c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3"
#define INCARNATION "00112233445566778899aabbccddeeff"

static void the_question_is_the_examples(void)
{
    struct agent_neighbour_failures none = {.count = 0};
    struct agent_neighbour_failures failures = {
        {{FIRST, AGENT_NEIGHBOUR_WRONG_BYTES}, {SECOND, AGENT_NEIGHBOUR_BUSY}}, 2};

    example_expect(__LINE__, "wanted", agent_neighbours_ask(INCARNATION, MANIFEST, false, &none),
                   example_load("releases-neighbours.request"));
    example_expect(__LINE__, "held", agent_neighbours_ask(INCARNATION, MANIFEST, true, &none),
                   example_load("releases-neighbours.request.held"));
    example_expect(__LINE__, "failed",
                   agent_neighbours_ask(INCARNATION, MANIFEST, false, &failures),
                   example_load("releases-neighbours.request.failed"));
}

static void the_answer_is_read(void)
{
    struct agent_neighbours named;
    char why[256];
    char *text = example_text("releases-neighbours.response");

    CHECK_INT(__LINE__, "read", agent_neighbours_read(text, strlen(text), &named, why, sizeof(why)),
              0);
    free(text);
    CHECK_INT(__LINE__, "two", named.count, 2);
    CHECK_STR(__LINE__, "first", named.items[0].address, "10.0.0.7:8444");
    CHECK_STR(__LINE__, "second", named.items[1].address, "[2001:db8::8]:8444");
    CHECK_STR(__LINE__, "its key", named.items[1].key_sha256, SECOND);
    CHECK_TRUE(strncmp(named.pass, "1." MANIFEST ".", 67) == 0, "%s", named.pass);
    text = example_text("releases-neighbours.response.wait");
    CHECK_INT(__LINE__, "read", agent_neighbours_read(text, strlen(text), &named, why, sizeof(why)),
              0);
    free(text);
    CHECK_INT(__LINE__, "nobody", named.count, 0);
    CHECK_INT(__LINE__, "a wait", named.wait_ms, 5000);
}

static void other_answers_are_refused(void)
{
    static const struct {
        int line;
        const char *name, *text;
    } rows[] = {
        {__LINE__, "noise", "<html>"},
        {__LINE__, "no wait", "{\"neighbours\":[]}"},
        {__LINE__, "too long a wait", "{\"waitMs\":20001,\"neighbours\":[]}"},
        {__LINE__, "no list", "{\"waitMs\":0}"},
        {__LINE__, "no pass",
         "{\"waitMs\":0,\"neighbours\":[{\"address\":\"10.0.0.7:1\",\"keySha256\":\"" FIRST
         "\"}]}"},
        {__LINE__, "an address with a path",
         "{\"waitMs\":0,\"pass\":\"1.\",\"neighbours\":[{\"address\":\"10.0.0.7:1/agent\","
         "\"keySha256\":\"" FIRST "\"}]}"},
        {__LINE__, "a user",
         "{\"waitMs\":0,\"pass\":\"1.\",\"neighbours\":[{\"address\":\"a@10.0.0.7:1\","
         "\"keySha256\":"
         "\"" FIRST "\"}]}"},
        {__LINE__, "another header line in the pass",
         "{\"waitMs\":0,\"pass\":\"1.\\r\\nA: b\",\"neighbours\":[{\"address\":\"10.0.0.7:1\","
         "\"keySha256\":\"" FIRST "\"}]}"},
        {__LINE__, "no key",
         "{\"waitMs\":0,\"pass\":\"1.\",\"neighbours\":[{\"address\":\"10.0.0.7:1\"}]}"},
        {__LINE__, "no objects", "{\"waitMs\":0,\"pass\":\"1.\",\"neighbours\":[1]}"},
        {__LINE__, "five", "{\"waitMs\":0,\"pass\":\"1.\",\"neighbours\":[1,2,3,4,5]}"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent_neighbours named;
        char why[256] = "";

        CHECK_INT(
            rows[i].line, rows[i].name,
            agent_neighbours_read(rows[i].text, strlen(rows[i].text), &named, why, sizeof(why)),
            -1);
        CHECK_TRUE(why[0] != '\0', "row %d \"%s\" says why", rows[i].line, rows[i].name);
    }
}

static struct agent_neighbours_told read_rules(const char *text, bool *failed)
{
    char why[256] = "";
    json_t *document = json_loads(text, 0, NULL);
    struct agent_reader reader = {document, why, sizeof(why), false};
    struct agent_neighbours_told told;

    agent_neighbours_read_rules(&reader, &told);
    *failed = reader.failed;
    json_decref(document);
    return told;
}

static void the_rules_are_read(void)
{
    bool failed;
    char *text = example_text("report.response.neighbours");
    struct agent_neighbours_told told = read_rules(text, &failed);

    free(text);
    CHECK_TRUE(!failed && told.is_told, "told");
    CHECK_INT(__LINE__, "keys", told.rules.keys.count, 2);
    CHECK_INT(__LINE__, "the second", told.rules.keys.items[1][31], 0xe5);
    CHECK_INT(__LINE__, "a rate", told.rules.max_bytes_per_second, 20000000);
    CHECK_INT(__LINE__, "at once", told.rules.at_once, 4);
    told = read_rules("{\"neighbours\":null}", &failed);
    CHECK_TRUE(!failed && told.is_told && told.rules.keys.count == 0, "off");
    told = read_rules("{}", &failed);
    CHECK_TRUE(!failed && !told.is_told, "not told");
    told = read_rules(
        "{\"neighbours\":{\"passKeys\":[\"d4\"],\"maxBytesPerSecond\":0,\"atOnce\":1}}", &failed);
    CHECK_TRUE(failed && !told.is_told && told.rules.keys.count == 0, "no key");
    told = read_rules("{\"neighbours\":{\"passKeys\":[\"" FIRST
                      "\"],\"maxBytesPerSecond\":0,\"atOnce\":9}}",
                      &failed);
    CHECK_TRUE(failed && told.rules.keys.count == 0, "more at once than may be");
    told = read_rules("{\"neighbours\":{\"passKeys\":[],\"maxBytesPerSecond\":0,\"atOnce\":1}}",
                      &failed);
    CHECK_TRUE(failed, "no keys");
}

static void what_is_given_is_the_examples(void)
{
    struct agent_holds holds = {{MANIFEST}, 1};
    json_t *example = example_load("report.request.neighbours");
    json_t *said = agent_neighbours_giving("10.0.0.7:8444", &holds);

    CHECK_TRUE(json_equal(said, json_object_get(example, "neighbours")), "an address and a tree");
    json_decref(said);
    json_decref(example);
    said = agent_neighbours_giving(NULL, &holds);
    CHECK_TRUE(json_is_null(json_object_get(said, "address")) &&
                   json_array_size(json_object_get(said, "holds")) == 0,
               "nothing");
    json_decref(said);
}

int main(void)
{
    the_question_is_the_examples();
    the_answer_is_read();
    other_answers_are_refused();
    the_rules_are_read();
    what_is_given_is_the_examples();
    return check_end("agent_neighbours");
}
