/* SPDX-License-Identifier: MIT */
/* The life of an assignment, step by step, with a real state folder and a server that only
 * remembers what it was told: what is on disk when a message is sent, and what runs after each way
 * in which it can end. */
#include "agent/agent_apply.c"
#include "agent/agent_check.c"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <signal.h>
#include <unistd.h>

#define BOOT_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define NEVER_SENT ""

/* --- a disk that fails --- */

static enum { FSYNC_WORKS, FSYNC_FAILS_FOR_FILES, FSYNC_FAILS_FOR_FOLDERS } disk;

int fsync(int fd)
{
    struct stat st;
    bool is_folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    if (disk == (is_folder ? FSYNC_FAILS_FOR_FOLDERS : FSYNC_FAILS_FOR_FILES)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

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

void server_use_versions(struct server *srv, const struct kept_version_said *said, size_t count)
{
    (void)srv, (void)said;
    CHECK_INT(__LINE__, "versions, of configs without releases", count, 0);
}

struct kept_versions *server_versions(struct server *srv)
{
    (void)srv;
    return NULL;
}

bool server_files_are_current(struct server *srv)
{
    (void)srv;
    return true;
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

void server_certificates(struct server *srv, struct certificates_shown *out)
{
    (void)srv;
    *out = (struct certificates_shown){0};
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

/* --- the node --- */

static char dir[64];
static char why[AGENT_WHY_LEN];
static struct agent_state *state;
static struct agent_apply apply;
static struct supervised_past past;
static struct agent_enrolled whose = {.node_id = "node_01jd4q6v2m8w3x5y7z9abcdefg",
                                      .control_plane_id = "cp_1"};

static void boot(void)
{
    state = agent_state_open(dir, true, why);
    CHECK_TRUE(state != NULL, "%s", why);
    agent_apply_init(&apply, NULL, state, &whose, &past, 0);
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
    static const char *const names[] = {"lock",        "fences.json", "confirmed.json",
                                        "staged.json", "crash.json",  "config.jsonc"};
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

static const char *replaces = "";

static void offer_text(uint64_t generation, uint64_t epoch, const char *text)
{
    char copy[256];
    struct agent_assignment assignment = {
        .epoch = epoch, .confirm_within_ms = 1000, .text = copy, .text_len = strlen(text)};
    snprintf(copy, sizeof(copy), "%s", text);
    snprintf(assignment.replaces_drift, sizeof(assignment.replaces_drift), "%s", replaces);
    assignment.offer.version.generation = generation;
    digest_of(text, assignment.offer.version.digest);
    snprintf(assignment.offer.id, sizeof(assignment.offer.id), "offer_%026u", (unsigned)generation);
    agent_apply_take(&apply, &assignment);
}

/* Returns a config's text; `site` makes it different from others. */
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

/* The message that the node sends now, which must be `want`. Its body is kept for said_text(). */
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

/* From the offer to the confirmation, without failures. */
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

static void expect_text(int line, const char *want);
static const char *line_of(const char *site);

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
    expect_said(__LINE__, 0, "ack"); /* there was no answer: it is sent again */
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
    taken(1101, CONFIRMED); /* too late: the answer was on its way */
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
    expect_said(__LINE__, 0, "ack"); /* the same offer may be taken again */
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
    expect_said(__LINE__, 0, "result"); /* a bad offer does not disturb the one under way */
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

/* The long poll brings a newer assignment while a message of the older one is under way. What
 * becomes of that message must not be taken for an answer to the newer one. */
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

/* A newer assignment that can't be written is refused, and the older one is confirmed with its own
 * text. */
static void a_failing_disk_never_confirms_another_text(void)
{
    for (int what = FSYNC_FAILS_FOR_FILES; what <= FSYNC_FAILS_FOR_FOLDERS; what++) {
        begin();
        roll_out(6, "a");
        offer(7, "b");
        expect_said(__LINE__, 0, "ack");
        taken(0, "{}");
        disk = what;
        offer(8, "c");
        disk = FSYNC_WORKS;
        expect_nack(__LINE__, "resource_limit");
        CHECK_INT(what, "the older one serves on", fake.generation, 7);
        expect_said(__LINE__, 0, "result");
        taken(0, "{}");
        expect_said(__LINE__, 0, "confirm");
        taken(0, CONFIRMED);
        agent_apply_on_time(&apply, 5000);
        CHECK_INT(what, "confirmed", confirmed_on_disk(), 7);
        expect_text(what, line_of("b"));
        restart();
        CHECK_INT(what, "and loaded", fake.generation, 7);
        end();
    }
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

/* --- after a crash (N4) --- */

static void crash(enum supervisor_start how, uint64_t generation, uint32_t remaining_ms)
{
    past.order = (struct supervisor_order){.start = how,
                                           .within_ms = 1000,
                                           .remaining_ms = remaining_ms,
                                           .generation = generation,
                                           .ending = "killed by signal 11"};
    halt();
    boot();
    memset(&past, 0, sizeof(past));
}

/* Generation 6 is confirmed, 7 was swapped in. */
static void begin_trial(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
}

static void a_second_try_goes_on_where_the_first_ended(void)
{
    begin_trial();
    crash(SUPERVISOR_START_RESUME, 7, 400);
    CHECK_INT(__LINE__, "serves it again", fake.generation, 7);
    CHECK_INT(__LINE__, "not the other in between", fake.applies, 1);
    CHECK_INT(__LINE__, "what is left", agent_apply_due_ms(&apply), 400);
    CHECK_INT(__LINE__, "answered", apply.have.generation, 7);
    expect_said(__LINE__, 0, "result");
    CHECK_STR(__LINE__, "outcome", said_text("outcome"), "applied");
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    taken(0, CONFIRMED);
    CHECK_INT(__LINE__, "last known good", confirmed_on_disk(), 7);
    end();
}

static void a_second_try_goes_back_in_time(void)
{
    begin_trial();
    crash(SUPERVISOR_START_RESUME, 7, 400);
    agent_apply_on_time(&apply, 400);
    CHECK_INT(__LINE__, "back", fake.generation, 6);
    expect_said(__LINE__, 400, "result");
    CHECK_STR(__LINE__, "reason", said_text("reason"), "unconfirmed");
    CHECK_STR(__LINE__, "the whole time", said_text("message"), "no confirmation within 1000 ms");
    end();
}

/* The files on disk decide, not what the parent remembers. */
static void nothing_else_gets_a_second_try(void)
{
    begin_trial();
    crash(SUPERVISOR_START_RESUME, 8, 400);
    CHECK_INT(__LINE__, "another generation", fake.generation, 6);
    CHECK_TRUE(apply.result.reason == AGENT_REASON_RESTART, "discarded");
    end();

    begin();
    roll_out(6, "a");
    crash(SUPERVISOR_START_RESUME, 6, 400);
    CHECK_INT(__LINE__, "confirmed meanwhile", fake.generation, 6);
    CHECK_TRUE(!apply.has_result && !apply.unconfirmed, "nothing is open");
    end();

    begin_trial();
    remove_file("fences.json");
    crash(SUPERVISOR_START_RESUME, 7, 400);
    CHECK_INT(__LINE__, "never acknowledged, as far as we know", fake.generation, 6);
    end();
}

static void a_second_try_that_cannot_start_is_discarded(void)
{
    begin_trial();
    halt();
    past.order = (struct supervisor_order){
        .start = SUPERVISOR_START_RESUME, .generation = 7, .remaining_ms = 400};
    fake.apply_fails = true;
    boot();
    memset(&past, 0, sizeof(past));
    CHECK_TRUE(!apply.unconfirmed, "none");
    CHECK_TRUE(apply.result.reason == AGENT_REASON_RESTART, "and it is told");
    fake.apply_fails = false;
    agent_apply_on_time(&apply, 5000);
    CHECK_INT(__LINE__, "the confirmed one, when it can", fake.generation, 6);
    end();
}

static void after_two_crashes_it_is_told_until_it_was_heard(void)
{
    char lines[] = "one\ntwo\n";
    begin_trial();
    past.last_lines = lines;
    crash(SUPERVISOR_START_CRASH_LOOP, 7, 0);
    CHECK_INT(__LINE__, "back", fake.generation, 6);
    CHECK_TRUE(on_disk("crash.json"), "it is written down");
    /* Killed before it could report: the next process knows. */
    for (int i = 0; i < 2; i++) {
        CHECK_TRUE(apply.result.reason == AGENT_REASON_CRASH_LOOP, "reason");
        CHECK_STR(i, "evidence", apply.result.evidence ? apply.result.evidence : "", lines);
        CHECK_STR(i, "message", apply.result.message,
                  "the serving process ended twice before it was confirmed: killed by signal 11");
        restart();
    }
    agent_apply_on_hello(&apply);
    CHECK_TRUE(!on_disk("crash.json") && !on_disk("staged.json"), "settled");
    restart();
    CHECK_TRUE(!apply.has_result, "once");
    end();
}

static void a_crash_that_cannot_be_written_down_is_told_once(void)
{
    struct rlimit limit, none;
    begin_trial();
    getrlimit(RLIMIT_FSIZE, &limit);
    none = (struct rlimit){0, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    crash(SUPERVISOR_START_CRASH_LOOP, 7, 0);
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_TRUE(apply.result.reason == AGENT_REASON_CRASH_LOOP, "from the parent");
    CHECK_STR(__LINE__, "message", apply.result.message, "killed by signal 11");
    end();
}

/* --- a config that people change (config.jsonc) --- */

static void edit(const char *text)
{
    CHECK_INT(__LINE__, "edit", agent_state_write_text(state, text, strlen(text), why), 0);
    agent_drift_look(&apply.local.drift, apply.confirmed);
}

static void expect_text(int line, const char *want)
{
    char *text = NULL;
    size_t len = 0;
    int found = agent_state_read_text(state, &text, &len, why);
    CHECK_STR(line, "config.jsonc", found == 1 ? text : "none", want);
    free(text);
}

static const char *line_of(const char *site)
{
    static char line[256];
    snprintf(line, sizeof(line), "%s\n", text_of(site));
    return line;
}

/* Checks what serves, how much of it somebody has changed here, and what is reported of that. */
static void expect_served(int line, const char *site, bool is_local, bool is_drift, bool is_served)
{
    struct server_effective effective;
    struct agent_change change;
    char digest[CONFIG_DIGEST_LEN + 1];
    server_effective(NULL, &effective);
    agent_local_change(&apply.local, &effective, &change);
    digest_of(text_of(site), digest);
    CHECK_STR(line, "serves", effective.digest, digest);
    CHECK_INT(line, "local", agent_local_is_effective(&apply.local, &effective), is_local);
    CHECK_INT(line, "drift", change.digest[0] != '\0', is_drift);
    CHECK_INT(line, "drift is served", change.is_served, is_served);
}

static void the_confirmed_text_is_there_for_people(void)
{
    begin();
    roll_out(6, "a");
    expect_text(__LINE__, line_of("a"));
    roll_out(7, "b");
    expect_text(__LINE__, line_of("b"));
    restart();
    expect_served(__LINE__, "b", false, false, false);
    remove_file("config.jsonc");
    agent_drift_look(&apply.local.drift, apply.confirmed);
    expect_served(__LINE__, "b", false, false, false);
    restart();
    expect_text(__LINE__, line_of("b"));
    end();
}

static void an_edit_serves_when_a_person_says_so(void)
{
    begin();
    roll_out(6, "a");
    edit(text_of("x"));
    expect_served(__LINE__, "a", false, true, false);
    agent_apply_reload(&apply, 0);
    expect_served(__LINE__, "x", true, true, true);
    CHECK_INT(__LINE__, "under the confirmed one's generation", fake.generation, 6);
    CHECK_INT(__LINE__, "which stays", confirmed_on_disk(), 6);
    restart();
    expect_served(__LINE__, "x", true, true, true);
    CHECK_INT(__LINE__, "at once", fake.applies, 1);
    edit(text_of("y"));
    expect_served(__LINE__, "x", true, true, false);
    edit(line_of("a"));
    agent_apply_reload(&apply, 0);
    expect_served(__LINE__, "a", false, false, false);
    end();
}

static void a_bad_edit_never_serves(void)
{
    begin();
    roll_out(6, "a");
    edit("{ \"listen\": [ }");
    CHECK_INT(__LINE__, "with its place", apply.local.drift.errors.items[0].column, 15);
    agent_apply_reload(&apply, 0);
    expect_served(__LINE__, "a", false, true, false);
    edit("{ \"listen\": [], \"colour\": 1 }");
    CHECK_TRUE(apply.local.drift.errors.count > 0, "read, but no config");
    edit(text_of("x"));
    CHECK_INT(__LINE__, "good as a text", apply.local.drift.errors.count, 0);
    fake.machine_refuses = true;
    agent_apply_reload(&apply, 0);
    CHECK_STR(__LINE__, "not here", apply.local.drift.errors.items[0].code, "missing_file");
    expect_served(__LINE__, "a", false, true, false);
    fake.machine_refuses = false;
    fake.apply_fails = true;
    agent_apply_reload(&apply, 0);
    CHECK_STR(__LINE__, "nor now", apply.local.drift.errors.items[0].code, "port_in_use");
    expect_served(__LINE__, "a", false, true, false);
    fake.apply_fails = false;
    restart();
    expect_served(__LINE__, "x", true, true, true);
    end();
}

static void a_huge_edit_is_not_kept_whole(void)
{
    size_t len = 3u << 20;
    char *text = malloc(len + 1);
    memset(text, ' ', len);
    text[len] = '\0';
    begin();
    roll_out(6, "a");
    edit(text);
    expect_served(__LINE__, "a", false, true, false);
    CHECK_TRUE(apply.local.drift.errors.count > 0, "too long");
    CHECK_TRUE(strlen(apply.local.drift.text) <= (1u << 20) + 4, "in memory");
    free(text);
    end();
}

static void nothing_overwrites_an_edit_unasked(void)
{
    char digest[CONFIG_DIGEST_LEN + 1];
    begin();
    roll_out(6, "a");
    edit(text_of("x"));
    digest_of(text_of("x"), digest);
    offer(7, "b");
    expect_said(__LINE__, 0, "nack");
    CHECK_STR(__LINE__, "code", said_text("code"), "local_change");
    CHECK_TRUE(strstr(said_text("message"), digest), "names it");
    taken(0, "{}");
    replaces = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    offer(8, "b");
    expect_said(__LINE__, 0, "nack");
    taken(0, "{}");
    expect_text(__LINE__, text_of("x"));
    replaces = digest;
    roll_out(9, "b");
    replaces = "";
    expect_text(__LINE__, line_of("b"));
    expect_served(__LINE__, "b", false, false, false);
    end();
}

static void an_edit_is_adopted_without_a_reload(void)
{
    begin();
    roll_out(6, "a");
    edit(text_of("x"));
    agent_apply_reload(&apply, 0);
    uint64_t reloads = fake.reloads;
    offer(7, "x");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_served(__LINE__, "x", false, true, true);
    expect_said(__LINE__, 0, "result");
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    taken(0, CONFIRMED);
    CHECK_INT(__LINE__, "no reload", fake.reloads, reloads);
    expect_served(__LINE__, "x", false, false, false);
    CHECK_INT(__LINE__, "confirmed", confirmed_on_disk(), 7);
    end();
}

static void going_back_goes_back_to_the_edit(void)
{
    char digest[CONFIG_DIGEST_LEN + 1];
    begin();
    roll_out(6, "a");
    edit(text_of("x"));
    agent_apply_reload(&apply, 0);
    digest_of(text_of("x"), digest);
    replaces = digest;
    offer(7, "b");
    replaces = "";
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_served(__LINE__, "b", false, true, false);
    agent_apply_on_time(&apply, 1000);
    expect_served(__LINE__, "x", true, true, true);
    expect_said(__LINE__, 1000, "result");
    CHECK_STR(__LINE__, "outcome", said_text("outcome"), "reverted");
    CHECK_STR(__LINE__, "to what",
              json_string_value(json_object_get(json_object_get(said, "effective"), "source")),
              "local");
    expect_text(__LINE__, text_of("x"));
    end();
}

static void an_edit_made_meanwhile_is_left_alone(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    edit(text_of("x"));
    agent_apply_reload(&apply, 0);
    expect_served(__LINE__, "b", false, true, false);
    expect_said(__LINE__, 0, "result");
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    taken(0, CONFIRMED);
    expect_text(__LINE__, text_of("x"));
    expect_served(__LINE__, "b", false, true, false);
    agent_apply_on_time(&apply, 1);
    expect_served(__LINE__, "x", true, true, true);
    CHECK_INT(__LINE__, "loaded when that was settled", confirmed_on_disk(), 7);
    end();
}

static void comments_are_no_drift(void)
{
    char text[300];
    begin();
    roll_out(6, "a");
    snprintf(text, sizeof(text), "// do not touch\n%s", text_of("a"));
    edit(text);
    expect_served(__LINE__, "a", false, false, false);
    restart();
    expect_text(__LINE__, text);
    roll_out(7, "b");
    expect_text(__LINE__, line_of("b"));
    end();
}

static void a_crash_while_confirming_is_no_edit(void)
{
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    edit(line_of("b")); /* as keep() does, a moment before it renames */
    restart();
    expect_served(__LINE__, "a", false, false, false);
    expect_text(__LINE__, line_of("a"));
    end();
}

static void a_full_disk_leaves_no_old_text_behind(void)
{
    struct rlimit limit, none;
    begin();
    roll_out(6, "a");
    offer(7, "b");
    expect_said(__LINE__, 0, "ack");
    taken(0, "{}");
    expect_said(__LINE__, 0, "result");
    taken(0, "{}");
    expect_said(__LINE__, 0, "confirm");
    getrlimit(RLIMIT_FSIZE, &limit);
    none = (struct rlimit){0, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    taken(0, CONFIRMED);
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_INT(__LINE__, "confirmed", confirmed_on_disk(), 7);
    expect_text(__LINE__, "none");
    restart();
    expect_served(__LINE__, "b", false, false, false);
    expect_text(__LINE__, line_of("b"));
    end();
}

static void an_edit_that_crashes_the_node_is_not_loaded_a_third_time(void)
{
    begin();
    roll_out(6, "a");
    edit(text_of("x"));
    crash(SUPERVISOR_START_RESUME, 6, 59000);
    expect_served(__LINE__, "x", true, true, true);
    crash(SUPERVISOR_START_CRASH_LOOP, 6, 0);
    expect_served(__LINE__, "a", false, true, false);
    agent_apply_reload(&apply, 0);
    expect_served(__LINE__, "x", true, true, true);
    end();
}

static void a_node_without_a_config_looks_at_no_file(void)
{
    begin();
    edit(text_of("x"));
    agent_apply_reload(&apply, 0);
    restart();
    CHECK_TRUE(!fake.cfg && !agent_drift_is_there(&apply.local.drift), "nothing");
    roll_out(1, "a");
    expect_text(__LINE__, line_of("a"));
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
    a_failing_disk_never_confirms_another_text();
    a_confirmed_one_is_written_as_soon_as_the_disk_lets_it();
    a_damaged_confirmed_config_is_asked_for_again();
    a_config_that_cannot_start_is_tried_again();
    a_second_try_goes_on_where_the_first_ended();
    a_second_try_goes_back_in_time();
    nothing_else_gets_a_second_try();
    a_second_try_that_cannot_start_is_discarded();
    after_two_crashes_it_is_told_until_it_was_heard();
    a_crash_that_cannot_be_written_down_is_told_once();
    the_confirmed_text_is_there_for_people();
    an_edit_serves_when_a_person_says_so();
    a_bad_edit_never_serves();
    a_huge_edit_is_not_kept_whole();
    nothing_overwrites_an_edit_unasked();
    an_edit_is_adopted_without_a_reload();
    going_back_goes_back_to_the_edit();
    an_edit_made_meanwhile_is_left_alone();
    comments_are_no_drift();
    a_crash_while_confirming_is_no_edit();
    a_full_disk_leaves_no_old_text_behind();
    an_edit_that_crashes_the_node_is_not_loaded_a_third_time();
    a_node_without_a_config_looks_at_no_file();
    json_decref(said);
    return check_end("agent_apply");
}
