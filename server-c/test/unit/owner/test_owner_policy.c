/* SPDX-License-Identifier: MIT */
#include "owner/owner_policy.c"

#include "check.h"

static struct owner_policy *parse(const char *text, struct config_errors *errors)
{
    return owner_policy_parse(text, strlen(text), errors);
}

/* `pointer` NULL: the text must be accepted. */
static void check_text(int line, const char *name, const char *text, const char *pointer,
                       const char *code)
{
    struct config_errors errors = {0};
    struct owner_policy *policy = parse(text, &errors);

    CHECK_TRUE((policy != NULL) == (pointer == NULL), "row %d \"%s\"", line, name);
    CHECK_TRUE((errors.count == 0) == (pointer == NULL), "row %d \"%s\": %zu errors", line, name,
               errors.count);
    if (errors.count > 0 && pointer != NULL) {
        CHECK_STR(line, name, errors.items[0].pointer, pointer);
        CHECK_STR(line, name, errors.items[0].code, code);
    }
    owner_policy_free(policy);
    config_errors_fini(&errors);
}

static void test_what_a_policy_may_say(void)
{
    static const struct {
        int line;
        const char *name, *text, *pointer, *code;
    } rows[] = {
        {__LINE__, "nothing is allowed", "{}", NULL, NULL},
        {__LINE__, "comments", "// the owner's\n{\"serve\": [\"/srv\"]}", NULL, NULL},
        {__LINE__, "the whole machine", "{\"serve\": [\"/\"]}", NULL, NULL},
        {__LINE__, "a slash at the end", "{\"serve\": [\"/srv/www/\"]}", NULL, NULL},
        {__LINE__, "names that begin with dots", "{\"serve\": [\"/srv/.a/..b/c.\"]}", NULL, NULL},
        {__LINE__, "no object", "[]", "", "wrong_type"},
        {__LINE__, "nothing at all", "", "", "syntax"},
        {__LINE__, "a key that nobody knows", "{\"server\": []}", "/server", "unknown_key"},
        {__LINE__, "a key twice", "{\"serve\": [\"/a\"], \"serve\": [\"/b\"]}", "/serve",
         "duplicate_key"},
        {__LINE__, "no list", "{\"serve\": \"/srv\"}", "/serve", "wrong_type"},
        {__LINE__, "a relative folder", "{\"serve\": [\"srv\"]}", "/serve/0", "invalid_value"},
        {__LINE__, "up", "{\"serve\": [\"/srv/../etc\"]}", "/serve/0", "invalid_value"},
        {__LINE__, "up at the end", "{\"logs\": [\"/srv/..\"]}", "/logs/0", "invalid_value"},
        {__LINE__, "here", "{\"logs\": [\"/srv/./x\"]}", "/logs/0", "invalid_value"},
        {__LINE__, "an empty name", "{\"logs\": [\"/srv//x\"]}", "/logs/0", "invalid_value"},
        {__LINE__, "an empty folder", "{\"logs\": [\"\"]}", "/logs/0", "invalid_value"},
        {__LINE__, "a number", "{\"logs\": [\"/a\", 1]}", "/logs/1", "invalid_value"},
        {__LINE__, "no account", "{\"users\": [\"\"]}", "/users/0", "invalid_value"},
        {__LINE__, "a line of passwd", "{\"users\": [\"a:b\"]}", "/users/0", "invalid_value"},
        {__LINE__, "every address", "{\"listen\": [\"*:80\"]}", NULL, NULL},
        {__LINE__, "ports", "{\"listen\": [\"127.0.0.1:1024-65535\"]}", NULL, NULL},
        {__LINE__, "IPv6", "{\"listen\": [\"[::1]:8081\"]}", NULL, NULL},
        {__LINE__, "IPv6 without brackets", "{\"listen\": [\"::1:8081\"]}", "/listen/0",
         "invalid_value"},
        {__LINE__, "IPv4 in brackets", "{\"listen\": [\"[127.0.0.1]:80\"]}", "/listen/0",
         "invalid_value"},
        {__LINE__, "no port", "{\"listen\": [\"127.0.0.1\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "an empty port", "{\"listen\": [\"*:\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "a block", "{\"listen\": [\"10.0.0.0/8:80\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "a name", "{\"listen\": [\"localhost:80\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "a sign", "{\"listen\": [\"*:+80\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "backwards", "{\"listen\": [\"*:90-80\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "too high", "{\"listen\": [\"*:65536\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "wrapping", "{\"listen\": [\"*:18446744073709551696\"]}", "/listen/0",
         "invalid_value"},
        {__LINE__, "an open range", "{\"listen\": [\"*:80-\"]}", "/listen/0", "invalid_value"},
        {__LINE__, "neighbours", "{\"neighbours\": {\"listen\": \"10.0.0.7:8444\"}}", NULL, NULL},
        {__LINE__, "neighbours by IPv6", "{\"neighbours\": {\"listen\": \"[2001:db8::7]:8444\"}}",
         NULL, NULL},
        {__LINE__, "neighbours, announced",
         "{\"neighbours\": {\"listen\": \"*:8444\", \"announce\": \"10.0.0.7:9444\"}}", NULL, NULL},
        {__LINE__, "neighbours anywhere", "{\"neighbours\": {\"listen\": \"*:8444\"}}",
         "/neighbours/listen", "invalid_value"},
        {__LINE__, "neighbours at zeros", "{\"neighbours\": {\"listen\": \"0.0.0.0:8444\"}}",
         "/neighbours/listen", "invalid_value"},
        {__LINE__, "neighbours at IPv6 zeros", "{\"neighbours\": {\"listen\": \"[::]:8444\"}}",
         "/neighbours/listen", "invalid_value"},
        {__LINE__, "announced anywhere",
         "{\"neighbours\": {\"listen\": \"*:8444\", \"announce\": \"*:8444\"}}",
         "/neighbours/announce", "invalid_value"},
        {__LINE__, "several ports for neighbours",
         "{\"neighbours\": {\"listen\": \"10.0.0.7:1-9\"}}", "/neighbours/listen", "invalid_value"},
        {__LINE__, "any port for neighbours", "{\"neighbours\": {\"listen\": \"10.0.0.7:0\"}}",
         "/neighbours/listen", "invalid_value"},
        {__LINE__, "neighbours by name", "{\"neighbours\": {\"listen\": \"node:8444\"}}",
         "/neighbours/listen", "invalid_value"},
        {__LINE__, "neighbours nowhere", "{\"neighbours\": {}}", "/neighbours", "missing_key"},
        {__LINE__, "no object", "{\"neighbours\": \"10.0.0.7:8444\"}", "/neighbours", "wrong_type"},
        {__LINE__, "an unknown key", "{\"neighbours\": {\"listen\": \"10.0.0.7:8444\", \"x\": 1}}",
         "/neighbours/x", "unknown_key"},
        {__LINE__, "a word for a flag", "{\"symlinksAny\": \"yes\"}", "/symlinksAny", "wrong_type"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_text(rows[i].line, rows[i].name, rows[i].text, rows[i].pointer, rows[i].code);
}

static void test_lists_are_bounded(void)
{
    struct buf text;

    buf_init(&text);
    buf_append_str(&text, "{\"serve\": [\"/0\"");
    for (int i = 1; i < OWNER_POLICY_ITEMS; i++)
        buf_printf(&text, ", \"/%d\"", i);
    buf_append_str(&text, "]}");
    check_text(__LINE__, "64", text.data, NULL, NULL);
    text.len -= 2;
    buf_append_str(&text, ", \"/one-more\"]}");
    check_text(__LINE__, "65", text.data, "/serve", "wrong_length");
    buf_fini(&text);
}

static void test_where_one_may_listen(void)
{
    static const struct {
        int line;
        const char *address;
        uint16_t port;
        bool may;
    } rows[] = {
        {__LINE__, "0.0.0.0", 80, true},      {__LINE__, "::", 80, true},
        {__LINE__, "192.0.2.1", 80, true},    {__LINE__, "127.0.0.1", 8081, true},
        {__LINE__, "127.0.0.1", 8090, true},  {__LINE__, "127.0.0.1", 8091, false},
        {__LINE__, "127.0.0.2", 8081, false}, {__LINE__, "0.0.0.0", 8081, false},
        {__LINE__, "::1", 9000, true},        {__LINE__, "0:0:0:0:0:0:0:1", 9000, true},
        {__LINE__, "127.0.0.1", 0, false},    {__LINE__, "::2", 0, true},
        {__LINE__, "no address", 80, false},
    };
    struct config_errors errors = {0};
    struct owner_policy *policy = parse("{\"listen\": [\"*:80\", \"127.0.0.1:8081-8090\", "
                                        "\"[::1]:9000\", \"[::2]:0-65535\"]}",
                                        &errors);

    for (size_t i = 0; policy != NULL && i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].address,
                  owner_policy_may_listen(policy, rows[i].address, rows[i].port), rows[i].may);
    CHECK_TRUE(policy != NULL, "read");
    owner_policy_free(policy);
}

static void test_what_is_beneath(void)
{
    CHECK_TRUE(owner_path_is_in("/srv/www", "/srv/www"), "itself");
    CHECK_TRUE(owner_path_is_in("/srv/www/a", "/srv/www"), "beneath");
    CHECK_TRUE(!owner_path_is_in("/srv/wwwa", "/srv/www"), "a longer name");
    CHECK_TRUE(!owner_path_is_in("/srv", "/srv/www"), "above");
    CHECK_TRUE(owner_path_is_in("/etc", "/"), "everything");
}

/* A policy that is written is read back the same, and equal policies have equal digests. */
static void test_it_comes_back(void)
{
    struct config_errors errors = {0};
    struct owner_policy *tight = owner_policy_built_in();
    json_t *rules = owner_policy_json(tight);
    char *text = json_dumps(rules, JSON_INDENT(2));
    struct owner_policy *again = parse(text, &errors);
    struct owner_policy *other = parse("{}", &errors);

    CHECK_TRUE(again != NULL, "%s", text);
    CHECK_STR(__LINE__, "digest", again ? again->digest : "", tight->digest);
    CHECK_TRUE(strcmp(other->digest, tight->digest) != 0, "another one");
    CHECK_INT(__LINE__, "keys", json_object_size(rules), 9);
    owner_policy_free(tight);
    owner_policy_free(again);
    owner_policy_free(other);
    json_decref(rules);
    free(text);
}

int main(void)
{
    test_what_a_policy_may_say();
    test_lists_are_bounded();
    test_where_one_may_listen();
    test_what_is_beneath();
    test_it_comes_back();
    return check_end("owner_policy");
}
