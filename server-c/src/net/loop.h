/* SPDX-License-Identifier: MIT */
/* loop.h — what the connections of one event loop share. Loop thread only.
 *
 * A config that is in force on a loop is a struct live_config; each request under way counts as one
 * user of the one it began under, so a swap takes nothing from under it. Time-outs are lists
 * ordered by deadline, one per kind: arming one is a move to the end, and a tick looks at the
 * front. */
#ifndef FARMSTEAD_LOOP_H
#define FARMSTEAD_LOOP_H

#include "base/list.h"
#include "files/file_cache.h"
#include "files/file_resident.h"
#include "http/http_date.h"
#include "lanes/io_lane.h"
#include "log/access_log.h"
#include "measure/metrics.h"
#include "measure/samples.h"
#include "net/accept_deferral.h"
#include "net/poller.h"
#include "site/site.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#define LOOP_TICK_MS 250
#define WRITE_LOOKS 4          /* at a client that takes its response slowly, per writeSeconds */
#define LOOP_INPUT_BYTES 16384 /* also what one that reads nothing can make a connection keep */

struct transfer;

/* What one config generation did on this loop. */
struct loop_series {
    struct list link; /* loop->series, oldest generation first */
    uint32_t refs;    /* live configs that count into it */
    struct server_series data;
};

struct live_config {
    uint32_t refs; /* requests under it, and the loop while it is current */
    struct site_set *sites;
    const struct config *cfg; /* sites->cfg */
    struct loop_series *series;
};

enum timeout {
    TIMEOUT_SILENT, /* nothing was received yet: headerSeconds */
    TIMEOUT_HEADER, /* a head is half received */
    TIMEOUT_IDLE,   /* between requests */
    TIMEOUT_WRITE, /* the client is to take bytes, or waits for its rate: a part of writeSeconds, then
                       it is looked at */
    TIMEOUT_BODY,   /* the client sends a body that nobody wants */
    TIMEOUT_DISK,   /* the lanes are at work; nothing of this the client can hold up */
    TIMEOUT_LINGER, /* the client is to take note of the end */
    TIMEOUT_COUNT
};

/* Shared by all loops of the process. */
struct loop_shared {
    struct io_lane *stat_lane, *read_lane;
    struct access_log *access_log;
    struct auth_store *auth;
    struct peer_table *peers;
    _Atomic uint32_t connections;
    _Atomic uint32_t listings;    /* being made */
    _Atomic size_t listing_bytes; /* of those being sent */
};

struct loop {
    uv_loop_t uv;
    struct poller poller;
    struct loop_shared *shared;
    struct io_port port;
    struct file_cache files;
    struct file_residents residents;
    struct access_ring *access_ring;
    struct live_config *live; /* NULL: nothing is served */
    struct list series;
    struct samples samples;
    uint64_t evictions_counted;

    struct list connections[TIMEOUT_COUNT]; /* every connection is in one of them */
    uint64_t timeout_ms[TIMEOUT_COUNT];
    struct list throttled; /* connections that wait for their rate */
    uint32_t tick_count;
    size_t connection_count;
    uint64_t ends[END_REASON_COUNT]; /* of connections, since the loop began */
    struct accept_deferral deferral;
    uint32_t listeners_deferring;
    struct transfer *spare_transfers; /* of conn_transfer.c */
    size_t spare_count;
    bool is_stopping;

    int64_t date_second;
    char date[HTTP_DATE_LEN + 1];
    char *input; /* LOOP_INPUT_BYTES: what is received lands here first */
    char *head;  /* responses' heads are written here */
    size_t head_cap;
    char *path; /* resolved paths are written here */
    size_t path_cap;
    struct site_scratch scratch;
    uint64_t random[2]; /* what boundaries are made from */
};

/* In zeroed memory. Afterwards poller_turn() runs it, turn by turn. */
int loop_init(struct loop *loop, struct loop_shared *shared);
void loop_fini(struct loop *loop); /* after everything on it was closed */

/* Puts `sites` (with its own reference; NULL: serve nothing) in force. `loops` is among how many
 * the budgets are shared. */
void loop_set_live(struct loop *loop, struct site_set *sites, uint64_t generation, uint32_t loops);

struct live_config *live_config_get(struct live_config *live);
void live_config_put(struct live_config *live);

static inline void loop_count(struct live_config *live, enum counter counter, uint64_t n)
{
    live->series->data.counters[counter] += n;
}

/* The Date of now; also sets loop->date_second. */
const char *loop_date(struct loop *loop);

/* A text that no file can have in it, as nobody can know it before: `len` - 1 hexadecimal digits. */
void loop_boundary(struct loop *loop, char *out, size_t len);

/* Adds this loop's series and gauges. Forgets series that are too old and without requests. */
void loop_add_metrics(struct loop *loop, struct server_metrics *metrics);

#endif
