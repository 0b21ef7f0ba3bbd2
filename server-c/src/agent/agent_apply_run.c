/* SPDX-License-Identifier: MIT */
/* agent_apply_run.c — puts configs in force, keeps them when they are confirmed and reverts them
 * when they are not. The confirmed config is replaced only when the control plane has said so. */
#include "agent/agent_apply_parts.h"

#include "agent/agent_certificate_files.h"
#include "agent/agent_check.h"
#include "agent/agent_versions.h"
#include "log/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agent_apply_loaded(const struct agent_apply *apply, const struct certificates_shown *shown,
                        struct agent_certificates *out)
{
    const struct agent_certificates *const lists[] = {&apply->offered.certificates,
                                                      &apply->kept.certificates};
    agent_certificates_loaded(out, shown, lists, 2);
}

void agent_apply_served(const struct agent_apply *apply, struct agent_releases *out)
{
    const struct agent_releases *const lists[] = {&apply->offered.releases, &apply->kept.releases};
    struct config *running = server_config(apply->server);
    agent_releases_served(out, running, lists, ARRAY_LEN(lists));
    config_put(running);
}

/* The one that runs comes first: it may not be confirmed, and pages of it are open. So are pages of one that was
 * taken back. */
void agent_apply_tell_versions(const struct agent_apply *apply)
{
    struct agent_releases served;
    const struct agent_releases *const lists[] = {&served, &apply->history,
                                                  &apply->offered.releases, &apply->ahead};
    agent_apply_served(apply, &served);
    agent_versions_tell(apply->server, lists, ARRAY_LEN(lists), &apply->previews);
    agent_releases_fini(&served);
}

void agent_apply_effective(const struct agent_apply *apply, struct server_effective *effective,
                           struct agent_certificates *certificates, struct agent_releases *releases)
{
    struct certificates_shown shown;
    server_effective(apply->server, effective);
    server_certificates(apply->server, &shown);
    agent_apply_loaded(apply, &shown, certificates);
    certificates_shown_fini(&shown);
    agent_apply_served(apply, releases);
}

void agent_apply_set_result(struct agent_apply *apply, const struct agent_offer *offer,
                            enum agent_outcome outcome, enum agent_reason reason,
                            const char *message)
{
    struct agent_result *result = &apply->result;
    result->offer = *offer;
    result->outcome = outcome;
    result->reason = reason;
    agent_certificates_fini(&result->certificates);
    agent_releases_fini(&result->releases);
    agent_apply_effective(apply, &result->effective, &result->certificates, &result->releases);
    result->is_local = agent_local_is_effective(&apply->local, &result->effective);
    snprintf(result->message, sizeof(result->message), "%s", message);
    free(apply->evidence);
    apply->evidence = NULL;
    result->evidence = NULL;
    apply->has_result = true;
    apply->result_pending = true;
    /* An answer still under way belongs to an earlier result. */
    if (apply->said == AGENT_SAID_RESULT)
        apply->said = AGENT_SAID_NOTHING;
}

int agent_apply_write_kept(struct agent_apply *apply, char why[AGENT_WHY_LEN])
{
    if (agent_state_stage(apply->state, &apply->kept, why) != 0 ||
        agent_state_confirm_staged(apply->state, why) != 0)
        return -1;
    apply->phase = AGENT_APPLY_IDLE;
    supervised_settled();
    return 0;
}

static int use_certificates(const struct agent_apply *apply, const struct agent_record *record,
                            char *why, size_t why_len)
{
    return agent_certificate_files_use(agent_state_folder(apply->state), &record->certificates, why,
                                       why_len);
}

/* The certificates first: the server reads them with the config. */
static int apply_staged(const struct agent_apply *apply, char *message, size_t size)
{
    struct config_errors errors = {0};
    if (use_certificates(apply, &apply->offered, message, size) != 0)
        return -1;
    agent_apply_tell_versions(apply);
    int err = server_apply(apply->server, apply->staged, apply->offered.offer.version.generation,
                           &errors);
    if (err)
        agent_findings_say(&errors, message, size);
    config_errors_fini(&errors);
    return err;
}

