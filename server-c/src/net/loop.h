/* SPDX-License-Identifier: MIT */
/* loop.h — what the connections of one event loop share. Loop thread only.
 *
 * The config in force on a loop is a struct live_config. Each request holds a reference to the one
 * it began under, so a new config takes nothing away from it. Time-outs are lists in the order of
 * their deadlines, one list for each kind: setting a deadline moves a connection to the end, and a
 * tick looks only at the front. */
#ifndef FARMSTEAD_LOOP_H
#define FARMSTEAD_LOOP_H

#include "base/list.h"
#include "files/checksum_store.h"
#include "files/content_table.h"
#include "files/copy_store.h"
#include "files/file_cache.h"
#include "files/file_resident.h"
#include "http/http_date.h"
#include "lanes/io_lane.h"
#include "measure/metrics.h"
#include "measure/path_watch.h"
#include "measure/request_samples.h"
#include "measure/samples.h"
#include "net/accept_deferral.h"
#include "measure/tls_counts.h"
#include "net/poller.h"
#include "site/site.h"
#include "tls/tls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#define LOOP_TICK_MS 250
#define WRITE_LOOKS 4 /* looks at a slow client per writeSeconds */
/* Bytes of the buffer for input, and the most that a client can make a connection keep which does
 * not read its input. */
#define LOOP_INPUT_BYTES 16384

struct transfer;
struct http2_batch;
struct http2_memory;
struct http2_stream;

/* A record of TLS with its overhead (RFC 8446 section 5.2). */
#define LOOP_RECORD_BYTES (16384 + 512)
#define LOOP_TLS_PLAIN_BYTES 16384 /* plain bytes that become one record */

/* What TLS needs on a loop. */
struct loop_tls {
    struct tls_engine *engine;
    struct tls_io io;
    struct tls_counts counts;
    uint64_t turn, spent_ns; /* what handshakes have cost in this turn of the poller */
    struct list waiting;     /* whose handshake waits for its turn; conn_handshake.c */
    struct poller_watch pump;
    struct list to_sign; /* sessions that wait until the lane takes them; transport_tls.c */
    uint32_t signing;    /* jobs of this loop that the lane has */
    char input[LOOP_RECORD_BYTES]; /* encrypted bytes arrive here first */
    char plain[LOOP_TLS_PLAIN_BYTES];
};

/* What happened on this loop under one generation of the config. */
struct loop_series {
    struct list link; /* loop->series, oldest generation first */
    uint32_t refs;    /* live configs that count into it */
    struct server_series data;
};

struct live_config {
    uint32_t refs; /* requests under it, and the loop while it is in force */
    struct site_set *sites;
    const struct config *cfg; /* that of `sites` */
    struct tls_set *tls;      /* NULL: none of its addresses speaks TLS */
    struct loop_series *series;
    size_t counted_sites; /* the first of its sites, which are counted one by one */
};

enum timeout {
    TIMEOUT_SILENT, /* nothing was received yet: headerSeconds */
    TIMEOUT_HEADER, /* part of a head was received: headerSeconds */
    TIMEOUT_IDLE,   /* between requests: keepAliveIdleSeconds */
    /* The client has to take bytes, or the response waits for a rate: a quarter of writeSeconds,
     * after which the client's progress is looked at. */
    TIMEOUT_WRITE,
    TIMEOUT_BODY,   /* the client is sending content that is skipped */
    TIMEOUT_DISK,   /* a lane is at work, which the client can't delay: io.timeoutSeconds */
    TIMEOUT_LINGER, /* our side has ended; the client is given time to notice */
    TIMEOUT_COUNT
};

/* Shared by all loops of the process. */
struct loop_shared {
    struct io_lane *stat_lane, *read_lane;
    struct io_lane *sign_lane; /* ends before the loops do, see tls_engine_free() */
    struct io_lane *copy_lane; /* compresses, and hashes contents */
    struct copy_store *copies;
    struct content_table *contents;
    struct checksum_store *checksums;
    struct auth_store *auth;
    struct tls_tickets *tickets;
    struct acme_challenges *challenges;
    struct peer_table *peers;
    struct request_table *requests; /* how often each address asked */
    _Atomic uint32_t connections;
    _Atomic uint32_t listings;    /* being made */
    _Atomic size_t listing_bytes; /* of the listings being sent */
};

struct loop {
    uv_loop_t uv;
    struct poller poller;
    struct loop_shared *shared;
    uint32_t index; /* its number among the loops */
    struct io_port port;
    struct file_cache files;
    struct file_residents residents;
    struct live_config *live; /* NULL: no requests are served */
    struct loop_tls *tls;     /* NULL: no config in force so far had an address that speaks TLS */
    struct list series;
    struct samples samples;
    struct request_samples request_samples;
    struct path_watch *watch; /* on the heap; NULL: nothing is counted by path */
    uint64_t evictions_counted;

