/* SPDX-License-Identifier: MIT */
/* agent_state.c — the contents of the files in the state folder. state_folder.c knows where the
 * folder is, and how to replace a file as a whole. */
#include "agent/agent_state.h"

#include "agent/agent_json.h"
#include "agent/agent_keys.h"
#include "base/digest.h"
#include "base/mem.h"
#include "process/state_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct agent_state {
    struct state_folder folder;
};

#define IDENTITY "identity.json"
#define REQUEST "enrol.json"
#define FENCES "fences.json"
#define CONFIRMED "confirmed.json"
#define STAGED "staged.json"
#define TEXT "config.jsonc"
#define CRASH "crash.json"
#define CRASH_EVIDENCE_MAX 65536
#define RELEASES "releases.json"
#define TRIAL "trial"
#define TRIAL_BYTES 16384 /* more than an identity with one or two CAs needs */

void agent_record_fini(struct agent_record *record)
{
    free(record->text);
    agent_certificates_fini(&record->certificates);
    agent_releases_fini(&record->releases);
    memset(record, 0, sizeof(*record));
}

struct agent_state *agent_state_open(const char *dir, bool create, char why[AGENT_WHY_LEN])
{
    struct agent_state *state = xcalloc(1, sizeof(*state));
    if (state_folder_open(&state->folder, dir, create, why, AGENT_WHY_LEN) != 0) {
        free(state);
        return NULL;
    }
    return state;
}

struct agent_state *agent_state_open_locked(const char *dir, int lock_fd, char why[AGENT_WHY_LEN])
{
    struct agent_state *state = xcalloc(1, sizeof(*state));
    if (state_folder_open_locked(&state->folder, dir, lock_fd, why, AGENT_WHY_LEN) != 0) {
        free(state);
        return NULL;
    }
    return state;
}

int agent_state_try_write(struct agent_state *state, char why[AGENT_WHY_LEN])
{
    char bytes[TRIAL_BYTES];
    memset(bytes, '\n', sizeof(bytes));
    int err = state_folder_replace(&state->folder, TRIAL, bytes, sizeof(bytes), why, AGENT_WHY_LEN);
    state_folder_remove(&state->folder, TRIAL);
    return err;
}

int agent_state_publish(struct agent_state *state, char why[AGENT_WHY_LEN])
{
    return state_folder_publish(&state->folder, why, AGENT_WHY_LEN);
}

int agent_state_give(struct agent_state *state, uid_t uid, gid_t gid, char *why, size_t why_len)
{
    return state_folder_give(&state->folder, uid, gid, why, why_len);
}

bool agent_state_is_new(const struct agent_state *state)
{
    return state->folder.made_at != NULL;
}

void agent_state_close(struct agent_state *state)
{
    if (!state)
        return;
    state_folder_close(&state->folder);
    free(state);
}

int agent_state_folder(const struct agent_state *state)
{
    return state->folder.dir_fd;
}

/* Returns the file's JSON object, or NULL with the reason in *what. */
static json_t *load(struct agent_state *state, const char *name, enum agent_file *what,
                    char why[AGENT_WHY_LEN])
{
    char reason[160];
    char *text = NULL;
    size_t len = 0;
    int found = state_folder_read(&state->folder, name, &text, &len, reason, sizeof(reason));
    json_t *document = found == 1 ? agent_json_load(text, len, reason, sizeof(reason)) : NULL;
    free(text);
    *what = document ? AGENT_FILE_OK : found == 0 ? AGENT_FILE_MISSING : AGENT_FILE_DAMAGED;
    if (*what == AGENT_FILE_DAMAGED)
        snprintf(why, AGENT_WHY_LEN, "%s: %s", name, reason);
    return document;
}

/* Ends a read: AGENT_FILE_OK, or AGENT_FILE_DAMAGED with the reader's sentence and the file's name
 * in `why`. */
static enum agent_file finish(json_t *document, const struct agent_reader *reader, const char *name,
                              char why[AGENT_WHY_LEN])
{
    json_decref(document);
    if (!reader->failed)
        return AGENT_FILE_OK;
    snprintf(why, AGENT_WHY_LEN, "%s: %.200s", name, reader->why);
    return AGENT_FILE_DAMAGED;
}

static int store(struct agent_state *state, const char *name, json_t *document,
                 char why[AGENT_WHY_LEN])
{
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    if (!text) {
        snprintf(why, AGENT_WHY_LEN, "%s: not enough memory to write it", name);
        return -1;
    }
    int err = state_folder_replace(&state->folder, name, text, strlen(text), why, AGENT_WHY_LEN);
    free(text);
    return err;
}

