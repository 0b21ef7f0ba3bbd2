/* SPDX-License-Identifier: MIT */
/* The life of an assignment, step by step, on a real state folder and a server that only remembers
 * what it was told: what is on disk when something is said, and what runs after each end. */
#include "../../src/agent_apply.c"
#include "../../src/agent_check.c"

#include "check.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#define BOOT_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define NEVER_SENT ""

/* --- the server's part --- */

static struct {
    struct config *cfg;
    uint64_t generation;
    uint64_t applies, reloads, checks;
    bool apply_fails, machine_refuses;
} fake;

static void add_finding(struct config_errors *errors, enum config_code code, const char *message)
{
    struct text_span nowhere = {0};
    config_errors_add(errors, code, nowhere, "/listen/0/port", NULL, "%s", message);
}

int server_apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    (void)srv;
    fake.applies++;
    if (fake.apply_fails) {
        add_finding(errors, CONFIG_CODE_PORT_IN_USE, "port 80 is taken");
        return -1;
    }
    if (!cfg || !fake.cfg || strcmp(cfg->digest, fake.cfg->digest) != 0)
        fake.reloads++;
    config_put(fake.cfg);
    fake.cfg = cfg ? config_get(cfg) : NULL;
    fake.generation = generation;
    return 0;
}

void server_effective(struct server *srv, struct server_effective *out)
{
    (void)srv;
    memset(out, 0, sizeof(*out));
    strcpy(out->boot_id, BOOT_ID);
    out->serving = fake.cfg != NULL;
    out->generation = fake.generation;
    out->reloads = fake.reloads;
    if (fake.cfg)
        strcpy(out->digest, fake.cfg->digest);
}

struct config *server_config(struct server *srv)
{
    (void)srv;
    return fake.cfg ? config_get(fake.cfg) : NULL;
}

int config_check_machine(const struct config *cfg, const struct config *running,
                         struct config_errors *errors)
{
    (void)cfg, (void)running;
    fake.checks++;
    if (fake.machine_refuses)
        add_finding(errors, CONFIG_CODE_MISSING_FILE, "/srv/www is not there");
    return fake.machine_refuses ? -1 : 0;
}

void config_check_log_exposed(const char *name, const struct config *cfg,
                              const struct config *running)
{
    (void)name, (void)cfg, (void)running;
}

/* --- the node --- */

static char dir[64];
static char why[AGENT_WHY_LEN];
static struct agent_state *state;
static struct agent_apply apply;
static struct agent_enrolled whose = {.node_id = "node_01jd4q6v2m8w3x5y7z9abcdefg",
                                      .control_plane_id = "cp_1"};

static void boot(void)
{
    state = agent_state_open(dir, true, why);
    CHECK_TRUE(state != NULL, "%s", why);
    agent_apply_init(&apply, NULL, state, &whose, 0);
}

static void halt(void)
{
    agent_apply_fini(&apply);
    agent_state_close(state);
    config_put(fake.cfg);
    memset(&fake, 0, sizeof(fake));
}

static void restart(void)
{
    halt();
    boot();
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    unlink(path);
}

static bool on_disk(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

static void begin(void)
{
    snprintf(dir, sizeof(dir), "/tmp/farmstead-apply-XXXXXX");
    CHECK_TRUE(mkdtemp(dir) != NULL, "mkdtemp");
    boot();
}

static void end(void)
{
    static const char *const names[] = {"lock", "fences.json", "confirmed.json", "staged.json"};
    halt();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        remove_file(names[i]);
    rmdir(dir);
}

static uint64_t confirmed_on_disk(void)
{
    struct agent_record record;
    uint64_t generation = 0;
    if (agent_state_read_confirmed(state, &record, why) == AGENT_FILE_OK) {
        generation = record.offer.version.generation;
        agent_record_fini(&record);
    }
    return generation;
}

/* --- the control plane's part --- */

static void digest_of(const char *text, char out[CONFIG_DIGEST_LEN + 1])
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text, strlen(text), &errors);
    snprintf(out, CONFIG_DIGEST_LEN + 1, "%s",
             cfg ? cfg->digest
                 : "sha256:0000000000000000000000000000000000000000000000000000000000000000");
    config_put(cfg);
    config_errors_fini(&errors);
}

