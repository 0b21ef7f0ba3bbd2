/* SPDX-License-Identifier: MIT */
/* What the node builds equals the protocol's examples, and text from elsewhere cannot break it. */
#include "../../src/agent_messages.c"

#include "agent_example.h"
#include "check.h"

#define DIGEST_6 "sha256:513fdc8241fade2061d052926a77b70a6fdbde74593d9f3265eb137f5f770d66"
#define DIGEST_7 "sha256:598de0eb1522d1b24c6a6603b7ae1ed8f0a5de3282b0851f2cd440980bac7c9c"
#define BOOT_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
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
    example_expect(__LINE__, "enrol",
                   agent_build_enrol("fst_2b7kq9m4x8w1v5z3", "edge-1", INCARNATION, &host),
                   with_our_version(example_load("enrol.request")));
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
    memset(&good, 0, sizeof(good));
    memset(&fences, 0, sizeof(fences));
    effective.serving = false;
    example_expect(__LINE__, "first hello", agent_build_hello(&hello),
                   with_our_version(example_load("hello.request.first")));
}

static void desired_equals_its_example(void)
{
    struct agent_version have = {6, DIGEST_6};
    example_expect(__LINE__, "desired", agent_build_desired(BOOT_ID, INCARNATION, &have, 25000),
                   example_load("desired.request"));
    have.generation = 0;
    json_t *nothing_yet = example_load("desired.request");
    json_object_set_new(nothing_yet, "have", json_null());
    example_expect(__LINE__, "desired, nothing yet",
                   agent_build_desired(BOOT_ID, INCARNATION, &have, 25000), nothing_yet);
}

static void ack_and_confirm_equal_their_examples(void)
{
    example_expect(__LINE__, "ack", agent_build_ack(&offer), example_load("ack.request"));
    example_expect(__LINE__, "confirm", agent_build_confirm(&offer, &running_7),
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
}

static void text_row(int line, const char *name, const char *text, size_t max, const char *want)
{
    json_t *value = text_json(text, max);
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
    hello_equals_its_examples();
    desired_equals_its_example();
    ack_and_confirm_equal_their_examples();
    nack_equals_its_examples();
    result_equals_its_examples();
    text_is_cut_and_made_valid();
    nack_holds_no_more_than_the_schema_allows();
    nack_codes_are_the_schema_s();
    return check_end("agent_messages");
}