void agent_apply_swap(struct agent_apply *apply, uint64_t now_ms)
{
    const struct agent_offer *offer = &apply->offered.offer;
    char message[AGENT_TEXT_LEN + 1], ignored[AGENT_WHY_LEN];
    supervised_trial(offer->version.generation, apply->confirm_within_ms);
    if (apply_staged(apply, message, sizeof(message)) != 0) {
        (void)use_certificates(apply, &apply->kept, ignored, sizeof(ignored));
        log_error("agent: generation %" PRIu64 " could not be applied, nothing changed: %s",
                  offer->version.generation, message);
        agent_apply_set_result(apply, offer, AGENT_REVERTED, AGENT_REASON_APPLY_FAILED, message);
        apply->phase = AGENT_APPLY_IDLE;
        supervised_settled();
    } else {
        log_info("agent: generation %" PRIu64 " serves, %" PRIu32 " ms to be confirmed",
                 offer->version.generation, apply->confirm_within_ms);
        apply->unconfirmed = true;
        apply->swapped = *offer;
        apply->swapped_within_ms = apply->confirm_within_ms;
        apply->revert_at_ms = now_ms + apply->confirm_within_ms;
        apply->restore_at_ms = AGENT_NEVER;
        apply->stuck = false;
        agent_apply_set_result(apply, offer, AGENT_APPLIED, AGENT_REASON_NONE, "");
        apply->phase = AGENT_APPLY_PROVING;
    }
}

/* A history that is not on the disk costs a transfer when somebody goes back after a restart, no more. */
static void remember_releases(struct agent_apply *apply)
{
    char why[AGENT_WHY_LEN];
    if (apply->kept.releases.count == 0 && apply->history.count == 0)
        return;
    agent_releases_remember(&apply->history, &apply->kept.releases,
                            apply->confirmed->releases.keep + 1u);
    if (agent_state_write_releases(apply->state, &apply->history, why) != 0)
        log_error("agent: %s", why);
    agent_apply_tell_versions(apply);
    apply->has_kept = true;
}

void agent_apply_keep(struct agent_apply *apply, uint64_t now_ms)
{
    char why[AGENT_WHY_LEN];
    /* Before the rename: after a crash in between both texts are there, and it is clear whose each
     * is. */
    agent_local_end(&apply->local, apply->confirmed, apply->staged, apply->replaces_drift);
    config_put(apply->confirmed);
    apply->confirmed = config_get(apply->staged);
    agent_certificates_fini(&apply->kept.certificates);
    agent_releases_fini(&apply->kept.releases);
    apply->kept = apply->offered;
    agent_certificates_copy(&apply->kept.certificates, &apply->offered.certificates);
    agent_releases_copy(&apply->kept.releases, &apply->offered.releases);
    apply->unconfirmed = false;
    log_info("agent: generation %" PRIu64 " is confirmed", apply->kept.offer.version.generation);
    if (agent_state_confirm_staged(apply->state, why) == 0) {
        apply->phase = AGENT_APPLY_IDLE;
        supervised_settled();
        agent_certificate_files_keep(agent_state_folder(apply->state), &apply->kept.certificates);
        remember_releases(apply);
        return;
    }
    log_error("agent: %s: trying again each %d s; a restart before that loads the config before",
              why, RETRY_LOCAL_MS / 1000);
    apply->phase = AGENT_APPLY_KEEPING;
    apply->next_try_ms = now_ms + RETRY_LOCAL_MS;
}

/* Applies what ran before the assignment: the confirmed config, or what somebody made of it, or
 * none. */
static int apply_confirmed(struct agent_apply *apply, char *message, size_t size)
{
    struct config_errors errors = {0};
    uint64_t generation = apply->confirmed ? apply->kept.offer.version.generation : 0;
    struct config *resting = agent_local_resting(&apply->local, apply->confirmed);
    if (use_certificates(apply, &apply->kept, message, size) != 0)
        return -1;
    int err = server_apply(apply->server, resting, generation, &errors);
    if (err)
        agent_findings_say(&errors, message, size);
    config_errors_fini(&errors);
    return err;
}

void agent_apply_revert(struct agent_apply *apply, uint64_t now_ms)
{
    char message[AGENT_TEXT_LEN + 1];
    if (agent_apply_is_urgent(apply))
        apply->phase = AGENT_APPLY_IDLE;
    if (apply_confirmed(apply, message, sizeof(message)) == 0) {
        apply->unconfirmed = false;
        apply->stuck = false;
        supervised_settled();
        snprintf(message, sizeof(message), "no confirmation within %" PRIu32 " ms",
                 apply->swapped_within_ms);
        log_warn("agent: generation %" PRIu64 " taken back: %s", apply->swapped.version.generation,
                 message);
        agent_apply_set_result(apply, &apply->swapped, AGENT_REVERTED, AGENT_REASON_UNCONFIRMED,
                               message);
        return;
    }
    apply->revert_at_ms = now_ms + RETRY_LOCAL_MS;
    log_error("agent: generation %" PRIu64 " was not confirmed and cannot be taken back: %s",
              apply->swapped.version.generation, message);
    if (!apply->stuck)
        agent_apply_set_result(apply, &apply->swapped, AGENT_STUCK, AGENT_REASON_UNCONFIRMED,
                               message);
    apply->stuck = true;
}

void agent_apply_restore(struct agent_apply *apply, uint64_t now_ms)
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
