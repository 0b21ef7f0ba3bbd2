/* SPDX-License-Identifier: MIT */
/* agent_http.h — requests to the control plane: a few slots with one request at a time in each, and
 * one thread that waits for all of them. Knows HTTP and TLS, but not the content of messages.
 *
 * The slots are independent: a long poll waiting in one does not delay a report in another, which
 * gets a connection of its own. One connection is kept, so slots that take turns share it. */
#ifndef FARMSTEAD_AGENT_HTTP_H
#define FARMSTEAD_AGENT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agent_slot {
    AGENT_SLOT_TALK,
    AGENT_SLOT_DESIRED,
    AGENT_SLOT_REPORT,
    AGENT_SLOT_FETCH,
    AGENT_SLOT_COUNT
};

struct agent_reply {
    enum agent_slot slot;
    int status;     /* 0: no answer came, see `error` */
    bool sent;      /* no answer, but the body was sent: it may have been taken */
    bool untrusted; /* no answer, because the other side is not trusted */
    bool stale;     /* the certificate used has been replaced meanwhile */
    bool timed_out; /* no answer, or not all of it, in the time that there is for it */
    char *body;     /* ends with a NUL, valid until the slot's next request */
    size_t len;
    char error[256]; /* "" if there is a status */
};

struct agent_http;

/* All but base_url may be NULL. Over https only `ca_certificates` are trusted, not the system's
 * list; without them no request is sent. */
struct agent_http_peer {
    const char *base_url;
    const char *proxy;      /* instead of the one in the environment */
    const char *credential; /* bearer token, for plain http */
    const char *ca_certificates;
    const char *certificate, *key; /* those of this node */
    bool believe_anybody;          /* only to ask for what anybody may know */
    bool is_neighbour;             /* another node: agent_http_ask_neighbour() says which */
};

/* Copies the contents of `peer`. NULL: libcurl can't start. */
struct agent_http *agent_http_new(const struct agent_http_peer *peer);
void agent_http_free(struct agent_http *http); /* ends requests under way; NULL is allowed */

/* Later requests use these, on new connections. */
void agent_http_use(struct agent_http *http, const char *ca_certificates, const char *certificate,
                    const char *key);

/* Sends `body`, which it takes over, by POST to base_url/agent/v1/`message`. The slot must not be
 * busy. A request that can't be started gets a reply, too. */
void agent_http_post(struct agent_http *http, enum agent_slot slot, const char *message, char *body,
                     uint32_t timeout_ms);
/* The same with GET and without a body. */
void agent_http_get(struct agent_http *http, enum agent_slot slot, const char *message,
                    uint32_t timeout_ms);
/* Bytes that are taken as they come, and not kept. */
struct agent_stream {
    /* False: no more of them. Of an answer with an error nothing comes here. */
    bool (*take)(void *arg, const char *bytes, size_t len);
    void *arg;
    uint64_t from; /* the first byte that is wanted */
};
/* The same as agent_http_post(), or agent_http_get() where `body` is NULL, for an answer that takes as long as it
 * takes: it ends when nothing has come for half a minute, and of a neighbour when it gives less than
 * NEIGHBOUR_SLOW_BYTES_PER_SECOND for some seconds. */
void agent_http_stream(struct agent_http *http, enum agent_slot slot, const char *message,
                       char *body, const struct agent_stream *stream);

/* Of a client for neighbours: the next request is for this one, at /neighbour/v1/`message`, and from that byte on. It is
 * believed with a node's certificate alone, and with that key. False: libcurl can't do that. */
bool agent_http_ask_neighbour(struct agent_http *http, const char *address, const char *key_sha256,
                              const char *pass, uint64_t from);
/* Ends what is under way in the slot, without a reply. */
void agent_http_drop(struct agent_http *http, enum agent_slot slot);

bool agent_http_busy(const struct agent_http *http, enum agent_slot slot);

/* Waits for the next reply, at most `wait_ms`. True if there is one. */
bool agent_http_next(struct agent_http *http, uint32_t wait_ms, struct agent_reply *reply);

/* Ends a wait early: the present one, or else the next. Any thread. */
void agent_http_wake(struct agent_http *http);

/* Checks the address of a control plane as a user has typed it, and copies it without final
 * slashes. 0, or -1 with a sentence. *is_plain: it is http, without TLS. */
int agent_http_check_url(const char *url, char *out, size_t size, bool *is_plain, char *why,
                         size_t why_len);
/* The same for a proxy's address, which may contain a user name. 0, or -1 with a sentence. */
int agent_http_check_proxy(const char *url, char *why, size_t why_len);

#endif
