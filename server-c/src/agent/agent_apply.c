/* SPDX-License-Identifier: MIT */
/* agent_apply.c — the steps of an assignment up to its ack. Their order is essential: nothing is
 * changed before the check has passed, and the staged text and the fences are on disk before the
 * ack. */
#include "agent/agent_apply_parts.h"

#include "agent/agent_certificate_files.h"
#include "agent/agent_check.h"
#include "log/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_CONFIRM_MIN_MS 100
#define RETRY_CONFIRM_MAX_MS 5000

static bool is_same_offer(const struct agent_offer *a, const struct agent_offer *b)
{
    return a->version.generation == b->version.generation && strcmp(a->id, b->id) == 0 &&
           strcmp(a->version.digest, b->version.digest) == 0;
}

/* Takes over `nack`. */
static void refuse(struct agent_apply *apply, struct agent_nack *nack)
{
    const struct agent_version *version = &nack->offer.version;
    log_warn("agent: generation %" PRIu64 " refused (%s): %s", version->generation, nack->code,
             nack->message);
    /* A fenced assignment does not count: the true control plane may offer a lower generation. */
    if (!nack->fenced && version->generation > apply->have.generation)
        apply->have = *version;
    agent_nack_fini(&apply->nack);
    apply->nack = *nack;
    apply->nack_pending = true;
    if (apply->said == AGENT_SAID_NACK)
        apply->said = AGENT_SAID_NOTHING;
}

/* --- taking an assignment --- */

/* Removes staged.json if it got the text of `record` before the disk failed. If another assignment
 * waits for its confirmation under that name, it is written again from memory later. */
static void drop_half_staged(struct agent_apply *apply, const struct agent_record *record)
{
    char why[AGENT_WHY_LEN];
    struct agent_record found;
    if (agent_state_read_staged(apply->state, &found, why) != AGENT_FILE_OK)
        return;
    if (strcmp(found.offer.id, record->offer.id) == 0)
        agent_state_drop_staged(apply->state);
    agent_record_fini(&found);
}

/* Writes the text and the fences to disk. 0, or -1 with the disk as it was before. */
static int stage(struct agent_apply *apply, const struct agent_record *record,
                 char why[AGENT_WHY_LEN])
{
    struct agent_fences fences = {record->epoch, record->offer.version};
    if (apply->phase == AGENT_APPLY_KEEPING && agent_apply_write_kept(apply, why) != 0)
        return -1;
    if (agent_state_stage(apply->state, record, why) != 0) {
        drop_half_staged(apply, record);
        return -1;
    }
    if (agent_state_write_fences(apply->state, apply->whose, &fences, why) != 0) {
        agent_state_drop_staged(apply->state);
        return -1;
    }
    apply->fences = fences;
    return 0;
}

void agent_apply_refuse(struct agent_apply *apply, const struct agent_assignment *assignment,
                        const char *code, const char *message)
{
    struct agent_nack nack;
    agent_nack_init(&nack, assignment, code, "%s", message);
    refuse(apply, &nack);
}

size_t agent_apply_lacks(const struct agent_apply *apply, const struct agent_assignment *assignment,
                         size_t from)
{
    const struct agent_certificates *list = &assignment->certificates;
    int folder = agent_state_folder(apply->state);
    while (from < list->count && agent_certificate_files_has(folder, &list->items[from]))
        from++;
    return from;
}

/* True: it goes on. False: it was refused. */
static bool names_certificates(struct agent_apply *apply, struct agent_assignment *assignment,
                               const struct config *cfg)
{
    char message[AGENT_WHY_LEN];
    const char *missing = agent_certificates_fit(&assignment->certificates, cfg);
    if (!missing)
        return true;
    snprintf(message, sizeof(message),
             "the config names the certificate \"%.63s\", and no version of it was assigned",
             missing);
    agent_apply_refuse(apply, assignment, "tls_material", message);
    return false;
}

