/* SPDX-License-Identifier: MIT */
/* Lists of certificates: what is no name, no version or no fingerprint is not taken, and only what
 * the config names and the loops have loaded is told. */
#include "agent/agent_certificates.c"

#include "agent_example.h"
#include "check.h"

#define FINGERPRINT "3f8a1c5e7d9b0246813579acebdf02468ace13579bdf0246813579acebdf0246"
#define OTHER "0000000000000000000000000000000000000000000000000000000000000000"

static char why[256];

static int read_list(const char *text, struct agent_certificates *out)
{
    json_t *document = json_loads(text, JSON_ALLOW_NUL, NULL);
    struct agent_reader reader = {document, why, sizeof(why), false};
    agent_certificates_read(&reader, out);
    json_decref(document);
    return reader.failed ? -1 : 0;
}

static void expect_refused(int line, const char *items)
{
    char text[1024];
    struct agent_certificates list;
    snprintf(text, sizeof(text), "{\"certificates\":[%s]}", items);
    CHECK_INT(line, items, read_list(text, &list), -1);
    CHECK_TRUE(list.count == 0 && !list.items, "nothing is left to free");
}

#define ITEM(name, version, fingerprint)                                                           \
    "{\"name\":\"" name "\",\"version\":" version ",\"fingerprintSha256\":\"" fingerprint "\"}"

static void lists_are_read_strictly(void)
{
    struct agent_certificates list;
    CHECK_INT(__LINE__, "none", read_list("{}", &list), 0);
    CHECK_INT(__LINE__, "none", list.count, 0);
    CHECK_INT(__LINE__, "two",
              read_list("{\"certificates\":[" ITEM("a", "1", FINGERPRINT) "," ITEM(
                            "b.example-2", "9007199254740991", OTHER) "]}",
                        &list),
              0);
    CHECK_INT(__LINE__, "two", list.count, 2);
    CHECK_STR(__LINE__, "name", list.items[1].name, "b.example-2");
    agent_certificates_fini(&list);
    expect_refused(__LINE__, ITEM("..", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("../a", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM(".versions", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a/b", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a.", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("A", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a\\u0000b", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("", "1", FINGERPRINT));
    expect_refused(
        __LINE__,
        ITEM("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a", "0", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a", "1.5", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a", "1", "3f8a"));
    expect_refused(__LINE__,
                   ITEM("a", "1",
                        "g"
                        "f8a1c5e7d9b0246813579acebdf02468ace13579bdf0246813579acebdf0246"));
    expect_refused(__LINE__, ITEM("b", "1", FINGERPRINT) "," ITEM("a", "1", FINGERPRINT));
    expect_refused(__LINE__, ITEM("a", "1", FINGERPRINT) "," ITEM("a", "2", FINGERPRINT));
    expect_refused(__LINE__, "7");
    CHECK_INT(__LINE__, "no array", read_list("{\"certificates\":{}}", &list), -1);
}

static void only_what_the_config_names_is_kept(void)
{
    static const char text[] =
        "{\"listen\":[{\"address\":\"127.0.0.1\",\"port\":8443,\"tls\":true}],\"sites\":[{"
        "\"hosts\":[\"*\"],"
        "\"root\":\"/srv\",\"certificates\":[{\"name\":\"shop\"},{\"chainFile\":\"/"
        "a.pem\",\"keyFile\":\"/"
        "a.key\"}]}]}";
    struct agent_certificate items[] = {{"other", 1, OTHER}, {"shop", 4, FINGERPRINT}};
    struct agent_certificates list = {items, 2};
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "%s", errors.count > 0 ? errors.items[0].message : "");
    CHECK_TRUE(agent_certificates_fit(&list, cfg) == NULL, "it has all");
    CHECK_INT(__LINE__, "kept", list.count, 1);
    CHECK_STR(__LINE__, "kept", list.items[0].name, "shop");
    list.count = 0;
    CHECK_STR(__LINE__, "lacks", agent_certificates_fit(&list, cfg), "shop");
    config_put(cfg);
    config_errors_fini(&errors);
}

static void what_is_loaded_is_told_with_its_version(void)
{
    char shop[] = "shop", file[] = "blog", stale[] = "old";
    struct loaded_certificate loaded[] = {
        {stale, true, FINGERPRINT, 0}, {shop, true, FINGERPRINT, 0}, {file, false, OTHER, 0}};
    struct certificates_shown shown = {.loaded = loaded, .loaded_count = 3};
    struct agent_certificate new_items[] = {{"blog", 1, OTHER}, {"shop", 5, OTHER}};
    struct agent_certificate old_items[] = {{"old", 3, OTHER}, {"shop", 4, FINGERPRINT}};
    struct agent_certificates offered = {new_items, 2}, kept = {old_items, 2}, out;
    const struct agent_certificates *const lists[] = {&offered, &kept};
    agent_certificates_loaded(&out, &shown, lists, 2);
    CHECK_INT(__LINE__, "one", out.count, 1);
    CHECK_STR(__LINE__, "name", out.items[0].name, "shop");
    CHECK_INT(__LINE__, "the version that is loaded", out.items[0].version, 4);
    agent_certificates_fini(&out);
}

static void an_answer_is_about_what_was_asked_for(void)
{
    struct agent_certificate asked = {"shop", 4, FINGERPRINT};
    struct agent_certificate_text text;
    char *example = example_text("certificate.response");
    size_t len = strlen(example);
    CHECK_INT(__LINE__, "example", agent_read_certificate(example, len, &asked, &text, why, 256),
              0);
    CHECK_TRUE(strstr(text.key, "PRIVATE KEY") != NULL, "a key");
    agent_certificate_text_fini(&text);
    asked.version = 5;
    CHECK_INT(__LINE__, "other", agent_read_certificate(example, len, &asked, &text, why, 256), -1);
    CHECK_TRUE(!text.chain && !text.key, "nothing is left to free");
    CHECK_INT(__LINE__, "cut", agent_read_certificate(example, len - 5, &asked, &text, why, 256),
              -1);
    CHECK_STR(__LINE__, "quotes nothing", why, "the answer is no JSON object");
    free(example);
}

int main(void)
{
    lists_are_read_strictly();
    only_what_the_config_names_is_kept();
    what_is_loaded_is_told_with_its_version();
    an_answer_is_about_what_was_asked_for();
    return check_end("agent_certificates");
}
