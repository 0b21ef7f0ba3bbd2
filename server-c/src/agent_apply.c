/* SPDX-License-Identifier: MIT */
/* agent_apply.c — see agent_apply.h. Order matters more than anything else here: nothing is
 * touched before the check passed, the staged text and the fences are on disk before the ack, and
 * the confirmed config is replaced only after the control plane said so. */
#include "agent_apply.h"

#include "agent_check.h"
#include "log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How soon to try again what failed on this machine: a taken port, a full disk. */
#define RETRY_LOCAL_MS 5000
#define RETRY_CONFIRM_MIN_MS 100
#define RETRY_CONFIRM_MAX_MS 5000

static bool is_same_offer(const struct agent_offer *a, const struct agent_offer *b)
{
    return a->version.generation == b->version.generation && strcmp(a->id, b->id) == 0 &&
           strcmp(a->version.digest, b->version.digest) == 0;
}

static void set_result(struct agent_apply *apply, const struct agent_offer *offer,
                       enum agent_outcome outcome, enum agent_reason reason, const char *message)
{
    struct agent_result *result = &apply->result;
    result->offer = *offer;
    result->outcome = outcome;
    result->reason = reason;
    server_effective(apply->server, &result->effective);
    snprintf(result->message, sizeof(result->message), "%s", message);
    apply->has_result = true;
    apply->result_pending = true;
    /* The answer to an earlier result, still under way, is not this one's. */
    if (apply->said == AGENT_SAID_RESULT)
        apply->said = AGENT_SAID_NOTHING;
}

/* Takes over `nack`. */
static void refuse(struct agent_apply *apply, struct agent_nack *nack)
{
    const struct agent_version *version = &nack->offer.version;
    log_warn("agent: generation %" PRIu64 " refused (%s): %s", version->generation, nack->code,
             nack->message);
    /* A fenced one is no answer to its generation: the true control plane may give a lower one. */
    if (!nack->fenced && version->generation > apply->have.generation)
        apply->have = *version;
    agent_nack_fini(&apply->nack);
    apply->nack = *nack;
    apply->nack_pending = true;
    if (apply->said == AGENT_SAID_NACK)
        apply->said = AGENT_SAID_NOTHING;
}

/* --- taking an assignment --- */

/* What is confirmed goes to its place on disk; staged.json is used on the way. */
static int write_kept(struct agent_apply *apply, char why[AGENT_WHY_LEN])
{
    if (agent_state_stage(apply->state, &apply->kept, why) != 0 ||
        agent_state_confirm_staged(apply->state, why) != 0)
        return -1;
    apply->phase = AGENT_APPLY_IDLE;
    return 0;
}

/* The text and the fences on disk, or -1 and what was there before. */
static int stage(struct agent_apply *apply, const struct agent_record *record,
                 char why[AGENT_WHY_LEN])
{
    struct agent_fences fences = {record->epoch, record->offer.version};
    if (apply->phase == AGENT_APPLY_KEEPING && write_kept(apply, why) != 0)
        return -1;
    if (agent_state_stage(apply->state, record, why) != 0)
        return -1;
    if (agent_state_write_fences(apply->state, apply->whose, &fences, why) != 0) {
        agent_state_drop_staged(apply->state);
        return -1;
    }
    apply->fences = fences;
    return 0;
}

void agent_apply_take(struct agent_apply *apply, const struct agent_assignment *assignment)
{
    char why[AGENT_WHY_LEN];
    struct agent_nack nack;
    bool under_way = apply->phase == AGENT_APPLY_ACKING || apply->phase == AGENT_APPLY_PROVING ||
                     apply->phase == AGENT_APPLY_CONFIRMING;
    if (under_way && is_same_offer(&assignment->offer, &apply->offered.offer))
        return;
    struct config *cfg = agent_check(assignment, &apply->fences, apply->server, &nack);
    if (!cfg) {
        refuse(apply, &nack);
        return;
    }
    struct agent_record record = {.offer = assignment->offer,
                                  .epoch = assignment->epoch,
                                  .text = cfg->text,
                                  .text_len = cfg->text_len};
    snprintf(record.node_id, sizeof(record.node_id), "%s", apply->whose->node_id);
    if (stage(apply, &record, why) != 0) {
        agent_nack_init(&nack, assignment, "resource_limit", "%s", why);
        refuse(apply, &nack);
        config_put(cfg);
        return;
    }
    config_put(apply->staged);
    apply->staged = cfg;
    apply->offered = record;
    apply->confirm_within_ms = assignment->confirm_within_ms;
    apply->have = assignment->offer.version;
    apply->phase = AGENT_APPLY_ACKING;
    /* Both are about an assignment that this one replaces: what is answered to a message that is
     * still under way must neither drop nor settle this one. */
    apply->result_pending = false;
    apply->said = AGENT_SAID_NOTHING;
    log_info("agent: generation %" PRIu64 " is checked and staged", apply->have.generation);
}

