/* SPDX-License-Identifier: MIT */
/* server.c — the loops, the lanes and the logs of the process, from its start to its end. How a config gets
 * into force is in server_apply.c, what is read back in server_read.c. */
#include "server/server.h"

#include "auth/auth_check.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"
#include "machine/descriptors.h"
#include "machine/machine.h"
#include "net/peer_table.h"
#include "net/request_table.h"
#include "server/server_files.h"
#include "server/server_logs.h"
#include "server/server_state.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define FIRST_THREADS 1 /* threads of a lane before there is a config */
#define SIGN_NICENESS 5 /* where all processors are busy, signing gets a third of a loop's share */

#define COPY_NICENESS 10 /* nobody waits for what is compressed */

/* --- start and stop -------------------------------------------------------------------------- */

static void make_boot_id(char out[33])
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
        uint64_t seed = monotonic_ns() ^ (uint64_t)getpid() << 48;
        memcpy(bytes, &seed, 8);
        memcpy(bytes + 8, &seed, 8);
    }
    digest_hex(out, bytes, sizeof(bytes));
}

struct server *server_new(const struct server_admin *admin, int *err)
{
    struct server *srv = xcalloc(1, sizeof(*srv));
    struct config_machine machine;

    descriptors_raise_limit();
    machine_read(&machine); /* while the process can still see the machine */
    make_boot_id(srv->boot_id);
    srv->started_ns = monotonic_ns();
    srv->admin_by = admin;
    srv->admin_listen.address = xstrdup("");
    uv_mutex_init(&srv->lock);
    uv_mutex_init(&srv->applying);
    *err = UV_EAGAIN; /* only threads can be missing */
    srv->shared.peers = peer_table_new();
    srv->shared.requests = request_table_new();
    srv->shared.challenges = acme_challenges_new();
    srv->shared.tickets = tls_tickets_new();
    if (!srv->shared.tickets)
        goto fail_tickets;
    srv->access_logs = access_logs_new();
    srv->shared.stat_lane = io_lane_new("stat", FIRST_THREADS, FIRST_THREADS);
    if (!srv->shared.stat_lane)
        goto fail_stat_lane;
    io_lane_reserve_thread(srv->shared.stat_lane);
    srv->shared.read_lane = io_lane_new("read", FIRST_THREADS, FIRST_THREADS);
    if (!srv->shared.read_lane)
        goto fail_read_lane;
    srv->shared.sign_lane = io_lane_new_nice("sign", FIRST_THREADS, FIRST_THREADS, SIGN_NICENESS);
    if (!srv->shared.sign_lane)
        goto fail_sign_lane;
    srv->shared.copies = copy_store_new();
    srv->shared.contents = content_table_new();
    srv->shared.checksums = checksum_store_new();
    srv->shared.copy_lane =
        io_lane_new_nice("compress", FIRST_THREADS, FIRST_THREADS, COPY_NICENESS);
    if (!srv->shared.copy_lane)
        goto fail_copy_lane;
    srv->auth_lane = io_lane_new("auth", AUTH_LANE_THREADS, AUTH_LANE_QUEUE);
    if (!srv->auth_lane)
        goto fail_auth_lane;
    srv->shared.auth = auth_store_new(srv->shared.stat_lane, srv->auth_lane);
    if (!srv->shared.auth)
        goto fail_auth_store;
    srv->files = server_files_start(srv);
    if (!srv->files)
        goto fail_files;
    *err = 0;
    return srv;

fail_files:
    auth_store_free(srv->shared.auth);
fail_auth_store:
    io_lane_free(srv->auth_lane);
fail_auth_lane:
    io_lane_free(srv->shared.copy_lane);
fail_copy_lane:
    checksum_store_free(srv->shared.checksums);
    content_table_free(srv->shared.contents);
    copy_store_free(srv->shared.copies);
    io_lane_free(srv->shared.sign_lane);
fail_sign_lane:
    io_lane_free(srv->shared.read_lane);
fail_read_lane:
    io_lane_free(srv->shared.stat_lane);
fail_stat_lane:
    access_logs_free(srv->access_logs);
    tls_tickets_free(srv->shared.tickets);
fail_tickets:
    acme_challenges_free(srv->shared.challenges);
    request_table_free(srv->shared.requests);
    peer_table_free(srv->shared.peers);
    uv_mutex_destroy(&srv->applying);
    uv_mutex_destroy(&srv->lock);
    free(srv->admin_listen.address);
    free(srv);
    return NULL;
}

bool server_stop(struct server *srv, uint32_t drain_ms)
{
    bool is_stuck = false;

    server_files_end(srv->files); /* before the loops, which it asks; so does the admin */
    server_release_held(srv, 0, NULL);
    srv->admin_by->stop(srv->admin); /* it asks the loops: before them */
    copy_store_stop(srv->shared.copies);
    content_table_stop(srv->shared.contents);
    bound_list_clear(&srv->bound); /* so that the loops' closing is the end */
    for (uint32_t i = 0; i < srv->worker_count; i++)
        worker_stop(srv->workers[i], drain_ms);
    for (uint32_t i = 0; i < srv->worker_count; i++)
        is_stuck |= !worker_join(srv->workers[i]);
    is_stuck |= !server_files_join(srv->files);
    if (is_stuck) {
        log_error("server: a disk does not answer; ending without its threads");
        server_logs_end(srv->access_logs);
        return false;
    }
    io_lane_free(srv->shared.sign_lane); /* before the loops, see tls_engine_free() */
    for (uint32_t i = 0; i < srv->worker_count; i++)
        worker_free(srv->workers[i]);
    auth_store_free(srv->shared.auth);
    io_lane_free(srv->auth_lane);
    io_lane_free(srv->shared.copy_lane);
    checksum_store_free(srv->shared.checksums);
    content_table_free(srv->shared.contents);
    copy_store_free(srv->shared.copies);
    io_lane_free(srv->shared.read_lane);
    io_lane_free(srv->shared.stat_lane);
    site_set_put(srv->sites); /* before its logs */
    kept_versions_put(srv->versions);
    server_logs_end(srv->access_logs);
    tls_tickets_free(srv->shared.tickets);
    acme_challenges_free(srv->shared.challenges);
    request_table_free(srv->shared.requests);
    peer_table_free(srv->shared.peers);
    free(srv->admin_listen.address);
    uv_mutex_destroy(&srv->applying);
    uv_mutex_destroy(&srv->lock);
    free(srv);
    return true;
}

/* --- logs ------------------------------------------------------------------------------------ */

void server_reopen_logs(struct server *srv)
{
    struct config *cfg = server_config(srv);

    server_logs_reopen(srv->access_logs, cfg);
    config_put(cfg);
}
