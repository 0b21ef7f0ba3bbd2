/* SPDX-License-Identifier: MIT */
/* A renewed certificate is on disk before it is used, and a failed renewal changes nothing. */
#include "agent/agent_renewal.c"

#include "agent_pki.h"
#include "check.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define INCARNATION "00112233445566778899aabbccddeeff"

static char dir[64], why[AGENT_WHY_LEN];
static struct agent_state *state;
static struct agent_identity identity;
static struct agent_renewal renewal;

static void begin(void)
{
    struct agent_issued issued = {0};
    char *key = agent_key_new();
    issued.certificate = pki_certificate(key);
    issued.ca_certificates = pki_any_certificate();
    memset(&identity, 0, sizeof(identity));
    snprintf(identity.control_plane_url, sizeof(identity.control_plane_url), "https://c.example");
    snprintf(identity.enrolled.node_id, sizeof(identity.enrolled.node_id),
             "node_01jd4q6v2m8w3x5y7z9abcdefg");
    snprintf(identity.enrolled.name, sizeof(identity.enrolled.name), "edge-1");
    snprintf(identity.enrolled.control_plane_id, sizeof(identity.enrolled.control_plane_id), "cp");
    agent_identity_take(&identity, key, &issued);
    snprintf(dir, sizeof(dir), "/tmp/farmstead-renewal-XXXXXX");
    CHECK_TRUE(mkdtemp(dir) != NULL, "mkdtemp");
    state = agent_state_open(dir, true, why);
    CHECK_INT(__LINE__, "write", agent_state_write_identity(state, &identity, why), 0);
    agent_renewal_init(&renewal);
}

static void end(void)
{
    static const char *const names[] = {"lock", "identity.json"};
    agent_state_close(state);
    agent_identity_fini(&identity);
    agent_renewal_fini(&renewal);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        unlink(path);
    }
    CHECK_INT(__LINE__, "rmdir", rmdir(dir), 0);
}

static void expect_on_disk(int line, const struct agent_identity *want)
{
    struct agent_identity found;
    CHECK_INT(line, "read", agent_state_read_identity(state, &found, why), AGENT_FILE_OK);
    CHECK_STR(line, "key", found.key, want->key);
    CHECK_STR(line, "certificate", found.certificate, want->certificate);
    CHECK_STR(line, "authorities", found.ca_certificates, want->ca_certificates);
    agent_identity_fini(&found);
}

static char *answer_with(const char *certificate, const char *ca_certificates)
{
    json_t *document = json_pack("{ss ss si}", "certificate", certificate, "caCertificates",
                                 ca_certificates, "renewAfterMs", 1000);
    char *text = json_dumps(document, 0);
    json_decref(document);
    return text;
}

static int take(const char *certificate, const char *ca_certificates, uint64_t now_ms)
{
    char *text = answer_with(certificate, ca_certificates);
    int err = agent_renewal_take(&renewal, text, strlen(text), &identity, state, now_ms, why);
    free(text);
    return err;
}

static void a_new_key_and_certificate_take_the_old_one_s_place(void)
{
    begin();
    CHECK_TRUE(renewal.due_ms == AGENT_RENEWAL_NEVER, "nobody said when");
    agent_renewal_plan(&renewal, 500, 1000);
    CHECK_INT(__LINE__, "due", renewal.due_ms, 1500);
    char *old_key = strdup(identity.key), *body = agent_renewal_ask(&renewal, INCARNATION, why);
    json_t *document = json_loads(body, 0, NULL);
    CHECK_STR(__LINE__, "who", json_string_value(json_object_get(document, "incarnation")),
              INCARNATION);
    CHECK_TRUE(strcmp(renewal.key, old_key) != 0, "a new key");
    CHECK_TRUE(!strstr(body, "PRIVATE"), "which stays here");
    char *certificate = pki_certificate(renewal.key), *authority = pki_any_certificate();
    CHECK_INT(__LINE__, "taken", take(certificate, authority, 2000), 0);
    CHECK_STR(__LINE__, "used", identity.certificate, certificate);
    CHECK_TRUE(strcmp(identity.key, old_key) != 0, "with its key");
    CHECK_INT(__LINE__, "planned", renewal.due_ms, 3000);
    expect_on_disk(__LINE__, &identity);
    json_decref(document);
    free(body);
    free(old_key);
    free(certificate);
    free(authority);
    end();
}

