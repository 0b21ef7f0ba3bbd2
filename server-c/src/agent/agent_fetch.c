/* SPDX-License-Identifier: MIT */
/* agent_fetch.c — each certificate is checked and on the disk before the next is asked for. */
#include "agent/agent_fetch.h"

#include "agent/agent_certificate_files.h"
#include "log/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TIMEOUT_MS 15000

static const struct agent_certificate *current(const struct agent_fetch *fetch)
{
    return &fetch->waiting.certificates.items[fetch->at];
}

void agent_fetch_begin(struct agent_fetch *fetch, const struct agent_apply *apply,
                       struct agent_assignment *assignment, uint64_t now_ms)
{
    fetch->waiting = *assignment;
    fetch->since_ms = now_ms;
    memset(assignment, 0, sizeof(*assignment));
    fetch->at = agent_apply_lacks(apply, &fetch->waiting, 0);
    fetch->is_asked = fetch->is_pulling = false;
    fetch->was_fetched = fetch->at == fetch->waiting.certificates.count;
}

void agent_fetch_end(struct agent_fetch *fetch)
{
    agent_assignment_fini(&fetch->waiting);
    *fetch = (struct agent_fetch){0};
}

void agent_fetch_speak(struct agent_fetch *fetch, struct agent_http *http)
{
    char message[128];
    if (!fetch->waiting.text || fetch->was_fetched || agent_http_busy(http, AGENT_SLOT_FETCH))
        return;
    snprintf(message, sizeof(message), "certificates/%s/%" PRIu64, current(fetch)->name,
             current(fetch)->version);
    agent_http_get(http, AGENT_SLOT_FETCH, message, TIMEOUT_MS);
    fetch->is_asked = true;
}

bool agent_fetch_is_awaited(struct agent_fetch *fetch)
{
    bool is_awaited = fetch->is_asked;
    fetch->is_asked = false;
    return is_awaited;
}

void agent_fetch_fail(struct agent_fetch *fetch, struct agent_apply *apply, const char *code,
                      const char *why)
{
    char message[AGENT_TEXT_LEN + 1];
    if (!fetch->waiting.text)
        return;
    snprintf(message, sizeof(message), "version %" PRIu64 " of the certificate \"%s\": %s",
             current(fetch)->version, current(fetch)->name, why);
    agent_apply_refuse(apply, &fetch->waiting, code, message);
    agent_fetch_end(fetch);
}

/* Returns the code of a nack; NULL: it is on the disk. */
static const char *store(const struct agent_fetch *fetch, const struct agent_apply *apply,
                         const struct agent_reply *reply, char *why, size_t why_len)
{
    struct agent_certificate_text text;
    const char *code = NULL;
    if (agent_read_certificate(reply->body, reply->len, current(fetch), &text, why, why_len) != 0)
        return "tls_material";
    if (agent_certificate_judge(current(fetch), &text, why, why_len) != 0)
        code = "tls_material";
    else if (agent_certificate_files_write(agent_state_folder(apply->state), current(fetch), &text,
                                           why, why_len) != 0)
        code = "resource_limit";
    else
        log_info("agent: version %" PRIu64 " of the certificate \"%s\" is here",
                 current(fetch)->version, current(fetch)->name);
    agent_certificate_text_fini(&text);
    return code;
}

bool agent_fetch_hear(struct agent_fetch *fetch, struct agent_apply *apply,
                      const struct agent_reply *reply)
{
    char why[AGENT_WHY_LEN];
    const char *code = store(fetch, apply, reply, why, sizeof(why));
    if (reply->body)
        explicit_bzero(reply->body, reply->len);
    if (code) {
        agent_fetch_fail(fetch, apply, code, why);
        return true;
    }
    fetch->at = agent_apply_lacks(apply, &fetch->waiting, fetch->at + 1);
    fetch->was_fetched = fetch->at == fetch->waiting.certificates.count;
    return fetch->was_fetched;
}
