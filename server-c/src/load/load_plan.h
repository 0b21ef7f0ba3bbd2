/* SPDX-License-Identifier: MIT */
/* load_plan.h — what a run does, and every bound of it: read once, then never changed.
 *
 * The text is one JSON document, with which farmctl says everything it was asked for; for a replay
 * one line for each request follows, "DUE_US URL" (docs/load.md). Only farmctl writes plans, but
 * nothing in one is believed: each number has its bounds here, and no path or field may end its
 * line. */
#ifndef FARMSTEAD_LOAD_PLAN_H
#define FARMSTEAD_LOAD_PLAN_H

#include "base/buf.h"
#include "base/util.h"

#include <netinet/in.h>
#include <sys/socket.h>

#define LOAD_URLS_MAX 100000
#define LOAD_TARGETS_MAX 64
#define LOAD_REPLAY_MAX 2000000
#define LOAD_CLIENTS_MAX 20000
#define LOAD_RATE_MAX 1000000.0 /* requests per second */
#define LOAD_PATH_MAX 8192
#define LOAD_FIELDS_MAX 16384 /* bytes of fields that all requests have */
#define LOAD_DIGEST_BYTES 32
#define LOAD_USER_AGENT "farmload/" FARMSTEAD_VERSION

enum load_mode { LOAD_CLOSED, LOAD_OPEN, LOAD_REPLAY };

struct load_target {
    struct sockaddr_storage address;
    socklen_t address_len;
    char *name; /* in Host and in TLS, without the port */
    bool tls;
};

struct load_url {
    uint32_t target;
    bool is_head;
    bool knows_bytes, knows_digest; /* of a 200's body */
    double weight;
    uint64_t bytes;
    unsigned char digest[LOAD_DIGEST_BYTES]; /* SHA-256 */
    char *request;
    size_t request_len;
    struct span path, host; /* in `request` */
};

struct load_due {
    uint64_t due_ns; /* from the beginning of the run */
    uint32_t url;
};

struct load_plan {
    enum load_mode mode;
    double rate;
    uint64_t clients, seconds, requests, timeout_ms, seed, samples, memory_mb;
    uint64_t streams; /* of a connection of HTTP/2; 0: HTTP/1.1 */
    uint64_t slow_clients, slow_bytes_per_second, aborting_clients;
    bool keep_alive, insecure;
    char *ca_file; /* NULL: the system's */
    char *fields;  /* of all requests, whole lines */
    struct load_target *targets;
    struct load_url *urls;
    struct load_due *replay;
    size_t target_count, url_count, replay_count;
};

/* 0, or -1 with a sentence in `why`. The plan is to be freed in both cases. */
int load_plan_read(struct load_plan *plan, const char *text, size_t len, struct buf *why);
void load_plan_free(struct load_plan *plan);

#endif