enum agent_file agent_state_read_identity(struct agent_state *state, struct agent_identity *out,
                                          char why[AGENT_WHY_LEN])
{
    enum agent_file what;
    char reason[160];
    memset(out, 0, sizeof(*out));
    json_t *document = load(state, IDENTITY, &what, why);
    if (!document)
        return what;
    struct agent_reader reader = {document, reason, sizeof(reason), false};
    agent_identity_read(&reader, out);
    return finish(document, &reader, IDENTITY, why);
}

int agent_state_write_identity(struct agent_state *state, const struct agent_identity *identity,
                               char why[AGENT_WHY_LEN])
{
    return store(state, IDENTITY, agent_identity_json(identity), why);
}

char *agent_state_find_request(struct agent_state *state, const char *token)
{
    enum agent_file what;
    char why[AGENT_WHY_LEN], digest[DIGEST_LEN + 1], kept[DIGEST_LEN + 1];
    json_t *document = load(state, REQUEST, &what, why);
    if (!document) /* a damaged file counts as a missing one */
        return NULL;
    struct agent_reader reader = {document, why, sizeof(why), false};
    size_t len = 0;
    agent_read_digest(&reader, "tokenDigest", kept, sizeof(kept));
    char *key = agent_read_text(&reader, "privateKey", TRIAL_BYTES, &len);
    json_decref(document);
    digest_sha256(digest, token, strlen(token));
    if (key && strcmp(digest, kept) != 0) {
        agent_secret_free(key);
        key = NULL;
    }
    return key;
}

int agent_state_keep_request(struct agent_state *state, const char *token, const char *key,
                             char why[AGENT_WHY_LEN])
{
    char digest[DIGEST_LEN + 1];
    digest_sha256(digest, token, strlen(token));
    int err =
        store(state, REQUEST, json_pack("{ss ss}", "tokenDigest", digest, "privateKey", key), why);
    state->folder.is_worth_keeping = !err;
    return err;
}

void agent_state_drop_request(struct agent_state *state)
{
    state_folder_remove(&state->folder, REQUEST);
    state->folder.is_worth_keeping = false;
}

enum agent_file agent_state_read_fences(struct agent_state *state,
                                        const struct agent_enrolled *whose,
                                        struct agent_fences *out, char why[AGENT_WHY_LEN])
{
    enum agent_file what;
    char reason[160], node_id[AGENT_ID_LEN + 1];
    char control_plane_id[AGENT_CONTROL_PLANE_ID_LEN + 1];
    memset(out, 0, sizeof(*out));
    json_t *document = load(state, FENCES, &what, why);
    if (!document)
        return what;
    struct agent_reader reader = {document, reason, sizeof(reason), false};
    agent_read_id(&reader, "nodeId", "node_", node_id, sizeof(node_id));
    agent_read_string(&reader, "controlPlaneId", control_plane_id, sizeof(control_plane_id), 1);
    out->max_epoch = agent_read_integer(&reader, "maxEpoch", 1, AGENT_JSON_MAX_INTEGER);
    out->max_taken.generation =
        agent_read_integer(&reader, "maxGeneration", 1, AGENT_JSON_MAX_INTEGER);
    agent_read_digest(&reader, "digest", out->max_taken.digest, sizeof(out->max_taken.digest));
    what = finish(document, &reader, FENCES, why);
    if (what != AGENT_FILE_OK || strcmp(control_plane_id, whose->control_plane_id) != 0)
        memset(out, 0, sizeof(*out));
    else if (strcmp(node_id, whose->node_id) != 0)
        memset(&out->max_taken, 0, sizeof(out->max_taken));
    return what;
}

int agent_state_write_fences(struct agent_state *state, const struct agent_enrolled *whose,
                             const struct agent_fences *fences, char why[AGENT_WHY_LEN])
{
    return store(state, FENCES,
                 json_pack("{ss ss sI sI ss}", "nodeId", whose->node_id, "controlPlaneId",
                           whose->control_plane_id, "maxEpoch", (json_int_t)fences->max_epoch,
                           "maxGeneration", (json_int_t)fences->max_taken.generation, "digest",
                           fences->max_taken.digest),
                 why);
}

static enum agent_file read_record(struct agent_state *state, const char *name,
                                   struct agent_record *out, char why[AGENT_WHY_LEN])
{
    enum agent_file what;
    char reason[160];
    memset(out, 0, sizeof(*out));
    json_t *document = load(state, name, &what, why);
    if (!document)
        return what;
    struct agent_reader reader = {document, reason, sizeof(reason), false};
    struct agent_version *version = &out->offer.version;
    agent_read_id(&reader, "nodeId", "node_", out->node_id, sizeof(out->node_id));
    version->generation = agent_read_integer(&reader, "generation", 1, AGENT_JSON_MAX_INTEGER);
    out->epoch = agent_read_integer(&reader, "epoch", 1, AGENT_JSON_MAX_INTEGER);
    agent_read_id(&reader, "offerId", "offer_", out->offer.id, sizeof(out->offer.id));
    agent_read_digest(&reader, "digest", version->digest, sizeof(version->digest));
    out->text = agent_read_text(&reader, "configText", STATE_FOLDER_FILE_MAX, &out->text_len);
    agent_certificates_read(&reader, &out->certificates);
    agent_releases_read(&reader, &out->releases);
    what = finish(document, &reader, name, why);
    if (what != AGENT_FILE_OK)
        agent_record_fini(out);
    return what;
}

