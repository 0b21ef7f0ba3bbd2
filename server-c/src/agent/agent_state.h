/* SPDX-License-Identifier: MIT */
/* agent_state.h — the node's state folder: who this node is, and what it may serve after a restart.
 *
 *   identity.json   who this node is: its key and certificate and the CAs it trusts, or a
 *                   credential; one file, so that a key is never stored with another certificate
 *   enrol.json      the key in a request to enrol that has not been answered
 *   fences.json     highest epoch and generation ever accepted (N1)
 *   confirmed.json  the config of the last confirmed assignment: last known good (N2, N3)
 *   staged.json     an assignment whose outcome the control plane may not know yet
 *   crash.json      how the config in staged.json crashed, if it must not run again (N4)
 *   config.jsonc    the confirmed config as text for people, who may change it (agent_drift.h)
 *   certificates/   those of the control plane (agent_certificate_files.h)
 *   lock            held by the one `run` or `join` that uses the folder
 *
 * Each file is written under a temporary name, synced and renamed over the old one, and then the
 * folder is synced: a crash or a full disk leaves the old file. One thread at a time. */
#ifndef FARMSTEAD_AGENT_STATE_H
#define FARMSTEAD_AGENT_STATE_H

#include "agent/agent_identity.h"
#include "agent/agent_messages.h"
#include "process/state_folder.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A config on disk, with the assignment it came with. */
struct agent_record {
    char node_id[AGENT_ID_LEN + 1];
    struct agent_offer offer;
    uint64_t epoch;
    char *text;
    size_t text_len;
    struct agent_certificates certificates; /* that go with it */
    struct agent_releases releases;
};
void agent_record_fini(struct agent_record *record);

/* The config of this generation crashed the node, and how. */
struct agent_crash {
    uint64_t generation;
    char message[AGENT_TEXT_LEN + 1];
    char *evidence; /* lines of the error log, each with its "\n"; NULL: none */
};
void agent_crash_fini(struct agent_crash *crash);

enum agent_file { AGENT_FILE_OK, AGENT_FILE_MISSING, AGENT_FILE_DAMAGED };

struct agent_state;

/* Opens and locks `dir`. With `create` it makes the folder first (mode 0700), under a temporary
 * name until it is published: so a folder with its final name has an identity. NULL with a sentence
 * in `why`. */
struct agent_state *agent_state_open(const char *dir, bool create, char why[AGENT_WHY_LEN]);
/* The same for a folder that the parent process has locked. Takes over `lock_fd`. */
struct agent_state *agent_state_open_locked(const char *dir, int lock_fd, char why[AGENT_WHY_LEN]);
/* Could an identity be written now? 0, or -1 with a sentence in `why`. */
int agent_state_try_write(struct agent_state *state, char why[AGENT_WHY_LEN]);
int agent_state_publish(struct agent_state *state, char why[AGENT_WHY_LEN]);
bool agent_state_is_new(const struct agent_state *state); /* not published yet */
void agent_state_close(struct agent_state *state);        /* NULL is allowed */
int agent_state_folder(const struct agent_state *state);  /* its descriptor */

/* Changes the owner of the folder and its files, for a node that will run as that user. 0, or -1
 * with a sentence in `why`. */
int agent_state_give(struct agent_state *state, uid_t uid, gid_t gid, char *why, size_t why_len);

/* Functions that read set `why` for AGENT_FILE_DAMAGED, which is also returned for a file that
 * can't be read at all. Functions that write return 0, or -1 with a sentence. */
/* `out` is empty unless AGENT_FILE_OK; else end it with agent_identity_fini(). */
enum agent_file agent_state_read_identity(struct agent_state *state, struct agent_identity *out,
                                          char why[AGENT_WHY_LEN]);
int agent_state_write_identity(struct agent_state *state, const struct agent_identity *identity,
                               char why[AGENT_WHY_LEN]);

/* If an answer is lost no token must be lost with it: a request with the same token and key gets
 * the same answer again. Finds the key kept for `token`, which the caller frees, or NULL. Keeping:
 * 0, or -1. */
char *agent_state_find_request(struct agent_state *state, const char *token);
int agent_state_keep_request(struct agent_state *state, const char *token, const char *key,
                             char why[AGENT_WHY_LEN]);
void agent_state_drop_request(struct agent_state *state);

/* Fences belong to one node and one control plane: the generation of another node and the epoch of
 * another control plane are read as 0 (none seen). */
enum agent_file agent_state_read_fences(struct agent_state *state,
                                        const struct agent_enrolled *whose,
                                        struct agent_fences *out, char why[AGENT_WHY_LEN]);
int agent_state_write_fences(struct agent_state *state, const struct agent_enrolled *whose,
                             const struct agent_fences *fences, char why[AGENT_WHY_LEN]);

enum agent_file agent_state_read_confirmed(struct agent_state *state, struct agent_record *out,
                                           char why[AGENT_WHY_LEN]);
enum agent_file agent_state_read_staged(struct agent_state *state, struct agent_record *out,
                                        char why[AGENT_WHY_LEN]);
int agent_state_stage(struct agent_state *state, const struct agent_record *record,
                      char why[AGENT_WHY_LEN]);
/* Makes the staged config the confirmed one, by a rename, which needs no room on the disk. */
int agent_state_confirm_staged(struct agent_state *state, char why[AGENT_WHY_LEN]);
void agent_state_drop_staged(struct agent_state *state); /* removes crash.json too */

/* Which versions of releases were confirmed lately, the newest first. Empty: none, or the file is damaged. */
void agent_state_read_releases(struct agent_state *state, struct agent_releases *out);
int agent_state_write_releases(struct agent_state *state, const struct agent_releases *history,
                               char why[AGENT_WHY_LEN]);

/* For the staged config. */
enum agent_file agent_state_read_crash(struct agent_state *state, struct agent_crash *out,
                                       char why[AGENT_WHY_LEN]);
int agent_state_write_crash(struct agent_state *state, const struct agent_crash *crash,
                            char why[AGENT_WHY_LEN]);

/* Reads config.jsonc. 1 and a copy on the heap, 0 if there is none, -1 with a sentence. */
int agent_state_read_text(struct agent_state *state, char **text, size_t *len,
                          char why[AGENT_WHY_LEN]);
int agent_state_write_text(struct agent_state *state, const char *text, size_t len,
                           char why[AGENT_WHY_LEN]);
void agent_state_stamp_text(struct agent_state *state, struct state_stamp *out);
void agent_state_drop_text(struct agent_state *state);

#endif
