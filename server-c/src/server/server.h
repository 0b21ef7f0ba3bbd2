/* SPDX-License-Identifier: MIT */
/* server.h — the running file server for the rest of the process: start it, replace the config,
 * read back what really runs, take measurements, stop it.
 *
 * The agent (on its own thread) and the commands use only this. All functions may be called from
 * any thread except an event loop's, and wait until the loops have answered. */
#ifndef FARMSTEAD_SERVER_H
#define FARMSTEAD_SERVER_H

#include "config/config.h"
#include "measure/metrics.h" /* enum counter, gauge, stage; struct server_series, server_metrics */
#include "measure/path_watch.h"
#include "measure/request_samples.h"
#include "measure/samples.h"
#include "site/acme_challenges.h"
#include "site/kept_versions.h"
#include "tls/certificates_shown.h"
#include "tls/tls_tickets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct server;
struct admin;

/* Who serves the admin listener. The server owns the listener like every socket that a config asks
 * for, and starts and stops whoever serves it; it does not know what is answered there. */
struct server_admin {
    /* Takes over the listening, non-blocking socket. NULL: no thread is available. */
    struct admin *(*start)(struct server *srv, int fd);
    void (*stop)(struct admin *admin); /* joins its thread and frees it; NULL is allowed */
};

/* Returns a server without a config, which listens nowhere until server_apply(). `admin` must be
 * static. NULL and *err = UV_E* if threads or memory are missing. */
struct server *server_new(const struct server_admin *admin, int *err);

/* Puts `cfg` in force as `generation`, taking its own reference. New listeners are bound before
 * anything is changed, so a failure leaves the old config serving: returns -1 and adds to `errors`.
 * After 0 every loop serves the new config; requests under way end under the old one. With an equal
 * digest only the generation changes, and what is new in the files that the config names. `cfg`
 * NULL (generation 0): serve nothing, as before the first apply. One caller at a time; others
 * wait. */
int server_apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors);

/* Do the files named by the running config have the contents that are in force, and can all of them
 * be used? If so, applying an equal config changes only the generation. */
bool server_files_are_current(struct server *srv);

/* Call it before the first server_apply(). `function` is called once, by the apply of the first
 * config, when all that it needs is open and bound and nothing is served yet: the moment to give up
 * rights. If it returns -1, with a finding, the apply fails. */
void server_before_serving(struct server *srv,
                           int (*function)(void *arg, const struct config *cfg,
                                           struct config_errors *errors),
                           void *arg);

/* For that function to call while it has the rights: gives logs that were created, and sockets with
 * a name, to that user, who will have to open, change and remove them later. */
void server_give_files(struct server *srv, uid_t uid, gid_t gid);

/* What the loops really run: asked of each of them, not remembered from the last apply. */
struct server_effective {
    bool serving; /* false: no config yet */
    uint64_t generation;
    char digest[CONFIG_DIGEST_LEN + 1];
    char boot_id[33];
    uint64_t reloads;
};
void server_effective(struct server *srv, struct server_effective *out);

/* Which certificates the loops really show, and to whom. The caller ends `out`. */
void server_certificates(struct server *srv, struct certificates_shown *out);

/* Returns the config that the loops run, with a reference, or NULL. */
struct config *server_config(struct server *srv);

/* How long it takes until the slowest loop does what it is asked. */
uint64_t server_lag_ns(struct server *srv);

/* Sums over all loops. Counters and histograms never decrease within a boot. */
void server_metrics(struct server *srv, struct server_metrics *out);

/* What each loop keeps of single requests, and how many it has kept so far. */
struct server_samples_state {
    uint32_t every_requests, slower_than_millis, keep; /* as configured; 0 without a config */
    size_t kept[SAMPLE_KINDS];
    uint64_t taken[SAMPLE_KINDS];
};
void server_samples_state(struct server *srv, struct server_samples_state *out);

struct server_samples {
    char boot_id[33];
    /* Time since the start; all requests that ended before it were considered. */
    uint64_t next_us;
    uint64_t matched;     /* how many match, whether returned or not */
    struct sample *items; /* newest first; freed by server_samples_fini() */
    size_t count;
};
/* Returns the newest samples of all loops, at most `limit`, that ended after `since_us`. Pass an
 * earlier next_us, so that no sample is seen twice and none is missed. UV_EINVAL if that time is in
 * the future. */
int server_samples(struct server *srv, struct server_samples *out, uint64_t since_us, size_t limit,
                   bool wants_regular, bool wants_slow);
void server_samples_fini(struct server_samples *samples);

/* What is looked at from now on. Say it again from time to time: loops may be added. */
void server_look_at_requests(struct server *srv, const struct request_looks *looks);
/* Counts requests below these paths besides (measure/path_watch.h). Say it again from time to time, too. */
void server_watch_paths(struct server *srv, const struct path_watch *watch);
/* What the loops have kept since the last time; start_us is the time since the server's start. The
 * caller ends `out`. */
void server_take_live_requests(struct server *srv, struct taken_requests *out);
void server_take_found_requests(struct server *srv, const char *search_id,
                                struct taken_requests *out);
void server_take_worst_requests(struct server *srv, struct taken_requests *out);
uint64_t server_uptime_us(struct server *srv);

/* Of authorities (acme_challenges.h). */
void server_use_challenges(struct server *srv, const struct acme_challenge *items, size_t count);
size_t server_challenges(struct server *srv, struct acme_challenge *out, uint64_t now_ms);

/* Which versions of releases stand on the disk (site/kept_versions.h), from the return on. */
void server_use_versions(struct server *srv, const struct kept_version_said *said, size_t count);
/* Those that were said last, with a reference; NULL: none. */
struct kept_versions *server_versions(struct server *srv);

/* Of session tickets (tls_tickets_set). */
void server_use_ticket_keys(struct server *srv, const struct tls_ticket_key *keys, size_t count);

/* The file has wrong bytes, and is marked so: from the return on no request begins to be answered with what the
 * loops have of it. */
void server_forget_file(struct server *srv, uint64_t device, uint64_t inode);

/* Of comparing releases with their digests, for the gauges of those names. */
struct server_scrubbed {
    uint64_t contents, bytes, bad, mended;
};
void server_tell_scrubbed(struct server *srv, const struct server_scrubbed *scrubbed);

/* Of contents of releases that nodes give each other, for the gauges of those names. */
struct server_neighbours {
    uint64_t taken_bytes, wrong_bytes, given_bytes, refusals;
};
void server_tell_neighbours(struct server *srv, const struct server_neighbours *neighbours);

/* Opens the log files again (SIGUSR1, after rotation). */
void server_reopen_logs(struct server *srv);

/* Stops accepting, lets requests end for at most `drain_ms`, then closes, joins and frees. False if
 * a disk has still not answered some seconds later: its threads can't be joined, nothing is freed,
 * and the process must call _exit(). */
bool server_stop(struct server *srv, uint32_t drain_ms);

#endif