bool agent_apply_take(struct agent_apply *apply, struct agent_assignment *assignment)
{
    char why[AGENT_WHY_LEN];
    struct agent_nack nack;
    bool under_way = apply->phase == AGENT_APPLY_ACKING || apply->phase == AGENT_APPLY_PROVING ||
                     apply->phase == AGENT_APPLY_CONFIRMING;
    if (under_way && is_same_offer(&assignment->offer, &apply->offered.offer))
        return true;
    struct config *cfg = agent_check(assignment, &apply->fences, apply->server, &nack);
    if (!cfg) {
        refuse(apply, &nack);
        return true;
    }
    (void)agent_releases_fit(&assignment->releases, cfg); /* the check found that none is lacking */
    if (!names_certificates(apply, assignment, cfg)) {
        config_put(cfg);
        return true;
    }
    if (agent_local_forbids(&apply->local, apply->confirmed, assignment)) {
        agent_nack_init(&nack, assignment, "local_change",
                        "config.jsonc was changed on this node (%s): adopt or discard that first",
                        apply->local.drift.digest);
        refuse(apply, &nack);
        config_put(cfg);
        return true;
    }
    if (agent_apply_lacks(apply, assignment, 0) < assignment->certificates.count ||
        (assignment->releases.count > 0 && !assignment->has_releases) ||
        agent_check_lacks_release(cfg)) {
        config_put(cfg);
        return false;
    }
    struct agent_record record = {.offer = assignment->offer,
                                  .epoch = assignment->epoch,
                                  .text = cfg->text,
                                  .text_len = cfg->text_len,
                                  .certificates = assignment->certificates,
                                  .releases = assignment->releases};
    snprintf(record.node_id, sizeof(record.node_id), "%s", apply->whose->node_id);
    if (stage(apply, &record, why) != 0) {
        agent_nack_init(&nack, assignment, "resource_limit", "%s", why);
        refuse(apply, &nack);
        config_put(cfg);
        return true;
    }
    config_put(apply->staged);
    apply->staged = cfg;
    agent_certificates_fini(&apply->offered.certificates);
    agent_releases_fini(&apply->offered.releases);
    apply->offered = record;
    assignment->certificates = (struct agent_certificates){0};
    assignment->releases = (struct agent_releases){0};
    memcpy(apply->replaces_drift, assignment->replaces_drift, sizeof(apply->replaces_drift));
    apply->confirm_within_ms = assignment->confirm_within_ms;
    apply->have = assignment->offer.version;
    apply->phase = AGENT_APPLY_ACKING;
    /* Both belong to the assignment that this one replaces: the answer to a message of that one,
     * which may still be under way, must neither drop nor settle this one. */
    apply->result_pending = false;
    apply->said = AGENT_SAID_NOTHING;
    log_info("agent: generation %" PRIu64 " is checked and staged", apply->have.generation);
    return true;
}

bool agent_apply_owes_answer(const struct agent_apply *apply)
{
    return apply->nack_pending || apply->phase == AGENT_APPLY_ACKING;
}

bool agent_apply_is_confirming(const struct agent_apply *apply)
{
    return apply->phase == AGENT_APPLY_CONFIRMING && apply->said == AGENT_SAID_CONFIRM;
}

bool agent_apply_is_urgent(const struct agent_apply *apply)
{
    return apply->phase == AGENT_APPLY_PROVING || apply->phase == AGENT_APPLY_CONFIRMING;
}

/* --- talking --- */

const char *agent_apply_next(struct agent_apply *apply, uint64_t now_ms, char **body)
{
    if (apply->nack_pending) {
        apply->said = AGENT_SAID_NACK;
        *body = agent_build_nack(&apply->nack);
        return "nack";
    }
    if (apply->phase == AGENT_APPLY_ACKING) {
        apply->said = AGENT_SAID_ACK;
        *body = agent_build_ack(&apply->offered.offer);
        return "ack";
    }
    if (apply->result_pending) {
        apply->said = AGENT_SAID_RESULT;
        *body = agent_build_result(&apply->result);
        return "result";
    }
    if (apply->phase == AGENT_APPLY_CONFIRMING && now_ms >= apply->next_try_ms) {
        struct server_effective effective;
        struct agent_certificates certificates;
        struct agent_releases releases;
        agent_apply_effective(apply, &effective, &certificates, &releases);
        apply->said = AGENT_SAID_CONFIRM;
        *body = agent_build_confirm(&apply->offered.offer, &effective, &certificates, &releases);
        agent_certificates_fini(&certificates);
        agent_releases_fini(&releases);
        return "confirm";
    }
    return NULL;
}

/* If nothing is under way, and the control plane knows so, the staged files are not needed any
 * more. */
static void settle(struct agent_apply *apply)
{
    if (apply->phase == AGENT_APPLY_IDLE && !apply->unconfirmed && !apply->result_pending)
        agent_state_drop_staged(apply->state);
}

static void on_confirmation(struct agent_apply *apply, const char *answer, size_t len,
                            uint64_t now_ms)
{
    struct agent_confirmation confirmation = {0};
    char why[AGENT_WHY_LEN];
    /* While the answer was under way the timer may have run out, or a newer assignment have
     * come. */
    if (apply->phase != AGENT_APPLY_CONFIRMING)
        return;
    if (agent_read_confirmation(answer, len, &confirmation, why) != 0) {
        log_error("agent: answer to confirm: %s", why);
        confirmation.confirmed = false;
        confirmation.retry_after_ms = RETRY_CONFIRM_MAX_MS;
    }
    if (confirmation.confirmed) {
        agent_apply_keep(apply, now_ms);
        return;
    }
    uint32_t wait_ms = confirmation.retry_after_ms;
    if (wait_ms < RETRY_CONFIRM_MIN_MS)
        wait_ms = RETRY_CONFIRM_MIN_MS;
    if (wait_ms > RETRY_CONFIRM_MAX_MS)
        wait_ms = RETRY_CONFIRM_MAX_MS;
    apply->next_try_ms = now_ms + wait_ms;
}

