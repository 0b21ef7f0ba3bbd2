/* SPDX-License-Identifier: MIT */
/* server_lanes.c — "auto" for read threads: two for each disk below the folders that are served.
 * One reads while the other's result is on its way. More would only make the disk's own queue
 * longer, in which look-ups wait, too. */
#include "server/server_lanes.h"

#include "base/mem.h"
#include "base/path.h"
#include "lanes/root_disks.h"
#include "log/log.h"
#include "machine/bounded_call.h"
#include "site/site_tls.h"

#include <stdlib.h>
#include <string.h>

#define READS_PER_DISK 2
#define COUNT_SECONDS 5
#define COPIES_WAITING 64 /* files that wait for being compressed; the next is asked for again */

static char *fixed_part(const char *folder)
{
    return xstrndup(folder, path_fixed_len(folder));
}

static uint32_t count_disks(const struct config *cfg)
{
    size_t count = 0, most = 0;
    uint32_t disks;
    char **folders;

    for (size_t i = 0; i < cfg->site_count; i++)
        most += 1 + cfg->sites[i].alias_count;
    folders = xcalloc(most + 1, sizeof(*folders));
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct config_site *site = &cfg->sites[i];
        folders[count++] = fixed_part(site->root);
        for (size_t j = 0; j < site->alias_count; j++)
            folders[count++] = fixed_part(site->aliases[j].folder);
    }
    disks = root_disks_count((const char *const *)folders, count, NULL);
    for (size_t i = 0; i < count; i++)
        free(folders[i]);
    free(folders);
    return disks;
}

/* Counts on its own thread, because one of the disks may hang. */
struct count {
    struct config *cfg; /* a reference */
    uint32_t disks;
};

static void do_count(void *arg)
{
    struct count *count = arg;

    count->disks = count_disks(count->cfg);
}

static void free_count(void *arg)
{
    struct count *count = arg;

    config_put(count->cfg);
    free(count);
}

static uint32_t auto_read_threads(struct config *cfg)
{
    struct count *count = xcalloc(1, sizeof(*count));
    uint32_t disks = 0;
    enum bounded outcome;

    count->cfg = config_get(cfg);
    outcome = bounded_call(do_count, free_count, count, COUNT_SECONDS);
    if (outcome == BOUNDED_DONE)
        disks = count->disks;
    else
        log_warn(
            "io.readThreads: a disk does not answer, so that the disks could not be counted: as "
            "many threads as for one");
    if (outcome != BOUNDED_LEFT)
        free_count(count);
    return READS_PER_DISK * (disks > 0 ? disks : 1);
}

/* Are files compressed or hashed? */
static bool has_work_for_lane(const struct config *cfg)
{
    if (cfg->compression.cache_folder[0] != '\0')
        return true;
    for (size_t i = 0; i < cfg->site_count; i++)
        if (cfg->sites[i].etag == ETAG_BY_CONTENT)
            return true;
    return false;
}

void server_lanes_resize(struct loop_shared *shared, struct config *cfg, uint32_t loops)
{
    bool computes = has_work_for_lane(cfg);
    bool is_auto = cfg->io.read_threads == CONFIG_AUTO;
    uint32_t readers = is_auto ? auto_read_threads(cfg) : cfg->io.read_threads;

    io_lane_resize(shared->read_lane, readers, cfg->io.queue_length);
    io_lane_resize(shared->stat_lane, cfg->io.stat_threads, cfg->io.queue_length);
    io_lane_resize(shared->sign_lane, site_tls_is_wanted(cfg) ? loops : 1, 1);
    io_lane_resize(shared->copy_lane, computes ? (loops + 1) / 2 : 1, COPIES_WAITING);
}
