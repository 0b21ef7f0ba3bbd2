/* SPDX-License-Identifier: MIT */
/* The messages that the node builds equal the protocol's examples, and text from elsewhere can't
 * break them. */
#include "agent/agent_messages.c"

#include "agent_example.h"
#include "check.h"

#define DIGEST_6 "sha256:513fdc8241fade2061d052926a77b70a6fdbde74593d9f3265eb137f5f770d66"
#define DIGEST_7 "sha256:598de0eb1522d1b24c6a6603b7ae1ed8f0a5de3282b0851f2cd440980bac7c9c"
#define BOOT_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define FINGERPRINT "3f8a1c5e7d9b0246813579acebdf02468ace13579bdf0246813579acebdf0246"
#define INCARNATION "00112233445566778899aabbccddeeff"

static const struct agent_offer offer = {{7, DIGEST_7}, "offer_01jd4q6v2m8w3x5y7z9abcdefh"};
static const struct agent_host host = {"edge-1.example.org", "Debian GNU/Linux 12 (bookworm)",
                                       "x86_64"};
static const struct server_effective running_7 = {true, 7, DIGEST_7, BOOT_ID, 3};

/* The examples were written by another version of the program. */
static json_t *with_our_version(json_t *example)
{
    json_object_set_new(example, "version", json_string(FARMSTEAD_VERSION));
    return example;
}

static void enrol_equals_its_example(void)
{
    struct agent_enrolment enrolment = {"fst_2b7kq9m4x8w1v5z3", "edge-1", INCARNATION, &host, NULL};
    example_expect(__LINE__, "enrol", agent_build_enrol(&enrolment),
                   with_our_version(example_load("enrol.request")));
    json_t *example = example_load("enrol.request.csr");
    enrolment.csr = json_string_value(json_object_get(example, "csr"));
    example_expect(__LINE__, "enrol over TLS", agent_build_enrol(&enrolment),
                   with_our_version(json_copy(example)));
    json_decref(example);
    example = example_load("renew.request");
    const char *csr = json_string_value(json_object_get(example, "csr"));
    example_expect(__LINE__, "renew", agent_build_renew(INCARNATION, csr), json_copy(example));
    json_decref(example);
}

static const char *text_in(const json_t *drift, const char *member)
{
    return json_string_value(json_object_get(drift, member));
}

static void hello_with_drift(struct agent_hello hello)
{
    struct server_effective effective = {true, 6, DIGEST_7, BOOT_ID, 1};
    struct agent_fences fences = {2, {6, DIGEST_6}};
    struct config_errors none = {0};
    json_t *example = example_load("hello.request.drift"),
           *drift = json_object_get(example, "drift");
    struct agent_change change = {.digest = text_in(drift, "digest"),
                                  .text = text_in(drift, "text"),
                                  .is_served = true,
                                  .errors = &none};
    hello.effective = &effective;
    hello.is_local = true;
    hello.fences = &fences;
    hello.change = &change;
    example_expect(__LINE__, "hello with a change", agent_build_hello(&hello),
                   with_our_version(json_copy(example)));
    json_decref(example);
}

#define MANIFEST "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0"
#define REFUSED "8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d"
#define OFFERED "7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e"

static void a_report_tells_how_far_fetching_is(void)
{
    double gauges[GAUGE_COUNT] = {0};
    struct agent_fetching fetching = {OFFERED, 1200, 310, 73400320, 20971520};
    struct agent_report report = {.boot_id = BOOT_ID,
                                  .incarnation = INCARNATION,
                                  .effective = &running_7,
                                  .fetching = &fetching,
                                  .gauges = gauges,
                                  .windows = ""};
    char *text = agent_build_report(&report);
    json_t *said = json_loads(text, 0, NULL);
    json_t *example = example_load("report.request.fetching");
    CHECK_TRUE(json_equal(json_object_get(said, "fetching"), json_object_get(example, "fetching")),
               "%s", text);
    json_decref(said);
    json_decref(example);
    free(text);
}

