/* SPDX-License-Identifier: MIT */
/* agent_http.h — requests to the control plane, one at a time in each of a few slots, all of them
 * waited for in one place by one thread. Knows HTTP and TLS; knows nothing of what the messages say.
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
    int status;     /* 0: no answer came, `error` says why */
    bool sent;      /* without an answer: the body went out, so it may have been heard */
    bool untrusted; /* … or not: who answers is not to be believed */
    bool stale;     /* asked with a certificate that has been replaced meanwhile */
    char *body;     /* NUL-terminated, valid until the slot's next post */
    size_t len;
    char error[256]; /* "" when there is a status */
};

struct agent_http;

/* All but the address may be NULL. Over https nobody but `ca_certificates` is believed: not this
 * system's list, and without them no request begins. */
struct agent_http_peer {
    const char *base_url;
    const char *proxy;      /* in place of what the environment says */
    const char *credential; /* the bearer's, for plain http */
    const char *ca_certificates;
    const char *certificate, *key; /* this node's own */
    bool believe_anybody;          /* only to ask for what everybody may know */
};

/* Copies what `peer` says. NULL when libcurl cannot start. */
struct agent_http *agent_http_new(const struct agent_http_peer *peer);
void agent_http_free(struct agent_http *http); /* ends what is under way; NULL is allowed */

/* Every later request is made with these, on connections of its own. */
void agent_http_use(struct agent_http *http, const char *ca_certificates, const char *certificate,
                    const char *key);

/* POST `body` (takes it) to base_url/agent/v1/`message`. The slot must not be busy. A failure to
 * begin is a reply too. */
void agent_http_post(struct agent_http *http, enum agent_slot slot, const char *message, char *body,
                     uint32_t timeout_ms);
/* GET base_url/agent/v1/`message`, likewise. */
void agent_http_get(struct agent_http *http, enum agent_slot slot, const char *message,
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
/* … and a proxy's, which may name a user. 0, or -1 with a sentence. */
int agent_http_check_proxy(const char *url, char *why, size_t why_len);

#endif
