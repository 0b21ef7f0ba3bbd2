/* SPDX-License-Identifier: MIT */
/* A cache and files for it to look up, for unit tests, with a real lane of one thread and a folder
 * that is removed at the end. Tests can set what the lane reports about a file. */
#ifndef FARMSTEAD_FILE_CACHE_FIXTURE_H
#define FARMSTEAD_FILE_CACHE_FIXTURE_H

#include <stdbool.h>

#include "files/file_lookup.h"

static void spied_lookup(struct file_found *found, const struct file_place *place,
                         const struct file_key *key, struct folder_chain *chain);
#define file_lookup_run spied_lookup
#include "files/file_cache.c"
#undef file_lookup_run
#include "files/file_store.c"

#include "check.h"
#include "shell.h"

#include <fcntl.h>

static char root[] = "/tmp/farmstead-cache-XXXXXX";
static struct config_site site;
static struct file_place place = {.site = &site, .folder = root, .lookup_id = 7};
static struct place_owner owner = {.refs = 1}; /* the fixture's; never freed */
static struct io_lane *lane;
static struct io_port port;
static uv_loop_t loop;
static struct file_cache cache;
#define QUEUED_MAX 10 /* jobs that may wait on the lane */

static enum http_status forced; /* 0: ask the disk */
/* If set, reported of the file instead of what the clock says. */
static bool settles, has_young_tag;
static int64_t date_open_for_ns;
static int lookups;

static void spied_lookup(struct file_found *found, const struct file_place *in,
                         const struct file_key *key, struct folder_chain *chain)
{
    lookups++;
    if (!forced) {
        file_lookup_run(found, in, key, chain);
        found->is_settling = settles;
        found->has_young_tag = has_young_tag;
        found->date_open_ns = date_open_for_ns;
        return;
    }
    *found = (struct file_found){.fd = -1, .status = forced};
}

static struct file_entry *told;
static bool was_told;

static void on_ready(struct file_waiter *waiter, struct file_entry *entry)
{
    (void)waiter;
    told = entry;
    was_told = true;
}

static void put(struct file_entry *entry)
{
    file_cache_put(&cache, entry);
}

static void write_at(const char *name, int64_t mtime_seconds, const char *content)
{
    const struct timespec times[2] = {{mtime_seconds, 5}, {mtime_seconds, 5}};
    char path[100];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    CHECK_TRUE(fd >= 0 && write(fd, content, strlen(content)) >= 0, "%s", name);
    if (mtime_seconds)
        futimens(fd, times);
    close(fd);
}

static int begin(void)
{
    const struct file_cache_limits limits = {
        .ttl_ms = 60000, .entries = 100, .descriptors = 10, .body_bytes = 1000, .max_body = 100};

    if (!mkdtemp(root))
        return -1;
    uv_loop_init(&loop);
    lane = io_lane_new("test", 1, QUEUED_MAX);
    io_port_init(&port, &loop);
    file_cache_init(&cache, lane, lane, &port);
    file_cache_configure(&cache, &limits);
    return 0;
}

static int end(const char *name)
{
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
    file_cache_fini(&cache);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    io_lane_free(lane);
    uv_loop_close(&loop);
    CHECK_INT(__LINE__, "look-ups let go of the place", atomic_load(&owner.refs), 1);
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end(name);
}

#endif
