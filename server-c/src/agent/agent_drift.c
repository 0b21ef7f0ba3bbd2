/* SPDX-License-Identifier: MIT */
/* agent_drift.c — the file is checked often, so its stamp is compared first, and its text is read
 * only if the stamp has changed. */
#include "agent/agent_drift.h"

#include "base/digest.h"
#include "base/mem.h"
#include "log/log.h"
#include "text/json_canonical.h"
#include "text/json_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The limit of the message, with the rest of a character that begins at the limit. */
#define TOLD_BYTES ((1u << 20) + 4)

void agent_drift_init(struct agent_drift *drift, struct agent_state *state)
{
    memset(drift, 0, sizeof(*drift));
    drift->state = state;
}

static void forget(struct agent_drift *drift)
{
    free(drift->text);
    config_put(drift->cfg);
    config_errors_fini(&drift->errors);
    drift->text = NULL;
    drift->cfg = NULL;
    drift->digest[0] = '\0';
    drift->has_edits = false;
}

void agent_drift_fini(struct agent_drift *drift)
{
    forget(drift);
}

bool agent_drift_is_there(const struct agent_drift *drift)
{
    return drift->digest[0] != '\0';
}

bool agent_drift_is_missing(const struct agent_drift *drift)
{
    return drift->stamp.inode == 0 && drift->stamp.device == 0;
}

/* Is it what the agent writes: the config's text and a line feed? */
static bool is_text_of(const struct config *cfg, const char *text, size_t len)
{
    size_t own = cfg->text_len;
    bool has_end = own > 0 && cfg->text[own - 1] == '\n';
    if (len != own && (has_end || len != own + 1 || text[own] != '\n'))
        return false;
    return memcmp(text, cfg->text, own) == 0;
}

/* Writes the digest of what the text means if it can be parsed, else that of its bytes. */
static void digest_text(char out[CONFIG_DIGEST_LEN + 1], const char *text, size_t len)
{
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(text, len, &errors);
    struct buf canonical;
    buf_init(&canonical);
    if (root && errors.count == 0 && errors.dropped == 0 && !json_canonical(&canonical, root))
        digest_sha256(out, canonical.data, canonical.len);
    else
        digest_sha256(out, text, len);
    buf_fini(&canonical);
    json_free(root);
    config_errors_fini(&errors);
}

static void log_errors(const struct config_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        log_error("agent: config.jsonc:%" PRIu32 ":%" PRIu32 ": %s: %s; it is not served",
                  errors->items[i].line, errors->items[i].column, errors->items[i].code,
                  errors->items[i].message);
}

/* Cuts a text that is too long to be a config and to be reported. */
static char *cut(char *text, size_t len)
{
    if (len <= TOLD_BYTES)
        return text;
    text[TOLD_BYTES] = '\0';
    return xrealloc(text, TOLD_BYTES + 1);
}

/* Takes `text`, which is not what the agent has written. */
static void take_edit(struct agent_drift *drift, const struct config *confirmed, char *text,
                      size_t len)
{
    char digest[CONFIG_DIGEST_LEN + 1];
    digest_text(digest, text, len);
    drift->has_edits = true;
    if (strcmp(digest, confirmed->digest) == 0) {
        free(text);
        return;
    }
    memcpy(drift->digest, digest, sizeof(digest));
    drift->cfg = config_parse(text, len, &drift->errors);
    drift->text = cut(text, len);
    log_warn("agent: config.jsonc was changed on this node (%s)", drift->digest);
    log_errors(&drift->errors);
}

static bool read_file(struct agent_drift *drift, const struct config *confirmed)
{
    char why[AGENT_WHY_LEN], *text = NULL;
    size_t len = 0;
    int found = agent_state_read_text(drift->state, &text, &len, why);
    if (found < 0 && !drift->is_unreadable)
        log_error("agent: config.jsonc: %s: whether it was changed is not known", why);
    drift->is_unreadable = found < 0;
    if (found < 0)
        return false;
    bool was_there = agent_drift_is_there(drift);
    forget(drift);
    if (found == 1 && !is_text_of(confirmed, text, len))
        take_edit(drift, confirmed, text, len);
    else
        free(text);
    return was_there || agent_drift_is_there(drift);
}

bool agent_drift_look(struct agent_drift *drift, const struct config *confirmed)
{
    struct state_stamp stamp;
    if (!confirmed)
        return false;
    agent_state_stamp_text(drift->state, &stamp);
    if (confirmed == drift->beside && memcmp(&stamp, &drift->stamp, sizeof(stamp)) == 0)
        return false;
    drift->stamp = stamp;
    drift->beside = confirmed;
    if (!read_file(drift, confirmed))
        return false;
    drift->version++;
    return true;
}

void agent_drift_disown(struct agent_drift *drift, const char *text, size_t len)
{
    char why[AGENT_WHY_LEN], *found = NULL;
    size_t found_len = 0;
    if (agent_state_read_text(drift->state, &found, &found_len, why) != 1)
        return;
    bool has_end = len > 0 && text[len - 1] == '\n';
    bool is_own = found_len == len + (has_end ? 0 : 1) && memcmp(found, text, len) == 0;
    free(found);
    if (is_own)
        agent_state_drop_text(drift->state);
}

void agent_drift_overwrite(struct agent_drift *drift, const struct config *confirmed)
{
    char why[AGENT_WHY_LEN];
    size_t len = confirmed->text_len;
    char *text = xmalloc(len + 1);
    memcpy(text, confirmed->text, len);
    if (len == 0 || text[len - 1] != '\n')
        text[len++] = '\n';
    if (drift->has_edits)
        log_info("agent: config.jsonc, changed on this node, is overwritten by what was confirmed");
    if (agent_state_write_text(drift->state, text, len, why) != 0) {
        log_error("agent: %s: it is taken away until the next config", why);
        agent_state_drop_text(drift->state);
    }
    free(text);
    if (agent_drift_is_there(drift))
        drift->version++;
    forget(drift);
    agent_state_stamp_text(drift->state, &drift->stamp);
    drift->beside = confirmed;
}

void agent_drift_refuse(struct agent_drift *drift, struct config_errors *errors)
{
    config_errors_fini(&drift->errors);
    drift->errors = *errors;
    memset(errors, 0, sizeof(*errors));
    drift->version++;
    log_errors(&drift->errors);
}