bool agent_apply_owes_answer(const struct agent_apply *apply)
{
    return apply->nack_pending || apply->phase == AGENT_APPLY_ACKING;
}

bool agent_apply_is_urgent(const struct agent_apply *apply)
{
    return apply->phase == AGENT_APPLY_PROVING || apply->phase == AGENT_APPLY_CONFIRMING;
}

/* --- swapping, keeping, going back --- */

static void swap(struct agent_apply *apply, uint64_t now_ms)
{
    struct config_errors errors = {0};
    const struct agent_offer *offer = &apply->offered.offer;
    if (server_apply(apply->server, apply->staged, offer->version.generation, &errors) != 0) {
        char message[AGENT_TEXT_LEN + 1];
        agent_findings_say(&errors, message, sizeof(message));
        log_error("agent: generation %" PRIu64 " could not be applied, nothing changed: %s",
                  offer->version.generation, message);
        set_result(apply, offer, AGENT_REVERTED, AGENT_REASON_APPLY_FAILED, message);
        apply->phase = AGENT_APPLY_IDLE;
    } else {
        log_info("agent: generation %" PRIu64 " serves, %" PRIu32 " ms to be confirmed",
                 offer->version.generation, apply->confirm_within_ms);
        apply->unconfirmed = true;
        apply->swapped = *offer;
        apply->swapped_within_ms = apply->confirm_within_ms;
        apply->revert_at_ms = now_ms + apply->confirm_within_ms;
        apply->restore_at_ms = AGENT_NEVER;
        apply->stuck = false;
        set_result(apply, offer, AGENT_APPLIED, AGENT_REASON_NONE, "");
        apply->phase = AGENT_APPLY_PROVING;
    }
    config_errors_fini(&errors);
}

static void keep(struct agent_apply *apply, uint64_t now_ms)
{
    char why[AGENT_WHY_LEN];
    config_put(apply->confirmed);
    apply->confirmed = config_get(apply->staged);
    apply->kept = apply->offered;
    apply->unconfirmed = false;
    log_info("agent: generation %" PRIu64 " is confirmed", apply->kept.offer.version.generation);
    if (agent_state_confirm_staged(apply->state, why) == 0) {
        apply->phase = AGENT_APPLY_IDLE;
        return;
    }
    log_error("agent: %s: trying again each %d s; a restart before that loads the config before",
              why, RETRY_LOCAL_MS / 1000);
    apply->phase = AGENT_APPLY_KEEPING;
    apply->next_try_ms = now_ms + RETRY_LOCAL_MS;
}

/* The confirmed config, or none when there is none: what ran before the first assignment. */
static int apply_confirmed(struct agent_apply *apply, char *message, size_t size)
{
    struct config_errors errors = {0};
    uint64_t generation = apply->confirmed ? apply->kept.offer.version.generation : 0;
    int err = server_apply(apply->server, apply->confirmed, generation, &errors);
    if (err)
        agent_findings_say(&errors, message, size);
    config_errors_fini(&errors);
    return err;
}

static void revert(struct agent_apply *apply, uint64_t now_ms)
{
    char message[AGENT_TEXT_LEN + 1];
    if (agent_apply_is_urgent(apply))
        apply->phase = AGENT_APPLY_IDLE;
    if (apply_confirmed(apply, message, sizeof(message)) == 0) {
        apply->unconfirmed = false;
        apply->stuck = false;
        snprintf(message, sizeof(message), "no confirmation within %" PRIu32 " ms",
                 apply->swapped_within_ms);
        log_warn("agent: generation %" PRIu64 " taken back: %s", apply->swapped.version.generation,
                 message);
        set_result(apply, &apply->swapped, AGENT_REVERTED, AGENT_REASON_UNCONFIRMED, message);
        return;
    }
    apply->revert_at_ms = now_ms + RETRY_LOCAL_MS;
    log_error("agent: generation %" PRIu64 " was not confirmed and cannot be taken back: %s",
              apply->swapped.version.generation, message);
    if (!apply->stuck)
        set_result(apply, &apply->swapped, AGENT_STUCK, AGENT_REASON_UNCONFIRMED, message);
    apply->stuck = true;
}

