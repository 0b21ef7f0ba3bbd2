/* SPDX-License-Identifier: MIT */
/* agent_http.h — POSTs to the control plane, one at a time in each of a few slots, all of them
 * waited for in one place by one thread. Knows HTTP; knows nothing of what the messages say.
 *
 * The slots are independent: a long poll that waits in one holds up no report in another. */
#ifndef FARMSTEAD_AGENT_HTTP_H
#define FARMSTEAD_AGENT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agent_slot { AGENT_SLOT_TALK, AGENT_SLOT_DESIRED, AGENT_SLOT_REPORT, AGENT_SLOT_COUNT };

struct agent_reply {
    enum agent_slot slot;
    int status; /* 0: no answer came, `error` says why */
    char *body; /* NUL-terminated, valid until the slot's next post */
    size_t len;
    char error[256]; /* "" when there is a status */
};

struct agent_http;

/* `credential` may be NULL (enrol). NULL when libcurl cannot start. */
struct agent_http *agent_http_new(const char *base_url, const char *credential);
void agent_http_free(struct agent_http *http); /* ends what is under way; NULL is allowed */

/* POST `body` (takes it) to base_url/agent/v1/`message`. The slot must not be busy. A failure to
 * begin is a reply too. */
void agent_http_post(struct agent_http *http, enum agent_slot slot, const char *message, char *body,
                     uint32_t timeout_ms);
bool agent_http_busy(const struct agent_http *http, enum agent_slot slot);

/* The next reply, waiting at most `wait_ms` for one: true when there is one. */
bool agent_http_next(struct agent_http *http, uint32_t wait_ms, struct agent_reply *reply);

/* Ends a wait under way, or the next one, early. Any thread. */
void agent_http_wake(struct agent_http *http);

/* Checks a control plane's address as a user gives it and copies it without slashes at its end.
 * 0, or -1 with a sentence. *is_plain: it is http, without TLS. */
int agent_http_check_url(const char *url, char *out, size_t size, bool *is_plain, char *why,
                         size_t why_len);

#endif