static void offer_text(uint64_t generation, uint64_t epoch, const char *text)
{
    char copy[256];
    struct agent_assignment assignment = {
        .epoch = epoch, .confirm_within_ms = 1000, .text = copy, .text_len = strlen(text)};
    snprintf(copy, sizeof(copy), "%s", text);
    assignment.offer.version.generation = generation;
    digest_of(text, assignment.offer.version.digest);
    snprintf(assignment.offer.id, sizeof(assignment.offer.id), "offer_%026u", (unsigned)generation);
    agent_apply_take(&apply, &assignment);
}

/* `site` makes the configs differ. */
static const char *text_of(const char *site)
{
    static char text[256];
    snprintf(text, sizeof(text),
             "{\"listen\":[{\"address\":\"127.0.0.1\",\"port\":8080}],"
             "\"sites\":[{\"hosts\":[\"*\"],\"root\":\"/srv/%s\"}]}",
             site);
    return text;
}

static void offer(uint64_t generation, const char *site)
{
    offer_text(generation, 1, text_of(site));
}

/* What the node says now, checked to be `want`; its body is kept for said_text(). */
static json_t *said;

static void expect_said(int line, uint64_t now_ms, const char *want)
{
    char *body = NULL;
    const char *message = agent_apply_next(&apply, now_ms, &body);
    CHECK_STR(line, "says", message ? message : NEVER_SENT, want);
    json_decref(said);
    said = body ? json_loads(body, 0, NULL) : NULL;
    free(body);
}

static const char *said_text(const char *member)
{
    const char *text = json_string_value(json_object_get(said, member));
    return text ? text : "";
}

static void taken(uint64_t now_ms, const char *answer)
{
    agent_apply_on_taken(&apply, answer, strlen(answer), now_ms);
}

#define CONFIRMED "{\"confirmed\":true,\"retryAfterMs\":0}"
#define NOT_YET "{\"confirmed\":false,\"retryAfterMs\":300}"

/* From the offer to the confirmation, all well. */
static void roll_out(uint64_t generation, const char *site)
{
    offer(generation, site);
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_said(__LINE__, 0, "result");
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    taken(0, CONFIRMED);
    expect_said(__LINE__, 0, NEVER_SENT);
}

/* --- the tests --- */

static void a_rollout_goes_step_by_step(void)
{
    begin();
    CHECK_INT(__LINE__, "nothing yet", apply.have.generation, 0);
    offer(7, "a");
    CHECK_TRUE(on_disk("staged.json") && on_disk("fences.json"), "before the ack");
    CHECK_INT(__LINE__, "untouched", fake.applies, 0);
    CHECK_TRUE(agent_apply_owes_answer(&apply), "an ack is owed");
    expect_said(__LINE__, 0, "ack");
    expect_said(__LINE__, 0, "ack"); /* no answer came: again */
    taken(0, "{}");
    CHECK_INT(__LINE__, "swapped", fake.generation, 7);
    CHECK_INT(__LINE__, "answered", apply.have.generation, 7);
    CHECK_TRUE(!agent_apply_owes_answer(&apply), "asks for more from now on");
    expect_said(__LINE__, 0, "result");
    CHECK_STR(__LINE__, "result", said_text("outcome"), "applied");
    CHECK_INT(__LINE__, "not before it is confirmed", confirmed_on_disk(), 0);
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    taken(10, NOT_YET);
    expect_said(__LINE__, 20, NEVER_SENT);
    CHECK_INT(__LINE__, "asks again then", agent_apply_speak_ms(&apply), 310);
    expect_said(__LINE__, 310, "confirm");
    CHECK_INT(__LINE__, "not before it is confirmed", confirmed_on_disk(), 0);
    taken(320, CONFIRMED);
    CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 7);
    CHECK_TRUE(!on_disk("staged.json"), "moved to its place");
    CHECK_TRUE(agent_apply_due_ms(&apply) == AGENT_NEVER, "no timer is left");
    restart();
    CHECK_INT(__LINE__, "serves it after a restart", fake.generation, 7);
    CHECK_TRUE(!apply.has_result, "nothing to tell");
    end();
}

