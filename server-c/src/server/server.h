/* SPDX-License-Identifier: MIT */
/* server.h — the running file server as the rest of the process sees it: start, swap the config,
 * read back what really runs, take measurements, stop.
 *
 * The agent (its own thread) and main use only this. Everything here may be called from any thread
 * but an event loop's, and blocks until the loops have answered. */
#ifndef FARMSTEAD_SERVER_H
#define FARMSTEAD_SERVER_H

#include "config/config.h"
#include "measure/metrics.h" /* enum counter, gauge, stage; struct server_series, server_metrics */
#include "measure/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct server;
struct admin;

/* Who serves the admin listener. The server says when: it owns the listener, as of any socket that a
 * config asks for, and knows nothing of what is answered there. */
struct server_admin {
    /* Takes over the listening, non-blocking socket. NULL when there is no thread to have. */
    struct admin *(*start)(struct server *srv, int fd);
    void (*stop)(struct admin *admin); /* joins its thread and frees; NULL is allowed */
};

/* A server without a config: it listens nowhere until server_apply(). `admin` is static. NULL and
 * *err = UV_E* when threads or memory are missing. */
struct server *server_new(const struct server_admin *admin, int *err);

/* Swap to `cfg` (takes its own reference) as `generation`. New listeners are bound before anything
 * is swapped, so a failure leaves the old config serving: returns -1 and adds to `errors`. On 0
 * every loop serves the new config; requests under way end under the old one. Equal digest: only
 * the generation changes, and what is new in the files that the config names. `cfg` NULL (generation 0): serve nothing again, as
 * before the first apply; requests under way end. Serialised: one caller at a time. */
int server_apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors);

/* Whether the files that the running config names are what it goes by, and can all be used: if so, to
 * apply an equal config changes nothing but the generation. */
bool server_files_are_current(struct server *srv);

/* Before the first server_apply(): `function` is called once, by the apply of the first config, when
 * all that it needs is open and bound and nothing is served yet. That is the moment to give rights
 * up. When it returns -1, with a finding, the apply fails. */
void server_before_serving(struct server *srv,
                           int (*function)(void *arg, const struct config *cfg,
                                           struct config_errors *errors),
                           void *arg);

/* For that function, while the rights are there: the logs that were made and the sockets that have a
 * name become that user's, who is to open, change and remove them later. */
void server_give_files(struct server *srv, uid_t uid, gid_t gid);

/* What the loops really run, asked of each of them, not of the last apply. */
struct server_effective {
    bool serving; /* false: no config yet */
    uint64_t generation;
    char digest[CONFIG_DIGEST_LEN + 1];
    char boot_id[33];
    uint64_t reloads;
};
void server_effective(struct server *srv, struct server_effective *out);

/* The config the loops run, with a reference, or NULL. */
struct config *server_config(struct server *srv);

/* Merged over all loops. Counters and histograms never decrease within a boot. */
void server_metrics(struct server *srv, struct server_metrics *out);

/* What every loop keeps of single requests, and how many it has kept so far. */
struct server_samples_state {
    uint32_t every_requests, slower_than_millis, keep; /* as configured; 0 without a config */
    size_t kept[SAMPLE_KINDS];
    uint64_t taken[SAMPLE_KINDS];
};
void server_samples_state(struct server *srv, struct server_samples_state *out);

struct server_samples {
    char boot_id[33];
    uint64_t next_us;     /* since the start: all that ended until then were looked at */
    uint64_t matched;     /* how many there are, given or not */
    struct sample *items; /* newest first; server_samples_fini() frees them */
    size_t count;
};
/* The newest samples of all loops, at most `limit`, that ended after `since_us` (a former next_us, so
 * that none is seen twice and none is missed). UV_EINVAL when that is still to come. */
int server_samples(struct server *srv, struct server_samples *out, uint64_t since_us, size_t limit,
                   bool wants_regular, bool wants_slow);
void server_samples_fini(struct server_samples *samples);

/* Reopen log files (SIGUSR1, after rotation). */
void server_reopen_logs(struct server *srv);

/* Stop accepting, let requests end for at most `drain_ms`, then close, join and free. False when a
 * disk still has not answered some seconds after that: its threads can't be joined, nothing is
 * freed, and the process is to _exit(). */
bool server_stop(struct server *srv, uint32_t drain_ms);

#endif