static void what_does_not_fit_changes_nothing(void)
{
    begin();
    struct agent_identity before;
    agent_identity_copy(&before, &identity);
    char *authority = pki_any_certificate(), *stranger = pki_any_certificate();
    CHECK_INT(__LINE__, "not asked for", take(stranger, authority, 1), -1);
    free(agent_renewal_ask(&renewal, INCARNATION, why));
    CHECK_INT(__LINE__, "another key's", take(stranger, authority, 1), -1);
    CHECK_TRUE(strstr(why, "another key"), "%s", why);
    char *certificate = pki_certificate(renewal.key);
    CHECK_INT(__LINE__, "no authorities", take(certificate, "none", 1), -1);
    CHECK_INT(__LINE__, "no answer",
              agent_renewal_take(&renewal, "{}", 2, &identity, state, 1, why), -1);
    expect_on_disk(__LINE__, &before);
    CHECK_STR(__LINE__, "in use", identity.certificate, before.certificate);
    agent_renewal_put_off(&renewal, 1000);
    CHECK_TRUE(renewal.due_ms >= 61000 && renewal.due_ms < 121000, "%" PRIu64, renewal.due_ms);
    agent_renewal_plan(&renewal, 0, 2000);
    CHECK_TRUE(renewal.due_ms >= 61000, "at most once a minute: %" PRIu64, renewal.due_ms);
    agent_identity_fini(&before);
    free(authority);
    free(stranger);
    free(certificate);
    end();
}

static void a_disk_that_fails_keeps_the_old_one_in_use(void)
{
    begin();
    char *old = strdup(identity.certificate), *body = agent_renewal_ask(&renewal, INCARNATION, why);
    char *certificate = pki_certificate(renewal.key), *authority = pki_any_certificate(), path[128];
    snprintf(path, sizeof(path), "%s/identity.json.new", dir);
    CHECK_INT(__LINE__, "in the way", mkdir(path, 0700), 0);
    CHECK_INT(__LINE__, "not written", take(certificate, authority, 1), -1);
    CHECK_TRUE(strstr(why, "cannot write it"), "%s", why);
    CHECK_STR(__LINE__, "in use", identity.certificate, old);
    CHECK_INT(__LINE__, "nor the authorities",
              agent_renewal_trust(&identity, authority, state, why), -1);
    CHECK_TRUE(strcmp(identity.ca_certificates, authority) != 0, "as before");
    CHECK_INT(__LINE__, "rmdir", rmdir(path), 0);
    expect_on_disk(__LINE__, &identity);
    free(body);
    free(old);
    free(certificate);
    free(authority);
    end();
}

static void authorities_change_when_the_control_plane_says_so(void)
{
    begin();
    char *authority = pki_any_certificate(), *old_key = strdup(identity.key);
    CHECK_INT(__LINE__, "none said", agent_renewal_trust(&identity, NULL, state, why), 0);
    CHECK_INT(__LINE__, "the same",
              agent_renewal_trust(&identity, identity.ca_certificates, state, why), 0);
    CHECK_INT(__LINE__, "none", agent_renewal_trust(&identity, "", state, why), -1);
    CHECK_INT(__LINE__, "new", agent_renewal_trust(&identity, authority, state, why), 1);
    CHECK_STR(__LINE__, "in use", identity.ca_certificates, authority);
    CHECK_STR(__LINE__, "the key stays", identity.key, old_key);
    expect_on_disk(__LINE__, &identity);
    free(authority);
    free(old_key);
    end();
}

int main(void)
{
    a_new_key_and_certificate_take_the_old_one_s_place();
    what_does_not_fit_changes_nothing();
    a_disk_that_fails_keeps_the_old_one_in_use();
    authorities_change_when_the_control_plane_says_so();
    return check_end("agent_renewal");
}