static void unconfirmed_goes_back(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(100, "{}");
    expect_said(__LINE__, 100, "result");
    taken(100, "{}");
    expect_said(__LINE__, 100, "confirm");
    agent_apply_on_time(&apply, 1099);
    CHECK_INT(__LINE__, "still", fake.generation, 7);
    CHECK_INT(__LINE__, "timer", agent_apply_due_ms(&apply), 1100);
    agent_apply_on_time(&apply, 1100);
    CHECK_INT(__LINE__, "back", fake.generation, 6);
    taken(1101, CONFIRMED); /* too late: the answer was under way */
    CHECK_INT(__LINE__, "still back", fake.generation, 6);
    CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 6);
    expect_said(__LINE__, 1200, "result");
    CHECK_STR(__LINE__, "outcome", said_text("outcome"), "reverted");
    CHECK_STR(__LINE__, "reason", said_text("reason"), "unconfirmed");
    CHECK_STR(__LINE__, "message", said_text("message"), "no confirmation within 1000 ms");
    CHECK_TRUE(on_disk("staged.json"), "until the control plane knows");
    taken(1200, "{}");
    CHECK_TRUE(!on_disk("staged.json"), "settled");
    CHECK_INT(__LINE__, "not asked for again", apply.have.generation, 7);
    end();
}

static void the_first_config_unconfirmed_is_taken_away(void)
{
    begin();
    offer(1, "a");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    CHECK_TRUE(fake.cfg != NULL, "serves");
    agent_apply_on_time(&apply, 1000);
    CHECK_TRUE(fake.cfg == NULL, "serves nothing again");
    expect_said(__LINE__, 1000, "result");
    CHECK_STR(__LINE__, "reason", said_text("reason"), "unconfirmed");
    CHECK_TRUE(json_is_null(json_object_get(said, "effective")), "nothing runs");
    end();
}

static void what_cannot_go_back_is_stuck_until_it_can(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    fake.apply_fails = true;
    agent_apply_on_time(&apply, 1000);
    expect_said(__LINE__, 1000, "result");
    CHECK_STR(__LINE__, "outcome", said_text("outcome"), "stuck");
    CHECK_STR(__LINE__, "message", said_text("message"), "/listen/0/port: port 80 is taken");
    taken(1000, "{}");
    CHECK_INT(__LINE__, "tries again", agent_apply_due_ms(&apply), 6000);
    fake.apply_fails = false;
    agent_apply_on_time(&apply, 6000);
    expect_said(__LINE__, 6000, "result");
    CHECK_STR(__LINE__, "outcome", said_text("outcome"), "reverted");
    CHECK_INT(__LINE__, "back", fake.generation, 6);
    end();
}

static void an_apply_that_fails_changes_nothing(void)
{
    begin();
    roll_out(6, "a");
    fake.apply_fails = true;
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_said(__LINE__, 0, "result");
    CHECK_STR(__LINE__, "outcome", said_text("outcome"), "reverted");
    CHECK_STR(__LINE__, "reason", said_text("reason"), "apply_failed");
    CHECK_INT(__LINE__, "runs",
              json_integer_value(json_object_get(json_object_get(said, "effective"), "generation")),
              6);
    taken(0, "{}");
    CHECK_TRUE(agent_apply_due_ms(&apply) == AGENT_NEVER, "no timer");
    end();
}

static void an_assignment_dropped_at_ack_is_not_applied(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    agent_apply_on_refused(&apply, "superseded");
    CHECK_INT(__LINE__, "as before", fake.generation, 6);
    CHECK_TRUE(!on_disk("staged.json"), "cleared");
    expect_said(__LINE__, 0, NEVER_SENT);
    end();
}

static void one_dropped_after_the_swap_still_goes_back(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_said(__LINE__, 0, "result");
    agent_apply_on_refused(&apply, "superseded");
    expect_said(__LINE__, 0, NEVER_SENT);
    agent_apply_on_time(&apply, 1000);
    CHECK_INT(__LINE__, "back", fake.generation, 6);
    end();
}

static void expect_nack(int line, const char *code)
{
    expect_said(line, 0, "nack");
    CHECK_STR(line, "code", said_text("code"), code);
    CHECK_TRUE(agent_apply_owes_answer(&apply), "row %d: owed until taken", line);
    taken(0, "{}");
    CHECK_TRUE(!agent_apply_owes_answer(&apply), "row %d: answered", line);
}