    struct list connections[TIMEOUT_COUNT]; /* every connection is in one of them */
    uint64_t timeout_ms[TIMEOUT_COUNT];
    struct list throttled; /* responses that wait for a rate, or for a file to settle */
    uint32_t tick_count;
    size_t connection_count;
    /* How many connections ended for each reason, since the loop began. */
    uint64_t ends[END_REASON_COUNT];
    struct accept_deferral deferral;
    uint32_t listeners_deferring;
    struct transfer *spare_transfers; /* kept by conn_transfer.c */
    size_t spare_count;
    bool is_stopping;
    uint64_t warned_address_ms, warned_proxy_ms, warned_copies_ms,
        warned_checksums_ms; /* when the log was last told; 0: never */

    /* Connections of HTTP/2, and their streams, by what they wait for: kept by http2/. Each list is
     * in the order of its deadlines. */
    struct {
        struct list idle, busy, lingering; /* every connection is in one of them */
        struct list in_head;               /* connections with part of a head */
        struct list leaving;               /* connections that will soon take no more requests */
        struct list at_disk;               /* streams that wait for a lane */
        struct list throttled;     /* streams that wait for a rate, or for a file to settle */
        struct http2_batch *batch; /* on the heap */
        struct http2_memory *memory;
        struct http2_stream *spare_streams;
        size_t spare_count;
    } http2;

    int64_t date_second;
    char date[HTTP_DATE_LEN + 1];
    char *input; /* LOOP_INPUT_BYTES; received bytes arrive here first */
    char *head;  /* heads of responses are written here */
    size_t head_cap;
    char *path; /* resolved paths are written here */
    size_t path_cap;
    struct site_scratch scratch;
    uint64_t random[2]; /* state of the generator of multipart boundaries */
};

/* In zeroed memory; `index` is its number among the loops. Afterwards poller_turn() runs it, turn by
 * turn. */
int loop_init(struct loop *loop, struct loop_shared *shared, uint32_t index);
void loop_fini(struct loop *loop); /* when everything on it has been closed */

/* Puts `sites` in force, taking its own reference; NULL: serve nothing. Limits of caches and
 * samples are divided by `loops`, the number of loops. */
void loop_set_live(struct loop *loop, struct site_set *sites, uint64_t generation, uint32_t loops);

/* Makes what TLS needs on this loop, once. False: no memory. While the loop does not use it yet any
 * thread may call this. */
bool loop_start_tls(struct loop *loop);
/* Takes over what loop_set_live() needs besides, right after it. */
void loop_set_tls(struct loop *loop, struct tls_set *tls);

struct live_config *live_config_get(struct live_config *live);
void live_config_put(struct live_config *live);

static inline void loop_count(struct live_config *live, enum counter counter, uint64_t n)
{
    live->series->data.counters[counter] += n;
}

/* Where requests of `site` are counted besides; NULL: no site answered. */
static inline uint64_t *loop_site_row(struct live_config *live, const struct site *site)
{
    size_t place = site ? (size_t)(site - live->sites->sites) : METRICS_SITES;

    return live->series->data.sites[place < live->counted_sites ? place : METRICS_SITES];
}

/* Counts requests below these paths besides, from 0 on when it is another watch than the last; one without
 * paths: none. */
void loop_watch_paths(struct loop *loop, const struct path_watch *watch);

/* May the log be told again of what it was told at *warned_ms (0: never)? Once a minute; then *warned_ms is
 * now. */
bool loop_may_warn(const struct loop *loop, uint64_t *warned_ms);

/* Takes a connection out of the table of peers, if `is_counted`. */
void loop_leave_peer(struct loop *loop, const struct sockaddr *peer, bool is_counted);

/* Takes a connection out of shared->connections, and if `is_counted` out of the table of peers. */
void loop_uncount_connection(struct loop *loop, const struct sockaddr *peer, bool is_counted);

/* The current time as the value of Date (RFC 9110 section 6.6.1). Also sets loop->date_second. */
const char *loop_date(struct loop *loop);

/* Writes `len` - 1 random hexadecimal digits and a NUL: a multipart boundary that nobody can know
 * before, and that therefore no file contains (RFC 2046 section 5.1.1). */
void loop_boundary(struct loop *loop, char *out, size_t len);

/* Adds this loop's series and gauges to `metrics`. Frees series that are too old and have no
 * requests. */
void loop_add_metrics(struct loop *loop, struct server_metrics *metrics);

#endif