static void restore(struct agent_apply *apply, uint64_t now_ms)
{
    char message[AGENT_TEXT_LEN + 1];
    if (apply_confirmed(apply, message, sizeof(message)) == 0) {
        apply->restore_at_ms = AGENT_NEVER;
        log_info("agent: generation %" PRIu64 " serves", apply->kept.offer.version.generation);
        return;
    }
    apply->restore_at_ms = now_ms + RETRY_LOCAL_MS;
    log_error("agent: generation %" PRIu64 " cannot be served, trying again in %d s: %s",
              apply->kept.offer.version.generation, RETRY_LOCAL_MS / 1000, message);
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
        server_effective(apply->server, &effective);
        apply->said = AGENT_SAID_CONFIRM;
        *body = agent_build_confirm(&apply->offered.offer, &effective);
        return "confirm";
    }
    return NULL;
}

/* Nothing is under way and the control plane knows it: what is staged has served its purpose. */
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
    /* The timer may have run out, or a newer assignment come, while the answer was under way. */
    if (apply->phase != AGENT_APPLY_CONFIRMING)
        return;
    if (agent_read_confirmation(answer, len, &confirmation, why) != 0) {
        log_error("agent: answer to confirm: %s", why);
        confirmation.confirmed = false;
        confirmation.retry_after_ms = RETRY_CONFIRM_MAX_MS;
    }
    if (confirmation.confirmed) {
        keep(apply, now_ms);
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
            swap(apply, now_ms);
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
    if (apply->has_result && apply->result.reason == AGENT_REASON_RESTART)
        settle(apply);
}

/* --- time --- */

void agent_apply_on_time(struct agent_apply *apply, uint64_t now_ms)
{
    char why[AGENT_WHY_LEN];
    if (apply->unconfirmed && now_ms >= apply->revert_at_ms)
        revert(apply, now_ms);
    if (now_ms >= apply->restore_at_ms)
        restore(apply, now_ms);
    if (apply->phase == AGENT_APPLY_KEEPING && now_ms >= apply->next_try_ms &&
        write_kept(apply, why) != 0) {
        log_error("agent: %s", why);
        apply->next_try_ms = now_ms + RETRY_LOCAL_MS;
    }
}

uint64_t agent_apply_due_ms(const struct agent_apply *apply)
{
    uint64_t due = apply->restore_at_ms;
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

/* --- start and end --- */

/* N3: what was staged and not confirmed is discarded, and the control plane is told so. What was
 * never acknowledged (the fences are lower) is not worth a word: it is simply offered again. */
static void discard_staged(struct agent_apply *apply)
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
        set_result(apply, &staged.offer, AGENT_REVERTED, AGENT_REASON_RESTART,
                   "the node restarted before it was confirmed");
        apply->result_pending = false; /* hello says it */
    } else {
        agent_state_drop_staged(apply->state);
    }
    agent_record_fini(&staged);
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
    } else {
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

void agent_apply_init(struct agent_apply *apply, struct server *server, struct agent_state *state,
                      const struct agent_enrolled *whose, uint64_t now_ms)
{
    memset(apply, 0, sizeof(*apply));
    apply->server = server;
    apply->state = state;
    apply->whose = whose;
    apply->restore_at_ms = AGENT_NEVER;
    load_confirmed(apply);
    load_fences(apply);
    if (apply->confirmed)
        restore(apply, now_ms);
    discard_staged(apply);
    /* A node that has lost its config asks for the last one again. */
    if (apply->confirmed || apply->has_result)
        apply->have = apply->fences.max_taken;
}

void agent_apply_fini(struct agent_apply *apply)
{
    config_put(apply->confirmed);
    config_put(apply->staged);
    agent_nack_fini(&apply->nack);
}