static void bad_ones_are_refused_and_nothing_is_written(void)
{
    begin();
    roll_out(6, "a");
    uint64_t applies = fake.applies;
    char misspelt[256];
    snprintf(misspelt, sizeof(misspelt), "%.*s,\n\"wrokers\": 2}", (int)strlen(text_of("b")) - 1,
             text_of("b"));
    offer_text(7, 1, misspelt);
    expect_said(__LINE__, 0, "nack");
    CHECK_STR(__LINE__, "code", said_text("code"), "schema");
    json_t *first = json_array_get(json_object_get(said, "errors"), 0);
    CHECK_INT(__LINE__, "line", json_integer_value(json_object_get(first, "line")), 2);
    taken(0, "{}");
    CHECK_INT(__LINE__, "answered, not to be offered again", apply.have.generation, 7);

    fake.machine_refuses = true;
    offer(8, "b");
    expect_nack(__LINE__, "missing_file");
    fake.machine_refuses = false;

    struct agent_assignment wrong = {.epoch = 1, .text_len = 0};
    char text[256];
    snprintf(text, sizeof(text), "%s", text_of("c"));
    wrong.text = text;
    wrong.text_len = strlen(text);
    wrong.offer.version.generation = 9;
    digest_of(text_of("d"), wrong.offer.version.digest);
    agent_apply_take(&apply, &wrong);
    expect_nack(__LINE__, "digest_mismatch");
    wrong.has_content = true;
    agent_apply_take(&apply, &wrong);
    expect_nack(__LINE__, "content_missing");

    CHECK_INT(__LINE__, "the server was not asked", fake.applies, applies);
    CHECK_TRUE(!on_disk("staged.json"), "nothing staged");
    CHECK_INT(__LINE__, "fences", apply.fences.max_taken.generation, 6);
    end();
}

static void fences_hold_after_a_restart(void)
{
    begin();
    offer_text(7, 3, text_of("a"));
    expect_said(__LINE__, 0, "ack");
    restart();
    offer_text(8, 2, text_of("b"));
    expect_said(__LINE__, 0, "nack");
    CHECK_STR(__LINE__, "lower epoch", said_text("code"), "epoch_fenced");
    CHECK_INT(__LINE__, "maxEpoch", json_integer_value(json_object_get(said, "maxEpoch")), 3);
    CHECK_INT(__LINE__, "maxGeneration", json_integer_value(json_object_get(said, "maxGeneration")),
              7);
    taken(0, "{}");
    CHECK_INT(__LINE__, "a fenced one is no answer", apply.have.generation, 7);
    offer_text(6, 3, text_of("a"));
    expect_nack(__LINE__, "stale_generation");
    offer_text(7, 3, text_of("b"));
    expect_nack(__LINE__, "stale_generation");
    offer_text(7, 3, text_of("a"));
    expect_said(__LINE__, 0, "ack"); /* the same again is welcome */
    end();
}

static void a_restart_discards_what_was_not_confirmed(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    restart();
    CHECK_INT(__LINE__, "N3", fake.generation, 6);
    CHECK_TRUE(apply.has_result && apply.result.reason == AGENT_REASON_RESTART, "is told");
    CHECK_INT(__LINE__, "of", apply.result.offer.version.generation, 7);
    CHECK_INT(__LINE__, "answered", apply.have.generation, 7);
    restart();
    CHECK_TRUE(apply.has_result, "until a hello was taken");
    agent_apply_on_hello(&apply);
    restart();
    CHECK_TRUE(!apply.has_result, "once");
    end();
}

static void an_equal_digest_is_not_checked_or_reloaded(void)
{
    begin();
    roll_out(6, "a");
    uint64_t checks = fake.checks, reloads = fake.reloads;
    fake.machine_refuses = true;
    roll_out(7, "a");
    CHECK_INT(__LINE__, "checks", fake.checks, checks);
    CHECK_INT(__LINE__, "reloads", fake.reloads, reloads);
    CHECK_INT(__LINE__, "generation", fake.generation, 7);
    CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 7);
    end();
}

static void a_newer_one_takes_the_place_of_one_under_way(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_said(__LINE__, 0, "result");
    offer_text(8, 1, "{ bad");
    expect_nack(__LINE__, "schema");
    expect_said(__LINE__, 0, "result"); /* a bad one leaves the one under way alone */
    offer_text(8, 1, "{ bad");
    expect_nack(__LINE__, "schema");
    offer(9, "c");
    expect_said(__LINE__, 500, "ack");
    taken(500, "{}");
    CHECK_INT(__LINE__, "swapped", fake.generation, 9);
    CHECK_INT(__LINE__, "its own timer", agent_apply_due_ms(&apply), 1500);
    agent_apply_on_time(&apply, 1500);
    CHECK_INT(__LINE__, "back to the confirmed one", fake.generation, 6);
    end();
}

/* The long poll brings a newer assignment while the older one's message is under way; what becomes
 * of that message is no answer to the newer one. */
