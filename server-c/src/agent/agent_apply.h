/* SPDX-License-Identifier: MIT */
/* agent_apply.h — the life of an assignment on this node: checked, staged, acknowledged, put in
 * force, read back, confirmed or reverted (agent-protocol/README.md, rules N1, N2, N3 and N6).
 *
 * Decides, and acts on the server and the state folder. Sends nothing itself: the agent asks what
 * to send next (agent_apply_next) and reports what became of it. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_APPLY_H
#define FARMSTEAD_AGENT_APPLY_H

#include "agent/agent_local.h"
#include "agent/agent_messages.h"
#include "agent/agent_state.h"
#include "config/config.h"
#include "process/supervised.h"
#include "server/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_NEVER UINT64_MAX

/* state      | entered when                     | left when
 * IDLE       | start; everything is settled     | an assignment passed its check: ACKING
 * ACKING     | checked, staged, fences written  | ack taken: swapped, PROVING; swap failed: IDLE
 * PROVING    | swapped, result not yet taken    | result taken: CONFIRMING
 * CONFIRMING | result "applied" was taken       | confirmed: KEEPING
 * KEEPING    | confirmed, not yet written       | written: IDLE
 *
 * PROVING and CONFIRMING also end when the confirmation does not come in time (reverted: IDLE), or
 * when the control plane drops the assignment (IDLE, while the timer runs on). A newer assignment
 * is taken in any state. */
enum agent_apply_phase {
    AGENT_APPLY_IDLE,
    AGENT_APPLY_ACKING,
    AGENT_APPLY_PROVING,
    AGENT_APPLY_CONFIRMING,
    AGENT_APPLY_KEEPING
};

enum agent_apply_said {
    AGENT_SAID_NOTHING,
    AGENT_SAID_NACK,
    AGENT_SAID_ACK,
    AGENT_SAID_RESULT,
    AGENT_SAID_CONFIRM
};

struct agent_apply {
    struct server *server;
    struct agent_state *state;
    const struct agent_enrolled *whose;

    struct agent_fences fences; /* the same as on disk */
    struct agent_version have;  /* highest generation answered with ack or nack */

    struct config *confirmed; /* the last confirmed config; NULL: none */
    struct agent_record kept; /* the assignment it came with; its text is that of the config */

    struct agent_local local; /* changes made to config.jsonc on this node */
    bool reload_wanted;       /* load config.jsonc when nothing else is under way */

    enum agent_apply_phase phase;
    enum agent_apply_said said;     /* the message under way to the control plane */
    struct agent_releases history;  /* of releases that were confirmed, the newest first */
    struct agent_releases ahead;    /* that stand, and were not assigned yet */
    struct agent_previews previews; /* which versions are shown under a name of their own */
    bool has_kept;                  /* another version was confirmed: what no list has may go */
    struct config *staged;
    /* The assignment of `staged`; its text is that of the config. */
    struct agent_record offered;
    char replaces_drift[CONFIG_DIGEST_LEN + 1]; /* digest of the edit it may overwrite; "": none */
    uint32_t confirm_within_ms;
    uint64_t next_try_ms; /* when to confirm again, or to write the confirmed config again */

    bool unconfirmed;           /* what runs was swapped in and is not confirmed */
    struct agent_offer swapped; /* the assignment that runs unconfirmed */
    uint32_t swapped_within_ms; /* the time within which it must be confirmed */
    uint64_t revert_at_ms;
    bool stuck;             /* the revert failed, and is tried again at revert_at_ms */
    uint64_t restore_at_ms; /* when to try again to apply the confirmed config at the start */

    bool nack_pending;
    struct agent_nack nack;
    bool result_pending, has_result;
    struct agent_result result; /* the result of the last assignment */
    char *evidence;             /* its lines of the error log; NULL: none */
};

/* Loads the fences and the confirmed config, and applies it. Damaged files are logged and ignored:
 * a node without a confirmed config waits for its first assignment. After a crash with an
 * unconfirmed config, `past` says whether that config is tried once more or reported as crashing
 * (rule N4). */
void agent_apply_init(struct agent_apply *apply, struct server *server, struct agent_state *state,
                      const struct agent_enrolled *whose, const struct supervised_past *past,
                      uint64_t now_ms);
void agent_apply_fini(struct agent_apply *apply);

/* Takes an assignment that has come. False: it passed its check, but certificates or releases that go with
 * it are not on the disk, or releases may be about to go from there: fetch them, and take it again. */
bool agent_apply_take(struct agent_apply *apply, struct agent_assignment *assignment);
/* The first of its certificates from `from` on that is to be fetched; count: none. */
size_t agent_apply_lacks(const struct agent_apply *apply, const struct agent_assignment *assignment,
                         size_t from);
void agent_apply_refuse(struct agent_apply *apply, const struct agent_assignment *assignment,
                        const char *code, const char *message);
/* Which certificates are really loaded, in the versions of the assignments that are known here. */
void agent_apply_loaded(const struct agent_apply *apply, const struct certificates_shown *shown,
                        struct agent_certificates *out);
/* The versions of releases whose trees are served. */
void agent_apply_served(const struct agent_apply *apply, struct agent_releases *out);
/* Has the server look for files in all versions whose trees stand: call it when `ahead` or `previews` has changed. */
void agent_apply_tell_versions(const struct agent_apply *apply);
/* Is an assignment still to be answered? Then do not ask for another. */
bool agent_apply_owes_answer(const struct agent_apply *apply);
/* Is a confirm under way? Its answer must be handled before another assignment is taken: the
 * control plane offers the next one as soon as it has confirmed, and that offer may arrive
 * first. */
bool agent_apply_is_confirming(const struct agent_apply *apply);
/* Does the timer of an unconfirmed config run, so that every second counts? */
bool agent_apply_is_urgent(const struct agent_apply *apply);

/* Returns the name of the message to send now, with its body, which the caller frees; NULL:
 * nothing. */
const char *agent_apply_next(struct agent_apply *apply, uint64_t now_ms, char **body);
/* Report here what became of that message: it was answered with success, or refused for good. If no
 * answer came, ask agent_apply_next() again later. */
void agent_apply_on_taken(struct agent_apply *apply, const char *answer, size_t len,
                          uint64_t now_ms);
void agent_apply_on_refused(struct agent_apply *apply, const char *why);
/* The control plane has answered a hello, which carries the last result. */
void agent_apply_on_hello(struct agent_apply *apply);

/* Loads config.jsonc as somebody has changed it: now, or when nothing is under way any more. */
void agent_apply_reload(struct agent_apply *apply, uint64_t now_ms);

/* When the next confirm is to be sent; AGENT_NEVER: none. */
uint64_t agent_apply_speak_ms(const struct agent_apply *apply);

/* Timers: does what is due, and tells when something will be due next; AGENT_NEVER: nothing. */
void agent_apply_on_time(struct agent_apply *apply, uint64_t now_ms);
uint64_t agent_apply_due_ms(const struct agent_apply *apply);

#endif
