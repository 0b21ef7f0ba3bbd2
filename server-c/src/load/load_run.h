/* SPDX-License-Identifier: MIT */
/* load_run.h — a run from beginning to end, on one thread. */
#ifndef FARMSTEAD_LOAD_RUN_H
#define FARMSTEAD_LOAD_RUN_H

#include "base/list.h"
#include "load/load_link.h"
#include "load/response_reader.h"

#include <signal.h>

#define LOAD_INPUT_BYTES 65536
#define LOAD_READS_MAX 64 /* from one socket before others, and time-outs, have their turn */

struct load_client;
struct load_misbehaving;
struct load_session;
struct load_run;

/* What epoll knows of a socket: a member of whoever owns it. */
struct load_watch {
    void (*on_ready)(struct load_run *run, struct load_watch *watch, uint32_t events);
};

struct load_run {
    const struct load_plan *plan;
    struct load_schedule schedule;
    struct load_result result;
    SSL_CTX *tls; /* NULL when no target has TLS */
    int epoll;
    uint64_t start_ns, tick_ns; /* tick_ns: when misbehaving clients are next looked after */
    struct load_client *clients;
    struct load_misbehaving *misbehaving;
    size_t misbehaving_count;
    struct load_session *sessions; /* of HTTP/2 */
    uint64_t session_count;
    struct list marked;  /* sessions with something to write */
    struct list free;    /* of clients: the last one freed is the first one taken */
    struct list active;  /* by when their time-outs are */
    struct list resting; /* by when they may work again */
    uint64_t active_count;
    char input[LOAD_INPUT_BYTES]; /* what was just received, by whichever client */
};

/* 0, or -1 with a sentence in `why`. To be freed in both cases. */
int load_run_init(struct load_run *run, const struct load_plan *plan, struct buf *why);
void load_run_free(struct load_run *run);

/* Returns how many nanoseconds it took. Ends at once, with what there is, when *stop is set. */
uint64_t load_run(struct load_run *run, const volatile sig_atomic_t *stop);

/* From now on `watch` is told, once for each change, that the socket is ready. */
bool load_run_watch(const struct load_run *run, int fd, struct load_watch *watch);
/* There may be more to read of a watched socket: `watch` is told of it again. */
void load_run_look_again(const struct load_run *run, int fd, struct load_watch *watch);

/* When the next request is due by the clock; LOAD_NEVER when none is any more. */
uint64_t load_run_due(const struct load_run *run, uint64_t now_ns);
/* `client`, which has just become free, takes what is due already, or waits. */
void load_run_next(struct load_run *run, struct load_client *client);

#endif
