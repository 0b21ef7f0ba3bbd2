/* SPDX-License-Identifier: MIT */
/* agent_drift.h — config.jsonc in the state folder: the confirmed config as text, for people, and
 * what they make of it.
 *
 * Looks and remembers; what of it is served is agent_apply.h's business. A text that means what is
 * confirmed is no drift, whatever its comments and spaces. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_DRIFT_H
#define FARMSTEAD_AGENT_DRIFT_H

#include "agent/agent_state.h"
#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_drift {
    struct agent_state *state;
    struct state_stamp stamp;    /* of the file when it was looked at */
    const struct config *beside; /* … and what was confirmed then */
    bool is_unreadable;
    bool has_edits; /* the file is not what the agent wrote, if only in its comments */

    char digest[CONFIG_DIGEST_LEN + 1]; /* "": no drift */
    char *text;
    struct config *cfg; /* NULL: the text is not good */
    struct config_errors errors;
    uint32_t version; /* grows when the above changes */
};

void agent_drift_init(struct agent_drift *drift, struct agent_state *state);
void agent_drift_fini(struct agent_drift *drift);

/* Reads the file if it has changed, or what is confirmed has. True when what is known changed. */
bool agent_drift_look(struct agent_drift *drift, const struct config *confirmed);

/* At start, before the first look: the agent's own text, which it had written before the config it
 * belongs to was confirmed, is none of a person's. */
void agent_drift_disown(struct agent_drift *drift, const char *text, size_t len);

bool agent_drift_is_there(const struct agent_drift *drift);
bool agent_drift_is_missing(const struct agent_drift *drift); /* there is no file */

/* The text goes into the file, or, where that fails, the file away: an old one would be taken for
 * a person's. Then there is no drift. */
void agent_drift_overwrite(struct agent_drift *drift, const struct config *confirmed);

/* What this machine or the server has against `drift->cfg`: takes `errors` over. */
void agent_drift_refuse(struct agent_drift *drift, struct config_errors *errors);

#endif