void agent_apply_on_taken(struct agent_apply *apply, const char *answer, size_t len,
                          uint64_t now_ms)
{
    enum agent_apply_said said = apply->said;
    apply->said = AGENT_SAID_NOTHING;
    switch (said) {
    case AGENT_SAID_NACK:
        apply->nack_pending = false;
        agent_nack_fini(&apply->nack);
        break;
    case AGENT_SAID_ACK:
        if (apply->phase == AGENT_APPLY_ACKING)
            agent_apply_swap(apply, now_ms);
        break;
    case AGENT_SAID_RESULT:
        apply->result_pending = false;
        if (apply->phase == AGENT_APPLY_PROVING) {
            apply->phase = AGENT_APPLY_CONFIRMING;
            apply->next_try_ms = now_ms;
        }
        settle(apply);
        break;
    case AGENT_SAID_CONFIRM:
        on_confirmation(apply, answer, len, now_ms);
        break;
    case AGENT_SAID_NOTHING:
        break;
    }
}

void agent_apply_on_refused(struct agent_apply *apply, const char *why)
{
    enum agent_apply_said said = apply->said;
    apply->said = AGENT_SAID_NOTHING;
    if (said == AGENT_SAID_NOTHING)
        return;
    if (said == AGENT_SAID_NACK) {
        apply->nack_pending = false;
        agent_nack_fini(&apply->nack);
        return;
    }
    log_warn("agent: the control plane dropped generation %" PRIu64 ": %s",
             apply->offered.offer.version.generation, why);
    if (said == AGENT_SAID_RESULT)
        apply->result_pending = false;
    if (apply->phase != AGENT_APPLY_KEEPING)
        apply->phase = AGENT_APPLY_IDLE;
    settle(apply);
}

void agent_apply_on_hello(struct agent_apply *apply)
{
    if (apply->has_result && (apply->result.reason == AGENT_REASON_RESTART ||
                              apply->result.reason == AGENT_REASON_CRASH_LOOP))
        settle(apply);
}

/* --- time --- */

void agent_apply_reload(struct agent_apply *apply, uint64_t now_ms)
{
    if (!apply->confirmed) {
        log_info("agent: there is no confirmed config yet that could have been changed");
        return;
    }
    apply->reload_wanted = apply->phase != AGENT_APPLY_IDLE || apply->unconfirmed;
    if (apply->reload_wanted)
        log_info("agent: config.jsonc is loaded when the assignment under way is settled");
    else if (agent_local_load(&apply->local, apply->confirmed, apply->kept.offer.version.generation,
                              now_ms))
        apply->restore_at_ms = AGENT_NEVER;
}

void agent_apply_on_time(struct agent_apply *apply, uint64_t now_ms)
{
    char why[AGENT_WHY_LEN];
    if (apply->unconfirmed && now_ms >= apply->revert_at_ms)
        agent_apply_revert(apply, now_ms);
    if (now_ms >= apply->restore_at_ms)
        agent_apply_restore(apply, now_ms);
    if (apply->reload_wanted && apply->phase == AGENT_APPLY_IDLE && !apply->unconfirmed)
        agent_apply_reload(apply, now_ms);
    agent_local_on_time(&apply->local, now_ms);
    if (apply->phase == AGENT_APPLY_KEEPING && now_ms >= apply->next_try_ms &&
        agent_apply_write_kept(apply, why) != 0) {
        log_error("agent: %s", why);
        apply->next_try_ms = now_ms + RETRY_LOCAL_MS;
    }
}

uint64_t agent_apply_due_ms(const struct agent_apply *apply)
{
    uint64_t due = agent_local_due_ms(&apply->local);
    if (apply->restore_at_ms < due)
        due = apply->restore_at_ms;
    if (apply->unconfirmed && apply->revert_at_ms < due)
        due = apply->revert_at_ms;
    if (apply->phase == AGENT_APPLY_KEEPING && apply->next_try_ms < due)
        due = apply->next_try_ms;
    return due;
}

uint64_t agent_apply_speak_ms(const struct agent_apply *apply)
{
    return apply->phase == AGENT_APPLY_CONFIRMING ? apply->next_try_ms : AGENT_NEVER;
}

void agent_apply_fini(struct agent_apply *apply)
{
    config_put(apply->confirmed);
    config_put(apply->staged);
    agent_local_fini(&apply->local);
    agent_nack_fini(&apply->nack);
    agent_certificates_fini(&apply->kept.certificates);
    agent_certificates_fini(&apply->offered.certificates);
    agent_certificates_fini(&apply->result.certificates);
    agent_releases_fini(&apply->kept.releases);
    agent_releases_fini(&apply->offered.releases);
    agent_releases_fini(&apply->result.releases);
    agent_releases_fini(&apply->history);
    agent_releases_fini(&apply->ahead);
    free(apply->evidence);
}