static void a_refusal_of_the_older_one_does_not_drop_the_newer(void)
{
    for (int asked = 0; asked < 2; asked++) {
        begin();
        roll_out(6, "a");
        offer(7, "b");
        expect_said(__LINE__, 0, "ack");
        taken(0, "{}");
        expect_said(__LINE__, 0, "result");
        if (asked) {
            taken(0, "{}");
            expect_said(__LINE__, 0, "confirm");
        }
        offer(8, "c");
        agent_apply_on_refused(&apply, "HTTP 409 superseded");
        CHECK_TRUE(agent_apply_owes_answer(&apply), "8 is still to be answered");
        expect_said(__LINE__, 0, "ack");
        taken(0, "{}");
        CHECK_INT(__LINE__, "serves the newer", fake.generation, 8);
        expect_said(__LINE__, 0, "result");
        taken(0, "{}");
        expect_said(__LINE__, 0, "confirm");
        taken(0, CONFIRMED);
        CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 8);
        end();
    }
}

static void the_same_offer_twice_is_one(void)
{
    begin();
    offer(7, "a");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    offer(7, "a");
    expect_said(__LINE__, 0, "result");
    CHECK_INT(__LINE__, "applied once", fake.applies, 1);
    end();
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    CHECK_INT(__LINE__, "setrlimit", setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_refuses_before_anything_is_touched(void)
{
    begin();
    roll_out(6, "a");
    uint64_t applies = fake.applies;
    limit_files(10);
    offer(7, "b");
    limit_files(RLIM_INFINITY);
    expect_nack(__LINE__, "resource_limit");
    CHECK_INT(__LINE__, "applies", fake.applies, applies);
    CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 6);
    CHECK_INT(__LINE__, "fences", apply.fences.max_taken.generation, 6);
    end();
}

static void a_confirmed_one_is_written_as_soon_as_the_disk_lets_it(void)
{
    begin();
    offer(7, "a");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_said(__LINE__, 0, "result");
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    remove_file("staged.json");
    taken(0, CONFIRMED);
    CHECK_INT(__LINE__, "not yet", confirmed_on_disk(), 0);
    agent_apply_on_time(&apply, 4999);
    CHECK_INT(__LINE__, "not yet", confirmed_on_disk(), 0);
    CHECK_INT(__LINE__, "timer", agent_apply_due_ms(&apply), 5000);
    agent_apply_on_time(&apply, 5000);
    CHECK_INT(__LINE__, "written", confirmed_on_disk(), 7);
    CHECK_INT(__LINE__, "runs all the while", fake.generation, 7);
    end();
}

static void a_damaged_confirmed_config_is_asked_for_again(void)
{
    begin();
    roll_out(7, "a");
    char path[128];
    snprintf(path, sizeof(path), "%s/confirmed.json", dir);
    CHECK_INT(__LINE__, "truncate", truncate(path, 100), 0);
    restart();
    CHECK_TRUE(fake.cfg == NULL, "nothing runs");
    CHECK_INT(__LINE__, "asks for it again", apply.have.generation, 0);
    roll_out(7, "a");
    CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 7);
    end();
}

static void a_config_that_cannot_start_is_tried_again(void)
{
    begin();
    roll_out(7, "a");
    halt();
    fake.apply_fails = true;
    boot();
    CHECK_TRUE(fake.cfg == NULL, "the port is taken");
    CHECK_INT(__LINE__, "timer", agent_apply_due_ms(&apply), 5000);
    fake.apply_fails = false;
    agent_apply_on_time(&apply, 5000);
    CHECK_INT(__LINE__, "serves", fake.generation, 7);
    CHECK_TRUE(agent_apply_due_ms(&apply) == AGENT_NEVER, "once");
    end();
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    a_rollout_goes_step_by_step();
    unconfirmed_goes_back();
    the_first_config_unconfirmed_is_taken_away();
    what_cannot_go_back_is_stuck_until_it_can();
    an_apply_that_fails_changes_nothing();
    an_assignment_dropped_at_ack_is_not_applied();
    one_dropped_after_the_swap_still_goes_back();
    bad_ones_are_refused_and_nothing_is_written();
    fences_hold_after_a_restart();
    a_restart_discards_what_was_not_confirmed();
    an_equal_digest_is_not_checked_or_reloaded();
    a_newer_one_takes_the_place_of_one_under_way();
    a_refusal_of_the_older_one_does_not_drop_the_newer();
    the_same_offer_twice_is_one();
    a_full_disk_refuses_before_anything_is_touched();
    a_confirmed_one_is_written_as_soon_as_the_disk_lets_it();
    a_damaged_confirmed_config_is_asked_for_again();
    a_config_that_cannot_start_is_tried_again();
    json_decref(said);
    return check_end("agent_apply");
}