static void a_report_tells_what_is_shown(void)
{
    char name[] = "shop", host_1[] = "shop.example", host_2[] = "*.shop.example";
    double gauges[GAUGE_COUNT] = {0};
    struct loaded_certificate loaded = {name, true, FINGERPRINT, 1803859200};
    struct shown_host hosts[] = {{host_1, 0}, {host_2, 0}};
    struct certificates_shown shown = {&loaded, 1, hosts, 2};
    struct agent_report report = {.boot_id = BOOT_ID,
                                  .incarnation = INCARNATION,
                                  .effective = &running_7,
                                  .shown = &shown,
                                  .gauges = gauges,
                                  .windows = ""};
    char *text = agent_build_report(&report);
    json_t *said = json_loads(text, 0, NULL);
    json_t *example = example_load("report.request.certificates");
    CHECK_TRUE(
        json_equal(json_object_get(said, "certificates"), json_object_get(example, "certificates")),
        "%s", text);
    json_decref(said);
    json_decref(example);
    free(text);
}

static void a_report_tells_a_change_once(void)
{
    double gauges[GAUGE_COUNT] = {0};
    struct config_errors errors = {0};
    struct text_span nowhere = {0};
    char huge[] = "{";
    struct agent_change change = {.digest = DIGEST_6, .text = huge, .errors = &errors};
    struct agent_report report = {.boot_id = BOOT_ID,
                                  .incarnation = INCARNATION,
                                  .effective = &running_7,
                                  .gauges = gauges,
                                  .windows = "",
                                  .change = &change};
    config_errors_add(&errors, CONFIG_CODE_SYNTAX, nowhere, "/listen/0", NULL,
                      "a comma is missing");
    char *text = agent_build_report(&report);
    json_t *document = json_loads(text, 0, NULL), *drift = json_object_get(document, "drift");
    json_t *error = json_array_get(json_object_get(drift, "errors"), 0);
    CHECK_STR(__LINE__, "text", text_in(drift, "text"), "{");
    CHECK_STR(__LINE__, "pointer", text_in(error, "pointer"), "/listen/0");
    CHECK_TRUE(json_is_false(json_object_get(drift, "isServed")), "not served");
    free(text);
    json_decref(document);
    change.is_known = true;
    text = agent_build_report(&report);
    CHECK_TRUE(strstr(text, "\"drift\":{\"digest\":\"" DIGEST_6 "\"}") != NULL, "%s", text);
    free(text);
    change.digest = "";
    text = agent_build_report(&report);
    CHECK_TRUE(strstr(text, "\"drift\":null") != NULL, "%s", text);
    free(text);
    config_errors_fini(&errors);
}

/* The policy is read from the example, so that all of its members are compared. */
static void hello_with_policy(struct agent_hello hello)
{
    struct config_errors errors = {0};
    json_t *example = example_load("hello.request.policy");
    json_t *rules = json_object_get(json_object_get(example, "policy"), "rules");
    char *text = json_dumps(rules, 0);
    struct owner_policy *policy = owner_policy_parse(text, strlen(text), &errors);

    hello.policy = policy;
    hello.policy_path = "/etc/farmstead/policy.json";
    example_expect(__LINE__, "hello with a policy", agent_build_hello(&hello),
                   with_our_version(example));
    hello.policy_path = "";
    free(text);
    text = agent_build_hello(&hello);
    CHECK_TRUE(strstr(text, "\"source\":\"builtIn\"") && strstr(text, "\"path\":null"), "%s", text);
    free(text);
    owner_policy_free(policy);
}

static void hello_equals_its_examples(void)
{
    struct server_effective effective = {true, 6, DIGEST_6, BOOT_ID, 0};
    struct agent_version good = {6, DIGEST_6};
    struct agent_fences fences = {2, {6, DIGEST_6}};
    struct agent_hello hello = {.node_id = "node_01jd4q6v2m8w3x5y7z9abcdefg",
                                .incarnation = INCARNATION,
                                .schema_digest = DIGEST_6,
                                .host = &host,
                                .effective = &effective,
                                .last_known_good = &good,
                                .fences = &fences,
                                .boot_id = BOOT_ID};
    example_expect(__LINE__, "hello", agent_build_hello(&hello),
                   with_our_version(example_load("hello.request")));
    hello_with_policy(hello);
    static struct agent_certificate shop = {"shop", 4, FINGERPRINT};
    struct agent_certificates certificates = {&shop, 1};
    hello.certificates = &certificates;
    example_expect(__LINE__, "hello with certificates", agent_build_hello(&hello),
                   with_our_version(example_load("hello.request.certificates")));
    hello.certificates = NULL;
    static struct agent_release www = {"www", 41, MANIFEST};
    struct agent_releases releases = {&www, 1};
    hello.releases = &releases;
    example_expect(__LINE__, "hello with releases", agent_build_hello(&hello),
                   with_our_version(example_load("hello.request.releases")));
    hello.releases = NULL;
    struct agent_result discarded = {.offer = offer,
                                     .outcome = AGENT_REVERTED,
                                     .reason = AGENT_REASON_RESTART,
                                     .effective = effective,
                                     .message = "the node restarted before it was confirmed"};
    fences.max_taken.generation = 7;
    hello.last_result = &discarded;
    example_expect(__LINE__, "hello after a restart", agent_build_hello(&hello),
                   with_our_version(example_load("hello.request.restarted")));
    hello.last_result = NULL;
    hello_with_drift(hello);
    memset(&good, 0, sizeof(good));
    memset(&fences, 0, sizeof(fences));
    effective.serving = false;
    example_expect(__LINE__, "first hello", agent_build_hello(&hello),
                   with_our_version(example_load("hello.request.first")));
}

