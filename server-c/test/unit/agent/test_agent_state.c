/* SPDX-License-Identifier: MIT */
/* The state folder: what is written is read back, damaged files are reported, and a locked folder
 * stays locked. */
#include "process/state_folder.c"
#include "agent/agent_state.c"

#include "agent_pki.h"
#include "check.h"

#include <signal.h>
#include <sys/resource.h>

#define DIGEST_7 "sha256:598de0eb1522d1b24c6a6603b7ae1ed8f0a5de3282b0851f2cd440980bac7c9c"

static char dir[64];
static char why[AGENT_WHY_LEN];

static struct agent_state *open_state(void)
{
    struct agent_state *state = agent_state_open(dir, true, why);
    CHECK_TRUE(state != NULL, "%s", why);
    return state;
}

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    CHECK_TRUE(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static mode_t mode_of(const char *name)
{
    char path[128];
    struct stat st = {0};
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    CHECK_INT(__LINE__, path, stat(path, &st), 0);
    return st.st_mode & 0777;
}

static struct agent_identity an_identity(void)
{
    struct agent_identity identity = {.control_plane_url = "https://control.example.org:8443",
                                      .enrolled = {.node_id = "node_01jd4q6v2m8w3x5y7z9abcdefg",
                                                   .name = "edge-1",
                                                   .credential = "fsn_AbCdEfGhIjKlMnOpQrStUvWxYz01",
                                                   .control_plane_id = "cp_1"},
                                      .insecure_http = true};
    return identity;
}

static struct agent_identity one_with_a_certificate(void)
{
    struct agent_identity identity = an_identity();
    struct agent_issued issued = {0};
    char *key = agent_key_new();
    issued.certificate = pki_certificate(key);
    issued.ca_certificates = pki_any_certificate();
    identity.insecure_http = false;
    identity.enrolled.credential[0] = '\0';
    strcpy(identity.proxy, "http://proxy.example.org:3128");
    agent_identity_take(&identity, key, &issued);
    return identity;
}

static struct agent_record a_record(uint64_t generation, char *text)
{
    struct agent_record record = {
        .node_id = "node_01jd4q6v2m8w3x5y7z9abcdefg",
        .offer = {{generation, DIGEST_7}, "offer_01jd4q6v2m8w3x5y7z9abcdefh"},
        .epoch = 2,
        .text = text,
        .text_len = strlen(text)};
    return record;
}

static void the_folder_is_private_and_locked(void)
{
    struct agent_state *state = open_state();
    CHECK_INT(__LINE__, "folder", mode_of("."), 0700);
    CHECK_INT(__LINE__, "lock", mode_of("lock"), 0600);
    CHECK_TRUE(!agent_state_open(dir, true, why), "a second one");
    CHECK_TRUE(strstr(why, "another farmstead-node uses this state folder"), "%s", why);
    agent_state_close(state);
    state = agent_state_open(dir, false, why);
    CHECK_TRUE(state != NULL, "free again: %s", why);
    agent_state_close(state);
}

static void a_folder_with_other_files_is_left_alone(void)
{
    char other[96], file[128];
    snprintf(other, sizeof(other), "%s-other", dir);
    snprintf(file, sizeof(file), "%s/notes.txt", other);
    CHECK_INT(__LINE__, "mkdir", mkdir(other, 0755), 0);
    fclose(fopen(file, "w"));
    CHECK_TRUE(!agent_state_open(other, true, why), "taken over");
    CHECK_TRUE(strstr(why, "has other files in it"), "%s", why);
    unlink(file);
    struct agent_state *state = agent_state_open(other, true, why);
    CHECK_TRUE(state != NULL, "empty: %s", why);
    agent_state_close(state);
    snprintf(file, sizeof(file), "%s/lock", other);
    unlink(file);
    CHECK_INT(__LINE__, "rmdir", rmdir(other), 0);
    CHECK_TRUE(!agent_state_open("/dev/null/state", true, why), "no folder there");
    CHECK_TRUE(!agent_state_open("/nonexistent/state", false, why), "not made by run");
}

static void a_new_folder_comes_into_being_whole(void)
{
    char path[96], slashed[98], beside[128], file[128];
    snprintf(path, sizeof(path), "%s-new/deep", dir);
    snprintf(slashed, sizeof(slashed), "%s//", path);
    snprintf(beside, sizeof(beside), "%s.joining", path);
    struct agent_identity identity = an_identity();
    struct agent_state *state = agent_state_open(slashed, true, why);
    CHECK_TRUE(state != NULL && agent_state_is_new(state), "%s", why);
    CHECK_TRUE(access(path, F_OK) != 0 && access(beside, F_OK) == 0, "beside its place");
    agent_state_close(state);
    CHECK_TRUE(access(path, F_OK) != 0 && access(beside, F_OK) != 0, "a join that failed");

    CHECK_INT(__LINE__, "left by a join that was killed", mkdir(beside, 0700), 0);
    state = agent_state_open(path, true, why);
    CHECK_TRUE(state != NULL, "%s", why);
    CHECK_INT(__LINE__, "write", agent_state_write_identity(state, &identity, why), 0);
    CHECK_INT(__LINE__, "publish", agent_state_publish(state, why), 0);
    CHECK_TRUE(!agent_state_is_new(state) && access(beside, F_OK) != 0, "in its place");
    CHECK_TRUE(!agent_state_open(path, true, why), "its lock came with it");
    agent_state_close(state);
    CHECK_INT(__LINE__, "stays", access(path, F_OK), 0);
    snprintf(file, sizeof(file), "%s/identity.json", path);
    CHECK_INT(__LINE__, "identity", unlink(file), 0);
    snprintf(file, sizeof(file), "%s/lock", path);
    unlink(file);
    rmdir(path);
    *strrchr(path, '/') = '\0';
    CHECK_INT(__LINE__, "rmdir", rmdir(path), 0);
}

static void identity_is_read_back(void)
{
    struct agent_identity identity = an_identity(), back;
    struct agent_state *state = open_state();
    CHECK_INT(__LINE__, "none yet", agent_state_read_identity(state, &back, why),
              AGENT_FILE_MISSING);
    CHECK_INT(__LINE__, "write", agent_state_write_identity(state, &identity, why), 0);
    CHECK_INT(__LINE__, "mode", mode_of("identity.json"), 0600);
    CHECK_INT(__LINE__, "read", agent_state_read_identity(state, &back, why), AGENT_FILE_OK);
    CHECK_TRUE(memcmp(&identity, &back, sizeof(back)) == 0, "the same");
    agent_identity_fini(&back);
    put("identity.json", "{\"controlPlaneUrl\": \"https://con");
    CHECK_INT(__LINE__, "torn", agent_state_read_identity(state, &back, why), AGENT_FILE_DAMAGED);
    CHECK_TRUE(strncmp(why, "identity.json: not JSON", 23) == 0, "%s", why);
    put("identity.json", "{\"controlPlaneUrl\": \"https://x\", \"nodeId\": \"node_1\"}");
    CHECK_INT(__LINE__, "wrong", agent_state_read_identity(state, &back, why), AGENT_FILE_DAMAGED);
    CHECK_TRUE(strstr(why, "\"nodeId\""), "%s", why);
    put("identity.json", "");
    CHECK_INT(__LINE__, "empty", agent_state_read_identity(state, &back, why), AGENT_FILE_DAMAGED);
    agent_state_close(state);
}

static void key_and_certificate_are_one_file(void)
{
    struct agent_identity identity = one_with_a_certificate(), back, other;
    struct agent_state *state = open_state();
    CHECK_INT(__LINE__, "write", agent_state_write_identity(state, &identity, why), 0);
    CHECK_INT(__LINE__, "mode", mode_of("identity.json"), 0600);
    CHECK_INT(__LINE__, "read", agent_state_read_identity(state, &back, why), AGENT_FILE_OK);
    CHECK_STR(__LINE__, "key", back.key, identity.key);
    CHECK_STR(__LINE__, "certificate", back.certificate, identity.certificate);
    CHECK_STR(__LINE__, "authorities", back.ca_certificates, identity.ca_certificates);
    CHECK_STR(__LINE__, "proxy", back.proxy, identity.proxy);
    CHECK_STR(__LINE__, "no credential", back.enrolled.credential, "");
    agent_identity_fini(&back);

    other = one_with_a_certificate();
    char *swapped = other.key;
    other.key = identity.key;
    identity.key = swapped;
    CHECK_INT(__LINE__, "write", agent_state_write_identity(state, &identity, why), 0);
    CHECK_INT(__LINE__, "another's", agent_state_read_identity(state, &back, why),
              AGENT_FILE_DAMAGED);
    CHECK_TRUE(strstr(why, "another key") && !back.key, "%s", why);
    agent_identity_fini(&identity);
    agent_identity_fini(&other);
    agent_state_close(state);
}

static void a_request_is_one_token_s(void)
{
    struct agent_state *state = open_state();
    CHECK_TRUE(!agent_state_find_request(state, "fst_first"), "none yet");
    CHECK_INT(__LINE__, "keep", agent_state_keep_request(state, "fst_first", "a key", why), 0);
    CHECK_INT(__LINE__, "mode", mode_of("enrol.json"), 0600);
    char *key = agent_state_find_request(state, "fst_first");
    CHECK_STR(__LINE__, "found", key ? key : "", "a key");
    free(key);
    CHECK_TRUE(!agent_state_find_request(state, "fst_second"), "another token");
    agent_state_drop_request(state);
    CHECK_TRUE(!agent_state_find_request(state, "fst_first"), "gone");
    put("enrol.json", "{\"tokenDigest\": 3}");
    CHECK_TRUE(!agent_state_find_request(state, "fst_first"), "damaged");
    agent_state_drop_request(state);
    agent_state_close(state);

    char path[96], beside[128];
    snprintf(path, sizeof(path), "%s-asked", dir);
    snprintf(beside, sizeof(beside), "%s.joining", path);
    state = agent_state_open(path, true, why);
    CHECK_INT(__LINE__, "keep", agent_state_keep_request(state, "fst_first", "a key", why), 0);
    agent_state_close(state);
    CHECK_INT(__LINE__, "an unanswered join leaves its key", access(beside, F_OK), 0);
    state = agent_state_open(path, true, why);
    key = state ? agent_state_find_request(state, "fst_first") : NULL;
    CHECK_STR(__LINE__, "for the next", key ? key : why, "a key");
    free(key);
    agent_state_drop_request(state);
    agent_state_close(state);
    CHECK_TRUE(access(beside, F_OK) != 0, "and that cleans up");
}

static void fences_are_one_node_s_and_one_control_plane_s(void)
{
    struct agent_enrolled whose = an_identity().enrolled;
    struct agent_fences fences = {3, {9, DIGEST_7}}, back;
    struct agent_state *state = open_state();
    CHECK_INT(__LINE__, "none yet", agent_state_read_fences(state, &whose, &back, why),
              AGENT_FILE_MISSING);
    CHECK_INT(__LINE__, "write", agent_state_write_fences(state, &whose, &fences, why), 0);
    CHECK_INT(__LINE__, "read", agent_state_read_fences(state, &whose, &back, why), AGENT_FILE_OK);
    CHECK_INT(__LINE__, "epoch", back.max_epoch, 3);
    CHECK_INT(__LINE__, "generation", back.max_taken.generation, 9);
    CHECK_STR(__LINE__, "digest", back.max_taken.digest, DIGEST_7);

    struct agent_enrolled other = whose;
    strcpy(other.node_id, "node_01jd4q6v2m8w3x5y7z9abcdef0");
    agent_state_read_fences(state, &other, &back, why);
    CHECK_INT(__LINE__, "joined again: epoch stays", back.max_epoch, 3);
    CHECK_INT(__LINE__, "joined again: generations begin again", back.max_taken.generation, 0);
    strcpy(other.control_plane_id, "cp_2");
    agent_state_read_fences(state, &other, &back, why);
    CHECK_INT(__LINE__, "another control plane: epochs begin again", back.max_epoch, 0);

    put("fences.json", "{\"maxEpoch\": 3");
    CHECK_INT(__LINE__, "torn", agent_state_read_fences(state, &whose, &back, why),
              AGENT_FILE_DAMAGED);
    CHECK_INT(__LINE__, "nothing of it is used", back.max_epoch, 0);
    agent_state_close(state);
}

static void staged_becomes_confirmed(void)
{
    char text[] = "{ // \xc3\xa9\n}\n", second[] = "{}";
    struct agent_record record = a_record(7, text), back;
    struct agent_state *state = open_state();
    CHECK_INT(__LINE__, "none yet", agent_state_read_confirmed(state, &back, why),
              AGENT_FILE_MISSING);
    CHECK_INT(__LINE__, "stage", agent_state_stage(state, &record, why), 0);
    CHECK_INT(__LINE__, "staged only", agent_state_read_confirmed(state, &back, why),
              AGENT_FILE_MISSING);
    CHECK_INT(__LINE__, "confirm", agent_state_confirm_staged(state, why), 0);
    CHECK_INT(__LINE__, "read", agent_state_read_confirmed(state, &back, why), AGENT_FILE_OK);
    CHECK_STR(__LINE__, "the author's bytes", back.text, text);
    CHECK_STR(__LINE__, "offer", back.offer.id, record.offer.id);
    CHECK_INT(__LINE__, "generation", back.offer.version.generation, 7);
    CHECK_INT(__LINE__, "epoch", back.epoch, 2);
    agent_record_fini(&back);
    CHECK_INT(__LINE__, "nothing staged", agent_state_read_staged(state, &back, why),
              AGENT_FILE_MISSING);
    CHECK_INT(__LINE__, "nothing to confirm", agent_state_confirm_staged(state, why), -1);

    record = a_record(8, second);
    CHECK_INT(__LINE__, "stage the next", agent_state_stage(state, &record, why), 0);
    agent_state_drop_staged(state);
    CHECK_INT(__LINE__, "still", agent_state_read_confirmed(state, &back, why), AGENT_FILE_OK);
    CHECK_INT(__LINE__, "the old one", back.offer.version.generation, 7);
    agent_record_fini(&back);

    put("confirmed.json", "{\"nodeId\": \"node_01jd4q6v2m8w3x5y7z9abcdefg\", \"generation\"");
    CHECK_INT(__LINE__, "torn", agent_state_read_confirmed(state, &back, why), AGENT_FILE_DAMAGED);
    agent_state_close(state);
}

/* A limit on the size of files makes a write fail in the middle, as a full disk does. */
static void a_write_that_fails_leaves_the_old_file(void)
{
    char text[] = "{}", *found = NULL;
    size_t len = 0;
    struct agent_record record = a_record(8, text);
    struct agent_state *state = open_state();
    struct rlimit before, small;
    put("staged.json", "old");
    CHECK_INT(__LINE__, "getrlimit", getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 40;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(__LINE__, "setrlimit", setrlimit(RLIMIT_FSIZE, &small), 0);
    int err = agent_state_stage(state, &record, why);
    CHECK_INT(__LINE__, "setrlimit", setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_INT(__LINE__, "refused", err, -1);
    CHECK_TRUE(strstr(why, "staged.json: cannot write it: File too large"), "%s", why);
    CHECK_INT(__LINE__, "nothing beside it",
              faccessat(state->folder.dir_fd, "staged.json.new", 0, 0), -1);
    CHECK_INT(__LINE__, "read",
              state_folder_read(&state->folder, "staged.json", &found, &len, why, sizeof(why)), 1);
    CHECK_STR(__LINE__, "the old file", found, "old");
    free(found);
    agent_state_close(state);
}

int main(void)
{
    static const char *const names[] = {"lock", "identity.json", "fences.json", "confirmed.json",
                                        "staged.json"};
    snprintf(dir, sizeof(dir), "/tmp/farmstead-state-XXXXXX");
    CHECK_TRUE(mkdtemp(dir) != NULL, "mkdtemp");
    the_folder_is_private_and_locked();
    a_folder_with_other_files_is_left_alone();
    a_new_folder_comes_into_being_whole();
    identity_is_read_back();
    key_and_certificate_are_one_file();
    a_request_is_one_token_s();
    fences_are_one_node_s_and_one_control_plane_s();
    staged_becomes_confirmed();
    a_write_that_fails_leaves_the_old_file();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    return check_end("agent_state");
}
