/* SPDX-License-Identifier: MIT */
/* agent_pull.h — brings releases from the control plane onto the disk, and removes those that are not needed any
 * more, on a thread of its own: neither the loops nor the agent's thread wait for it.
 *
 * All functions: the agent's thread. */
#ifndef FARMSTEAD_AGENT_PULL_H
#define FARMSTEAD_AGENT_PULL_H

#include "agent/agent_http.h"
#include "agent/agent_releases.h"
#include "agent/agent_room.h"
#include "release/release_build.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define AGENT_FOUND_MAX 16

struct agent_pull;

/* `state_fd` and `incarnation` must live until agent_pull_stop(). `waker` is woken when a pull has ended. NULL: no thread is to be
 * had. */
struct agent_pull *agent_pull_start(int state_fd, const char *incarnation,
                                    struct agent_http *waker);
/* Breaks off what is under way. NULL is allowed. */
void agent_pull_stop(struct agent_pull *pull);

/* How a pull asks. Nobody else may use these clients. */
struct agent_pull_ways {
    struct agent_http *http;       /* of the control plane */
    struct agent_http *neighbours; /* NULL: none is asked */
    uint64_t max_bytes_per_second;
};

/* Begins to bring these, and takes over the clients in `ways`. `known` are all versions that may be here.
 * The last pull must have been heard of. */
void agent_pull_begin(struct agent_pull *pull, const struct agent_releases *list,
                      const struct agent_releases *known, const struct agent_pull_ways *ways,
                      uint64_t store_max_bytes);

/* One has begun that has not been heard of: it ends as soon as may be, RELEASE_STOPPED if it had not ended yet. What
 * has come stays on the disk. */
void agent_pull_drop(struct agent_pull *pull);

struct agent_pulled {
    enum release_end end;
    struct agent_release failed; /* the one that did not come */
    char why[RELEASE_WHY_LEN];
};
/* Has the pull ended? True once. */
bool agent_pull_hear(struct agent_pull *pull, struct agent_pulled *out);
/* How far it is; its `manifest` is "" when nothing is under way. */
void agent_pull_progress(struct agent_pull *pull, struct agent_fetching *out);

/* Begins to get one content anew that is wrong on the disk, and takes over `http`. The last one must have been heard
 * of. A pull that begins meanwhile goes first: this one ends then. */
void agent_pull_mend(struct agent_pull *pull, const char *sha256, struct agent_http *http,
                     uint64_t max_bytes_per_second);
/* Has that ended? True once. */
bool agent_pull_hear_mend(struct agent_pull *pull, enum release_end *end,
                          char why[RELEASE_WHY_LEN]);

/* A content that was wrong on the disk when it was to be used. */
struct agent_found_wrong {
    char sha256[RELEASE_SHA256_LEN + 1];
    struct stat st; /* with its mark */
};
/* False: no other one was found. Beyond AGENT_FOUND_MAX at a time the next round of comparing tells (agent_scrub.h). */
bool agent_pull_next_wrong(struct agent_pull *pull, struct agent_found_wrong *out);

/* What neighbours gave since the start, and how much of it was wrong. */
void agent_pull_neighbours(struct agent_pull *pull, uint64_t *bytes, uint64_t *wrong_bytes);

/* What the store takes and its disk has left, unless something is under way. */
void agent_pull_room(struct agent_pull *pull, struct agent_room *out);

/* What is in no list may go, when nothing else is under way (release_store_keep()). */
void agent_pull_keep(struct agent_pull *pull, const struct agent_releases *history,
                     bool spares_contents);

#endif
