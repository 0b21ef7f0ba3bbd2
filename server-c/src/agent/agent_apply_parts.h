/* SPDX-License-Identifier: MIT */
/* agent_apply_parts.h — what the files of agent_apply.h share; nobody else includes this. */
#ifndef FARMSTEAD_AGENT_APPLY_PARTS_H
#define FARMSTEAD_AGENT_APPLY_PARTS_H

#include "agent/agent_apply.h"

/* How soon to try again what failed on this machine, such as a port in use or a full disk. */
#define RETRY_LOCAL_MS 5000

/* --- agent_apply_run.c --- */

/* Notes what became of `offer`, to be reported from now on. */
void agent_apply_set_result(struct agent_apply *apply, const struct agent_offer *offer,
                            enum agent_outcome outcome, enum agent_reason reason,
                            const char *message);
/* Reads back what runs. The caller ends the lists. */
void agent_apply_effective(const struct agent_apply *apply, struct server_effective *effective,
                           struct agent_certificates *certificates,
                           struct agent_releases *releases);
/* Puts the staged config in force; its time to be confirmed begins. */
void agent_apply_swap(struct agent_apply *apply, uint64_t now_ms);
/* The config that runs has been confirmed. */
void agent_apply_keep(struct agent_apply *apply, uint64_t now_ms);
/* Writes the confirmed config to its place on disk, by way of staged.json. 0, or -1 with a
 * sentence. */
int agent_apply_write_kept(struct agent_apply *apply, char why[AGENT_WHY_LEN]);
/* Goes back to what ran before, as the confirmation did not come in time. */
void agent_apply_revert(struct agent_apply *apply, uint64_t now_ms);
/* Applies the confirmed config, at the start or as soon as it can be served. */
void agent_apply_restore(struct agent_apply *apply, uint64_t now_ms);

#endif
