/* SPDX-License-Identifier: MIT */
/* agent_scrub.h — compares what lies on the disk of releases with its digests, slowly and in rounds, on a thread of its
 * own that takes what disk and processor have left over.
 *
 * A content that is wrong is marked on the disk and forgotten by the loops at once, so that no request begins to be
 * answered with it; here it waits to be got anew (agent_mend.c). At most AGENT_WRONG_MAX wait, the others are found
 * again by the next round. */
#ifndef FARMSTEAD_AGENT_SCRUB_H
#define FARMSTEAD_AGENT_SCRUB_H

#include "agent/agent_http.h"
#include "release/release_line.h"
#include "server/server.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define AGENT_WRONG_MAX 1024

struct agent_scrub;

/* `state_fd`, `server` and `waker` must live until agent_scrub_stop(). `waker` is woken when something is found.
 * NULL: no thread is to be had. All functions: the agent's thread. */
struct agent_scrub *agent_scrub_start(int state_fd, struct server *server,
                                      struct agent_http *waker);
/* NULL is allowed. */
void agent_scrub_stop(struct agent_scrub *scrub);
/* 0 bytes per second: only what was marked by an earlier process is looked for, once. */
void agent_scrub_configure(struct agent_scrub *scrub, uint64_t bytes_per_second,
                           uint32_t every_seconds);

/* Somebody else has found this one and marked it: it waits, as if a round had found it. */
void agent_scrub_found(struct agent_scrub *scrub, const char *sha256, const struct stat *st);

/* The one that has waited longest. False: none does. */
bool agent_scrub_wrong(struct agent_scrub *scrub, char sha256[RELEASE_SHA256_LEN + 1]);
/* It is right again, or is to wait once more behind all others. */
void agent_scrub_mended(struct agent_scrub *scrub, const char *sha256);
void agent_scrub_put_last(struct agent_scrub *scrub, const char *sha256);

#endif
