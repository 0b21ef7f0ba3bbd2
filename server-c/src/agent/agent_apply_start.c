/* SPDX-License-Identifier: MIT */
/* agent_apply_start.c — handles what a start finds in the state folder: the confirmed config, what
 * an earlier process left open or crashed with, and what somebody has changed meanwhile (rules N3
 * and N4). */
#include "agent/agent_apply_parts.h"

#include "agent/agent_certificate_files.h"
#include "agent/agent_check.h"
#include "log/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* N4: how the staged config crashed is written to disk before anything is served, so that it gets
 * reported whatever happens to this process. */
static void note_crash(struct agent_apply *apply, const struct supervised_past *past)
{
    char why[AGENT_WHY_LEN];
    if (past->order.start != SUPERVISOR_START_CRASH_LOOP)
        return;
    struct agent_crash crash = {.generation = past->order.generation, .evidence = past->last_lines};
    snprintf(crash.message, sizeof(crash.message),
             "the serving process ended twice before it was confirmed: %s", past->order.ending);
    if (agent_state_write_crash(apply->state, &crash, why) != 0)
        log_error("agent: %s: a restart before the control plane is told loses how it crashed",
                  why);
}

/* Reports why the staged config must not run. The reason is on disk or, if that is full, from the
 * parent. */
static void say_discarded(struct agent_apply *apply, const struct agent_offer *offer,
                          const struct supervised_past *past)
{
    struct agent_crash crash;
    char why[AGENT_WHY_LEN];
    bool crashed = agent_state_read_crash(apply->state, &crash, why) == AGENT_FILE_OK &&
                   crash.generation == offer->version.generation;
    if (crashed)
        agent_apply_set_result(apply, offer, AGENT_REVERTED, AGENT_REASON_CRASH_LOOP,
                               crash.message);
    else if (past->order.start == SUPERVISOR_START_CRASH_LOOP)
        agent_apply_set_result(apply, offer, AGENT_REVERTED, AGENT_REASON_CRASH_LOOP,
                               past->order.ending);
    else
        agent_apply_set_result(apply, offer, AGENT_REVERTED, AGENT_REASON_RESTART,
                               "the node restarted before it was confirmed");
    apply->evidence = crash.evidence;
    apply->result.evidence = apply->evidence;
    apply->result_pending = false; /* hello reports it */
}

/* N3: discards what was staged and not confirmed, and reports that. An assignment that was never
 * acknowledged (the fences are lower) is not reported: it will simply be offered again. */
static void discard_staged(struct agent_apply *apply, const struct supervised_past *past)
{
    struct agent_record staged;
    char why[AGENT_WHY_LEN];
    enum agent_file what = agent_state_read_staged(apply->state, &staged, why);
    if (what == AGENT_FILE_MISSING)
        return;
    uint64_t generation = what == AGENT_FILE_OK ? staged.offer.version.generation : 0;
    bool ours = what == AGENT_FILE_OK && strcmp(staged.node_id, apply->whose->node_id) == 0;
    bool acked = generation <= apply->fences.max_taken.generation;
    bool settled = apply->confirmed && generation <= apply->kept.offer.version.generation;
    if (what == AGENT_FILE_DAMAGED)
        log_error("agent: %s: discarded", why);
    if (ours && acked && !settled) {
        log_warn("agent: generation %" PRIu64 " was not confirmed before the restart: discarded",
                 generation);
        say_discarded(apply, &staged.offer, past);
    } else {
        agent_state_drop_staged(apply->state);
    }
    agent_record_fini(&staged);
}

/* Takes over `record`, read from staged.json. False: it must not run. */
static bool run_again(struct agent_apply *apply, struct agent_record *record,
                      const struct supervisor_order *order, uint64_t now_ms)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(record->text, record->text_len, &errors);
    bool runs = cfg && strcmp(cfg->digest, record->offer.version.digest) == 0;
    char why[AGENT_WHY_LEN];
    if (runs) {
        agent_releases_place(&record->releases, cfg);
        supervised_trial(order->generation, order->within_ms);
        runs = agent_certificate_files_use(agent_state_folder(apply->state), &record->certificates,
                                           why, sizeof(why)) == 0 &&
               server_apply(apply->server, cfg, order->generation, &errors) == 0;
    }
    config_errors_fini(&errors);
    free(record->text);
    if (!runs) {
        agent_certificates_fini(&record->certificates);
        agent_releases_fini(&record->releases);
        config_put(cfg);
        return false;
    }
    record->text = cfg->text;
    record->text_len = cfg->text_len;
    apply->staged = cfg;
    apply->offered = *record;
    apply->confirm_within_ms = apply->swapped_within_ms = order->within_ms;
    apply->unconfirmed = true;
    apply->swapped = record->offer;
    apply->revert_at_ms = now_ms + order->remaining_ms;
    agent_apply_set_result(apply, &record->offer, AGENT_APPLIED, AGENT_REASON_NONE, "");
    apply->phase = AGENT_APPLY_PROVING;
    return true;
}

/* N4: tries an unconfirmed config once more after its first crash, if its time has not run out: the
 * crash may have had another cause. True if it serves again. */
