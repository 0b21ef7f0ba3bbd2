/* SPDX-License-Identifier: MIT */
/* agent_samples.h — single requests for the control plane: some of all, and of those that people
 * search for, each second while it says that somebody looks; and the slowest with each window.
 *
 * Looking and each search end by themselves at a time that each answer may put off. Nothing is kept for a control plane
 * that does not answer: what was chosen meanwhile goes with the next message. Agent's thread. */
#ifndef FARMSTEAD_AGENT_SAMPLES_H
#define FARMSTEAD_AGENT_SAMPLES_H

#include "agent/agent_messages.h"
#include "server/server.h"

#define AGENT_SAMPLES_EVERY_MS 1000u
#define AGENT_SAMPLES_FOR_MAX_MS 60000u

struct agent_samples {
    uint64_t until_ms; /* 0: nobody looks */
    uint64_t due_ms;   /* when the next message is to be sent */
    size_t search_count;
    struct request_search searches[REQUEST_SEARCHES_MAX];
    uint64_t searches_until_ms[REQUEST_SEARCHES_MAX];
};

/* From now on that is looked at, and nothing else. */
void agent_samples_watch(struct agent_samples *samples, struct server *server,
                         const struct agent_looks *looks, uint64_t now_ms);
/* Ends when it is time. */
void agent_samples_on_time(struct agent_samples *samples, struct server *server, uint64_t now_ms);
/* When the next message is to be sent; UINT64_MAX: none is. */
uint64_t agent_samples_due_ms(const struct agent_samples *samples);

/* The next message, which the caller frees. */
char *agent_samples_say(struct agent_samples *samples, struct server *server, const char *boot_id,
                        const char *incarnation, uint64_t now_ms);
/* Reads the answer to it. 0, or -1 with a sentence. */
int agent_samples_read(const char *body, size_t len, struct agent_looks *looks,
                       char why[AGENT_WHY_LEN]);

/* The slowest since the last time, as a list of JSON objects without its brackets, which the caller
 * frees; "": none. */
char *agent_samples_slow(struct server *server);
/* Appends that of `taken`; of what a search found with host, method and perhaps client. */
void agent_samples_append_json(struct buf *out, const struct taken_requests *taken, bool is_found);

#endif
