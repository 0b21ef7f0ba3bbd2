/* SPDX-License-Identifier: MIT */
/* agent_drift.h — config.jsonc in the state folder: the confirmed config as text for people, and
 * the changes they make to it.
 *
 * Only reads and remembers; agent_apply.h decides what is served. A text that means the same as the
 * confirmed config is no drift, whatever its comments and spaces. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_DRIFT_H
#define FARMSTEAD_AGENT_DRIFT_H

#include "agent/agent_state.h"
#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_drift {
    struct agent_state *state;
    struct state_stamp stamp;    /* of the file when it was last read */
    const struct config *beside; /* the config that was confirmed at that time */
    bool is_unreadable;
    bool has_edits; /* the file differs from what the agent wrote, if only in comments */

    char digest[CONFIG_DIGEST_LEN + 1]; /* "": no drift */
    char *text;
    struct config *cfg; /* NULL: the text is no valid config */
    struct config_errors errors;
    uint32_t version; /* grows when any of this changes */
};

void agent_drift_init(struct agent_drift *drift, struct agent_state *state);
void agent_drift_fini(struct agent_drift *drift);

/* Reads the file if it or the confirmed config has changed. True if what is known has changed. */
bool agent_drift_look(struct agent_drift *drift, const struct config *confirmed);

/* Call it at the start, before the first look: `text` was written by the agent before its config
 * was confirmed, and so is not a change by a person. */
void agent_drift_disown(struct agent_drift *drift, const char *text, size_t len);

bool agent_drift_is_there(const struct agent_drift *drift);
bool agent_drift_is_missing(const struct agent_drift *drift); /* there is no file */

/* Writes the confirmed config's text to the file. If that fails the file is removed, because old
 * text would be taken for somebody's change. Afterwards there is no drift. */
void agent_drift_overwrite(struct agent_drift *drift, const struct config *confirmed);

/* Notes what the machine or the server has against `drift->cfg`. Takes over `errors`. */
void agent_drift_refuse(struct agent_drift *drift, struct config_errors *errors);

#endif