static bool resume(struct agent_apply *apply, const struct supervised_past *past, uint64_t now_ms)
{
    struct agent_record record;
    char why[AGENT_WHY_LEN];
    const struct supervisor_order *order = &past->order;
    if (order->start != SUPERVISOR_START_RESUME ||
        agent_state_read_staged(apply->state, &record, why) != AGENT_FILE_OK)
        return false;
    uint64_t generation = record.offer.version.generation;
    if (generation != order->generation || generation != apply->fences.max_taken.generation ||
        strcmp(record.node_id, apply->whose->node_id) != 0 ||
        (apply->confirmed && generation <= apply->kept.offer.version.generation)) {
        agent_record_fini(&record);
        return false;
    }
    log_warn("agent: generation %" PRIu64
             " ran when the serving process ended (%s): it has %" PRIu32
             " ms left to be confirmed, and a second try",
             generation, order->ending, order->remaining_ms);
    return run_again(apply, &record, order, now_ms);
}

static void load_confirmed(struct agent_apply *apply)
{
    struct agent_record record;
    char why[AGENT_WHY_LEN];
    enum agent_file what = agent_state_read_confirmed(apply->state, &record, why);
    if (what == AGENT_FILE_DAMAGED)
        log_error("agent: %s: nothing is served until a config is assigned", why);
    if (what != AGENT_FILE_OK)
        return;
    struct config_errors errors = {0};
    struct config *cfg = config_parse(record.text, record.text_len, &errors);
    if (!cfg || strcmp(cfg->digest, record.offer.version.digest) != 0) {
        char message[AGENT_TEXT_LEN + 1] = "its digest is not that of its text";
        if (!cfg)
            agent_findings_say(&errors, message, sizeof(message));
        log_error("agent: confirmed.json: %s: nothing is served until a config is assigned",
                  message);
        config_put(cfg);
        agent_certificates_fini(&record.certificates);
        agent_releases_fini(&record.releases);
    } else {
        agent_releases_place(&record.releases, cfg);
        apply->confirmed = cfg;
        apply->kept = record;
        apply->kept.text = cfg->text;
        apply->kept.text_len = cfg->text_len;
    }
    config_errors_fini(&errors);
    free(record.text);
}

static void load_fences(struct agent_apply *apply)
{
    char why[AGENT_WHY_LEN];
    struct agent_fences *fences = &apply->fences;
    if (agent_state_read_fences(apply->state, apply->whose, fences, why) != AGENT_FILE_DAMAGED)
        return;
    log_error("agent: %s: the fences are those of the confirmed config until the next one", why);
    if (apply->confirmed && strcmp(apply->kept.node_id, apply->whose->node_id) == 0) {
        fences->max_epoch = apply->kept.epoch;
        fences->max_taken = apply->kept.offer.version;
    }
}

/* Takes the assignment's text in config.jsonc for our own: it is written there before it is
 * confirmed. */
static void disown_staged(struct agent_apply *apply)
{
    struct agent_record staged;
    char why[AGENT_WHY_LEN];
    if (!apply->confirmed || agent_state_read_staged(apply->state, &staged, why) != AGENT_FILE_OK)
        return;
    agent_drift_disown(&apply->local.drift, staged.text, staged.text_len);
    agent_record_fini(&staged);
}

/* The certificates of the confirmed config are in use, whatever an assignment has left: what somebody
 * made of the config names the same ones. */
static void use_confirmed_certificates(struct agent_apply *apply)
{
    char why[AGENT_WHY_LEN];
    if (agent_certificate_files_use(agent_state_folder(apply->state), &apply->kept.certificates,
                                    why, sizeof(why)) != 0)
        log_error("agent: %s", why);
}

/* Serves what somebody left in config.jsonc, unless it has just crashed twice. */
static bool serve_local(struct agent_apply *apply, const struct supervised_past *past,
                        uint64_t now_ms)
{
    if (!apply->confirmed)
        return false;
    struct agent_drift *drift = &apply->local.drift;
    uint64_t generation = apply->kept.offer.version.generation;
    agent_drift_look(drift, apply->confirmed);
    if (!agent_drift_is_there(drift)) {
        if (agent_drift_is_missing(drift))
            agent_drift_overwrite(drift, apply->confirmed);
        return false;
    }
    if (past->order.start == SUPERVISOR_START_CRASH_LOOP && past->order.generation == generation) {
        log_error("agent: the serving process ended twice with config.jsonc as it was changed on "
                  "this node (%s): what was confirmed serves",
                  past->order.ending);
        return false;
    }
    return agent_local_load(&apply->local, apply->confirmed, generation, now_ms);
}

void agent_apply_init(struct agent_apply *apply, struct server *server, struct agent_state *state,
                      const struct agent_enrolled *whose, const struct supervised_past *past,
                      uint64_t now_ms)
{
    memset(apply, 0, sizeof(*apply));
    apply->server = server;
    apply->state = state;
    apply->whose = whose;
    apply->restore_at_ms = AGENT_NEVER;
    agent_local_init(&apply->local, server, state, &apply->kept.releases);
    load_confirmed(apply);
    agent_state_read_releases(state, &apply->history);
    agent_apply_tell_versions(apply);
    load_fences(apply);
    disown_staged(apply);
    if (resume(apply, past, now_ms)) {
        apply->reload_wanted = apply->confirmed != NULL;
    } else {
        note_crash(apply, past);
        use_confirmed_certificates(apply);
        bool is_local = serve_local(apply, past, now_ms);
        if (apply->confirmed && !is_local)
            agent_apply_restore(apply, now_ms);
        discard_staged(apply, past);
        if (!is_local)
            supervised_settled();
    }
    /* A node that has lost its config asks for the last one again. */
    if (apply->confirmed || apply->has_result)
        apply->have = apply->fences.max_taken;
}