static void desired_equals_its_example(void)
{
    struct agent_version have = {6, DIGEST_6};
    struct agent_wish wish = {&have, 25000, NULL, NULL, NULL};
    example_expect(__LINE__, "desired", agent_build_desired(BOOT_ID, INCARNATION, &wish),
                   example_load("desired.request"));
    struct acme_challenge challenge = {.host = "shop.example",
                                       .token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA"};
    struct agent_challenges held = {true, &challenge, 1};
    wish.challenges = &held;
    example_expect(__LINE__, "desired with challenges",
                   agent_build_desired(BOOT_ID, INCARNATION, &wish),
                   example_load("desired.request.challenges"));
    have.generation = 0;
    wish.challenges = NULL;
    json_t *nothing_yet = example_load("desired.request");
    json_object_set_new(nothing_yet, "have", json_null());
    example_expect(__LINE__, "desired, nothing yet",
                   agent_build_desired(BOOT_ID, INCARNATION, &wish), nothing_yet);
}

static void a_wish_says_what_is_held_ahead(void)
{
    static const char why[] = "as long as its example says";
    struct agent_version have = {6, DIGEST_6};
    struct agent_ahead ahead = {.count = 2};
    struct agent_wish wish = {&have, 25000, NULL, &ahead, NULL};
    json_t *example = example_load("desired.request.ahead");
    json_t *error = json_object_get(json_array_get(json_object_get(example, "ahead"), 1), "error");
    snprintf(ahead.items[0].release.manifest, sizeof(ahead.items[0].release.manifest), OFFERED);
    snprintf(ahead.items[1].release.manifest, sizeof(ahead.items[1].release.manifest), REFUSED);
    ahead.items[0].state = AGENT_AHEAD_HELD;
    agent_ahead_ended(&ahead.items[1], RELEASE_NO_ROOM, why, 0);
    CHECK_INT(__LINE__, "message",
              json_string_set(json_object_get(error, "message"), ahead.items[1].message), 0);
    example_expect(__LINE__, "desired with what is ahead",
                   agent_build_desired(BOOT_ID, INCARNATION, &wish), example);
}

static void a_wish_says_which_previews_are_shown(void)
{
    struct agent_version have = {6, DIGEST_6};
    struct agent_previews previews = {.count = 1};
    struct agent_wish wish = {&have, 25000, NULL, NULL, &previews};
    snprintf(previews.items[0].id, sizeof(previews.items[0].id),
             "preview_01jdq8z6v9k3m5n7p2r4t6w8xa");
    example_expect(__LINE__, "desired with previews",
                   agent_build_desired(BOOT_ID, INCARNATION, &wish),
                   example_load("desired.request.previews"));
}

static void a_report_tells_who_asked_for_kept_releases(void)
{
    double gauges[GAUGE_COUNT] = {0};
    json_t *example = example_load("report.request.kept-releases");
    json_t *kept = json_object_get(example, "keptReleases");
    struct agent_report report = {.boot_id = BOOT_ID,
                                  .incarnation = INCARNATION,
                                  .effective = &running_7,
                                  .gauges = gauges,
                                  .windows = "",
                                  .kept_releases = json_incref(kept)};
    char *text = agent_build_report(&report);
    json_t *said = json_loads(text, 0, NULL);
    CHECK_TRUE(json_equal(json_object_get(said, "keptReleases"), kept), "%s", text);
    json_decref(said);
    json_decref(example);
    free(text);
}

static void a_report_asks_what_desired_asks(void)
{
    double gauges[GAUGE_COUNT] = {0};
    struct agent_version have = {6, DIGEST_6};
    struct acme_challenge challenge = {.host = "shop.example",
                                       .token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA"};
    struct agent_challenges held = {true, &challenge, 1};
    struct agent_wish wish = {&have, 4990, &held, NULL, NULL};
    struct agent_report report = {.boot_id = BOOT_ID,
                                  .incarnation = INCARNATION,
                                  .effective = &running_7,
                                  .gauges = gauges,
                                  .windows = "",
                                  .wish = &wish};
    char *text = agent_build_report(&report);
    json_t *said = json_loads(text, 0, NULL), *example = example_load("report.request.desired");
    CHECK_TRUE(json_equal(json_object_get(said, "desired"), json_object_get(example, "desired")),
               "%s", text);
    json_decref(said);
    free(text);
    report.wish = NULL;
    text = agent_build_report(&report);
    said = json_loads(text, 0, NULL);
    CHECK_TRUE(said && !json_object_get(said, "desired"), "asks for nothing: %s", text);
    json_decref(said);
    json_decref(example);
    free(text);
}

static void ack_and_confirm_equal_their_examples(void)
{
    example_expect(__LINE__, "ack", agent_build_ack(&offer), example_load("ack.request"));
    example_expect(__LINE__, "confirm", agent_build_confirm(&offer, &running_7, NULL, NULL),
                   example_load("confirm.request"));
}

static void nack_equals_its_examples(void)
{
    char pointer[] = "/sites/0/root", message[] = "\"/srv/www\" does not exist on this node";
    char hint[] = "create it, or name a folder that exists";
    struct config_error error = {.pointer = pointer,
                                 .line = 3,
                                 .column = 41,
                                 .end_line = 3,
                                 .end_column = 51,
                                 .code = "missing_file",
                                 .message = message,
                                 .hint = hint};
    struct agent_nack nack = {.offer = offer,
                              .code = "missing_file",
                              .message = "/sites/0/root: /srv/www does not exist on this node",
                              .errors = {&error, 1, 0}};
    example_expect(__LINE__, "nack", agent_build_nack(&nack), example_load("nack.request"));
    struct agent_nack fenced = {.offer = offer,
                                .code = "epoch_fenced",
                                .message = "epoch 2 is lower than 3, which this node has seen",
                                .fenced = true,
                                .max_epoch = 3,
                                .max_generation = 9};
    example_expect(__LINE__, "fenced", agent_build_nack(&fenced),
                   example_load("nack.request.fenced"));
}

static void evidence_is_bounded(void)
{
    struct buf lines;
    buf_init(&lines);
    for (int i = 0; i < 60; i++) {
        buf_printf(&lines, "line %d ", i);
        for (int j = 0; j < 2000; j++)
            buf_append_char(&lines, 'x');
        buf_append_char(&lines, '\n');
    }
    buf_append_str(&lines, "no end \xff");
    struct agent_result result = {.offer = offer, .evidence = buf_take(&lines)};
    char *text = agent_build_result(&result);
    json_t *message = json_loads(text, 0, NULL);
    json_t *evidence = json_object_get(message, "evidence");
    const char *first = json_string_value(json_array_get(evidence, 0));
    CHECK_INT(__LINE__, "lines", json_array_size(evidence), 50);
    CHECK_TRUE(first && strncmp(first, "line 11 x", 9) == 0, "the newest are kept: %.20s", first);
    CHECK_INT(__LINE__, "a long line", first ? strlen(first) : 0, 1024);
    CHECK_STR(__LINE__, "a torn one", json_string_value(json_array_get(evidence, 49)), "no end ?");
    json_decref(message);
    free(text);
    free((char *)(uintptr_t)result.evidence);
}

static void result_equals_its_examples(void)
{
    struct agent_result result = {.offer = offer, .outcome = AGENT_APPLIED, .effective = running_7};
    example_expect(__LINE__, "applied", agent_build_result(&result),
                   example_load("result.request"));
    struct agent_result stuck = {.offer = offer,
                                 .outcome = AGENT_STUCK,
                                 .reason = AGENT_REASON_UNCONFIRMED,
                                 .effective = running_7,
                                 .message =
                                     "/listen/0/port: port 8080 is taken by another program"};
    example_expect(__LINE__, "stuck", agent_build_result(&stuck),
                   example_load("result.request.stuck"));
    struct agent_result reverted = {.offer = offer,
                                    .outcome = AGENT_REVERTED,
                                    .reason = AGENT_REASON_UNCONFIRMED,
                                    .effective = {true, 6, DIGEST_6, BOOT_ID, 4},
                                    .message = "no confirmation within 60000 ms"};
    example_expect(__LINE__, "reverted", agent_build_result(&reverted),
                   example_load("result.request.reverted"));
    struct agent_result crashed = {
        .offer = offer,
        .outcome = AGENT_REVERTED,
        .reason = AGENT_REASON_CRASH_LOOP,
        .effective = {true, 6, DIGEST_6, BOOT_ID, 0},
        .message = "the serving process ended twice before it was confirmed: killed by signal 11 "
                   "(Segmentation fault)",
        .evidence = "2026-11-22T05:37:31.208Z info agent: generation 7 serves, 60000 ms to be "
                    "confirmed\n"
                    "2026-11-22T05:37:31.911Z error access log: can't write: no space left on "
                    "device\n"};
    example_expect(__LINE__, "crash loop", agent_build_result(&crashed),
                   example_load("result.request.crash_loop"));
}

static void text_row(int line, const char *name, const char *text, size_t max, const char *want)
{
    json_t *value = agent_text_json(text, max);
    CHECK_TRUE(value != NULL, "row %d \"%s\"", line, name);
    CHECK_STR(line, name, json_string_value(value), want);
    json_decref(value);
}

static void text_is_cut_and_made_valid(void)
{
    text_row(__LINE__, "plain", "abc", 10, "abc");
    text_row(__LINE__, "cut", "abcdef", 3, "abc");
    text_row(__LINE__, "no half character", "ab\xc3\xa9", 3, "ab");
    text_row(__LINE__, "whole character", "ab\xc3\xa9", 4, "ab\xc3\xa9");
    text_row(__LINE__, "a path of any bytes", "/srv/\xff\xfe", 20, "/srv/??");
    text_row(__LINE__, "surrogate", "\xed\xa0\x80", 20, "???");
    text_row(__LINE__, "cut short at the end", "a\xe2\x82", 20, "a??");
}

static void nack_holds_no_more_than_the_schema_allows(void)
{
    static struct config_error errors[150];
    char pointer[] = "/x", message[4096];
    memset(message, 'm', sizeof(message) - 1);
    message[sizeof(message) - 1] = '\0';
    for (size_t i = 0; i < 150; i++)
        errors[i] = (struct config_error){.pointer = pointer,
                                          .line = 1,
                                          .column = 1,
                                          .code = "unknown_key",
                                          .message = message,
                                          .hint = NULL};
    struct agent_nack nack = {.offer = offer, .code = "schema", .errors = {errors, 150, 0}};
    char *text = agent_build_nack(&nack);
    json_t *document = json_loads(text, 0, NULL);
    json_t *list = json_object_get(document, "errors");
    CHECK_INT(__LINE__, "findings", json_array_size(list), 100);
    CHECK_INT(__LINE__, "message",
              json_string_length(json_object_get(json_array_get(list, 0), "message")), 2048);
    json_decref(document);
    free(text);
}

static void nack_codes_are_the_schema_s(void)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/agent-protocol/schemas/common.schema.json", SOURCE_DIR);
    json_t *schema = json_load_file(path, 0, NULL);
    json_t *codes = json_object_get(
        json_object_get(json_object_get(schema, "definitions"), "nackCode"), "enum");
    CHECK_INT(__LINE__, "how many", json_array_size(codes),
              sizeof(nack_codes) / sizeof(*nack_codes));
    for (size_t i = 0; i < json_array_size(codes); i++) {
        const char *code = json_string_value(json_array_get(codes, i));
        CHECK_TRUE(agent_nack_code_known(code), "%s", code);
    }
    CHECK_TRUE(!agent_nack_code_known("address_unavailable"), "not of the protocol");
    json_decref(schema);
}

int main(void)
{
    enrol_equals_its_example();
    a_report_tells_a_change_once();
    a_report_tells_what_is_shown();
    a_report_tells_how_far_fetching_is();
    hello_equals_its_examples();
    desired_equals_its_example();
    a_report_asks_what_desired_asks();
    a_wish_says_what_is_held_ahead();
    a_wish_says_which_previews_are_shown();
    a_report_tells_who_asked_for_kept_releases();
    ack_and_confirm_equal_their_examples();
    nack_equals_its_examples();
    result_equals_its_examples();
    evidence_is_bounded();
    text_is_cut_and_made_valid();
    nack_holds_no_more_than_the_schema_allows();
    nack_codes_are_the_schema_s();
    return check_end("agent_messages");
}
