/* SPDX-License-Identifier: MIT */
/* agent_ahead.h — versions of releases that the node is to hold before they are assigned: the list as it was told
 * last, and how far each is. Pure: no I/O; the clock is the caller's. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_AHEAD_H
#define FARMSTEAD_AGENT_AHEAD_H

#include "agent/agent_releases.h"
#include "release/release_build.h"

#define AGENT_AHEAD_MAX 8
#define AGENT_AHEAD_TEXT_LEN (RELEASE_WHY_LEN + 128)

enum agent_ahead_state { AGENT_AHEAD_FETCHING, AGENT_AHEAD_HELD, AGENT_AHEAD_REFUSED };

struct agent_ahead_item {
    struct agent_release release;
    enum agent_ahead_state state;
    const char *code; /* why it is refused, as in a nack */
    char message[AGENT_AHEAD_TEXT_LEN + 1];
    unsigned failures; /* in a row, for which it is tried again */
    uint64_t due_ms;   /* not before then */
};

struct agent_ahead {
    struct agent_ahead_item items[AGENT_AHEAD_MAX];
    size_t count;
};

/* What an answer says of them. */
struct agent_ahead_told {
    bool is_told; /* false: nothing changes */
    struct agent_releases list;
};
/* Reads the member `ahead`, if there is one. Nothing is to be freed after a failure. */
void agent_ahead_read(struct agent_reader *outer, struct agent_ahead_told *out);

/* Takes the list over; what was refused is tried again. True: it has other versions than before. */
bool agent_ahead_take(struct agent_ahead *ahead, const struct agent_releases *list);
/* There may be room now: what was refused is tried again. */
void agent_ahead_retry(struct agent_ahead *ahead);

/* Is one not whole yet, of which some may be here? */
bool agent_ahead_is_coming(const struct agent_ahead *ahead);
/* The one to bring now; NULL: none. */
const struct agent_release *agent_ahead_next(const struct agent_ahead *ahead, uint64_t now_ms);
/* NULL: it is not in the list. */
struct agent_ahead_item *agent_ahead_find(struct agent_ahead *ahead, const char *manifest);
/* Bringing it has ended. */
void agent_ahead_ended(struct agent_ahead_item *item, enum release_end end, const char *why,
                       uint64_t now_ms);

/* Makes a list of all, or of those that are held. */
void agent_ahead_list(const struct agent_ahead *ahead, bool only_held, struct agent_releases *out);
json_t *agent_ahead_json(const struct agent_ahead *ahead);

/* The code of a nack for a release that did not come. */
const char *agent_release_code(enum release_end end);

#endif