enum agent_file agent_state_read_confirmed(struct agent_state *state, struct agent_record *out,
                                           char why[AGENT_WHY_LEN])
{
    return read_record(state, CONFIRMED, out, why);
}

enum agent_file agent_state_read_staged(struct agent_state *state, struct agent_record *out,
                                        char why[AGENT_WHY_LEN])
{
    return read_record(state, STAGED, out, why);
}

int agent_state_stage(struct agent_state *state, const struct agent_record *record,
                      char why[AGENT_WHY_LEN])
{
    return store(state, STAGED,
                 json_pack("{ss sI sI ss ss ss% so so}", "nodeId", record->node_id, "generation",
                           (json_int_t)record->offer.version.generation, "epoch",
                           (json_int_t)record->epoch, "offerId", record->offer.id, "digest",
                           record->offer.version.digest, "configText", record->text,
                           record->text_len, "certificates",
                           agent_certificates_json(&record->certificates), "releases",
                           agent_releases_json(&record->releases)),
                 why);
}

int agent_state_confirm_staged(struct agent_state *state, char why[AGENT_WHY_LEN])
{
    return state_folder_rename(&state->folder, STAGED, CONFIRMED, why, AGENT_WHY_LEN);
}

void agent_state_read_releases(struct agent_state *state, struct agent_releases *out)
{
    enum agent_file what;
    char why[AGENT_WHY_LEN];
    json_t *document = load(state, RELEASES, &what, why);
    struct agent_reader reader = {document, why, sizeof(why), false};
    *out = (struct agent_releases){0};
    if (document)
        agent_releases_read_history(&reader, out);
    json_decref(document);
}

int agent_state_write_releases(struct agent_state *state, const struct agent_releases *history,
                               char why[AGENT_WHY_LEN])
{
    return store(state, RELEASES, json_pack("{so}", "releases", agent_releases_json(history)), why);
}

void agent_crash_fini(struct agent_crash *crash)
{
    free(crash->evidence);
    crash->evidence = NULL;
}

enum agent_file agent_state_read_crash(struct agent_state *state, struct agent_crash *out,
                                       char why[AGENT_WHY_LEN])
{
    enum agent_file what;
    char reason[160];
    size_t len;
    memset(out, 0, sizeof(*out));
    json_t *document = load(state, CRASH, &what, why);
    if (!document)
        return what;
    struct agent_reader reader = {document, reason, sizeof(reason), false};
    out->generation = agent_read_integer(&reader, "generation", 1, AGENT_JSON_MAX_INTEGER);
    agent_read_string(&reader, "message", out->message, sizeof(out->message), 0);
    out->evidence = agent_read_text(&reader, "evidence", CRASH_EVIDENCE_MAX, &len);
    what = finish(document, &reader, CRASH, why);
    if (what != AGENT_FILE_OK)
        agent_crash_fini(out);
    return what;
}

int agent_state_write_crash(struct agent_state *state, const struct agent_crash *crash,
                            char why[AGENT_WHY_LEN])
{
    return store(state, CRASH,
                 json_pack("{sI ss ss}", "generation", (json_int_t)crash->generation, "message",
                           crash->message, "evidence", crash->evidence ? crash->evidence : ""),
                 why);
}

void agent_state_drop_staged(struct agent_state *state)
{
    state_folder_remove(&state->folder, STAGED);
    state_folder_remove(&state->folder, CRASH);
}

int agent_state_read_text(struct agent_state *state, char **text, size_t *len,
                          char why[AGENT_WHY_LEN])
{
    return state_folder_read(&state->folder, TEXT, text, len, why, AGENT_WHY_LEN);
}

int agent_state_write_text(struct agent_state *state, const char *text, size_t len,
                           char why[AGENT_WHY_LEN])
{
    return state_folder_replace(&state->folder, TEXT, text, len, why, AGENT_WHY_LEN);
}

void agent_state_stamp_text(struct agent_state *state, struct state_stamp *out)
{
    state_folder_stamp(&state->folder, TEXT, out);
}

void agent_state_drop_text(struct agent_state *state)
{
    state_folder_remove(&state->folder, TEXT);
}
