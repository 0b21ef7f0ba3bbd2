/* SPDX-License-Identifier: MIT */
/* agent_state.c — the files of the state folder. Where the folder is and how a file is replaced
 * whole is agent_folder.c; here is what the files say. */
#include "agent_state.h"

#include "agent_folder.h"
#include "agent_json.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct agent_state {
    struct agent_folder folder;
};

#define IDENTITY "identity.json"
#define FENCES "fences.json"
#define CONFIRMED "confirmed.json"
#define STAGED "staged.json"
#define TRIAL "trial"
#define TRIAL_BYTES 4096 /* more than an identity has */

void agent_record_fini(struct agent_record *record)
{
    free(record->text);
    memset(record, 0, sizeof(*record));
}

struct agent_state *agent_state_open(const char *dir, bool create, char why[AGENT_WHY_LEN])
{
    struct agent_state *state = xcalloc(1, sizeof(*state));
    if (agent_folder_open(&state->folder, dir, create, why, AGENT_WHY_LEN) != 0) {
        free(state);
        return NULL;
    }
    return state;
}

int agent_state_try_write(struct agent_state *state, char why[AGENT_WHY_LEN])
{
    char bytes[TRIAL_BYTES];
    memset(bytes, '\n', sizeof(bytes));
    int err = agent_folder_replace(&state->folder, TRIAL, bytes, sizeof(bytes), why, AGENT_WHY_LEN);
    agent_folder_remove(&state->folder, TRIAL);
    return err;
}

int agent_state_publish(struct agent_state *state, char why[AGENT_WHY_LEN])
{
    return agent_folder_publish(&state->folder, why, AGENT_WHY_LEN);
}

int agent_state_give(struct agent_state *state, uid_t uid, gid_t gid, char *why, size_t why_len)
{
    return agent_folder_give(&state->folder, uid, gid, why, why_len);
}

bool agent_state_is_new(const struct agent_state *state)
{
    return state->folder.made_at != NULL;
}

void agent_state_close(struct agent_state *state)
{
    if (!state)
        return;
    agent_folder_close(&state->folder);
    free(state);
}

/* The file's JSON object, or NULL with *what said. */
static json_t *load(struct agent_state *state, const char *name, enum agent_file *what,
                    char why[AGENT_WHY_LEN])
{
    char reason[160];
    char *text = NULL;
    size_t len = 0;
    int found = agent_folder_read(&state->folder, name, &text, &len, reason, sizeof(reason));
    json_t *document = found == 1 ? agent_json_load(text, len, reason, sizeof(reason)) : NULL;
    free(text);
    *what = document ? AGENT_FILE_OK : found == 0 ? AGENT_FILE_MISSING : AGENT_FILE_DAMAGED;
    if (*what == AGENT_FILE_DAMAGED)
        snprintf(why, AGENT_WHY_LEN, "%s: %s", name, reason);
    return document;
}

/* Ends a read: AGENT_FILE_OK, or the reader's sentence with the file's name before it. */
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
    int err = agent_folder_replace(&state->folder, name, text, strlen(text), why, AGENT_WHY_LEN);
    free(text);
    return err;
}

enum agent_file agent_state_read_identity(struct agent_state *state, struct agent_identity *out,
                                          char why[AGENT_WHY_LEN])
{
    enum agent_file what;
    char reason[160];
    struct agent_enrolled *enrolled = &out->enrolled;
    memset(out, 0, sizeof(*out));
    json_t *document = load(state, IDENTITY, &what, why);
    if (!document)
        return what;
    struct agent_reader reader = {document, reason, sizeof(reason), false};
    agent_read_string(&reader, "controlPlaneUrl", out->control_plane_url,
                      sizeof(out->control_plane_url), 1);
    agent_read_id(&reader, "nodeId", "node_", enrolled->node_id, sizeof(enrolled->node_id));
    agent_read_string(&reader, "name", enrolled->name, sizeof(enrolled->name), 1);
    agent_read_string(&reader, "credential", enrolled->credential, sizeof(enrolled->credential),
                      32);
    agent_read_string(&reader, "controlPlaneId", enrolled->control_plane_id,
                      sizeof(enrolled->control_plane_id), 1);
    out->insecure_http = agent_read_boolean(&reader, "insecureHttp");
    return finish(document, &reader, IDENTITY, why);
}

int agent_state_write_identity(struct agent_state *state, const struct agent_identity *identity,
                               char why[AGENT_WHY_LEN])
{
    const struct agent_enrolled *enrolled = &identity->enrolled;
    return store(state, IDENTITY,
                 json_pack("{ss ss ss ss ss sb}", "controlPlaneUrl", identity->control_plane_url,
                           "nodeId", enrolled->node_id, "name", enrolled->name, "credential",
                           enrolled->credential, "controlPlaneId", enrolled->control_plane_id,
                           "insecureHttp", identity->insecure_http),
                 why);
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
    out->text = agent_read_text(&reader, "configText", AGENT_FOLDER_FILE_MAX, &out->text_len);
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
                 json_pack("{ss sI sI ss ss ss%}", "nodeId", record->node_id, "generation",
                           (json_int_t)record->offer.version.generation, "epoch",
                           (json_int_t)record->epoch, "offerId", record->offer.id, "digest",
                           record->offer.version.digest, "configText", record->text,
                           record->text_len),
                 why);
}

int agent_state_confirm_staged(struct agent_state *state, char why[AGENT_WHY_LEN])
{
    return agent_folder_rename(&state->folder, STAGED, CONFIRMED, why, AGENT_WHY_LEN);
}

void agent_state_drop_staged(struct agent_state *state)
{
    agent_folder_remove(&state->folder, STAGED);
}
