/* SPDX-License-Identifier: MIT */
/* agent_apply.h — the life of one assignment on this node: checked, staged, acknowledged, swapped,
 * read back, confirmed or taken back (agent-protocol/README.md, rules N1, N2, N3 and N6).
 *
 * Decides and acts on the server and the state folder; sends nothing itself. The agent asks what
 * is to be said next (agent_apply_next) and tells what became of it. Agent's thread only. */
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

/* state      | entered when                      | left when
 * IDLE       | start; everything is settled      | an assignment passed its check → ACKING
 * ACKING     | checked, staged, fences written   | ack taken → swap → PROVING, or IDLE when it
 * failed PROVING    | swapped, result not yet taken     | result taken → CONFIRMING CONFIRMING |
 * result "applied" was taken        | confirmed → KEEPING KEEPING    | confirmed, not yet written
 * | written → IDLE
 *
 * From PROVING and CONFIRMING: not confirmed in time → reverted → IDLE; dropped by the control
 * plane → IDLE, while the timer runs on. A newer assignment is taken in any state. */
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

    struct agent_fences fences; /* as on disk */
    struct agent_version have;  /* highest generation answered with ack or nack */

    struct config *confirmed; /* last known good, NULL: none */
    struct agent_record kept; /* … and the assignment it came by; the text is the config's own */

    struct agent_local local; /* what people made of config.jsonc */
    bool reload_wanted;       /* it is to be loaded once nothing else is under way */

    enum agent_apply_phase phase;
    enum agent_apply_said said; /* under way to the control plane */
    struct config *staged;
    struct agent_record offered;                /* … and its assignment, the same way */
    char replaces_drift[CONFIG_DIGEST_LEN + 1]; /* … may overwrite this edit; "": none */
    uint32_t confirm_within_ms;
    uint64_t next_try_ms; /* of the next confirm, or of writing the confirmed config */

    bool unconfirmed;           /* what runs now was swapped in and is not confirmed */
    struct agent_offer swapped; /* … and this is what it is */
    uint32_t swapped_within_ms; /* its time to be confirmed */
    uint64_t revert_at_ms;
    bool stuck;             /* going back failed; tried again at revert_at_ms */
    uint64_t restore_at_ms; /* the confirmed config could not be applied at start: again then */

    bool nack_pending;
    struct agent_nack nack;
    bool result_pending, has_result;
    struct agent_result result; /* the last one */
    char *evidence;             /* … and its lines of the error log; NULL: none */
};

/* Loads the fences and the confirmed config and applies it. What is damaged is logged and left
 * out: a node without a confirmed config waits for its first assignment. After a crash with an
 * unconfirmed config, `past` says whether that one is tried once more, or is to be told as crashing
 * (rule N4). */
void agent_apply_init(struct agent_apply *apply, struct server *server, struct agent_state *state,
                      const struct agent_enrolled *whose, const struct supervised_past *past,
                      uint64_t now_ms);
void agent_apply_fini(struct agent_apply *apply);

/* An assignment has come. */
void agent_apply_take(struct agent_apply *apply, const struct agent_assignment *assignment);
/* An assignment is not answered yet: do not ask for another. */
bool agent_apply_owes_answer(const struct agent_apply *apply);
/* A confirm is under way. Its answer is to be heard before another assignment is taken: the control
 * plane gives the next one as soon as it has confirmed, and the next one's answer may be faster. */
bool agent_apply_is_confirming(const struct agent_apply *apply);
/* A confirm timer runs: every second counts. */
bool agent_apply_is_urgent(const struct agent_apply *apply);

/* What to say now: the message's name and its body, which the caller frees; NULL when nothing. */
const char *agent_apply_next(struct agent_apply *apply, uint64_t now_ms, char **body);
/* … and what became of it: answered with success, or refused for good. When no answer came, ask
 * agent_apply_next() again later. */
void agent_apply_on_taken(struct agent_apply *apply, const char *answer, size_t len,
                          uint64_t now_ms);
void agent_apply_on_refused(struct agent_apply *apply, const char *why);
/* The control plane has taken a hello, which carries the last result. */
void agent_apply_on_hello(struct agent_apply *apply);

/* A person wants config.jsonc to be loaded; done now, or when nothing is under way any more. */
void agent_apply_reload(struct agent_apply *apply, uint64_t now_ms);

/* When the next confirm is to be said (AGENT_NEVER: none is). */
uint64_t agent_apply_speak_ms(const struct agent_apply *apply);

/* Timers: do what is due, and when that is the case next (AGENT_NEVER: not at all). */
void agent_apply_on_time(struct agent_apply *apply, uint64_t now_ms);
uint64_t agent_apply_due_ms(const struct agent_apply *apply);

#endif
